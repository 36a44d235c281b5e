#include "schemes/position_correction.hpp"

#include <cmath>
#include <limits>

namespace escapement {

void PositionCorrection::start(const System& sys) {
  const Dim& dim = sys.dim();
  v_ = dim.v;
  rows_ = dim.rows();
  bilateral_ = dim.bilateral;
  solver_->reserve(rows_);
  problem_.reserve(rows_);
  lu_.resize(v_);
  sys.prepare(T_);
  response_.assign(rows_, Vec::Zero(v_));
  psi_.setZero(rows_);
  next_.setZero(rows_);
  positional_.assign(rows_, 1);
  for (int r = 0; r < bilateral_; ++r) positional_[r] = sys.level(r) == Level::position;
  use_.reserve(rows_);
  dx_.setZero(v_);
  q_.setZero(dim.q);
}

bool PositionCorrection::apply(const System& sys, const Matrix& directions, const Matrix* metric, State& s, StepReport& report) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr int most_iterations = 30;
  psi_.setZero();
  if (rows_ == 0) return true;
  sys.evaluate(s, Need::gap, T_);
  use_.clear();
  bool violated = false;
  for (int r = 0; r < rows_; ++r) {
    bool directed = false;
    directions.for_each_in_row(r, [&](int, double g) { directed = directed || g != 0; });
    if (!directed || !positional_[r]) continue;
    use_.push_back(r);
    violated = violated || (r < bilateral_ ? T_.g[r] != 0 : T_.g[r] < 0);
  }
  if (!violated) return true;

  if (metric) {
    lu_.matrix().setZero();
    for (int i = 0; i < v_; ++i) metric->for_each_in_row(i, [&](int j, double m) { lu_.matrix()(i, j) = m; });
    if (!(lu_.factor() > 0)) {
      report.status = Status::singular_matrix;
      return false;
    }
  }
  for (int r : use_) {
    response_[r].setZero();
    directions.add_row(r, 1, response_[r]);
    if (metric) lu_.solve(response_[r]);
  }

  q_ = s.q;
  const int n = static_cast<int>(use_.size());
  const double noise = 8 * eps * (1 + q_.cwiseAbs().maxCoeff());
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    sys.evaluate(s, Need::gap | Need::jacobian, T_);
    problem_.clear();
    for (int r : use_) problem_.add(r < bilateral_ ? Cone::equality() : Cone::non_negative());
    for (int k = 0; k < n; ++k) {
      double b = T_.g[use_[k]];
      for (int l = 0; l < n; ++l) {
        problem_.W(k, l) = T_.G.row_dot(use_[k], response_[use_[l]]);
        b -= problem_.W(k, l) * psi_[use_[l]];
      }
      problem_.b[k] = b;
    }
    problem_.noise = noise;
    for (int k = 0; k < n; ++k) next_[k] = psi_[use_[k]];
    const SolveReport solved = solver_->solve(problem_, next_);
    ++report.linear_solves;
    if (!solved.ok) {
      report.status = Status::contact_unsolved;
      for (int r : use_) note_residual(report, RowResidual::Kind::row, r, T_.g[r]);
      return false;
    }
    // how far the last correction moved the gaps: rounding when it no longer shrinks
    double moved = 0;
    for (int k = 0; k < n; ++k) {
      moved = std::max(moved, std::abs(problem_.W(k, k) * (next_[k] - psi_[use_[k]])));
      psi_[use_[k]] = next_[k];
    }
    dx_.setZero();
    for (int r : use_)
      if (psi_[r] != 0) dx_ += psi_[r] * response_[r];
    sys.retract(q_, dx_, s.q);
    if (moved <= noise && (moved == 0 || moved >= last || moved <= 0.1 * noise)) break;
    last = moved;
  }
  return true;
}

}  // namespace escapement
