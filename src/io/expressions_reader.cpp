#include "io/expressions_reader.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "io/order_of_use.hpp"
#include "io/reaction_reader.hpp"

namespace escapement::inline io {

namespace {

std::vector<std::string> used_names(const YamlNode::Entry& entry) {
  std::vector<std::string> names;
  if (!entry.value->is_scalar()) return names;
  try {
    for (UsedName& used : names_in_expression(entry.value->text)) {
      while (used.name.ends_with('\'')) used.name.pop_back();
      names.push_back(std::move(used.name));
    }
  } catch (const ExpressionError&) {
    names.clear();  // reading it will say what is wrong
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// each expression after those it uses
std::vector<YamlNode::Entry> in_order(const Reading& reading, const Block& top) {
  const std::vector<YamlNode::Entry> entries = top.named("expressions");
  std::map<std::string, std::size_t> index;
  std::vector<const YamlNode::Entry*> all;
  for (const auto& entry : entries) {
    index[entry.key] = all.size();
    all.push_back(&entry);
  }
  Uses uses(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::string& name : used_names(*all[i]))
      if (const auto it = index.find(name); it != index.end()) uses[i].push_back(it->second);
  const auto [order, circle] = order_of_use(uses);
  if (!circle.empty()) {
    const YamlNode::Entry& first = *all[circle.front()];
    reading.fail(first.key_offset, fmt::format("the expression {} is defined by itself ({}); write one of them without the others",
                                               quote(first.key), circle_text(circle, all)));
  }
  std::vector<YamlNode::Entry> result;
  for (std::size_t i : order) result.push_back(entries[i]);
  return result;
}

// does it use nothing but what these symbols have?
bool knows_all(const YamlNode::Entry& entry, const Symbols& symbols) {
  if (!entry.value->is_scalar()) return false;
  try {
    for (const UsedName& used : names_in_expression(entry.value->text))
      if (!symbols.find(used.name) && !symbols.find_table(used.name) && !symbols.find_selector(used.name) && !is_unit_name(used.name) &&
          !is_reserved_name(used.name))
        return false;
    return true;
  } catch (const ExpressionError&) {
    return false;
  }
}

constexpr const char* no_rates = "only t and coordinates may stand here, no rates";

// along the motion, where every variable has a rate
std::optional<Expr> rate_of(Reading& reading, Expr e) {
  ExpressionGraph& graph = reading.graph;
  std::vector<Expr> terms;
  for (Expr variable : graph.variables(e)) {
    const std::string& name = graph.name(variable);
    const Expr slope = graph.derivative(e, variable);
    if (name == "t") {
      terms.push_back(slope);
    } else if (const Expr* rate = reading.states.find(name + "'")) {
      terms.push_back(graph.mul(slope, *rate));
    } else {
      return std::nullopt;
    }
  }
  return graph.sum(terms);
}

// by itself, or by an expression that does
bool uses_reactions(const YamlNode::Entry& entry, const Symbols& known, const std::set<std::string>& others) {
  for (const std::string& name : used_names(entry))
    if (others.contains(name) || (may_be_reaction(name) && !known.find(name))) return true;
  return false;
}

}  // namespace

VaryingNames declare_expressions(Reading& reading, const Block& top) {
  VaryingNames names;
  for (const auto& entry : top.named("expressions")) {
    reading.declare(entry.key, "expression", entry.key_offset);
    names.emplace_back(entry.key, "an expression");
    names.emplace_back(entry.key + "'", "a rate");
  }
  return names;
}

void read_time_expressions(Reading& reading, const Block& top) {
  reading.times = reading.constants;
  reading.times.add("t", reading.graph.variable("t"));
  for (const auto& entry : in_order(reading, top)) {
    if (!knows_all(entry, reading.times)) {
      reading.times.refuse(entry.key, "it varies with the motion, but only t may stand here");
      continue;
    }
    const Expr e = reading.parse(entry, reading.times);
    reading.times.add(entry.key, e);
    reading.times.add(entry.key + "'", reading.graph.derivative(e, reading.graph.variable("t")));
  }
}

void read_expressions(Reading& reading, const Block& top) {
  std::set<std::string> left_out;
  for (const auto& entry : in_order(reading, top)) {
    if (uses_reactions(entry, reading.states, left_out)) {
      left_out.insert(entry.key);
      for (Symbols* symbols : {&reading.positions, &reading.states})
        symbols->refuse(entry.key, "it uses reactions, which may stand in outputs and the stop condition alone");
      continue;
    }
    const Expr e = reading.parse(entry, reading.states);
    reading.states.add(entry.key, e);
    if (knows_all(entry, reading.positions)) {
      reading.positions.add(entry.key, e);
      if (const auto rate = rate_of(reading, e)) reading.states.add(entry.key + "'", *rate);
      reading.positions.refuse(entry.key + "'", no_rates);
    } else {
      reading.positions.refuse(entry.key, "it uses rates, and only t and coordinates may stand here");
      for (Symbols* symbols : {&reading.positions, &reading.states})
        symbols->refuse(entry.key + "'", "the expression uses rates already, and rates have no rate here");
    }
  }
}

void read_reaction_expressions(Reading& reading, const Block& top) {
  for (const auto& entry : in_order(reading, top))
    if (!reading.states.find(entry.key)) reading.outcomes.add(entry.key, reading.parse(entry, reading.outcomes));
}

}  // namespace escapement
