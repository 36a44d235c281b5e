// Expressions evaluated at a State: outputs, stop conditions, the points of a drawing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "math/deferred_program.hpp"
#include "system/state.hpp"

namespace escapement {

// how the variables of such expressions follow from a state; without one they are t, q, v, z in this order
class StateInputs {
 public:
  virtual ~StateInputs() = default;
  virtual std::size_t work_size() const = 0;
  // in: of the used ones alone
  virtual void fill(const State&, const std::vector<int>& used, double* in, double* work) const = 0;
};

class StateFunction {
 public:
  StateFunction() = default;
  // it is compiled when it is first evaluated
  StateFunction(std::shared_ptr<const ExpressionGraph>, std::span<const Expr> inputs, std::span<const Expr> outputs,
                std::shared_ptr<const StateInputs> source = nullptr);

  int size() const { return static_cast<int>(program_.output_count()); }
  // out has size() entries; allocates nothing but the first time. Copy the function to evaluate it in several threads
  void evaluate(const State&, double* out);
  double evaluate(const State&);  // of a function with one output

 private:
  DeferredProgram program_;
  std::shared_ptr<const StateInputs> source_;
  std::vector<int> used_;  // inputs the outputs depend on
  std::vector<double> in_, scratch_, work_;
};

}  // namespace escapement
