#include "schemes/index1.hpp"

#include <cmath>
#include <limits>

namespace escapement {

void Index1::start(const System& sys, State& s, Terms& T) {
  kkt_.resize(sys.dim().v, sys.dim().rows());
  projection_.resize(sys);
  rescue_.resize(sys);
  known_ = make_state(sys.dim());
  r_.setZero(sys.dim().rows());
  forget();
  if (solve(sys, s, Need(0), T) == Status::ok) {
    remember(s);
  } else {
    s.vdot.setConstant(std::nan(""));
  }
}

Status Index1::solve(const System& sys, State& s, Need known, Terms& T) {
  sys.evaluate(s, missing(Need::mass | Need::force | Need::jacobian | Need::curvature, known), T);
  if (!kkt_.factor(T.M, T.top(), T.G)) return failure_of(kkt_);
  return solve_factored(sys, s, T);
}

// rows that are never clear of each other are redundant ones, which the others hold
void Index1::judge(double* clearance) const {
  constexpr double close = 1e-4;  // the square of an angle
  clearance[best] = std::max(clearance[best], kkt_.pivot());
  clearance[lost] = clearance[best] > 1e-8 && kkt_.pivot() < close * clearance[best];
}

void Index1::keep_step(const double* clearance, const double* clearance1, double h, StepReport& report) {
  if (!report.ok() || clearance[lost] == 0 || clearance1[lost] == 0) return;
  report.error = 0;
  report.next_step = h;
}

Status Index1::finish(const System& sys, State& s, Need known, Terms& T, double* clearance) {
  if (!s.q.allFinite() || !s.v.allFinite() || !s.z.allFinite()) return Status::not_finite;
  Status status = project(sys, projection_, s, known, T);
  if (status == Status::ok && clearance) {
    judge(clearance);
    if (clearance[lost] != 0 && !projection_.position()) status = project(sys, rescue_, s, Need(0), T);
  }
  if (status == Status::ok) status = solve_factored(sys, s, T);
  if (status == Status::ok) remember(s);
  return status;
}

Status Index1::project(const System& sys, Projection& projection, State& s, Need known, Terms& T) {
  if (const Status status = projection.project(sys, s, known, T, kkt_); status != Status::ok) return status;
  sys.evaluate(s, Need::force | Need::curvature, T);
  if (projection.factored() && !T.sliding) return Status::ok;
  return kkt_.factor(T.M, T.top(), T.G) ? Status::ok : failure_of(kkt_);
}

Status Index1::solve_factored(const System& sys, State& s, Terms& T) {
  r_ = -T.kappa;  // [000] (15)
  if (alpha_ != 0) {
    r_ -= 2 * alpha_ * T.g_t;
    T.G.add_product(-2 * alpha_, s.v, r_);
  }
  if (beta_ != 0) {
    sys.evaluate(s, Need::gap, T);
    for (int i = 0; i < r_.size(); ++i)
      if (sys.level(i) == Level::position) r_[i] -= beta_ * beta_ * T.g[i];
  }
  kkt_.solve(T.f, r_, s.vdot, s.lambda);
  s.lambda.tail(sys.dim().slip).setZero();
  return s.vdot.allFinite() ? Status::ok : Status::not_finite;
}

bool Index1::knows(const State& s) const {
  // the loop may have put t on its grid: a difference in the last bits is the same instant
  const double ulps = 4 * std::numeric_limits<double>::epsilon();
  return std::abs(known_.t - s.t) <= ulps * std::abs(s.t) && known_.q == s.q && known_.v == s.v && known_.z == s.z;
}

void Index1::remember(const State& s) {
  known_.t = s.t;
  known_.q = s.q;
  known_.v = s.v;
  known_.z = s.z;
}

}  // namespace escapement
