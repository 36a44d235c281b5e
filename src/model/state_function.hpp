// Expressions evaluated at a State: outputs, stop conditions, the points of a drawing.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "math/deferred_program.hpp"
#include "system/state.hpp"
#include "system/terms.hpp"

namespace escapement::inline model {

// how the variables of such expressions follow from a state; without one they are t, q, v, z in this order
class StateInputs {
 public:
  virtual ~StateInputs() = default;
  // what filling in works with, for one thread
  struct Work {
    std::vector<double> numbers;
    Terms terms;
  };
  virtual std::size_t work_size() const = 0;  // of its numbers
  virtual void prepare(Work& work) const { work.numbers.resize(work_size()); }
  // used: ascending; in: of these alone
  virtual void fill(const State&, std::span<const int> used, double* in, Work&) const = 0;

 protected:
  static std::span<const int> below(int count, std::span<const int> used) {
    return used.first(static_cast<std::size_t>(std::ranges::lower_bound(used, count) - used.begin()));
  }
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
  std::vector<double> in_, scratch_;
  StateInputs::Work work_;
};

}  // namespace escapement
