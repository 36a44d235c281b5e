#include "schemes/contact_decision.hpp"

#include "math/tolerances.hpp"

#include <algorithm>

#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

void ContactDecision::start(const System& sys, const ContactSets& sets) {
  if (sets.slips == 0) return;
  response_.resize(sys);
  closed_.reserve(sets.laws.size());
  const int rows = sets.contacts() + sets.slips;
  problem_.reserve(contact_room(rows));
  solver_->reserve(contact_room(rows));
}

bool ContactDecision::pose(const FreeStep& free, const ContactErrors::Step& step, ContactSets& sets) {
  closed_.clear();
  for (int j = sets.joints; j < sets.rows; ++j)
    if (sets.T[j] && !sets.off[j]) closed_.push_back(j - sets.joints);
  if (!response_.factor(free.M, free.end.G)) {
    step.report.status = Status::singular_matrix;
    return false;
  }
  response_.respond(free.end, closed_);
  response_.fill(free.end, step.h, problem_);
  for (const ContactResponse::Row& row : response_.rows()) {
    problem_.u_minus[row.at] = row.is_slip ? row.velocity(free.start, step.s.v) : sets.gdn[row.row];
    problem_.u_free[row.at] = row.velocity(free.end, free.s1.v);
  }
  problem_.contact.noise = 0;
  for (int i : closed_) problem_.contact.noise = std::max(problem_.contact.noise, sets.sizes.noise_of_row(sets.joints + i));
  problem_.P.setZero();
  return true;
}

bool ContactDecision::decide(const FreeStep& free, const ContactErrors::Step& step, ContactSets& sets) {
  if (!pose(free, step, sets)) return false;
  if (!solve_step(ImpactLaw::newton, problem_, *solver_).ok) {
    step.report.status = Status::contact_unsolved;
    for (int k = 0; k < response_.size(); ++k)
      note_residual(step.report, RowResidual::Kind::row, sets.joints + closed_[k], problem_.u_plus[response_.row(k)]);
    return false;
  }
  std::fill(sets.decided_B.begin(), sets.decided_B.end(), 0);
  for (int k = 0; k < response_.size(); ++k) {
    const int r = response_.row(k), n = sets.joints + closed_[k];
    const double P = problem_.P[r];
    sets.decided_B[n] = P > 0;
    sets.jammed[n] = is_jammed(problem_, r);
    for (std::size_t i = 0; i < sets.rubs.size(); ++i) {
      const ContactSets::Rub& rub = sets.rubs[i];
      if (rub.law != closed_[k]) continue;
      const double limit = sets.laws[closed_[k]].friction * P, friction = problem_.P.segment(response_.slip_row(k), rub.count).norm();
      const bool slides = friction >= (1 - little::friction) * limit;
      sets.decided_friction[i] = !slides ? FrictionMode::stick : rub.count > 1 ? FrictionMode::slide : problem_.P[r + 1] > 0 ? FrictionMode::slide_plus : FrictionMode::slide_minus;
    }
  }
  return true;
}

}  // namespace escapement
