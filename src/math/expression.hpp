// Expressions: an arena of shared nodes with simplification on construction and exact derivatives.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "math/ratio.hpp"

namespace escapement::inline math {

class NumberTape;
class Table;

// A handle into one ExpressionGraph; equal handles are equal expressions. Expr{} is the constant 0.
struct Expr {
  int id = 0;
  friend auto operator<=>(const Expr&, const Expr&) = default;
};

enum class Op : std::uint8_t {
  constant,
  variable,
  linear,   // value + sum of weight * operand
  product,  // product of operand ^ weight
  power,    // operand 0 ^ operand 1, where the exponent is not a number
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  abs,
  sign,
  table,  // a table's derivative of some order at operand 0
  atan2,
  min,
  max,
  less,
  less_equal,
  equal,
  not_equal,
  select,  // operand 0 != 0 ? operand 1 : operand 2
};

// Applies any op but constant, variable, linear, product and table to numbers.
double apply(Op op, double a, double b = 0, double c = 0);
// As expressions spell it; empty for operators, tables and variables.
const char* function_name(Op op);

struct Term {
  Expr operand;
  Ratio weight;  // linear: the factor; product: the exponent; else unused
};

struct Node {
  Op op = Op::constant;
  std::uint8_t order = 0;       // of the table's derivative
  std::uint32_t count = 0;      // number of terms
  const Term* terms = nullptr;  // never move
  TracedNumber value = 0;       // constant: itself; linear: the constant part
  int symbol = -1;              // variable: index of its name; table: index of the table
  int variables = 0;            // index of the set of variables it depends on, -1 when there are many
  std::span<const Term> operands() const { return {terms, count}; }
};

// Thrown when an expression or its derivatives need more nodes than the graph allows.
struct ExpressionLimit : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ExpressionGraph {
 public:
  explicit ExpressionGraph(std::size_t node_limit = 2'000'000);
  ExpressionGraph(const ExpressionGraph&) = delete;
  ExpressionGraph& operator=(const ExpressionGraph&) = delete;
  ExpressionGraph(ExpressionGraph&&) = default;
  ExpressionGraph& operator=(ExpressionGraph&&) = default;

  Expr constant(TracedNumber value);
  Expr variable(const std::string& name);  // the same name gives the same variable

  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr div(Expr a, Expr b);
  Expr pow(Expr a, Expr b);
  Expr pow(Expr a, double exponent);
  Expr neg(Expr a) { return scale(a, -1); }
  Expr scale(Expr a, TracedNumber factor);
  Expr sqrt(Expr a) { return pow(a, 0.5); }
  Expr square(Expr a) { return pow(a, 2.0); }
  Expr sum(std::span<const Expr> terms);
  Expr product(std::span<const Expr> factors);
  Expr combination(TracedNumber constant, std::span<const Term> terms);  // constant + sum of weight * operand

  Expr sin(Expr a) { return function(Op::sin, a); }
  Expr cos(Expr a) { return function(Op::cos, a); }
  Expr function(Op op, Expr a);          // sin ... sign
  Expr function(Op op, Expr a, Expr b);  // atan2, min, max, less, less_equal, equal, not_equal
  Expr select(Expr condition, Expr yes, Expr no);
  Expr table(std::shared_ptr<const Table> table, Expr argument, int derivative_order = 0);
  Expr logical_and(Expr a, Expr b);
  Expr logical_or(Expr a, Expr b);
  Expr logical_not(Expr a);

  // d e / d variable; remembered, so that repeating it for every variable and order stays cheap
  Expr derivative(Expr e, Expr variable);
  // every variable in the map replaced at once
  Expr substitute(Expr e, const std::map<Expr, Expr>& replacements);

  bool depends_on(Expr e, Expr variable) const;
  std::vector<Expr> variables(Expr e) const;  // in the order of their creation
  bool is_zero(Expr e) const { return e.id == 0; }
  bool is_constant(Expr e) const { return node(e).op == Op::constant; }
  bool is_variable(Expr e) const { return node(e).op == Op::variable; }
  double value(Expr e) const;  // of a constant
  const std::string& name(Expr variable) const;

  // the value for given values of the variables: simple and slow, see Program for the fast form
  double evaluate(Expr e, const std::map<Expr, double>& values) const;
  // readable text that parses to the same expression unless it is longer than max_length and ends with "..."
  std::string to_string(Expr e, std::size_t max_length = 2000) const;

  const Node& node(Expr e) const { return nodes_[std::size_t(e.id)]; }
  const std::shared_ptr<const Table>& table(int index) const { return tables_[std::size_t(index)]; }
  std::size_t size() const { return nodes_.size(); }
  // every node the roots need, operands before users
  std::vector<Expr> reachable(std::span<const Expr> roots) const;

  // Its form as words, with the numbers that may differ between graphs of one form in their order; false where it has none: a
  // table that changes. trace makes these numbers the inputs of a tape
  bool describe(std::vector<std::uint64_t>& form, std::vector<double>& numbers) const;
  void trace(NumberTape&);

 private:
  friend class LinearBuilder;
  friend class ProductBuilder;

  Expr intern(Node node, std::span<const Term> terms);
  std::size_t find_slot(const Node& node, std::span<const Term> terms, std::size_t hash) const;
  void grow_slots();
  const Term* store(std::span<const Term> terms);
  int unite(int a, int b);
  int intern_set(std::vector<int> set);
  bool may_depend_on(Expr e, Expr variable) const;
  std::span<const Term> terms_that_depend(Expr e, Expr variable, std::vector<Term>& storage);
  Expr rebuild(const Node& node, std::span<const Expr> operands);
  Expr derivative_of(const Node& node, Expr e, std::span<const Term> terms, Expr variable);
  Expr function_slope(const Node& node, Expr e);
  Expr product_derivative(std::span<const Term> factors, Expr variable);
  Expr choice_power_derivative(Node choice, double exponent, Expr variable);
  Expr second_is_chosen(Op op, Expr a, Expr b);
  Expr known_derivative(Expr e, Expr variable) const;

  std::size_t node_limit_;
  std::vector<Node> nodes_;
  std::vector<std::size_t> hashes_;              // one per node
  std::vector<int> slots_;                       // open addressing, -1 when free
  std::vector<std::unique_ptr<Term[]>> blocks_;  // storage of the terms
  std::size_t block_used_ = 0, block_size_ = 0;
  std::vector<std::string> names_;                  // of variables
  std::unordered_map<std::string, int> variables_;  // name -> node
  std::vector<std::shared_ptr<const Table>> tables_;
  std::vector<std::vector<int>> sets_;  // sets of variables, each sorted
  std::map<std::vector<int>, int> set_index_;
  std::unordered_map<std::uint64_t, int> unions_;
  std::unordered_map<std::uint64_t, int> derivatives_;  // (node, variable) -> node
  // sum of many terms -> variable -> those that may depend on it; under -1 those that depend on many variables
  std::unordered_map<int, std::unordered_map<int, std::vector<Term>>> dependent_terms_;
};

}  // namespace escapement
