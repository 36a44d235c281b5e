#include "schemes/newton.hpp"

#include <cmath>
#include <limits>

namespace escapement {

namespace {
constexpr int most_iterations = 25;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double rounding = 30 * epsilon;    // what rounding leaves of a correction
constexpr double no_change = 0.1 * epsilon;  // a correction that no longer moves the unknowns
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

void NewtonControl::begin(bool to_stagnation) {
  to_stagnation_ = to_stagnation;
  iterations_ = 0;
  last_ = 0;
}

NewtonControl::Verdict NewtonControl::judge(double norm, double size, bool acceptable) {
  ++iterations_;
  const double last = last_;
  last_ = norm;
  if (!std::isfinite(norm)) return Verdict::failed;
  if (tolerance_ > 0 && norm <= tolerance_ * size) return Verdict::converged;
  if (tolerance_ == 0) {
    if (norm <= (to_stagnation_ ? no_change : rounding) * size) return Verdict::converged;
    // the next correction, even of an iteration that only converges linearly, is lost in rounding
    if (!to_stagnation_ && norm < last && norm * (norm / last) <= 0.1 * rounding * size) return Verdict::converged;
    if (iterations_ > 1 && norm >= last && acceptable) return Verdict::converged;  // [003] (33)
  }
  return iterations_ >= most_iterations ? Verdict::failed : Verdict::iterate;
}

}  // namespace escapement
