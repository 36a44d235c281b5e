#include "model/signal.hpp"

#include <utility>

#include "math/program.hpp"

namespace escapement::inline model {

namespace {

class FunctionSignal : public Signal {
 public:
  explicit FunctionSignal(std::function<std::array<double, 3>(double)> function) : function_(std::move(function)) {}
  std::array<double, 3> at(double t, double*) const override { return function_(t); }

 private:
  std::function<std::array<double, 3>(double)> function_;
};

class ExpressionSignal : public Signal {
 public:
  ExpressionSignal(ExpressionGraph& graph, Expr e, Expr t) {
    const Expr rate = graph.derivative(e, t);
    const Expr outputs[] = {e, rate, graph.derivative(rate, t)};
    program_ = Program(graph, {&t, 1}, outputs);
  }
  std::array<double, 3> at(double t, double* scratch) const override {
    std::array<double, 3> out;
    program_.run(&t, out.data(), scratch);
    return out;
  }
  std::size_t scratch_size() const override { return program_.scratch_size(); }

 private:
  Program program_;
};

}  // namespace

SignalPtr make_signal(std::function<std::array<double, 3>(double t)> function) {
  return std::make_shared<FunctionSignal>(std::move(function));
}

SignalPtr make_signal(ExpressionGraph& graph, Expr expression, Expr t) {
  return std::make_shared<ExpressionSignal>(graph, expression, t);
}

}  // namespace escapement
