#include "schemes/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement {

namespace {
constexpr int most_iterations = 25;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rounding = 30 * epsilon;    // what rounding leaves of a correction
constexpr double no_change = 0.1 * epsilon;  // a correction that no longer moves the unknowns
constexpr double hardly = 0.9;  // corrections below rounding that shrink less than this have stopped decreasing
// with a kept matrix: corrections that shrink less than this are better made with a new one, which costs about three of
// them; those that hardly shrink at all and are small have met rounding; after a first one larger than this (relative
// to the unknowns) the matrix is of no use
constexpr double slow = 0.03, standstill = 0.7;
}  // namespace

void NewtonTrace::begin() {
  corrections.clear();
  last_decreasing = -1;
  converged = false;
}

void NewtonTrace::add(const Correction& correction, const Mat& iteration_matrix) {
  const int n = static_cast<int>(corrections.size());
  corrections.push_back(correction);
  const bool decreasing = n == 0 || (last_decreasing == n - 1 && correction.norm < corrections[n - 1].norm);
  if (!decreasing) return;
  last_decreasing = n;
  matrix = iteration_matrix;
}

OptionInfo NewtonControl::tolerance_option() {
  return {.name = "newton_tolerance",
          .value = 0.0,
          .description = "largest last correction, relative to 1 + |q|; 0: to rounding",
          .min = 0,
          .max = 1};
}

void NewtonControl::begin(Aim aim, int unknowns) {
  aim_ = aim;
  growth_ = growth_of_rounding(unknowns);
  iterations_ = 0;
  last_ = last_moved_ = moved_ = curvature_ = 0;
  wants_matrix_ = true;
}

NewtonControl::Verdict NewtonControl::judge(double norm, double size, bool acceptable, double moved) {
  ++iterations_;
  const double last = last_;
  last_ = norm;
  const double rate = last_moved_ > 0 ? moved / last_moved_ : std::numeric_limits<double>::infinity();
  last_moved_ = moved;
  if (!std::isfinite(norm)) return Verdict::failed;
  if (tolerance_ > 0 && norm <= tolerance_ * size) return Verdict::converged;
  if (aim_ == Aim::rounding_with_kept_matrix) return judge_kept(norm, last, size, acceptable, rate);
  if (tolerance_ == 0) {
    const bool to_stagnation = aim_ == Aim::stagnation;
    if (norm <= (to_stagnation ? no_change : rounding) * size) return Verdict::converged;
    // the next correction, even of an iteration that only converges linearly, is lost in rounding
    if (!to_stagnation && norm < last && norm * (norm / last) <= 0.1 * rounding * size) return Verdict::converged;
    const double stopped = norm <= epsilon * size ? hardly * last : last;
    if (iterations_ > 1 && norm >= stopped && acceptable) return Verdict::converged;  // [003] (33)
  }
  return iterations_ >= most_iterations ? Verdict::failed : Verdict::iterate;
}

// a matrix made at some point leaves of a correction about curvature x (distance from that point) of it. rate: by which
// the positions shrink. Multipliers enter linearly: their second correction belongs to the positions' first, and they
// shrink with them from there
NewtonControl::Verdict NewtonControl::judge_kept(double norm, double last, double size, bool acceptable, double rate) {
  // a small correction that is far larger than the last one should have left, or than hardly smaller, is rounding
  const double expected = curvature_ * moved_ * last;
  const bool noise = acceptable && ((iterations_ > 2 && norm > 5 * expected) || norm >= standstill * last);
  if (iterations_ > 1) curvature_ = std::max(curvature_, norm / (last * moved_));
  moved_ = wants_matrix_ ? norm : moved_ + norm;
  if (tolerance_ == 0) {
    const double left = growth_ * rounding * size;
    if (norm <= left) return Verdict::converged;
    if (iterations_ > 1 && std::min(curvature_ * moved_, rate) * norm <= 0.1 * left) return Verdict::converged;
    if (iterations_ > 1 && noise) return Verdict::converged;
  }
  wants_matrix_ = iterations_ == 1 ? norm > little::far_correction * size : norm > slow * last && (iterations_ > 2 || rate > slow);
  return iterations_ >= most_iterations ? Verdict::failed : Verdict::iterate;
}

}  // namespace escapement
