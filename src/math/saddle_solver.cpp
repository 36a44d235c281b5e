#include "math/saddle_solver.hpp"

#include <cmath>

namespace escapement {

namespace {
constexpr double rank_tolerance = 1e-12;   // scaled pivot below which rows count as dependent
constexpr double regularisation = 1e-10;   // relative to the row's own G A^-1 G^T
constexpr double singular_tolerance = 1e-15;
}  // namespace

void SaddleSolver::resize(int n, int m) {
  n_ = n;
  m_ = m;
  solves_ = 0;
  redundant_ = false;
  lu_.resize(n + m);
  full_.setZero(n + m, n + m);
  switched_off_.assign(m, 0);
  rhs_.setZero(n + m);
  x_.setZero(n + m);
  residual_.setZero(n + m);
}

void SaddleSolver::fill(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  full_.setZero();
  for (int i = 0; i < n_; ++i) A.for_each_in_row(i, [&](int j, double value) { full_(i, j) = value; });
  for (int i = 0; i < m_; ++i) {
    bool zero = true;
    G_bottom.for_each_in_row(i, [&](int j, double value) {
      full_(n_ + i, j) = value;
      zero = zero && value == 0;
    });
    switched_off_[i] = zero;
    if (zero) {
      full_(n_ + i, n_ + i) = 1;
    } else {
      G_top.for_each_in_row(i, [&](int j, double value) { full_(j, n_ + i) = -value; });
    }
  }
}

bool SaddleSolver::factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  fill(A, G_top, G_bottom);
  lu_.matrix() = full_;
  redundant_ = false;
  if (lu_.factor() > rank_tolerance) return true;

  redundant_ = true;
  lu_.matrix() = full_;
  for (int i = 0; i < m_; ++i) {
    if (switched_off_[i]) continue;
    double weight = 0;  // estimate of the row's G A^-1 G^T
    for (int j = 0; j < n_; ++j) {
      const double diagonal = std::abs(full_(j, j));
      const double entry = std::abs(full_(n_ + i, j));
      if (entry > 0) weight += entry * entry / (diagonal > 0 ? diagonal : 1);
    }
    lu_.matrix()(n_ + i, n_ + i) = regularisation * weight;
  }
  return lu_.factor() > singular_tolerance;
}

void SaddleSolver::solve(const Vec& a, const Vec& b, Vec& x, Vec& mu) {
  ++solves_;
  rhs_.head(n_) = a;
  for (int i = 0; i < m_; ++i) rhs_[n_ + i] = switched_off_[i] ? 0 : b[i];
  x_ = rhs_;
  lu_.solve(x_);
  if (redundant_) {
    for (int pass = 0; pass < 2; ++pass) {
      residual_ = rhs_;
      residual_.noalias() -= full_ * x_;
      lu_.solve(residual_);
      x_ += residual_;
    }
  }
  x = x_.head(n_);
  mu.head(m_) = x_.tail(m_);
}

std::vector<int> redundant_rows(const Matrix& G, double tolerance) {
  // modified Gram-Schmidt, row by row, so that the later of two dependent rows is the one named
  std::vector<int> dependent;
  std::vector<Vec> basis;
  for (int i = 0; i < G.rows(); ++i) {
    Vec row = Vec::Zero(G.cols());
    G.add_row(i, 1, row);
    const double norm = row.norm();
    for (int pass = 0; pass < 2; ++pass)
      for (const Vec& e : basis) row -= e.dot(row) * e;
    if (row.norm() <= tolerance * norm || norm == 0) {
      dependent.push_back(i);
    } else {
      basis.push_back(row / row.norm());
    }
  }
  return dependent;
}

}  // namespace escapement
