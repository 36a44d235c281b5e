#include "math/expression_builder.hpp"

#include <algorithm>
#include <cmath>

namespace escapement::inline math {
namespace {

// nested sums and products are merged up to this size; larger ones stay nested, so that results stay linear in size
constexpr std::size_t largest_merge = 16;

bool is_integer(double x) { return x == std::trunc(x) && std::abs(x) < 1e9; }
bool is_even(double x) { return is_integer(x) && std::fmod(x, 2) == 0; }
bool is_multiple(const Node& node) { return node.op == Op::linear && node.count == 1 && node.value == 0; }

template <class Combine>
void merge_sorted(std::vector<Term>& terms, Combine combine) {
  std::ranges::sort(terms, {}, &Term::operand);
  std::size_t kept = 0;
  for (const Term& term : terms) {
    if (kept > 0 && terms[kept - 1].operand == term.operand) {
      terms[kept - 1].weight = combine(terms[kept - 1].weight, term.weight);
      continue;
    }
    if (kept > 0 && terms[kept - 1].weight.num == 0) --kept;
    terms[kept++] = term;
  }
  if (kept > 0 && terms[kept - 1].weight.num == 0) --kept;
  terms.resize(kept);
}

}  // namespace

void LinearBuilder::add(Expr e, Ratio weight) {
  const Node& node = graph_.node(e);
  if (weight.num == 0) return;
  if (node.op == Op::constant) {
    constant_ += weight.num * node.value / weight.den;
  } else if (is_multiple(node) && is_normal(weight * node.terms[0].weight)) {
    add(node.terms[0].operand, weight * node.terms[0].weight);
  } else if (node.op == Op::linear && abs(weight.num) == weight.den && node.count <= largest_merge) {
    constant_ += weight.num * node.value;
    for (const Term& term : node.operands()) terms_.push_back({term.operand, weight * term.weight});
  } else {
    terms_.push_back({e, weight});
  }
}

void LinearBuilder::merge_equal() {
  merge_sorted(terms_, [](Ratio a, Ratio b) { return a + b; });
}

// product / factor^2
Expr LinearBuilder::divided(Expr product, Expr factor) const {
  ProductBuilder result(graph_);
  result.multiply(product), result.multiply(factor, -2);
  return result.build();
}

// w r sin(u)^2 + w r cos(u)^2 = w r; false when there is no such pair
bool LinearBuilder::merge_squares() {
  struct Square {
    Expr argument, factor, rest;
    std::size_t term;
    auto key() const { return std::pair(argument, rest); }
  };
  std::vector<Square> sines, cosines;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Node& node = graph_.node(terms_[i].operand);
    if (node.op != Op::product) continue;
    for (const Term& f : node.operands()) {
      const Node& base = graph_.node(f.operand);
      if (f.weight.num.fixed() < 2 || (base.op != Op::sin && base.op != Op::cos)) continue;
      (base.op == Op::sin ? sines : cosines).push_back({base.terms[0].operand, f.operand, {}, i});
    }
  }
  if (sines.empty() || cosines.empty()) return false;
  for (Square& c : cosines) c.rest = divided(terms_[c.term].operand, c.factor);
  std::ranges::stable_sort(cosines, {}, &Square::key);
  bool any = false;
  for (Square& s : sines) {
    s.rest = divided(terms_[s.term].operand, s.factor);
    auto c = std::ranges::lower_bound(cosines, s.key(), {}, &Square::key);
    for (; c != cosines.end() && c->key() == s.key(); ++c) {
      const Ratio weight = terms_[s.term].weight;
      if (weight.num == 0 || !(weight == terms_[c->term].weight)) continue;
      terms_[s.term].weight = terms_[c->term].weight = {0, 1};
      add(s.rest, weight);
      any = true;
      break;
    }
  }
  return any;
}

Expr LinearBuilder::build() {
  merge_equal();
  while (merge_squares()) merge_equal();
  if (terms_.empty()) return graph_.constant(constant_);
  if (constant_ == 0) constant_ = 0;
  const bool single = terms_.size() == 1 && constant_ == 0;
  if (single && terms_[0].weight == Ratio{}) return terms_[0].operand;
  if (single || !(terms_[0].weight.num < 0)) return graph_.intern({.op = Op::linear, .value = constant_}, terms_);
  for (Term& term : terms_) term.weight.num = -term.weight.num;
  const Term negated{graph_.intern({.op = Op::linear, .value = constant_ == 0 ? TracedNumber(0) : -constant_}, terms_), {-1, 1}};
  return graph_.intern({.op = Op::linear}, {&negated, 1});
}

void ProductBuilder::multiply(Expr e, double exponent) {
  const Node node = graph_.node(e);
  if (exponent == 0) return;
  if (node.op == Op::constant) return multiply_constant(node.value, exponent);
  if (is_multiple(node) && multiply_multiple(node, exponent)) return;
  if (node.op == Op::product && multiply_product(node, exponent)) return;
  factors_.push_back({e, {exponent, 1}});
}

void ProductBuilder::multiply_constant(TracedNumber value, double exponent) {
  if (exponent == 1)
    scale({value, 1});
  else if (exponent == -1)
    scale(quotient(1, value));
  else
    scale({raised(value, exponent), 1});
}

// (w u)^n = w^n u^n
bool ProductBuilder::multiply_multiple(const Node& node, double exponent) {
  if (!is_integer(exponent)) return false;
  const Ratio factor = integer_power(node.terms[0].weight, exponent);
  if (!is_normal(factor) || !is_normal(coefficient_ * factor)) return false;
  scale(factor);
  multiply(node.terms[0].operand, exponent);
  return true;
}

// (u v)^n = u^n v^n, and (u^a)^p = u^(a p) where that holds for every u
bool ProductBuilder::multiply_product(const Node& node, double exponent) {
  if (is_integer(exponent) && node.count <= largest_merge) {
    for (const Term& term : node.operands()) factors_.push_back({term.operand, {term.weight.num * exponent, 1}});
    return true;
  }
  if (node.count > 1) return false;
  const double inner = node.terms[0].weight.num.fixed();
  const bool keeps_sign = is_integer(exponent) || !is_even(inner) || is_even(inner * exponent);
  const Expr base = keeps_sign ? node.terms[0].operand : graph_.function(Op::abs, node.terms[0].operand);
  multiply(base, inner * exponent);
  return true;
}

void ProductBuilder::merge_equal() {
  merge_sorted(factors_, [](Ratio a, Ratio b) { return Ratio{a.num + b.num, 1}; });
}

Expr ProductBuilder::build() {
  merge_equal();
  // sqrt(2 x)^2 has become (2 x)^1, whose factor can now be taken out
  const auto can_open = [&](const Term& f) {
    const Op op = graph_.node(f.operand).op;
    return is_integer(f.weight.num.fixed()) && (op == Op::product || is_multiple(graph_.node(f.operand)));
  };
  if (std::ranges::any_of(factors_, can_open)) {
    std::vector<Term> factors;
    factors.swap(factors_);
    for (const Term& f : factors) multiply(f.operand, f.weight.num.fixed());
    merge_equal();
  }
  if (coefficient_.num == 0 || factors_.empty()) return graph_.constant(coefficient_.value());
  const bool single = factors_.size() == 1 && factors_[0].weight.num == 1;
  const Expr core = single ? factors_[0].operand : graph_.intern({.op = Op::product}, factors_);
  if (coefficient_ == Ratio{}) return core;
  LinearBuilder multiple(graph_);
  multiple.add(core, coefficient_);
  return multiple.build();
}

}  // namespace escapement
