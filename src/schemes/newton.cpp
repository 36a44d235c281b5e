#include "schemes/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double iteration_rounding = 30 * epsilon;    // what rounding leaves of a correction
constexpr double last_bits = 4 * epsilon;    // what it mostly leaves, where the iteration has come to its end
constexpr double no_change = 0.1 * epsilon;  // a correction that no longer moves the unknowns
constexpr double hardly = 0.9;  // corrections below rounding that shrink less than this have stopped decreasing
// corrections with a kept matrix that shrink less than this are better made with a new one, which costs about three of
// them; those that hardly shrink at all and are small have met rounding; after a first one larger than this (relative
// to the unknowns) the matrix is of no use
constexpr double slow_decrease = 0.03, standstill = 0.7;
// the part of what ends the iteration that a correction not made may have
constexpr double next_to_nothing = 0.01;
// What first corrections leave with a new matrix or an old one may grow so many times until it is seen again, after so many solutions
// that have relied on it, and is believed to have fallen so many times when it is seen. A motion's rate of change sets the steps: in so
// many of them it does not become another motion
constexpr double may_grow = 10, may_grow_with_old = 4, may_fall = 4;
constexpr int most_relied = 15;
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

void NewtonControl::begin(Aim aim, int unknowns, double enough) {
  aim_ = aim;
  enough_ = std::max(enough, tolerance_);
  growth_ = growth_of_rounding(unknowns);
  iterations_ = 0;
  last_ = last_moved_ = moved_ = curvature_ = 0;
  wants_matrix_ = true;
  known_ = nullptr;
}

NewtonControl::Verdict NewtonControl::go_on() const { return iterations_ >= most_iterations_ ? Verdict::failed : Verdict::iterate; }

NewtonControl::Verdict NewtonControl::judge(double norm, double size, bool acceptable, double moved) {
  ++iterations_;
  const double last = last_;
  last_ = norm;
  const double rate = last_moved_ > 0 ? moved / last_moved_ : std::numeric_limits<double>::infinity();
  last_moved_ = moved;
  if (!std::isfinite(norm)) return Verdict::failed;
  if (known_ && aim_ == Aim::rounding && iterations_ == 2) see(norm, last, size);
  if (norm <= enough_ * size) return Verdict::converged;
  return aim_ == Aim::stagnation ? judge_stagnation(norm, last, size, acceptable) : judge_rounding(norm, last, size, acceptable, rate, moved);
}

NewtonControl::Verdict NewtonControl::judge_stagnation(double norm, double last, double size, bool acceptable) const {
  if (tolerance_ == 0) {
    if (norm <= no_change * size) return Verdict::converged;
    const double stopped = norm <= epsilon * size ? hardly * last : last;
    if (iterations_ > 1 && norm >= stopped && acceptable) return Verdict::converged;  // [003] (33)
  }
  return go_on();
}

// a matrix made at some point leaves of a correction about curvature x (distance from that point) of it. rate: by which
// the positions shrink. Multipliers enter linearly: their second correction belongs to the positions' first, and they
// shrink with them from there
NewtonControl::Verdict NewtonControl::judge_rounding(double norm, double last, double size, bool acceptable, double rate, double moved) {
  // a small correction that is far larger than the last one should have left, or than hardly smaller, is rounding
  const double expected = curvature_ * moved_ * last;
  const bool noise = acceptable && ((iterations_ > 2 && norm > 5 * expected) || norm >= standstill * last);
  if (iterations_ == 1) first_has_new_matrix_ = wants_matrix_;
  if (iterations_ > 1) curvature_ = std::max(curvature_, norm / (last * moved_));
  moved_ = wants_matrix_ ? norm : moved_ + norm;
  if (tolerance_ == 0) {
    const double left = std::max(growth_ * iteration_rounding, enough_) * size;
    if (norm <= left) return Verdict::converged;
    if (iterations_ == 1 && leaves_nothing(norm, size)) return Verdict::converged;
    const double shrinks = std::min(curvature_ * moved_, rate);
    if (iterations_ > 1 && (shrinks * norm <= next_to_nothing * left || leaves_rounding(shrinks * moved))) return Verdict::converged;
    if (iterations_ > 1 && noise) {
      see_noise(moved);
      return Verdict::converged;
    }
  }
  wants_matrix_ = iterations_ == 1 ? norm > little::far_correction * size : norm > slow_decrease * last && (iterations_ > 2 || rate > slow_decrease);
  return go_on();
}

bool NewtonControl::leaves_nothing(double norm, double size) const {
  if (!known_ || known_->left == 0 || known_->relied >= most_relied) return false;
  const double leaves = known_->left * norm * (first_has_new_matrix_ ? may_grow * norm : may_grow_with_old);
  if (leaves > nothing() * size) return false;
  ++known_->relied;
  return true;
}

// The rounding of forces, of stiff elements above all, is more in a correction than that of the unknowns: as much as it was when the
// iteration has gone on until corrections stopped to decrease
bool NewtonControl::leaves_rounding(double leaves) const {
  if (!known_ || known_->relied_noise >= most_relied || !(leaves <= next_to_nothing * known_->noise)) return false;
  ++known_->relied_noise;
  return true;
}

void NewtonControl::see_noise(double moved) {
  if (!known_) return;
  known_->noise = moved;
  known_->relied_noise = 0;
}

// what a correction not made may have, relative to the unknowns
double NewtonControl::nothing() const { return std::max(next_to_nothing * growth_ * iteration_rounding, enough_); }

// What a first correction left, by the second one. If that is no more than rounding, corrections as large as the first leave nothing.
// A share that vanishes once, because of where the motion passes, says little of the next ones
void NewtonControl::see(double norm, double last, double size) {
  if (last == 0) return;
  const bool rounding = norm <= growth_ * last_bits * size;
  const double before = known_->left, of = first_has_new_matrix_ ? last * last : last;
  double seen = rounding ? nothing() * size / ((first_has_new_matrix_ ? may_grow : may_grow_with_old) * of) : norm / of;
  if (rounding && before > 0) seen = std::min(seen, before);
  known_->left = std::max(seen, before / may_fall);
  known_->relied = 0;
}

}  // namespace escapement
