// Expressions of t, q and v, evaluated at a State: outputs, stop conditions, the points of a drawing.
#pragma once

#include <span>
#include <vector>

#include "math/program.hpp"
#include "system/state.hpp"

namespace escapement {

class StateFunction {
 public:
  StateFunction() = default;
  // inputs: the variables of t, q, v in this order
  StateFunction(const ExpressionGraph&, std::span<const Expr> inputs, std::span<const Expr> outputs);

  int size() const { return static_cast<int>(program_.output_count()); }
  // out has size() entries; allocates nothing. Copy the function to evaluate it in several threads
  void evaluate(const State&, double* out);
  double evaluate(const State&);  // of a function with one output

 private:
  Program program_;
  std::vector<double> in_, scratch_;
};

}  // namespace escapement
