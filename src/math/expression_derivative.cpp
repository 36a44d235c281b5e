// Exact derivatives. A derivative's nodes are shared with the expression's own, so its size grows by a constant factor.
#include <fmt/format.h>

#include <cmath>

#include "math/expression_builder.hpp"

namespace escapement::inline math {
namespace {

// a longer product is differentiated as a product of its halves: n log n instead of n^2 factors
constexpr std::size_t longest_product = 6;
constexpr std::size_t many_terms = 32;

bool is_choice(Op op) { return op == Op::select || op == Op::min || op == Op::max; }

std::uint64_t memory_key(Expr e, Expr variable) {
  return std::uint64_t(std::uint32_t(variable.id)) << 32 | std::uint32_t(e.id);
}

}  // namespace

// what a sum's derivative is made of; sums of many terms remember which, since most depend on few variables
std::span<const Term> ExpressionGraph::terms_that_depend(Expr e, Expr variable, std::vector<Term>& storage) {
  const Node node = this->node(e);
  if (node.op != Op::linear || node.count < many_terms) return node.operands();
  const auto [place, added] = dependent_terms_.try_emplace(e.id);
  auto& by_variable = place->second;
  if (added) {
    for (const Term& term : node.operands()) {
      const int set = this->node(term.operand).variables;
      if (set < 0) by_variable[-1].push_back(term);
      for (const int id : set < 0 ? std::vector<int>() : sets_[std::size_t(set)]) by_variable[id].push_back(term);
    }
  }
  storage.clear();
  for (const int key : {variable.id, -1})
    if (const auto terms = by_variable.find(key); terms != by_variable.end())
      storage.insert(storage.end(), terms->second.begin(), terms->second.end());
  return storage;
}

Expr ExpressionGraph::known_derivative(Expr e, Expr variable) const {
  if (e == variable) return {1};
  const auto known = derivatives_.find(memory_key(e, variable));
  return known == derivatives_.end() ? Expr{0} : Expr{known->second};
}

Expr ExpressionGraph::derivative(Expr e, Expr variable) {
  if (!is_variable(variable)) throw std::logic_error("derivative with respect to something that is not a variable");
  std::vector<Expr> open{e};
  std::vector<Term> storage;
  const auto is_done = [&](Expr part) {
    return part == variable || !may_depend_on(part, variable) || derivatives_.contains(memory_key(part, variable));
  };
  while (!open.empty()) {
    const Expr part = open.back();
    if (is_done(part)) {
      open.pop_back();
      continue;
    }
    const Node node = this->node(part);
    const std::size_t before = open.size();
    const std::span<const Term> terms = terms_that_depend(part, variable, storage);
    for (const Term& term : terms)
      if (!is_done(term.operand)) open.push_back(term.operand);
    if (open.size() > before) continue;
    const Expr result = derivative_of(node, part, terms, variable);
    derivatives_.emplace(memory_key(part, variable), result.id);
    open.pop_back();
  }
  return known_derivative(e, variable);
}

// the operands' derivatives are known
Expr ExpressionGraph::derivative_of(const Node& node, Expr e, std::span<const Term> terms, Expr variable) {
  const auto d = [&](std::size_t i) { return known_derivative(node.terms[i].operand, variable); };
  const auto operand = [&](std::size_t i) { return node.terms[i].operand; };
  switch (node.op) {
    case Op::constant:
    case Op::variable:
    case Op::sign:
    case Op::less:
    case Op::less_equal:
    case Op::equal:
    case Op::not_equal:
      return {0};
    case Op::linear: {
      LinearBuilder result(*this);
      for (const Term& term : terms) result.add(known_derivative(term.operand, variable), term.weight);
      return result.build();
    }
    case Op::product:
      return product_derivative(node.operands(), variable);
    case Op::power: {
      const Expr a = operand(0), b = operand(1);
      const Expr by_base = is_zero(d(0)) ? Expr{0} : mul(mul(b, pow(a, sub(b, Expr{1}))), d(0));
      const Expr by_exponent = is_zero(d(1)) ? Expr{0} : mul(mul(e, function(Op::log, a)), d(1));
      return add(by_base, by_exponent);
    }
    case Op::atan2: {
      const Expr y = operand(0), x = operand(1);
      return div(sub(mul(x, d(0)), mul(y, d(1))), add(square(x), square(y)));
    }
    // by selection, never by blending: the derivative of the other branch may be infinite here
    case Op::min:
    case Op::max:
      return select(second_is_chosen(node.op, operand(0), operand(1)), d(1), d(0));
    case Op::select:
      return select(operand(0), d(1), d(2));
    default:
      return is_zero(d(0)) ? Expr{0} : mul(function_slope(node, e), d(0));
  }
}

// f'(u) for e = f(u), written with e itself where possible
Expr ExpressionGraph::function_slope(const Node& node, Expr e) {
  const Expr u = node.terms[0].operand, one{1};
  switch (node.op) {
    case Op::sin:
      return function(Op::cos, u);
    case Op::cos:
      return neg(function(Op::sin, u));
    case Op::tan:
      return add(one, square(e));
    case Op::asin:
      return pow(sub(one, square(u)), -0.5);
    case Op::acos:
      return neg(pow(sub(one, square(u)), -0.5));
    case Op::atan:
      return pow(add(one, square(u)), -1.0);
    case Op::sinh:
      return function(Op::cosh, u);
    case Op::cosh:
      return function(Op::sinh, u);
    case Op::tanh:
      return sub(one, square(e));
    case Op::exp:
      return e;
    case Op::log:
      return pow(u, -1.0);
    case Op::abs:
      return function(Op::sign, u);
    case Op::table:
      return table(table(node.symbol), u, node.order + 1);
    default:
      throw std::logic_error("an operation without a derivative");
  }
}

Expr ExpressionGraph::product_derivative(std::span<const Term> factors, Expr variable) {
  if (factors.size() > longest_product) {
    const auto half = [&](std::span<const Term> part) {
      ProductBuilder result(*this);
      for (const Term& f : part) result.multiply(f.operand, f.weight.num.fixed());
      return result.build();
    };
    const auto left = factors.first(factors.size() / 2), right = factors.subspan(factors.size() / 2);
    const Expr dl = product_derivative(left, variable), dr = product_derivative(right, variable);
    const Expr by_left = is_zero(dl) ? dl : mul(dl, half(right));
    return is_zero(dr) ? by_left : add(by_left, mul(half(left), dr));
  }
  LinearBuilder result(*this);
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Expr d = known_derivative(factors[i].operand, variable);
    if (is_zero(d)) continue;
    ProductBuilder part(*this);
    for (std::size_t j = 0; j < factors.size(); ++j)
      if (j != i) part.multiply(factors[j].operand, factors[j].weight.num.fixed());
    const double exponent = factors[i].weight.num.fixed();
    if (exponent == std::trunc(exponent) || !is_choice(node(factors[i].operand).op)) {
      part.scale({exponent, 1});
      part.multiply(factors[i].operand, exponent - 1);
      part.multiply(d);
    } else {
      part.multiply(choice_power_derivative(node(factors[i].operand), exponent, variable));
    }
    result.add(part.build());
  }
  return result.build();
}

// d/dx of max(a, 0)^1.5 and the like, branch by branch: 0^-0.5 * 0 must not arise where the branch 0 is chosen
Expr ExpressionGraph::choice_power_derivative(Node choice, double exponent, Expr variable) {
  const auto branch = [&](Expr u) {
    const Expr d = known_derivative(u, variable);
    return is_zero(d) ? d : mul(scale(pow(u, exponent - 1), exponent), d);
  };
  if (choice.op == Op::select)
    return select(choice.terms[0].operand, branch(choice.terms[1].operand), branch(choice.terms[2].operand));
  const Expr a = choice.terms[0].operand, b = choice.terms[1].operand;
  return select(second_is_chosen(choice.op, a, b), branch(b), branch(a));
}

// of min(a, b) or max(a, b)
Expr ExpressionGraph::second_is_chosen(Op op, Expr a, Expr b) {
  return op == Op::min ? function(Op::less, b, a) : function(Op::less, a, b);
}

}  // namespace escapement
