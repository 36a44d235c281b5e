#include "math/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace escapement::inline math {
namespace {

constexpr std::size_t largest_set = 64;  // of variables; beyond it dependence is found by walking the graph

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

std::uint64_t bits(TracedNumber x) { return std::bit_cast<std::uint64_t>(x.plain()); }

std::uint64_t hash_of(const Node& node, std::span<const Term> terms) {
  std::uint64_t hash = mixed(std::uint64_t(node.op) << 8 | node.order, bits(node.value));
  hash = mixed(hash, std::uint64_t(node.symbol));
  for (const Term& term : terms)
    hash = mixed(mixed(mixed(hash, std::uint64_t(term.operand.id)), bits(term.weight.num)), bits(term.weight.den));
  return hash;
}

bool same_bits(Ratio a, Ratio b) { return bits(a.num) == bits(b.num) && bits(a.den) == bits(b.den); }

bool same(const Node& a, const Node& b, std::span<const Term> terms) {
  return a.op == b.op && a.order == b.order && a.symbol == b.symbol && bits(a.value) == bits(b.value) &&
         std::ranges::equal(a.operands(), terms, [](const Term& s, const Term& t) {
           return s.operand == t.operand && same_bits(s.weight, t.weight);
         });
}

void note_numbers(const Node& node, std::span<const Term> terms) {
  node.value.note();
  for (const Term& term : terms) term.weight.num.note(), term.weight.den.note();
}

std::uint64_t pair_key(int a, int b) { return std::uint64_t(std::uint32_t(a)) << 32 | std::uint32_t(b); }

}  // namespace

ExpressionGraph::ExpressionGraph(std::size_t node_limit) : node_limit_(node_limit), slots_(1024, -1) {
  intern_set({});
  constant(0);
  constant(1);
}

Expr ExpressionGraph::constant(TracedNumber value) {
  if (value == 0) value = 0;  // one zero
  if (isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  return intern({.op = Op::constant, .value = value}, {});
}

Expr ExpressionGraph::variable(const std::string& name) {
  if (const auto known = variables_.find(name); known != variables_.end()) return {known->second};
  names_.push_back(name);
  const Expr e = intern({.op = Op::variable, .symbol = int(names_.size()) - 1}, {});
  nodes_[std::size_t(e.id)].variables = intern_set({e.id});
  variables_.emplace(name, e.id);
  return e;
}

Expr ExpressionGraph::intern(Node node, std::span<const Term> terms) {
  if (node.op == Op::constant || node.op == Op::linear) note_numbers(node, terms);
  const std::size_t hash = hash_of(node, terms);
  const std::size_t slot = find_slot(node, terms, hash);
  if (slots_[slot] >= 0) return {slots_[slot]};
  if (nodes_.size() >= node_limit_)
    throw ExpressionLimit(fmt::format("the expressions need more than {} terms; simplify them", node_limit_));
  node.terms = store(terms);
  node.count = std::uint32_t(terms.size());
  for (const Term& term : terms) node.variables = unite(node.variables, this->node(term.operand).variables);
  slots_[slot] = int(nodes_.size());
  nodes_.push_back(node);
  hashes_.push_back(hash);
  if (2 * nodes_.size() > slots_.size()) grow_slots();
  return {int(nodes_.size()) - 1};
}

std::size_t ExpressionGraph::find_slot(const Node& node, std::span<const Term> terms, std::size_t hash) const {
  std::size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] >= 0) {
    const auto id = std::size_t(slots_[slot]);
    if (hashes_[id] == hash && same(nodes_[id], node, terms)) break;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

void ExpressionGraph::grow_slots() {
  slots_.assign(2 * slots_.size(), -1);
  for (std::size_t id = 0; id < nodes_.size(); ++id) {
    std::size_t slot = hashes_[id] & (slots_.size() - 1);
    while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = int(id);
  }
}

const Term* ExpressionGraph::store(std::span<const Term> terms) {
  if (terms.empty()) return nullptr;
  if (block_used_ + terms.size() > block_size_) {
    block_size_ = std::max<std::size_t>(1024, terms.size());
    blocks_.push_back(std::make_unique<Term[]>(block_size_));
    block_used_ = 0;
  }
  Term* place = blocks_.back().get() + block_used_;
  std::ranges::copy(terms, place);
  block_used_ += terms.size();
  return place;
}

int ExpressionGraph::intern_set(std::vector<int> set) {
  if (set.size() > largest_set) return -1;
  const auto [place, added] = set_index_.emplace(std::move(set), int(sets_.size()));
  if (added) sets_.push_back(place->first);
  return place->second;
}

int ExpressionGraph::unite(int a, int b) {
  if (a == b || b == 0) return a;
  if (a == 0) return b;
  if (a < 0 || b < 0) return -1;
  if (a > b) std::swap(a, b);
  const auto [place, added] = unions_.emplace(pair_key(a, b), 0);
  if (!added) return place->second;
  std::vector<int> set;
  std::ranges::set_union(sets_[std::size_t(a)], sets_[std::size_t(b)], std::back_inserter(set));
  return place->second = intern_set(std::move(set));
}

bool ExpressionGraph::may_depend_on(Expr e, Expr variable) const {
  const int set = node(e).variables;
  return set < 0 ? e.id > variable.id : std::ranges::binary_search(sets_[std::size_t(set)], variable.id);
}

bool ExpressionGraph::depends_on(Expr e, Expr variable) const {
  if (node(e).variables >= 0) return may_depend_on(e, variable);
  for (const Expr part : reachable({&e, 1}))
    if (part == variable) return true;
  return false;
}

std::vector<Expr> ExpressionGraph::variables(Expr e) const {
  std::vector<Expr> result;
  if (const int set = node(e).variables; set >= 0) {
    for (const int id : sets_[std::size_t(set)]) result.push_back({id});
  } else {
    for (const Expr part : reachable({&e, 1}))
      if (is_variable(part)) result.push_back(part);
  }
  return result;
}

std::vector<Expr> ExpressionGraph::reachable(std::span<const Expr> roots) const {
  std::vector<bool> seen(nodes_.size(), false);
  std::vector<Expr> result;
  const auto visit = [&](Expr e) {
    if (!seen[std::size_t(e.id)]) seen[std::size_t(e.id)] = true, result.push_back(e);
  };
  for (const Expr root : roots) visit(root);
  for (std::size_t i = 0; i < result.size(); ++i)
    for (const Term& term : node(result[i]).operands()) visit(term.operand);
  std::ranges::sort(result);  // an operand is always made before its users
  return result;
}

double ExpressionGraph::value(Expr e) const {
  if (!is_constant(e)) throw std::logic_error("the expression is not a constant: " + to_string(e, 60));
  return node(e).value.fixed();
}

const std::string& ExpressionGraph::name(Expr variable) const {
  if (!is_variable(variable)) throw std::logic_error("the expression is not a variable: " + to_string(variable, 60));
  return names_[std::size_t(node(variable).symbol)];
}

}  // namespace escapement
