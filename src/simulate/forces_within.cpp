#include "simulate/forces_within.hpp"

namespace escapement::inline simulate {

ForcesWithin::ForcesWithin(const System& system, const ActiveView& view) : view_(view) {
  vdot_.setZero(system.dim().v);
  lambda_.setZero(system.dim().multipliers());
}

void ForcesWithin::prepare() {
  if (version_ == view_.version()) return;
  version_ = view_.version();
  view_.prepare(terms_);
  kkt_.resize(view_.dim().v, view_.dim().rows(), view_.joint_rows());
  rows_.setZero(view_.dim().rows());
  on_rows_.setZero(view_.dim().rows());
}

bool ForcesWithin::solve(const State& s) {
  prepare();
  view_.evaluate(s, Need::mass | Need::force | Need::jacobian | Need::curvature, terms_);
  lambda_.setZero();
  if (!kkt_.factor(terms_.M, terms_.top(), terms_.G)) return false;
  rows_ = -terms_.kappa;
  kkt_.solve(terms_.f, rows_, vdot_, on_rows_);
  view_.scatter(on_rows_, lambda_);
  view_.complete_multipliers(s, lambda_);
  return true;
}

}  // namespace escapement
