#include "schemes/semismooth_newton.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {
// increments that shrink by less are better made with a new matrix, which costs about two of them
constexpr double too_slow = 0.03;
}  // namespace

void SemismoothNewton::start(const System& sys, const MonolithicSystem::Shape& shape, PositionCorrection::Metric metric, const Terms& T,
                             const Tangent& D) {
  sets.start(sys, kappa_, T);
  J.start(sys, shape, T, D);
  sets_seen_.reserve(most_iterations);
  decision_.start(sys, sets);
  if (sets.contacts() > 0) supports_.start(sys, metric);
}

void SemismoothNewton::begin_step(const Step& step) {
  sets.h = step.h;
  sets.begin_step();
  sets.sizes.scale(step.sys, step.s, step.h, tolerance_);
  kept_.begin_step();
}

bool SemismoothNewton::has_matrix(const Step& step) { return kept_.serves(step.s, step.h, sets, J); }

void SemismoothNewton::begin() {
  end_ = End(tolerance_, sets.sizes, sets.joints > 0 ? little::rounding : little::digits, sets.v + sets.rows);  // drift of joints shows it
  iterations_left_ = most_iterations;
  if (sets.rule == Rule::one_at_a_time) iterations_left_ += 2 * (sets.contacts() + sets.slips);
  sets_seen_.clear();
}

bool SemismoothNewton::goes_on(const Increment& increment, bool sets_changed, Made matrix, StepReport& report) {
  ++report.newton_iterations;
  ++report.linear_solves;
  if (!std::isfinite(increment.size)) {
    report.status = Status::not_finite;
    return false;
  }
  if (end_.reached(increment, sets_changed, matrix, J)) return false;
  const bool cycling = sets_changed && sets.rule != Rule::one_at_a_time && sets_come_back();
  if (--iterations_left_ > 0 && !cycling) return true;
  report.status = Status::newton_failed;
  sets.note_residuals(J.right_side(), report);
  return false;
}

bool SemismoothNewton::sets_come_back() {
  const std::size_t hash = sets.hash();
  sets_seen_.push_back(hash);
  return std::count(sets_seen_.begin(), sets_seen_.end(), hash) >= 3;
}

// contacts outside T that close nevertheless join it
bool SemismoothNewton::grow(const Terms& end, const Step& step) {
  bool grown = false;
  for (int j = sets.joints; j < sets.rows; ++j)
    if (!sets.T[j] && !sets.off[j] && (sets.A[j] || end.g[j] < -step.h * sets.sizes.noise_of_row(j))) sets.T[j] = grown = true;
  return grown;
}

bool SemismoothNewton::End::reached(const Increment& increment, bool sets_changed, Made matrix, const MonolithicSystem& system) {
  const bool new_matrix = matrix == Made::now, old_matrix = matrix == Made::before_the_step;
  const double size = increment.size, motion = increment.of_motion;
  largest_ = std::max(largest_, size);
  // Quadratic convergence foretells the next increment: C x^2 with C = x/last^2; linear convergence with a kept matrix: C x with
  // C = x/last. Of the motion too, because multipliers, which are linear, come back from anywhere in one step
  const auto next = [new_matrix](double x, double last) { return x * (x / last) * (new_matrix ? x / last : 1); };
  const auto foretold = [&] {
    return !old_matrix && last_.of_motion > 0 && next(size, last_.size) < little::foretold * growth_ * tolerance_ &&
           next(motion, last_.of_motion) < (new_matrix ? little::foretold_motion : little::foretold) * growth_ * tolerance_;
  };
  // A tiny increment leaves nothing of itself with a new matrix, and with a kept one a part. With a matrix of a step before that may be
  // the part by which it is off, whatever the first increments show, which are mostly made of what forces and multipliers were wrong by
  const auto kept_leaves_nothing = [&] {
    if (motion < rounding_ && MonolithicSystem::hardly * increment.of_velocity < left_) return true;
    return !old_matrix && next(motion, last_.of_motion) < little::foretold * tolerance_;
  };
  const bool tiny = size < tolerance_ && (new_matrix || kept_leaves_nothing());
  // along chains the rounding of gaps adds up, most of all in the multipliers, which the motion does not feel
  const auto rounding = [&] {
    return last_.size > 0 && size >= last_.size && motion <= growth_ * std::max(tolerance_, left_by_rounding(system.pivot()));
  };
  // nor does it feel what rounding leaves open between multipliers of rows that depend on one another
  const auto shared = [&] { return motion < tolerance_ && size <= system.left_open() * largest_; };
  small_ = tiny || (!sets_changed && (foretold() || rounding())) || shared() ? small_ + 1 : 0;
  slow_ = last_.size > 0 && motion > too_slow * last_.of_motion && last_.of_motion > rounding_;
  last_ = increment;
  // degenerate contacts flip in rounding for ever: two tiny increments are enough, or a first one that rounding of gaps
  // over a short step does not excuse
  const bool first = iterations_++ == 0 && size < asked_;
  return small_ >= 1 && (!sets_changed || first || small_ >= 2);
}

std::vector<OptionInfo> monolithic_options() {
  return {
      {.name = "newton_tolerance",
       .value = little::stagnation,
       .description = "largest last increment, scaled; rounding sets a floor",
       .min = 0,
       .max = 1},
      {.name = "kappa",
       .value = 1.0,
       .description = "prox parameter over effective mass: it only selects sets",
       .min = little::instant,
       .max = 1e12},
  };
}

}  // namespace escapement
