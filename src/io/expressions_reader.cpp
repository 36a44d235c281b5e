#include "io/expressions_reader.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "io/reaction_reader.hpp"
namespace escapement::inline io {

namespace {

struct Named {
  const YamlNode::Entry* entry;
  std::vector<std::size_t> uses;  // expressions it needs first
  std::size_t waiting_for = 0;
};

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

[[noreturn]] void fail_cycle(const Reading& reading, const std::vector<Named>& all) {
  std::size_t at = 0;
  while (all[at].waiting_for == 0) ++at;
  std::vector<std::size_t> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    for (std::size_t used : all[at].uses)
      if (all[used].waiting_for > 0) {
        at = used;
        break;
      }
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  std::string circle;
  for (std::size_t i : path) circle += all[i].entry->key + " -> ";
  circle += all[at].entry->key;
  reading.fail(all[at].entry->key_offset,
               fmt::format("the expression {} is defined by itself ({}); write one of them without the others",
                           quote(all[at].entry->key),
                           circle.size() <= 60 ? circle : fmt::format("a circle of {}", path.size())));
}

// each expression after those it uses
std::vector<YamlNode::Entry> in_order(const Reading& reading, const Block& top) {
  const std::vector<YamlNode::Entry> entries = top.named("expressions");
  std::map<std::string, std::size_t> index;
  std::vector<Named> all;
  for (const auto& entry : entries) {
    index[entry.key] = all.size();
    all.push_back({&entry, {}});
  }
  std::vector<std::vector<std::size_t>> users(all.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const std::string& name : used_names(*all[i].entry))
      if (const auto it = index.find(name); it != index.end()) all[i].uses.push_back(it->second);
    all[i].waiting_for = all[i].uses.size();
    for (std::size_t used : all[i].uses) users[used].push_back(i);
  }
  for (std::size_t i = all.size(); i-- > 0;)
    if (all[i].waiting_for == 0) ready.push_back(i);
  std::vector<YamlNode::Entry> result;
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    result.push_back(*all[i].entry);
    for (std::size_t user : users[i])
      if (--all[user].waiting_for == 0) ready.push_back(user);
  }
  if (result.size() < all.size()) fail_cycle(reading, all);
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
