#include "schemes/step_errors.hpp"

#include <algorithm>
#include <cmath>

#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

void StepErrors::start(const System& sys, State& s, const ContactSets& sets) {
  response_.resize(sys);
  closed_.reserve(sets.laws.size());
  for (Vec* x : {&change_, &dv_by_turn_}) x->setZero(sets.v);
  for (Vec* x : {&unmoved_, &pull_, &carried_}) x->setZero(sets.joints);
  problem_.reserve(contact_room(sets.contacts() + sets.slips));
  start_accelerations(sys, s, response_);
}

void StepErrors::estimate(const Step& step, const Taken& taken, const ContactSets& sets, bool hit) {
  errors_.look(step);
  errors_.compare(step, {.hit = hit, .distance = taken.distance, .noise = sets.sizes.noise()});
  errors_.add_gaps(step);
  if (!response_.factor(taken.M, taken.rows.G)) return;
  closed_.clear();
  for (int i = 0; i < static_cast<int>(sets.laws.size()); ++i)
    if (sets.laws[i].is_brake() || sets.B[sets.joints + i]) closed_.push_back(i);
  response_.respond(taken.rows, closed_);
  if (!closed_.empty()) response_.fill(taken.rows, step.h, problem_);
  if (sets.brakes && !closed_.empty()) {
    carried_ = step.h * step.s1.lambda.head(sets.joints);
    response_.limit_by(carried_, problem_);
  }
  // contact forces are means over their steps
  const ContactErrors::Acting acting{response_, problem_.contact, taken.rows, 0.5 * (step.h + taken.last), 0.5, taken.hidden};
  taken.f ? errors_.vary_from(step, *taken.f) : errors_.vary_from_acceleration(step, taken.M, *taken.acceleration);
  errors_.add_openings(step, acting);
  if (taken.hidden < 1) errors_.add_variation(step, acting);
  errors_.add_closings(step, acting);
  errors_.add_stops(step, acting);
  if (!closed_.empty()) errors_.add_onsets(step, acting);
}

void StepErrors::add_turn(const Step& step, const Terms& start, const Terms& end, const ContactSets& sets) {
  change_.setZero();
  bool turns = false;
  const auto add = [&](const Matrix& at_start, const Matrix& at_end, int row, double impulse) {
    if (impulse == 0) return;
    turns = true;
    at_end.add_row(row, 0.5 * impulse, change_);
    at_start.add_row(row, -0.5 * impulse, change_);
  };
  for (int j = 0; j < sets.rows; ++j) add(start.G, end.G, j, sets.Lam[j]);
  for (int i = 0; i < sets.slips; ++i) add(start.T, end.T, i, sets.Lam[sets.rows + i]);
  if (!turns || !response_.factor(end.M, end.G)) return;
  response_.solve(change_, unmoved_, dv_by_turn_, pull_);
  errors_.add_velocities(step, dv_by_turn_);
}

bool StepErrors::follows_surfaces(const Step& step, const Terms& start, const Terms& end, const Vec& dx, ContactSets& sets) const {
  constexpr double far = 0.1;   // of what counts as one in a coordinate: shorter steps, which may pass edges, are not judged
  constexpr double much = 0.4;  // of what the row's coordinates move it by
  bool moved = false;
  for (int i = 0; i < sets.v && wanted_; ++i) moved = moved || std::abs(dx[i]) > far * step.sys.scale().v(i);
  if (!moved) return true;
  for (int j = sets.joints; j < sets.rows; ++j) {
    if (!sets.A[j] && !sets.B[j]) continue;
    // the gap changes by the mean of its rates at the ends of the path, up to the square of the turn of its row
    const double steady = 0.5 * step.h * (start.g_t[j] + end.g_t[j]);
    double change = end.g[j] - start.g[j] - steady, size = std::abs(steady), turn = 0;
    start.G.for_each_in_row(j, [&](int k, double g) {
      const double a = 0.5 * g * dx[k], b = 0.5 * end.G(j, k) * dx[k];
      change -= a + b;
      size += std::abs(a) + std::abs(b);
      turn += std::abs(b - a);
    });
    if (std::max(std::abs(change), turn) <= much * size + step.h * sets.sizes.noise_of_row(j)) continue;
    step.report.status = Status::newton_failed;
    note_residual(step.report, RowResidual::Kind::row, j, change / step.h);
  }
  return step.report.ok();
}

}  // namespace escapement
