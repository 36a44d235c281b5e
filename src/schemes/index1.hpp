// The index-1 form: acceleration and multipliers of a state from the constraints at acceleration level, [000] (15).
// Schemes that end their steps with it share what belongs there: the projection before it, and knowing afterwards that
// the terms at the next step's start have been evaluated already.
#pragma once

#include <cmath>
#include <limits>

#include "math/saddle_solver.hpp"
#include "schemes/projection.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

class Index1 {
 public:
  Index1() = default;
  explicit Index1(Projection projection) : projection_(std::move(projection)) {}
  // G v' + kappa + 2 alpha (G v + g_t) + beta^2 g = 0
  void set_baumgarte(double alpha, double beta) { alpha_ = alpha, beta_ = beta; }

  // sizes everything; s.vdot and s.lambda of s, not finite where they have no solution
  void start(const System&, State& s, Terms& T);
  // s.vdot and s.lambda of s; T holds the terms `known` at s on entry and all terms of this form on success
  Status solve(const System&, State& s, Need known, Terms& T);
  // the same after projecting s.q and s.v; T then belongs to the next step's start
  Status finish(const System&, State& s, Need known, Terms& T);

  // Dead points: positions in which the rows lose rank for an instant, and two motions cross. At a distance x the rows
  // divide by x what a position is off them before it becomes a velocity, and again before it becomes an acceleration: the
  // stages' own errors, and in the end rounding. So near a dead point
  // - stages are brought onto the rows at both levels before they are solved (on_rows), and so is the step's end;
  // - errors across the rows, which that end does not have, do not count;
  // - steps end at a distance from the dead point, where the rows still know across from along.
  // A scheme that passes dead points gives room in its memory behind what is its own, after start()
  void watch(State& s);
  // and makes its step by try_step(on_rows), called again with true if the first result turns out to be near a dead point
  template <class TryStep>
  StepReport step(const State& s, State& s1, const TryStep& try_step);
  // without a tolerance whoever asks for drift gets it where the rows cannot be met, near no dead point but at an end
  void control_errors(bool wanted) { controlled_ = wanted; }
  void look(const State& s);  // in a long step from s: has the matrix factored last come near a dead point?
  Status solve_on_rows(const System&, State& s, Terms& T);
  Status finish(const System&, State& s, Need known, Terms& T, bool on_rows);
  // leaves of the errors what lies along the rows; after finish()
  void make_tangential(const System&, const State& s, const Terms& T, Vec& error_q, Vec& error_v);

  bool knows(const State& s) const;  // T of the last finish() was evaluated at s
  void forget() { known_.t = std::nan(""); }

  SaddleSolver& kkt() { return kkt_; }

 private:
  void remember(const State& s);
  Status solve_factored(const System&, State& s, Terms& T);
  void measure(State& s);
  static bool near(const State& s);
  bool dips(const State& s, const State& s1) const;
  static void step_over(const State& s, const State& s1, StepReport&);

  // projects, and factors [M -G^T; G 0] where s then is
  Status project(const System&, Projection&, State& s, Need known, Terms& T);

  Projection projection_, onto_rows_{true, true};
  double alpha_ = 0, beta_ = 0;
  SaddleSolver kkt_;
  State known_;
  bool controlled_ = true;
  double least_ = 0;  // clearance seen within the step
  Vec r_, largest_, dx_, momentum_, q_, zero_, mu_;
};

template <class TryStep>
StepReport Index1::step(const State& s, State& s1, const TryStep& try_step) {
  const int solves = kkt_.solves();
  least_ = std::numeric_limits<double>::infinity();
  bool on_rows = near(s);
  StepReport report = try_step(on_rows);
  if (!on_rows && report.ok() && (near(s1) || dips(s, s1))) report = try_step(on_rows = true);
  if (!controlled_ && report.status == Status::newton_failed) report = try_step(on_rows = false);
  report.ok() ? step_over(s, s1, report) : void(report.passes_dead_point = on_rows);
  report.linear_solves = kkt_.solves() - solves;
  return report;
}

}  // namespace escapement
