// A prescribed function of time, with its first two derivatives.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>

#include "math/expression.hpp"

namespace escapement::inline model {

class Signal {
 public:
  virtual ~Signal() = default;
  virtual std::array<double, 3> at(double t, double* scratch) const = 0;  // value, rate, second rate
  virtual std::size_t scratch_size() const { return 0; }
};

using SignalPtr = std::shared_ptr<const Signal>;

SignalPtr make_signal(std::function<std::array<double, 3>(double t)> function);
SignalPtr make_signal(ExpressionGraph& graph, Expr expression, Expr t);  // the expression may depend on t alone

}  // namespace escapement
