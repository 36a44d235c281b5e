#include "io/simulation_reader.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "io/explicit_reader.hpp"
#include "io/touching_step.hpp"
#include "math/nearest_name.hpp"

namespace escapement::inline io {

namespace {

constexpr double most_steps = 1e12, most_samples = 1e9;

class SimulationReader {
 public:
  SimulationReader(Reading& reading, const Block& top, const Overrides& overrides, const Model& model)
      : reading_(reading),
        overrides_(overrides),
        model_(model),
        touching_(touching_bodies(model)),
        top_(top),
        block_(reading, simulation_entry(top), "model.simulation") {}

  Settings read();
  void read_stop(Model&);

 private:
  // a value and where it came from: the command line or the file
  struct Source {
    const YamlNode::Entry* entry = nullptr;
    std::string option;  // "--end" ...; empty: the file
  };
  const YamlNode::Entry& simulation_entry(const Block& top);
  [[noreturn]] void fail(const Source&, const std::string& message) const;
  std::optional<double> number(const char* key, const std::optional<std::string>& given, Source&);
  void read_then(Settings&);
  void read_scheme(Settings&);
  void read_options(Settings&);
  void settle_touching(Settings&) const;
  OptionValue option_value(const YamlNode::Entry&);
  OptionValue option_value(const std::string& name, const std::string& text);
  bool is_word(const std::string& text) const;
  double value_of(const std::string& text, const Source&);  // of a text from the command line
  void check_counts(const Settings&) const;
  void check_steps(const Settings&, double h, double start, double end, const Source&) const;  // fixed ones
  void check_options_of(const Settings&) const;

  Reading& reading_;
  const Overrides& overrides_;
  const Model& model_;
  const TouchingBodies* touching_;
  const Block& top_;
  YamlNode nothing_;
  YamlNode::Entry empty_;
  Block block_;
  Source start_, end_, step_, then_, tolerance_, save_every_, scheme_;
};

const YamlNode::Entry& SimulationReader::simulation_entry(const Block& top) {
  if (const YamlNode::Entry* entry = top.find("simulation")) return *entry;
  nothing_.kind = YamlNode::Kind::null;
  empty_ = {"simulation", 0, &nothing_};
  return empty_;
}

void SimulationReader::fail(const Source& source, const std::string& message) const {
  if (!source.option.empty()) throw OverrideError(fmt::format("{}: {}", source.option, message));
  if (!source.entry) reading_.fail(0, message);
  reading_.fail(*source.entry->value, message);
}

std::optional<double> SimulationReader::number(const char* key, const std::optional<std::string>& given,
                                               Source& source) {
  if (!given) {
    source.entry = block_.find(key);
    return block_.number(key);
  }
  source.option = fmt::format("--{}", key);
  const double value = value_of(*given, source);
  check_range(*find_key("model.simulation", key), value, [&](const std::string& message) { fail(source, message); });
  return value;
}

Settings SimulationReader::read() {
  Settings settings;
  const auto end = number("end", overrides_.end, end_);
  if (!end) {
    if (!top_.find("simulation"))
      reading_.fail(0, "the model does not say when the run ends; add 'simulation: {end: 10}' or give --end");
    block_.require("end");
  }
  settings.end = *end;
  settings.start = number("start", std::nullopt, start_).value_or(0);
  if (settings.start >= settings.end)
    fail(start_, fmt::format("the run starts at t = {:g} s, not before its end at {:g} s; give a later end", settings.start, settings.end));
  if (overrides_.step && overrides_.tolerance)
    throw OverrideError("--step and --tolerance exclude each other; give one of them");
  if (!overrides_.step && !overrides_.tolerance && block_.find("step") && block_.find("tolerance"))
    reading_.fail(block_.find("step")->key_offset, "'step' and 'tolerance' exclude each other; keep one of them");
  if (!overrides_.tolerance) settings.step = number("step", overrides_.step, step_);
  if (!overrides_.step) settings.tolerance = number("tolerance", overrides_.tolerance, tolerance_);
  if (!overrides_.tolerance && !overrides_.step) read_then(settings);
  settings.save_every = number("save_every", std::nullopt, save_every_).value_or(-1);
  settings.per_unit_step = block_.word("error") == "per_unit_step";
  read_scheme(settings);
  read_options(settings);
  if (touching_) settle_touching(settings);
  check_counts(settings);
  if (!overrides_.lenient_options) {
    Settings taken = settings;
    if (touching_ && taken.scheme == "auto") taken.scheme = "moreau-jean";
    check_options_of(taken);
  }
  return settings;
}

// what the command line gives holds from start to end
void SimulationReader::read_then(Settings& settings) {
  const YamlNode::Entry *until = block_.find("until"), *then = block_.find("then");
  if (!until && !then) return;
  if (!then) reading_.fail(until->key_offset, "'until' ends the first steps, but nothing says what follows; add 'then: {tolerance: 1e-6}'");
  if (!until) reading_.fail(then->key_offset, "'then' follows a time that is missing; add 'until: 0.4'");
  const Block next(reading_, *then, "model.simulation.then");
  if (next.find("step") && next.find("tolerance"))
    reading_.fail(next.find("step")->key_offset, "'step' and 'tolerance' exclude each other; keep one of them");
  then_.entry = next.find("step");
  settings.then = Settings::Then{*block_.number("until"), next.number("step"), next.number("tolerance")};
  const double from = settings.then->from;
  // the command line may end the run before
  if (overrides_.end && from >= settings.end) return settings.then.reset();
  if (from <= settings.start || from >= settings.end)
    reading_.fail(*until->value, fmt::format("'until' is {:g} s but must lie within the run, between {:g} and {:g} s", from,
                                             settings.start, settings.end));
}

void SimulationReader::read_scheme(Settings& settings) {
  std::optional<std::string> id = overrides_.scheme ? overrides_.scheme : block_.text("scheme");
  if (overrides_.scheme)
    scheme_.option = "--scheme";
  else
    scheme_.entry = block_.find("scheme");
  if (!id) {
    settings.scheme = "auto";
    return;
  }
  settings.scheme = *id;
  if (find_scheme(*id)) return;
  std::vector<std::string> known;
  for (const SchemeEntry& scheme : all_schemes()) known.push_back(scheme.info.id);
  const std::string near = did_you_mean(*id, known);
  fail(scheme_,
       fmt::format("there is no scheme {}{}", quote(*id), near.empty() ? "; 'escapement schemes' lists them" : near));
}

// contacts that come and go with every step: who takes them, and with which steps
void SimulationReader::settle_touching(Settings& settings) const {
  const std::vector<OptionInfo>& options = find_scheme(settings.scheme)->info.options;
  const bool takes = std::any_of(options.begin(), options.end(), [](const OptionInfo& o) { return o.name == "gap_term"; });
  if (settings.scheme != "auto" && !takes)
    fail(scheme_, fmt::format("{} does not take contacts of shapes that are found anew in each step ({}); take moreau-jean or auto{}",
                              quote(settings.scheme), touching_->why, touching_->why == "'among'" ? ", or name few pairs with 'between'" : ""));
  if (settings.tolerance || (settings.then && settings.then->tolerance))
    fail(settings.tolerance ? tolerance_ : then_,
         fmt::format("contacts of shapes that are found anew in each step ({}) take fixed steps; give a step, such as 1e-3, in place of a tolerance", touching_->why));
  if (!settings.step) settings.step = step_for_touching(*model_.system, *touching_, model_.start, settings.duration());
}

// a word like "both" is no name of the model, so it is text; everything else is an expression
bool SimulationReader::is_word(const std::string& text) const {
  constexpr auto characters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool word = !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
                    text.find_first_not_of(characters) == std::string::npos;
  return word && !reading_.constants.find(text) && text != "pi";
}

OptionValue SimulationReader::option_value(const YamlNode::Entry& entry) {
  if (entry.value->is_scalar())
    return is_word(entry.value->text) ? OptionValue(entry.value->text) : OptionValue(reading_.constant(entry));
  if (!entry.value->is_sequence())
    reading_.fail(entry.key_offset, fmt::format("the option {} must be a number, a word or a list", quote(entry.key)));
  std::vector<double> list;
  for (const auto& item : entry.value->entries) list.push_back(reading_.constant(item));
  return list;
}

OptionValue SimulationReader::option_value(const std::string& name, const std::string& text) {
  const Source source{nullptr, fmt::format("--option {}", name)};
  if (is_word(text)) return text;
  if (text.empty() || text.front() != '[') return value_of(text, source);
  if (text.back() != ']') fail(source, "a list ends with ']'");
  std::vector<double> list;
  for (std::size_t start = 1; start < text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size() - 1);
    list.push_back(value_of(text.substr(start, end - start), source));
    start = end + 1;
  }
  return list;
}

double SimulationReader::value_of(const std::string& text, const Source& source) {
  double value = 0;
  try {
    value = reading_.graph.evaluate(parse_expression(reading_.graph, text, reading_.constants), {});
  } catch (const ExpressionError& e) {
    fail(source, e.what());
  }
  if (!std::isfinite(value)) fail(source, fmt::format("the value of {} is not a finite number", quote(text)));
  return value;
}

void SimulationReader::read_options(Settings& settings) {
  for (const auto& entry : block_.named("options")) settings.options[entry.key] = option_value(entry);
  for (const auto& [name, text] : overrides_.options) settings.options[name] = option_value(name, text);
}

void SimulationReader::check_counts(const Settings& settings) const {
  const double from = settings.then ? settings.then->from : settings.end;
  if (settings.step) check_steps(settings, *settings.step, settings.start, from, step_);
  if (settings.then && settings.then->step) check_steps(settings, *settings.then->step, from, settings.end, then_);
  if (const double run = settings.duration(); settings.save_every > 0 && run / settings.save_every > most_samples)
    fail(save_every_, fmt::format("the run would save {:.3g} samples, more than {:g}; take a larger save_every",
                                  run / settings.save_every, most_samples));
}

void SimulationReader::check_steps(const Settings& settings, double h, double start, double end, const Source& source) const {
  const double run = end - start, latest = std::max(std::abs(end), std::abs(start));
  const double spacing = std::nextafter(latest, std::numeric_limits<double>::infinity()) - latest;
  if (h < spacing)
    fail(source,
         fmt::format("the step {:g} is below the spacing of numbers at the end time {:g}; take one above {:.2g}", h,
                     end, spacing));
  if (run / h > most_steps)
    fail(source,
         fmt::format("the run would take {:.3g} steps, more than {:g}; take a larger step", run / h, most_steps));
  if (settings.save_every == 0 && run / h > most_samples)
    fail(save_every_, fmt::format("the run would save {:.3g} samples, more than {:g}; give a save_every above 0",
                                  run / h, most_samples));
}

void SimulationReader::check_options_of(const Settings& settings) const {
  try {
    check_options(settings);
  } catch (const OptionError& e) {
    for (const auto& [name, text] : overrides_.options)
      if (name == e.option) throw OverrideError(fmt::format("--option {}: {}", name, e.what()));
    for (const auto& entry : block_.named("options"))
      if (entry.key == e.option) reading_.fail(entry.key_offset, e.what());
    fail(scheme_, e.what());
  }
}

void SimulationReader::read_stop(Model& model) {
  const YamlNode::Entry* entry = block_.find("stop");
  if (!entry) return;
  const Expr condition = reading_.expression(*entry, reading_.outcomes);
  model.stop.emplace(reading_.shared_graph, reading_.outcome_inputs, std::vector<Expr>{condition}, reading_.outcome_source);
  model.stop_terms = explicit_terms(reading_.graph, reading_.outcome_inputs, reading_.outcome_source, {&condition, 1});
}

}  // namespace

void read_simulation(Reading& reading, const Block& top, const Overrides& overrides, Model& model) {
  SimulationReader reader(reading, top, overrides, model);
  model.settings = reader.read();
  model.start.t = model.settings.start;
  reader.read_stop(model);
}

}  // namespace escapement
