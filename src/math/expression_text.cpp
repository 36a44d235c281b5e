// The slow, plain views of an expression: its value and its text.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "math/expression.hpp"
#include "math/table.hpp"

namespace escapement::inline math {
namespace {

constexpr int deepest_text = 60;

enum Strength { sum_strength, product_strength, power_strength, atom_strength };

// writes into a string of bounded length; recursion is bounded by deepest_text
class Writer {
 public:
  Writer(const ExpressionGraph& graph, std::size_t max_length) : graph_(graph), max_length_(max_length) {}

  void write(Expr e, Strength least) {
    if (text.size() > max_length_) return;
    if (++depth_ > deepest_text) {
      text += "...";
      text.resize(std::max(text.size(), max_length_ + 1), '.');
    } else {
      const bool enclose = strength(graph_.node(e)) < least;
      if (enclose) text += '(';
      write_bare(graph_.node(e));
      if (enclose) text += ')';
    }
    --depth_;
  }

  std::string text;

 private:
  Strength strength(const Node& node) const {
    switch (node.op) {
      case Op::constant:
        return node.value < 0 ? sum_strength : atom_strength;
      case Op::linear:
        return node.count > 1 || node.value != 0 || node.terms[0].weight.num < 0 ? sum_strength : product_strength;
      case Op::product:
        return node.count > 1 || node.terms[0].weight.num < 0 ? product_strength
               : node.terms[0].weight.num == 0.5              ? atom_strength
                                                              : power_strength;
      case Op::power:
        return power_strength;
      case Op::less:
      case Op::less_equal:
      case Op::equal:
      case Op::not_equal:
        return sum_strength;
      default:
        return atom_strength;
    }
  }

  void write_bare(const Node& node) {
    switch (node.op) {
      case Op::constant:
        text += fmt::format("{}", node.value.plain());
        break;
      case Op::variable:
        text += graph_.name(expr_of(node));
        break;
      case Op::linear:
        write_linear(node);
        break;
      case Op::product:
        write_product(node);
        break;
      case Op::power:
        write_infix(node, "^", atom_strength, power_strength);
        break;
      case Op::less:
        write_infix(node, " < ", product_strength, product_strength);
        break;
      case Op::less_equal:
        write_infix(node, " <= ", product_strength, product_strength);
        break;
      case Op::equal:
        write_infix(node, " == ", product_strength, product_strength);
        break;
      case Op::not_equal:
        write_infix(node, " != ", product_strength, product_strength);
        break;
      default:
        write_call(node);
    }
  }

  Expr expr_of(const Node& node) const { return {int(&node - &graph_.node(Expr{0}))}; }

  void write_linear(const Node& node) {
    bool first = true;
    for (const Term& term : node.operands()) {
      const bool negative = term.weight.num < 0;
      text += first ? (negative ? "-" : "") : (negative ? " - " : " + ");
      first = false;
      const double factor = std::abs(term.weight.num.plain());
      if (factor != 1) text += fmt::format("{}*", factor);
      write(term.operand, product_strength);
      if (term.weight.den != 1) text += fmt::format("/{}", term.weight.den.plain());
    }
    if (node.value != 0) text += fmt::format("{}{}", node.value < 0 ? " - " : " + ", std::abs(node.value.plain()));
  }

  void write_product(const Node& node) {
    bool first = true;
    for (const Term& factor : node.operands()) {
      if (factor.weight.num < 0) continue;
      if (!first) text += '*';
      write_power(factor.operand, factor.weight.num.plain());
      first = false;
    }
    if (first) text += '1';
    for (const Term& factor : node.operands()) {
      if (!(factor.weight.num < 0)) continue;
      text += '/';
      write_power(factor.operand, -factor.weight.num.plain());
    }
  }

  void write_power(Expr base, double exponent) {
    if (exponent == 0.5) {
      text += "sqrt(";
      write(base, sum_strength);
      text += ')';
    } else if (exponent == 1) {
      write(base, power_strength);
    } else {
      write(base, atom_strength);
      text += fmt::format("^{}", exponent);
    }
  }

  void write_infix(const Node& node, const char* sign, Strength left, Strength right) {
    write(node.terms[0].operand, left);
    text += sign;
    write(node.terms[1].operand, right);
  }

  void write_call(const Node& node) {
    if (node.op == Op::table)
      text += fmt::format("table{}{}(", node.symbol + 1, std::string(node.order, '\''));
    else
      text += fmt::format("{}(", function_name(node.op));
    for (std::size_t i = 0; i < node.count; ++i) {
      if (i > 0) text += ", ";
      write(node.terms[i].operand, sum_strength);
    }
    text += ')';
  }

  const ExpressionGraph& graph_;
  std::size_t max_length_;
  int depth_ = 0;
};

double evaluate_node(const ExpressionGraph& graph, const Node& node, const std::vector<double>& values) {
  const auto operand = [&](std::size_t i) {
    return i < node.count ? values[std::size_t(node.terms[i].operand.id)] : 0;
  };
  if (node.op == Op::constant) return node.value.plain();
  if (node.op == Op::table) return graph.table(node.symbol)->evaluate(operand(0), node.order);
  if (node.op == Op::linear) {
    double result = node.value.plain();
    for (std::size_t i = 0; i < node.count; ++i)
      result += operand(i) * node.terms[i].weight.num.plain() / node.terms[i].weight.den.plain();
    return result;
  }
  if (node.op == Op::product) {
    double result = 1;
    for (std::size_t i = 0; i < node.count; ++i) result *= std::pow(operand(i), node.terms[i].weight.num.plain());
    return result;
  }
  return apply(node.op, operand(0), operand(1), operand(2));
}

}  // namespace

const char* function_name(Op op) {
  switch (op) {
    case Op::sin:
      return "sin";
    case Op::cos:
      return "cos";
    case Op::tan:
      return "tan";
    case Op::asin:
      return "asin";
    case Op::acos:
      return "acos";
    case Op::atan:
      return "atan";
    case Op::sinh:
      return "sinh";
    case Op::cosh:
      return "cosh";
    case Op::tanh:
      return "tanh";
    case Op::exp:
      return "exp";
    case Op::log:
      return "log";
    case Op::abs:
      return "abs";
    case Op::sign:
      return "sign";
    case Op::atan2:
      return "atan2";
    case Op::min:
      return "min";
    case Op::max:
      return "max";
    case Op::select:
      return "if";
    default:
      return "";
  }
}

std::string ExpressionGraph::to_string(Expr e, std::size_t max_length) const {
  Writer writer(*this, max_length);
  writer.write(e, sum_strength);
  if (writer.text.size() > max_length) {
    writer.text.resize(max_length < 3 ? 0 : max_length - 3);
    writer.text += "...";
  }
  return std::move(writer.text);
}

double ExpressionGraph::evaluate(Expr e, const std::map<Expr, double>& values) const {
  std::vector<double> results(std::size_t(e.id) + 1);
  for (const Expr part : reachable({&e, 1})) {
    const Node& node = this->node(part);
    if (node.op != Op::variable) {
      results[std::size_t(part.id)] = evaluate_node(*this, node, results);
      continue;
    }
    const auto value = values.find(part);
    if (value == values.end()) throw std::invalid_argument(fmt::format("no value is given for '{}'", name(part)));
    results[std::size_t(part.id)] = value->second;
  }
  return results[std::size_t(e.id)];
}

}  // namespace escapement
