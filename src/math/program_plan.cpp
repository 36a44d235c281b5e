#include "math/program_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_set>

namespace escapement::inline math {
namespace {

// the weight all terms have up to the sign, if they are several and it can be taken out
TracedNumber common_weight(const Node& node) {
  const TracedNumber first = abs(node.terms[0].weight.num);
  const auto alike = [&](const Term& term) { return abs(term.weight.num) == first && term.weight.den == 1; };
  const bool has_common = node.count > 1 && node.value == 0 && std::ranges::all_of(node.operands(), alike);
  return has_common ? first : TracedNumber(1);
}

bool is_negative(TracedNumber a) {
  return TracedNumber::ask([](double x, double) { return std::signbit(x); }, a);
}

}  // namespace

ProgramPlan::ProgramPlan(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs)
    : graph_(graph) {
  const std::vector<Expr> reachable = graph_.reachable(outputs);
  std::vector<int> needed;
  std::unordered_set<int> is_input;
  for (const Expr e : outputs) ++uses_[e.id], needed.push_back(e.id);
  for (const Expr e : reachable)
    for (const Term& term : graph_.node(e).operands()) ++uses_[term.operand.id];
  for (const Expr input : inputs) is_input.insert(input.id);
  while (!needed.empty()) {
    const int id = needed.back();
    needed.pop_back();
    if (plans_.contains(id) || is_input.contains(id)) continue;
    Plan made = make_plan(graph_.node({id}), id);
    needed.insert(needed.end(), made.needs.begin(), made.needs.end());
    plans_.emplace(id, std::move(made));
  }
  sharing_.share(int(factors_.size()));
}

Plan ProgramPlan::make_plan(const Node& node, int id) {
  Plan result;
  switch (node.op) {
    case Op::constant:
      break;
    case Op::variable:
      throw std::invalid_argument(fmt::format("the variable '{}' is not an input of the program", graph_.name({id})));
    case Op::linear:
      plan_sum(node, false, result);
      break;
    case Op::product:
      plan_term({id}, {}, true, result);
      break;
    default:
      if (node.op == Op::sin || node.op == Op::cos) {
        auto& pair = angles_[node.terms[0].operand.id];
        (node.op == Op::sin ? pair.first : pair.second) = id;
      }
      for (const Term& term : node.operands()) result.needs.push_back(term.operand.id);
  }
  return result;
}

// -1 times a sum that nobody else needs is the sum with other signs
void ProgramPlan::plan_sum(const Node& node, bool negative, Plan& result) {
  const Node& inner = graph_.node(node.terms[0].operand);
  const bool is_negated_sum = node.count == 1 && node.value == 0 && node.terms[0].weight == Ratio{-1, 1} &&
                              inner.op == Op::linear && uses_.at(node.terms[0].operand.id) == 1;
  if (is_negated_sum) return plan_sum(inner, !negative, result);
  const TracedNumber common = common_weight(node);
  result.constant = TracedNumber(negative ? -1 : 1) * node.value / common;
  result.common = common;
  for (const Term& term : node.operands()) {
    Ratio weight = term.weight;
    if (negative) weight.num = -weight.num;
    if (common != 1) weight.num = is_negative(weight.num) ? -1 : 1;
    plan_term(term.operand, weight, false, result);
  }
}

void ProgramPlan::plan_term(Expr operand, Ratio weight, bool is_whole, Plan& result) {
  TermPlan term;
  term.negative = weight.num < 0;
  weight.num = abs(weight.num);
  TracedNumber above_number = weight.den == 1 || weight.num != 1 ? weight.value() : TracedNumber(1), below_number = 1;
  if (weight.den != 1 && weight.num == 1) term.divisor = weight.den;
  std::vector<int> above, below;
  const Node& node = graph_.node(operand);
  const auto is_below = [](const Term& f) { return !(f.weight.num.fixed() > 0); };
  const bool open = node.op == Op::product &&
                    (is_whole || uses_.at(operand.id) == 1 || std::ranges::none_of(node.operands(), is_below));
  if (open) {
    for (const Term& f : node.operands()) {
      const double exponent = std::abs(f.weight.num.fixed());
      if (is_below(f))
        add_factor(f.operand, exponent, below, below_number, result);
      else
        add_factor(f.operand, exponent, above, above_number, result);
    }
  } else {
    add_factor(operand, 1, above, above_number, result);
  }
  if (above_number != 1 || above.empty()) above.push_back(index_of({Factor::number, 0, above_number}));
  if (below_number != 1) below.push_back(index_of({Factor::number, 0, below_number}));
  term.above = sharing_.add(std::move(above));
  term.has_below = !below.empty();
  if (term.has_below) term.below = sharing_.add(std::move(below));
  result.terms.push_back(term);
}

// operand ^ exponent as factors; a number it contains is multiplied into number
void ProgramPlan::add_factor(Expr operand, double exponent, std::vector<int>& to, TracedNumber& number, Plan& result) {
  constexpr double largest_expanded = 8;
  constexpr int deepest_core = 50;
  const Node& node = graph_.node(operand);
  const TracedNumber common = node.op == Op::linear ? common_weight(node) : TracedNumber(1);
  if (common != 1 && exponent == 1 && uses_.at(operand.id) == 1 && core_depth_ < deepest_core) {
    number *= common;
    plans_.emplace(operand.id, core_plan(node, result));
    to.push_back(index_of({Factor::core, operand.id, 0}));
    return;
  }
  result.needs.push_back(operand.id);
  const bool halves = 2 * exponent == std::trunc(2 * exponent);
  if (exponent > largest_expanded || !halves) {
    to.push_back(index_of({Factor::power, operand.id, exponent}));
    return;
  }
  to.insert(to.end(), std::size_t(exponent), index_of({Factor::node, operand.id, 0}));
  if (exponent != std::trunc(exponent)) to.push_back(index_of({Factor::root, operand.id, 0}));
}

// the sum alone, whose common factor goes to the product it stands in
Plan ProgramPlan::core_plan(const Node& node, Plan& user) {
  Plan result;
  ++core_depth_;
  plan_sum(node, false, result);
  --core_depth_;
  result.common = 1;
  user.needs.insert(user.needs.end(), result.needs.begin(), result.needs.end());
  return result;
}

int ProgramPlan::index_of(const Factor& key) {
  key.value.note();
  const auto [place, added] = factor_index_.emplace(key, int(factors_.size()));
  if (added) factors_.push_back(key);
  return place->second;
}

}  // namespace escapement
