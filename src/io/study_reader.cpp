#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <numbers>
#include <random>

#include "io/readable.hpp"
#include "io/run_measure.hpp"
#include "io/reading.hpp"
#include "run/recorder.hpp"
#include "io/sweep.hpp"
#include "math/nearest_name.hpp"

namespace escapement::inline io {

namespace {

constexpr double most_runs = 1e7;

// the same draws on every machine: the library's own distributions are not specified to the bit
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : engine_(seed) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double normal() { return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

 private:
  std::mt19937_64 engine_;
};

struct Distribution {
  bool normal = false;
  double a = 0, b = 0;
};

class StudyReader {
 public:
  StudyReader(const SourceText& source, const YamlTree& tree, Overrides base)
      : source_(source), reading_(source, tree), tree_(tree), top_(reading_, tree.root(), {"study"}) {
    study_.file = source.file();
    study_.base = std::move(base);
  }
  Study read();
  Study read_about(const std::string& model_file, const std::string& model_text);

 private:
  void read_model();
  Study read_rest();
  void read_grid();
  void read_sample();
  void read_measures();
  void need_parameter(const YamlNode::Entry&);
  // name(arguments) as numbers; false: something else
  bool call(const YamlNode::Entry&, std::string_view name, std::vector<double>& arguments);
  std::vector<double> values_of(const YamlNode::Entry&);

  const SourceText& source_;
  Reading reading_;
  const YamlTree& tree_;
  Block top_;
  Study study_;
  Model model_;
  std::vector<std::vector<double>> grid_, draws_;
};

void StudyReader::read_model() {
  const YamlNode::Entry& entry = top_.require("model");
  const std::string file = *top_.text("model");
  study_.model_file = (std::filesystem::path(study_.file).parent_path() / file).string();
  if (const std::string why = why_unreadable(study_.model_file); !why.empty())
    reading_.fail(*entry.value, fmt::format("the model's file {} cannot be read, {}; its path is relative to this file",
                                            quote(study_.model_file), why));
  model_ = load_model(study_.model_file, study_.base);
  study_.model_text = model_.text;
}

void StudyReader::need_parameter(const YamlNode::Entry& entry) {
  std::vector<std::string> known;
  for (const auto& [name, value] : model_.parameters) known.push_back(name);
  if (std::find(known.begin(), known.end(), entry.key) == known.end()) {
    const std::string near = did_you_mean(entry.key, known);
    reading_.fail(entry.key_offset,
                  fmt::format("the model has no parameter {}{}", quote(entry.key),
                              near.empty() ? fmt::format("; its parameters are {}", fmt::join(known, ", ")) : near));
  }
  if (std::find(study_.varied.begin(), study_.varied.end(), entry.key) != study_.varied.end())
    reading_.fail(entry.key_offset, fmt::format("{} is varied twice; keep one of them", quote(entry.key)));
  study_.varied.push_back(entry.key);
}

bool StudyReader::call(const YamlNode::Entry& entry, std::string_view name, std::vector<double>& arguments) {
  const YamlNode& node = *entry.value;
  if (!node.is_scalar() || !node.text.starts_with(name) || node.text.size() < name.size() + 2 ||
      node.text[name.size()] != '(' || node.text.back() != ')')
    return false;
  arguments.clear();
  std::size_t start = name.size() + 1;
  int depth = 0;
  for (std::size_t i = start; i < node.text.size(); ++i) {
    const char c = node.text[i];
    if (depth == 0 && (c == ',' || i + 1 == node.text.size())) {
      try {
        arguments.push_back(reading_.graph.evaluate(
            parse_expression(reading_.graph, node.text.substr(start, i - start), reading_.constants), {}));
      } catch (const ExpressionError& error) {
        reading_.fail(tree_.offset_in(node, start + error.offset), error.what());
      }
      if (!std::isfinite(arguments.back()))
        reading_.fail(node, fmt::format("{} has an argument that is not a finite number", quote(node.text)));
      start = i + 1;
    }
    depth += (c == '(') - (c == ')');
  }
  return true;
}

std::vector<double> StudyReader::values_of(const YamlNode::Entry& entry) {
  std::vector<double> values, arguments;
  if (entry.value->is_sequence()) {
    for (const auto& item : entry.value->entries) values.push_back(reading_.constant(item));
    if (values.empty()) reading_.fail(*entry.value, fmt::format("{} has no values; list some", quote(entry.key)));
    return values;
  }
  const bool log = call(entry, "logspace", arguments);
  if (!log && !call(entry, "linspace", arguments)) return {reading_.constant(entry)};
  if (arguments.size() != 3 || arguments[2] < 1 || arguments[2] != std::floor(arguments[2]) || arguments[2] > most_runs)
    reading_.fail(*entry.value, fmt::format("{} takes a first value, a last value and a number of values",
                                            log ? "logspace" : "linspace"));
  if (log && !(arguments[0] > 0 && arguments[1] > 0)) reading_.fail(*entry.value, "logspace takes positive values");
  const int n = static_cast<int>(arguments[2]);
  const double a = log ? std::log(arguments[0]) : arguments[0], b = log ? std::log(arguments[1]) : arguments[1];
  for (int i = 0; i < n; ++i) {
    const double x = i == n - 1 && n > 1 ? b : a + (b - a) * i / std::max(n - 1, 1);
    values.push_back(log ? std::exp(x) : x);
  }
  return values;
}

void StudyReader::read_grid() {
  grid_ = {{}};
  for (const auto& entry : top_.named("vary")) {
    need_parameter(entry);
    const std::vector<double> values = values_of(entry);
    if (static_cast<double>(grid_.size()) * static_cast<double>(values.size()) > most_runs)
      reading_.fail(entry.key_offset, fmt::format("the study would take more than {:g} runs", most_runs));
    std::vector<std::vector<double>> larger;
    for (const auto& point : grid_)
      for (const double x : values) {
        larger.push_back(point);
        larger.back().push_back(x);
      }
    grid_ = std::move(larger);
  }
}

void StudyReader::read_sample() {
  draws_ = {{}};
  const YamlNode::Entry* entry = top_.find("sample");
  if (!entry) return;
  const Block block(reading_, *entry, "study.sample");
  block.require("count");
  block.require("of");
  const double count = *block.number("count"), seed = block.number("seed", 1);
  if (count != std::floor(count) || seed != std::floor(seed))
    reading_.fail(*entry->value, "'count' and 'seed' are whole numbers");
  if (count * static_cast<double>(grid_.size()) > most_runs)
    reading_.fail(*entry->value, fmt::format("the study would take more than {:g} runs", most_runs));
  std::vector<Distribution> distributions;
  for (const auto& item : block.named("of")) {
    need_parameter(item);
    std::vector<double> arguments;
    Distribution d;
    d.normal = call(item, "normal", arguments);
    if (!d.normal && !call(item, "uniform", arguments))
      reading_.fail(
          item.key_offset,
          fmt::format("{} is drawn from normal(mean, deviation) or uniform(low, high), in quotes", quote(item.key)));
    if (arguments.size() != 2 || (d.normal ? arguments[1] < 0 : arguments[0] > arguments[1]))
      reading_.fail(*item.value, d.normal ? "normal takes a mean and a standard deviation, at least 0"
                                          : "uniform takes a low and a high value");
    d.a = arguments[0];
    d.b = arguments[1];
    distributions.push_back(d);
  }
  Draws draws(static_cast<std::uint64_t>(seed));
  draws_.assign(static_cast<std::size_t>(count), {});
  for (auto& draw : draws_)
    for (const Distribution& d : distributions)
      draw.push_back(d.normal ? d.a + d.b * draws.normal() : d.a + (d.b - d.a) * draws.uniform());
}

void StudyReader::read_measures() {
  const auto entries = top_.named("measure");
  top_.require("measure");
  std::vector<std::string> parameters;
  for (const auto& [name, value] : model_.parameters) parameters.push_back(name);
  Recorder recorder(*model_.system, model_.output_names, {});
  for (const auto& entry : entries) {
    if (!entry.value->is_scalar())
      reading_.fail(
          entry.key_offset,
          fmt::format("the measure {} is an expression, such as max(energy.total) or impacts", quote(entry.key)));
    try {
      RunMeasure(entry.value->text, recorder.result(), parameters);
    } catch (const ExpressionError& error) {
      reading_.fail(tree_.offset_in(*entry.value, error.offset), error.what());
    }
    study_.measures.push_back({entry.key, entry.value->text, source_.place(entry.value->offset)});
  }
}

Study StudyReader::read() {
  if (*top_.text(top_.require("escapement").key) != "1")
    reading_.fail(*top_.find("escapement")->value, "this program reads version 1 of the format; write 'escapement: 1'");
  read_model();
  return read_rest();
}

Study StudyReader::read_about(const std::string& model_file, const std::string& model_text) {
  study_.model_file = model_file;
  study_.model_text = model_text;
  model_ = escapement::read_model(model_file, model_text, study_.base);
  return read_rest();
}

Study StudyReader::read_rest() {
  study_.tables = model_.tables;
  if (!top_.find("vary") && !top_.find("sample")) reading_.fail(0, "the study varies nothing; add 'vary' or 'sample'");
  read_grid();
  read_sample();
  read_measures();
  for (const auto& point : grid_)
    for (const auto& draw : draws_) {
      study_.runs.push_back(point);
      study_.runs.back().insert(study_.runs.back().end(), draw.begin(), draw.end());
    }
  return std::move(study_);
}

}  // namespace

Study load_study(const std::string& path, const Overrides& base) {
  const SourceText source = SourceText::read(path);
  const YamlTree tree(source);
  if (!tree.root().is_map() || !tree.root().find("model"))
    source.fail(0, "a study is a map with 'escapement: 1', 'model', 'vary' or 'sample', and 'measure'");
  return StudyReader(source, tree, base).read();
}

Study read_study(const std::string& file, const std::string& text, const std::string& model_file, const std::string& model_text,
                 const Overrides& base) {
  const SourceText source(file, text);
  const YamlTree tree(source);
  return StudyReader(source, tree, base).read_about(model_file, model_text);
}

}  // namespace escapement
