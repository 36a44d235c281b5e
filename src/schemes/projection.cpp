#include "schemes/projection.hpp"

#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {
constexpr double met = 4 * std::numeric_limits<double>::epsilon();  // scaled residual that needs no further correction
constexpr double fast = 0.05;               // slower than this: factor again at the current position
constexpr int max_iterations = 30;
constexpr std::size_t most_corrections = 6;  // that Broyden's method remembers
}  // namespace

Projection::Projection(const Options& options) {
  const std::string& levels = options.text("projection");
  position_ = levels == "position" || levels == "both";
  velocity_ = levels == "velocity" || levels == "both";
}

OptionInfo Projection::option(std::string by_default) {
  return {.name = "projection",
          .value = std::move(by_default),
          .description = "levels of the constraints to which each step's end is projected",
          .choices = {"none", "velocity", "position", "both"}};
}

void Projection::resize(const System& sys) {
  const Dim& dim = sys.dim();
  has_position_.assign(dim.rows(), 0);
  q_.setZero(dim.q);
  zero_.setZero(dim.v);
  x_.setZero(dim.v);
  b_.setZero(dim.rows());
  mu_.setZero(dim.rows());
  scale_.setOnes(dim.rows());
  corrections_.assign(position_ ? most_corrections : 0, b_);
}

Status Projection::project(const System& sys, State& s, Need known, Terms& T, SaddleSolver& kkt) {
  factored_ = false;
  if (position_ && sys.dim().rows() > 0) {
    if (const Status status = project_position(sys, s, known, T, kkt); status != Status::ok) return status;
  }
  sys.evaluate(s, missing(Need::mass | Need::jacobian, known), T);
  if (velocity_ && sys.dim().rows() > 0) return project_velocity(s, T, kkt);
  return Status::ok;
}

// rows that are off (zero in G) and rows without a position level do not ask for a position
void Projection::find_rows(const System& sys, const Terms& T) {
  for (int i = 0; i < T.G.rows(); ++i) has_position_[i] = !T.G.is_row_zero(i) && sys.level(i) == Level::position;
}

double Projection::position_residual(const System& sys, const State& s, Terms& T) {
  sys.evaluate(s, Need::gap, T);
  double largest = 0;
  for (int i = 0; i < b_.size(); ++i) {
    b_[i] = has_position_[i] ? -T.g[i] : 0;
    if (!std::isfinite(b_[i])) return b_[i];
    largest = std::max(largest, std::abs(b_[i]) / scale_[i]);
  }
  return largest;
}

Status Projection::project_ahead(const System& sys, State& s, const Terms& near, Terms& T, SaddleSolver& kkt) {
  if (!position_ || sys.dim().rows() == 0) return Status::ok;
  if (!s.q.allFinite()) return Status::not_finite;
  find_rows(sys, near);
  Need known = Need(0);
  return iterate(sys, s, known, T, kkt, !near.sliding);
}

Status Projection::project_position(const System& sys, State& s, Need& known, Terms& T, SaddleSolver& kkt) {
  sys.evaluate(s, missing(Need::mass | Need::jacobian, known), T);
  known = Need::mass | Need::jacobian;
  find_rows(sys, T);
  return iterate(sys, s, known, T, kkt, false);
}

// from the residual in b_ to what the kept matrix is to correct: Broyden's method, which learns from what the corrections
// so far have changed, so that a matrix from nearby serves as well as the one of this place. With one row: the secant
// method. The recursion is that of C. T. Kelley (1995), section 7.3, in residuals over their scale.
void Projection::learn() {
  b_.array() /= scale_.array();
  if (learnt_ == corrections_.size()) learnt_ = 0;
  for (std::size_t j = 0; j + 1 < learnt_; ++j) b_ += corrections_[j + 1] * (corrections_[j].dot(b_) / corrections_[j].squaredNorm());
  if (learnt_ > 0) b_ /= 1 - corrections_[learnt_ - 1].dot(b_) / corrections_[learnt_ - 1].squaredNorm();
  corrections_[learnt_++] = b_;
  b_.array() *= scale_.array();
}

// M dx = G^T mu, g(q + dx) = 0 by Newton's method with the matrix kept while it serves
Status Projection::iterate(const System& sys, State& s, Need& known, Terms& T, SaddleSolver& kkt, bool factored) {
  sys.position_scale(s, scale_);
  learnt_ = 0;
  double previous = std::numeric_limits<double>::infinity();
  for (int i = 0; i < max_iterations; ++i) {
    const double residual = position_residual(sys, s, T);
    if (!std::isfinite(residual)) return Status::not_finite;
    if (residual <= met) return Status::ok;
    if (residual > 0.5 * previous && previous < little::stagnation) return Status::ok;
    if (!factored || residual > fast * previous) {
      sys.evaluate(s, missing(Need::mass | Need::jacobian, known), T);
      if (!kkt.factor(T.M, T.G)) return failure_of(kkt);
      factored = true;
      learnt_ = 0;
    }
    previous = residual;
    learn();
    kkt.solve(zero_, b_, x_, mu_);
    sys.retract(s.q, x_, q_);
    s.q.swap(q_);
    known = Need(0);
  }
  return Status::newton_failed;
}

// M dv = G^T mu, G (v + dv) + g_t = 0
Status Projection::project_velocity(State& s, Terms& T, SaddleSolver& kkt) {
  if (!kkt.factor(T.M, T.G)) return failure_of(kkt);
  factored_ = true;
  velocity_rows(T, s.v, b_);
  b_ = -b_;
  kkt.solve(zero_, b_, x_, mu_);
  s.v += x_;
  return s.v.allFinite() ? Status::ok : Status::not_finite;
}

}  // namespace escapement
