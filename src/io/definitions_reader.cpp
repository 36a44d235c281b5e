#include "io/definitions_reader.hpp"

#include <algorithm>
#include <cmath>

#include "io/order_of_use.hpp"
#include "io/table_reader.hpp"
#include "math/nearest_name.hpp"
#include "math/table.hpp"

namespace escapement::inline io {

namespace {

struct Definition {
  const YamlNode::Entry* entry = nullptr;
  bool is_table = false;
  const std::string* replacement = nullptr;
  std::shared_ptr<double> live;   // where its value is, when it may change
};

class Definitions {
 public:
  Definitions(Reading& reading, const Block& top, const std::vector<std::string>& open)
      : reading_(reading), open_(open), parameters_(top.named("parameters")), tables_(top.named("tables")) {
    for (const auto& entry : parameters_) add(entry, false);
    for (const auto& entry : tables_) add(entry, true);
  }
  void replace(const std::vector<std::pair<std::string, std::string>>& replacements);
  void keep_open(const std::vector<std::pair<std::string, std::shared_ptr<double>>>& live);
  void evaluate();
  std::vector<std::pair<std::string, double>> values() const;

 private:
  void add(const YamlNode::Entry& entry, bool is_table) {
    reading_.declare(entry.key, is_table ? "table" : "parameter", entry.key_offset);
    index_[entry.key] = definitions_.size();
    definitions_.push_back({.entry = &entry, .is_table = is_table, .replacement = nullptr, .live = nullptr});
  }
  std::vector<std::size_t> find_uses(const Definition&) const;
  Expr live_expression(const Definition&, double value);
  void evaluate_one(const Definition&);

  Reading& reading_;
  const std::vector<std::string>& open_;
  std::vector<YamlNode::Entry> parameters_, tables_;
  std::vector<Definition> definitions_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, double> values_;
};

void Definitions::replace(const std::vector<std::pair<std::string, std::string>>& replacements) {
  for (const auto& [name, text] : replacements) {
    const auto it = index_.find(name);
    if (it == index_.end() || definitions_[it->second].is_table) {
      std::vector<std::string> known;
      for (const auto& entry : parameters_) known.push_back(entry.key);
      const std::string near = did_you_mean(name, known);
      const std::string all = known.empty() ? "; it has none" : fmt::format("; it has {}", fmt::join(known, ", "));
      throw OverrideError(fmt::format("--set {}: the model has no parameter of this name{}", quote(name),
                                      near.empty() ? all.substr(0, 200) : near));
    }
    definitions_[it->second].replacement = &text;
  }
}

void Definitions::keep_open(const std::vector<std::pair<std::string, std::shared_ptr<double>>>& live) {
  for (const auto& [name, value] : live) {
    definitions_[index_.at(name)].live = value;
    reading_.has_live = true;
  }
}

std::vector<std::size_t> Definitions::find_uses(const Definition& d) const {
  std::vector<UsedName> names;
  if (d.is_table) {
    names = names_in_table(reading_, *d.entry);
  } else if (d.replacement || d.entry->value->is_scalar()) {
    try {
      names = names_in_expression(d.replacement ? *d.replacement : d.entry->value->text);
    } catch (const ExpressionError&) {
      return {};  // evaluating it will say what is wrong
    }
  }
  std::vector<std::size_t> uses;
  for (const UsedName& name : names)
    if (const auto it = index_.find(name.name); it != index_.end()) uses.push_back(it->second);
  return uses;
}

void Definitions::evaluate() {
  Uses uses;
  std::vector<const YamlNode::Entry*> entries;
  for (const Definition& one : definitions_) {
    uses.push_back(find_uses(one));
    entries.push_back(one.entry);
  }
  const auto [order, circle] = order_of_use(uses);
  for (std::size_t i : order) evaluate_one(definitions_[i]);
  if (circle.empty()) return;
  const YamlNode::Entry& first = *entries[circle.front()];
  reading_.fail(first.key_offset,
                fmt::format("{} is defined by itself ({}); give one of them a number", quote(first.key), circle_text(circle, entries)));
}

void Definitions::evaluate_one(const Definition& d) {
  const std::string& name = d.entry->key;
  if (d.is_table) return reading_.constants.add_table(name, read_table(reading_, *d.entry));
  double value = 0;
  Expr e;
  if (d.replacement) {
    try {
      e = parse_expression(reading_.graph, *d.replacement, reading_.constants);
      value = reading_.graph.evaluate(e, reading_.open_parameters);
    } catch (const ExpressionError& e) {
      throw OverrideError(fmt::format("--set {}={}: {}", name, quote(*d.replacement), e.what()));
    }
    if (!std::isfinite(value))
      throw OverrideError(fmt::format("--set {}={}: the value is not a finite number", name, quote(*d.replacement)));
  } else {
    value = reading_.number(*d.entry);
    if (!open_.empty()) e = reading_.number_or_open(d.entry, value);
  }
  values_[name] = value;
  if (std::find(open_.begin(), open_.end(), name) != open_.end()) {
    e = reading_.graph.variable("parameter:" + name);  // a model's names never hold a colon
    reading_.open_parameters[e] = value;
  }
  if (reading_.has_live) {
    reading_.constants.add(name, live_expression(d, value));
  } else {
    reading_.constants.add(name, reading_.is_open(e) ? e : reading_.graph.constant(value));
  }
}

// of what may change, or follows from it; else a number
Expr Definitions::live_expression(const Definition& d, double value) {
  ExpressionGraph& graph = reading_.graph;
  if (d.live) {
    *d.live = value;
    return graph.table(std::make_shared<const Table>(d.live), graph.constant(0));
  }
  const Expr e = parse_expression(graph, d.replacement ? *d.replacement : d.entry->value->text, reading_.constants);
  return reading_.may_change(e) ? e : graph.constant(value);
}

std::vector<std::pair<std::string, double>> Definitions::values() const {
  std::vector<std::pair<std::string, double>> result;
  for (const auto& entry : parameters_) result.emplace_back(entry.key, values_.at(entry.key));
  return result;
}

}  // namespace

std::vector<std::pair<std::string, double>> read_definitions(
    Reading& reading, const Block& top, const VaryingNames& varying, const Overrides& overrides, const std::vector<std::string>& open) {
  reading.constants.refuse("t", "the time varies, but a fixed number is expected");
  for (const auto& [name, what] : varying)
    reading.constants.refuse(name, fmt::format("it is {} and varies with the motion; use parameters", what));
  Definitions definitions(reading, top, open);
  definitions.replace(overrides.parameters);
  definitions.keep_open(overrides.live);
  definitions.evaluate();
  return definitions.values();
}

}  // namespace escapement
