// The index-1 form: acceleration and multipliers of a state from the constraints at acceleration level, [000] (15).
// Schemes that end their steps with it share what belongs there: the projection before it, and knowing afterwards that
// the terms at the next step's start have been evaluated already.
#pragma once

#include <cmath>

#include "math/saddle_solver.hpp"
#include "schemes/projection.hpp"
#include "schemes/scheme.hpp"

namespace escapement {

class Index1 {
 public:
  // how clear of each other the rows are, as numbers of a scheme's memory: the best so far; 1 where they are close to
  // dependence
  enum Clearance { best, lost, clearance_size };

  Index1() = default;
  explicit Index1(Projection projection) : projection_(std::move(projection)) {}
  // G v' + kappa + 2 alpha (G v + g_t) + beta^2 g = 0
  void set_baumgarte(double alpha, double beta) { alpha_ = alpha, beta_ = beta; }

  // sizes everything; s.vdot and s.lambda of s, not finite where they have no solution
  void start(const System&, State& s, Terms& T);
  // s.vdot and s.lambda of s; T holds the terms `known` at s on entry and all terms of this form on success
  Status solve(const System&, State& s, Need known, Terms& T);
  // the same after projecting s.q and s.v; T then belongs to the next step's start. Where rows come close to dependence,
  // constraints that have drifted bend away from the motion: there s is brought back to both levels even by a scheme that
  // does not project, if it gives room for `clearance`
  Status finish(const System&, State& s, Need known, Terms& T, double* clearance = nullptr);
  // between two such states an estimate of the error is rounding, which smaller steps make larger: keep the step
  static void keep_step(const double* clearance, const double* clearance1, double h, StepReport&);

  bool knows(const State& s) const;  // T of the last finish() was evaluated at s
  void forget() { known_.t = std::nan(""); }

  SaddleSolver& kkt() { return kkt_; }

 private:
  void remember(const State& s);
  Status solve_factored(const System&, State& s, Terms& T);

  // projects, and factors [M -G^T; G 0] where s then is
  Status project(const System&, Projection&, State& s, Need known, Terms& T);
  void judge(double* clearance) const;

  Projection projection_, rescue_{true, true};
  double alpha_ = 0, beta_ = 0;
  SaddleSolver kkt_;
  State known_;
  Vec r_;
};

}  // namespace escapement
