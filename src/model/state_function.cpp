#include "model/state_function.hpp"

#include <algorithm>

namespace escapement {

StateFunction::StateFunction(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs)
    : program_(graph, inputs, outputs), in_(inputs.size()), scratch_(program_.scratch_size()) {}

void StateFunction::evaluate(const State& s, double* out) {
  if (size() == 0) return;
  in_[0] = s.t;
  std::copy_n(s.q.data(), s.q.size(), in_.begin() + 1);
  std::copy_n(s.v.data(), s.v.size(), in_.begin() + 1 + s.q.size());
  program_.run(in_.data(), out, scratch_.data());
}

double StateFunction::evaluate(const State& s) {
  double value = 0;
  evaluate(s, &value);
  return value;
}

}  // namespace escapement
