// The two canonical forms that sums and products are brought into.
#pragma once

#include <vector>

#include "math/expression.hpp"

namespace escapement::inline math {

// constant + sum of weight * operand: operands differ, are sorted, and are neither constants nor multiples;
// the first weight is positive, so that a - b and b - a share a node; sin(u)^2 + cos(u)^2 has become 1.
class LinearBuilder {
 public:
  explicit LinearBuilder(ExpressionGraph& graph) : graph_(graph) {}
  void add(Expr e, Ratio weight = {});
  Expr build();

 private:
  void merge_equal();
  bool merge_squares();
  Expr divided(Expr product, Expr factor) const;

  ExpressionGraph& graph_;
  TracedNumber constant_ = 0;
  std::vector<Term> terms_;
};

// coefficient * product of operand ^ exponent: operands differ, are sorted, and are neither numbers nor multiples.
class ProductBuilder {
 public:
  explicit ProductBuilder(ExpressionGraph& graph) : graph_(graph) {}
  void multiply(Expr e, double exponent = 1);
  void scale(Ratio factor) { coefficient_ = coefficient_ * factor; }
  Expr build();

 private:
  void multiply_constant(TracedNumber value, double exponent);
  bool multiply_multiple(const Node& node, double exponent);
  bool multiply_product(const Node& node, double exponent);
  void merge_equal();

  ExpressionGraph& graph_;
  Ratio coefficient_;
  std::vector<Term> factors_;
};

}  // namespace escapement
