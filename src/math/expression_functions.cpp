// Constructors of expressions that simplify on the way.
#include <algorithm>
#include <cmath>

#include "math/expression_builder.hpp"
#include "math/sine_cosine.hpp"
#include "math/table.hpp"

namespace escapement::inline math {
namespace {

bool is_odd_function(Op op) {
  return op == Op::sin || op == Op::tan || op == Op::asin || op == Op::atan || op == Op::sinh || op == Op::tanh ||
         op == Op::sign;
}
bool is_even_function(Op op) { return op == Op::cos || op == Op::cosh || op == Op::abs; }
bool is_commutative(Op op) { return op == Op::min || op == Op::max || op == Op::equal || op == Op::not_equal; }
bool is_comparison(Op op) { return op == Op::less || op == Op::less_equal || op == Op::equal || op == Op::not_equal; }

}  // namespace

double apply(Op op, double a, double b, double c) {
  switch (op) {
    case Op::power:
      return std::pow(a, b);
    case Op::sin:
      return sine(a);
    case Op::cos:
      return cosine(a);
    case Op::tan:
      return std::tan(a);
    case Op::asin:
      return std::asin(a);
    case Op::acos:
      return std::acos(a);
    case Op::atan:
      return std::atan(a);
    case Op::sinh:
      return std::sinh(a);
    case Op::cosh:
      return std::cosh(a);
    case Op::tanh:
      return std::tanh(a);
    case Op::exp:
      return std::exp(a);
    case Op::log:
      return std::log(a);
    case Op::abs:
      return std::abs(a);
    case Op::sign:
      return double(a > 0) - double(a < 0);
    case Op::atan2:
      return std::atan2(a, b);
    case Op::min:
      return b < a ? b : a;
    case Op::max:
      return a < b ? b : a;
    case Op::less:
      return a < b;
    case Op::less_equal:
      return a <= b;
    case Op::equal:
      return a == b;
    case Op::not_equal:
      return a != b;
    case Op::select:
      return a != 0 ? b : c;
    default:
      throw std::logic_error("not an operation on plain numbers");
  }
}

Expr ExpressionGraph::add(Expr a, Expr b) {
  LinearBuilder result(*this);
  result.add(a), result.add(b);
  return result.build();
}

Expr ExpressionGraph::sub(Expr a, Expr b) {
  LinearBuilder result(*this);
  result.add(a), result.add(b, {-1, 1});
  return result.build();
}

Expr ExpressionGraph::scale(Expr a, TracedNumber factor) {
  LinearBuilder result(*this);
  result.add(a, {factor, 1});
  return result.build();
}

Expr ExpressionGraph::sum(std::span<const Expr> terms) {
  LinearBuilder result(*this);
  for (const Expr term : terms) result.add(term);
  return result.build();
}

Expr ExpressionGraph::combination(TracedNumber constant, std::span<const Term> terms) {
  LinearBuilder result(*this);
  result.add(this->constant(constant));
  for (const Term& term : terms) result.add(term.operand, term.weight);
  return result.build();
}

Expr ExpressionGraph::mul(Expr a, Expr b) {
  ProductBuilder result(*this);
  result.multiply(a), result.multiply(b);
  return result.build();
}

Expr ExpressionGraph::div(Expr a, Expr b) {
  if (is_constant(a) && is_constant(b)) return constant(node(a).value / node(b).value);
  ProductBuilder result(*this);
  result.multiply(a), result.multiply(b, -1);
  return result.build();
}

Expr ExpressionGraph::product(std::span<const Expr> factors) {
  ProductBuilder result(*this);
  for (const Expr factor : factors) result.multiply(factor);
  return result.build();
}

Expr ExpressionGraph::pow(Expr a, double exponent) {
  if (is_constant(a)) return constant(raised(node(a).value, exponent));
  ProductBuilder result(*this);
  result.multiply(a, exponent);
  return result.build();
}

Expr ExpressionGraph::pow(Expr a, Expr b) {
  if (is_constant(b)) return pow(a, value(b));
  if (is_constant(a) && value(a) == 1) return a;
  const Term terms[] = {{a, {}}, {b, {}}};
  return intern({.op = Op::power}, terms);
}

Expr ExpressionGraph::function(Op op, Expr a) {
  const Node node = this->node(a);
  if (node.op == Op::constant) return constant(op == Op::abs ? abs(node.value) : TracedNumber(apply(op, node.value.fixed())));
  const bool negative = node.op == Op::linear && node.count == 1 && node.value == 0 && node.terms[0].weight.num < 0;
  if (negative && is_odd_function(op)) return neg(function(op, neg(a)));
  if (negative && is_even_function(op)) return function(op, neg(a));
  if (op == Op::abs && node.op == Op::abs) return a;
  const Term term{a, {}};
  return intern({.op = op}, {&term, 1});
}

Expr ExpressionGraph::function(Op op, Expr a, Expr b) {
  if (is_constant(a) && is_constant(b))
    return constant(op == Op::max ? larger(node(a).value, node(b).value) : TracedNumber(apply(op, value(a), value(b))));
  if (is_commutative(op) && b < a) std::swap(a, b);
  if (a == b && (op == Op::min || op == Op::max)) return a;
  if (a == b && is_comparison(op)) return constant(op == Op::less_equal || op == Op::equal);
  const Term terms[] = {{a, {}}, {b, {}}};
  return intern({.op = op}, terms);
}

Expr ExpressionGraph::select(Expr condition, Expr yes, Expr no) {
  if (yes == no) return yes;
  if (is_constant(condition)) return value(condition) != 0 ? yes : no;
  const Term terms[] = {{condition, {}}, {yes, {}}, {no, {}}};
  return intern({.op = Op::select}, terms);
}

Expr ExpressionGraph::table(std::shared_ptr<const Table> table, Expr argument, int derivative_order) {
  if (derivative_order > (table->is_live() ? 0 : table->is_linear() ? 1 : 3)) return constant(0);
  if (is_constant(argument) && !table->is_live()) return constant(table->evaluate(value(argument), derivative_order));
  auto place = std::ranges::find(tables_, table);
  if (place == tables_.end()) place = tables_.insert(place, std::move(table));
  const Term term{argument, {}};
  return intern({.op = Op::table, .order = std::uint8_t(derivative_order), .symbol = int(place - tables_.begin())},
                {&term, 1});
}

// truth is 1 or 0, anything but 0 counts as true
Expr ExpressionGraph::logical_and(Expr a, Expr b) {
  return mul(function(Op::not_equal, a, constant(0)), function(Op::not_equal, b, constant(0)));
}
Expr ExpressionGraph::logical_or(Expr a, Expr b) {
  return function(Op::max, function(Op::not_equal, a, constant(0)), function(Op::not_equal, b, constant(0)));
}
Expr ExpressionGraph::logical_not(Expr a) { return function(Op::equal, a, constant(0)); }

// the same operation on other operands
Expr ExpressionGraph::rebuild(const Node& node, std::span<const Expr> operands) {
  switch (node.op) {
    case Op::linear: {
      LinearBuilder result(*this);
      result.add(constant(node.value));
      for (std::size_t i = 0; i < operands.size(); ++i) result.add(operands[i], node.terms[i].weight);
      return result.build();
    }
    case Op::product: {
      ProductBuilder result(*this);
      for (std::size_t i = 0; i < operands.size(); ++i) result.multiply(operands[i], node.terms[i].weight.num.fixed());
      return result.build();
    }
    case Op::power:
      return pow(operands[0], operands[1]);
    case Op::table:
      return table(table(node.symbol), operands[0], node.order);
    case Op::select:
      return select(operands[0], operands[1], operands[2]);
    default:
      return operands.size() == 1 ? function(node.op, operands[0]) : function(node.op, operands[0], operands[1]);
  }
}

Expr ExpressionGraph::substitute(Expr e, const std::map<Expr, Expr>& replacements) {
  std::unordered_map<int, Expr> changed;
  std::vector<Expr> operands;
  for (const Expr part : reachable({&e, 1})) {
    const Node node = this->node(part);
    if (const auto replacement = replacements.find(part); replacement != replacements.end()) {
      changed.emplace(part.id, replacement->second);
      continue;
    }
    operands.clear();
    bool any = false;
    for (const Term& term : node.operands()) {
      const auto place = changed.find(term.operand.id);
      any = any || place != changed.end();
      operands.push_back(place == changed.end() ? term.operand : place->second);
    }
    if (any) changed.emplace(part.id, rebuild(node, operands));
  }
  const auto result = changed.find(e.id);
  return result == changed.end() ? e : result->second;
}

}  // namespace escapement
