// One step of high order from a consistent state, for schemes that need a history before they can begin: the linearly
// implicit Euler method on the index-1 form with 1, 2, .., k substeps, extrapolated to order k, then projected. It is
// implicit so that stiff systems start as safely as they go on.
#pragma once

#include <vector>

#include "schemes/implicit_point.hpp"
#include "schemes/index1.hpp"

namespace escapement::inline schemes {

class StartingStep {
 public:
  // sizes everything, and completes s by its accelerations and multipliers
  void start(const System&, State& s, int order);
  // s1: everything but memory. `reference` takes q and v of the extrapolation one order lower
  Status step(const System&, const State& s, double h, State& s1, State& reference);
  int linear_solves() { return kkt_.solves() + index1_.kkt().solves(); }

 private:
  Status euler(const System&, const State& s, double h, int substeps, Vec& result);
  void set_state(const System&, const State& s, const Vec& y, State& s1);

  int order_ = 0;
  Index1 index1_{Projection(true, true)};
  Terms T_, T_end_;  // of substeps and of the step's end
  ImplicitPoint point_;
  SaddleSolver kkt_;
  Matrix A_;
  State substep_;
  std::vector<Vec> row_;  // of the extrapolation table: increments of q, then v, then z
  Vec y_, next_, diagonal_, q_;
  Vec a_, b_, u_, mu_, dx_, dv_, dz_, no_zdot_;
};

}  // namespace escapement
