#include "schemes/position_correction.hpp"

#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "schemes/projection.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

void PositionCorrection::start(const System& sys, Metric metric) {
  const Dim& dim = sys.dim();
  metric_ = metric;
  rows_ = dim.rows();
  bilateral_ = dim.bilateral;
  solver_->reserve(contact_room(dim.unilateral));
  problem_.reserve(contact_room(dim.unilateral));
  kkt_.resize(dim.v, bilateral_);
  sys.prepare(T_);
  for (auto* list : {&positional_, &used_}) list->assign(rows_, 1);
  for (int r = 0; r < bilateral_; ++r) positional_[r] = sys.level(r) == Level::position;
  set_.reserve(dim.unilateral);
  response_.clear();
  response_mu_.clear();
  make_room(contact_room(dim.unilateral), dim.v);
  psi_.setZero(rows_);
  P_.setZero(dim.unilateral);
  for (Vec* x : {&dx_, &next_, &right_}) x->setZero(dim.v);
  for (Vec* b : {&zero_, &b_, &mu_}) b->setZero(bilateral_);
  q_.setZero(dim.q);

  if (T_.M.is_sparse()) {
    std::vector<std::pair<int, int>> diagonal;
    for (int i = 0; i < dim.v; ++i) diagonal.emplace_back(i, i);
    identity_.set_pattern(dim.v, dim.v, diagonal);
  } else {
    identity_.resize(dim.v, dim.v);
  }
  for (int i = 0; i < dim.v; ++i) identity_.add(i, i, 1 / (sys.scale().v(i) * sys.scale().v(i)));  // lengths and angles, each in its unit
  // a first matrix, whatever its values: patterns are analysed here and not in a step
  bottom_.copy(T_.G);
  kkt_.factor(metric_ == Metric::euclidean ? identity_ : T_.M, T_.G, bottom_);
}

void PositionCorrection::make_room(std::size_t contacts, int v) {
  if (contacts <= response_.size()) return;
  response_.resize(contacts, Vec::Zero(v));
  response_mu_.resize(contacts, Vec::Zero(bilateral_));
}

// whether some row of the correction is violated
bool PositionCorrection::find_rows(const Matrix& directions) {
  set_.clear();
  bool violated = false;
  for (int r = 0; r < rows_; ++r) {
    used_[r] = positional_[r] && !directions.is_row_zero(r);
    if (!used_[r]) continue;
    if (r >= bilateral_) set_.push_back(r);
    violated = violated || (r < bilateral_ ? T_.g[r] != 0 : T_.g[r] < 0);
  }
  return violated;
}

bool PositionCorrection::apply(const System& sys, const Matrix& directions, const Matrix& mass, State& s,
                               StepReport& report) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr int most_iterations = 30;
  psi_.setZero();
  if (rows_ == 0) return true;
  sys.evaluate(s, Need::gap, T_);
  if (!find_rows(directions)) return true;

  const Matrix& metric = metric_ == Metric::euclidean ? identity_ : mass;
  q_ = s.q;
  dx_.setZero();
  const double noise = 8 * eps * largest_coordinate(sys, q_);
  double last = std::numeric_limits<double>::infinity();
  for (int i = 0; i < most_iterations; ++i) {
    sys.evaluate(s, Need::gap | Need::jacobian, T_);
    if (!factor(directions, metric, report) || !correct(sys.scale(), directions, metric, noise, report)) return false;
    sys.retract(q_, dx_, s.q);
    // rounding when it no longer shrinks
    if (moved_ <= noise && (moved_ == 0 || moved_ >= last || moved_ <= 0.1 * noise)) break;
    last = moved_;
  }
  return true;
}

bool PositionCorrection::factor(const Matrix& directions, const Matrix& metric, StepReport& report) {
  bottom_.copy(T_.G);
  for (int r = 0; r < bilateral_; ++r)
    if (!used_[r]) bottom_.set_row_zero(r);
  if (kkt_.factor(metric, directions, bottom_)) return true;
  report.status = failure_of(kkt_);
  return false;
}

// A dx = G_d^T Psi with g + G (dx - dx before) = 0 on joints, >= 0 on contacts
bool PositionCorrection::correct(const Scale& one, const Matrix& directions, const Matrix& metric, double noise, StepReport& report) {
  right_.setZero();
  for (int r = 0; r < bilateral_; ++r) b_[r] = used_[r] ? T_.G.row_dot(r, dx_) - T_.g[r] : 0;
  kkt_.solve(right_, b_, next_, mu_);
  ++report.linear_solves;
  if (!set_.empty()) {
    double largest = 0;
    for (int r : set_) largest = std::max(largest, one_of_row(one, T_.G, r));
    set_problem(directions, metric, noise * largest);
    if (!solver_->solve(problem_, P_).ok) {
      report.status = Status::contact_unsolved;
      for (int r = 0; r < rows_; ++r)
        if (used_[r]) note_residual(report, RowResidual::Kind::row, r, T_.g[r]);
      return false;
    }
    for (int k = 0; k < problem_.rows(); ++k) {
      psi_[set_[k]] = P_[k];
      if (P_[k] == 0) continue;
      next_ += P_[k] * response_[k];
      mu_ += P_[k] * response_mu_[k];
    }
  }
  psi_.head(bilateral_) = mu_;
  right_ = next_ - dx_;
  moved_ = 0;
  for (int r = 0; r < rows_; ++r)
    if (used_[r])
      if (const double moved = std::abs(T_.G.row_dot(r, right_)); moved > 0) moved_ = std::max(moved_, moved / one_of_row(one, T_.G, r));
  dx_ = next_;
  return true;
}

void PositionCorrection::set_problem(const Matrix& directions, const Matrix& metric, double noise) {
  const int n = static_cast<int>(set_.size());
  make_room(set_.size(), static_cast<int>(dx_.size()));
  problem_.clear();
  problem_.noise = noise;
  for (int k = 0; k < n; ++k) {
    problem_.add(Cone::non_negative());
    right_.setZero();
    directions.add_row(set_[k], 1, right_);
    kkt_.solve(right_, zero_, response_[k], response_mu_[k]);
    P_[k] = psi_[set_[k]];
  }
  for (int k = 0; k < n; ++k) {
    const int r = set_[k];
    for (int l = 0; l < n; ++l) problem_.W(k, l) = T_.G.row_dot(r, response_[l]);
    problem_.b[k] = T_.g[r] + T_.G.row_dot(r, next_) - T_.G.row_dot(r, dx_);
  }
  // joints may leave a contact no way to move: what its response is beyond that is rounding, and it takes no part
  for (int k = 0; k < n; ++k) {
    double alone = 0;
    directions.for_each_in_row(set_[k], [&](int j, double g) { alone += g * g / metric(j, j); });
    if (problem_.W(k, k) > little::row_left * alone) continue;
    for (int l = 0; l < n; ++l) problem_.W(k, l) = problem_.W(l, k) = 0;
    problem_.b[k] = std::max(problem_.b[k], 0.0);
  }
}

}  // namespace escapement
