#include "study/probe.hpp"

#include <fmt/format.h>

#include "io/examples.hpp"

namespace escapement::inline study {

namespace {

const std::string* find(const TextPairs& list, std::string_view key) {
  for (const auto& [name, value] : list)
    if (name == key) return &value;
  return nullptr;
}

void put(TextPairs& list, const std::string& key, const std::string& value) {
  for (auto& [name, old] : list)
    if (name == key) return void(old = value);
  list.emplace_back(key, value);
}

double number_of(const std::string& text) {
  return evaluate(text, [](std::string_view) { return std::nullopt; });
}

std::string example_text(const std::string& name) {
  for (const ExampleFile& file : example_files())
    if (file.name == name + ".yaml") return std::string(file.text);
  throw std::runtime_error(fmt::format("there is no example '{}'", name));
}

}  // namespace

PointSetup::PointSetup(const Experiment& experiment, const Case& c, int index)
    : experiment_(experiment), case_(c), settings_(c.settings), set_(c.set), options_(c.options) {
  // a varied name with a prefix goes to the model's parameters or the scheme's options
  for (const auto& [key, values] : c.vary) {
    const std::string& value = values[index];
    if (key.starts_with("set."))
      put(set_, key.substr(4), value);
    else if (key.starts_with("option."))
      put(options_, key.substr(7), value);
    else
      put(settings_, key, value);
  }
}

const std::string* PointSetup::text(std::string_view key) const { return find(settings_, key); }

std::string PointSetup::text(std::string_view key, const std::string& fallback) const {
  const std::string* found = text(key);
  return found ? *found : fallback;
}

double PointSetup::number(std::string_view key) const {
  const std::string* found = text(key);
  if (!found) throw std::runtime_error(fmt::format("the case '{}' of {} needs '{}'", case_.name, experiment_.id, key));
  return number_of(*found);
}

double PointSetup::number(std::string_view key, double fallback) const { return text(key) ? number(key) : fallback; }

std::vector<std::string> PointSetup::names(std::string_view key) const {
  const std::string* found = text(key);
  std::vector<std::string> list;
  if (!found) return list;
  const std::string inner = found->front() == '[' ? found->substr(1, found->size() - 2) : *found;
  for (std::size_t start = 0; start <= inner.size();) {
    const std::size_t comma = std::min(inner.find(',', start), inner.size());
    const std::size_t first = inner.find_first_not_of(' ', start);
    list.push_back(inner.substr(first, comma - first));
    start = comma + 1;
  }
  return list;
}

std::vector<double> PointSetup::numbers(std::string_view key) const {
  if (!text(key)) throw std::runtime_error(fmt::format("the case '{}' of {} needs '{}'", case_.name, experiment_.id, key));
  std::vector<double> list;
  for (const std::string& entry : names(key)) list.push_back(number_of(entry));
  return list;
}

PointSetup PointSetup::with(const std::string& key, const std::string& value) const {
  PointSetup other = *this;
  put(other.settings_, key, value);
  return other;
}

Model PointSetup::model() const { return load(text("step")); }

Model PointSetup::model(double step) const {
  const std::string exact = fmt::format("{:.17g}", step);
  return load(&exact);
}

Model PointSetup::load(const std::string* step) const {
  Overrides overrides;
  overrides.parameters = set_;
  overrides.options = options_;
  if (const std::string* scheme = text("scheme")) overrides.scheme = *scheme;
  if (const std::string* tolerance = text("tolerance")) overrides.tolerance = *tolerance;
  if (const std::string* end = text("end")) overrides.end = *end;
  if (step) overrides.step = *step;
  const auto own = experiment_.models.find(case_.model);
  const std::string& body = own != experiment_.models.end() ? own->second : example_text(case_.model);
  Model model = read_model(case_.model + ".yaml", body, overrides);
  model.settings.per_unit_step = text("error", "") == "per_unit_step";
  if (text("save_every")) model.settings.save_every = number("save_every");
  return model;
}

Probe find_probe(const std::string& kind) {
  static const std::map<std::string, Probe> all{
      {"run", probe_run},
      {"loosest", probe_loosest},
      {"matched", probe_matched},
      {"newton", probe_newton},
      {"spectral-radius", probe_spectral_radius},
      {"largest-step", probe_largest_step},
      {"multipoint", probe_multipoint},
      {"prescribed-position", probe_prescribed_position},
      {"linear-system", probe_linear_system},
  };
  const auto it = all.find(kind);
  if (it == all.end()) throw std::runtime_error(fmt::format("there is no kind of case '{}'", kind));
  return it->second;
}

}  // namespace escapement
