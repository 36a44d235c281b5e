#include "schemes/index1.hpp"

#include <cmath>
#include <limits>

namespace escapement {

void Index1::start(const System& sys, State& s, Terms& T) {
  kkt_.resize(sys.dim().v, sys.dim().rows());
  projection_.resize(sys);
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

Status Index1::finish(const System& sys, State& s, Need known, Terms& T) {
  if (!s.q.allFinite() || !s.v.allFinite() || !s.z.allFinite()) return Status::not_finite;
  if (const Status status = projection_.project(sys, s, known, T, kkt_); status != Status::ok) return status;
  sys.evaluate(s, Need::force | Need::curvature, T);
  if (!projection_.factored() || T.sliding) {
    if (!kkt_.factor(T.M, T.top(), T.G)) return failure_of(kkt_);
  }
  const Status status = solve_factored(sys, s, T);
  if (status == Status::ok) remember(s);
  return status;
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
