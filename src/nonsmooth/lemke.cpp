#include "nonsmooth/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline nonsmooth {

namespace {
constexpr int attempts = 4;
constexpr int most_room = 64;  // rows for whose tableau there is memory from the start, 1 MB; beyond it grows

int variables(const Cone& cone) { return cone.normals() + (cone.frictional() ? 3 : 0); }
}  // namespace

void Lemke::reserve(int rows) {
  if (rows <= capacity_) return;
  capacity_ = rows;
  const int size = 3 * rows;  // a Coulomb contact has two rows and four variables, a brake one and three
  d_.resize(rows);
  equality_.reserve(rows);
  contact_.reserve(rows);
  V_.resize(static_cast<size_t>(rows) * rows);
  c_.resize(rows);
  y_.resize(rows);
  lu_.reserve(rows);
  variable_.reserve(size);
  lcp_.reserve(std::min(size, 3 * most_room));
  mode_.resize(rows);
  set_.reserve(rows);
  trial_.setZero(rows);
}

SolveReport Lemke::solve(const ContactProblem& problem, Vec& P) {
  reserve(problem.capacity());
  const int n = problem.rows();
  P.head(n).setZero();
  SolveReport report{false, natural_residual(problem, P), 0};
  scale(problem);
  if (!problem.has_discs() && std::isfinite(report.residual) && std::isfinite(b_scale_)) {
    eliminate_equalities(problem);
    make_lcp(problem);
    for (int attempt = 0; attempt < attempts && report.residual > 0.01 * tolerance; ++attempt) {
      report.iterations += lcp_.solve(attempt);
      read(problem, trial_);
      set_.refine(problem, mode_, trial_);
      project(problem, trial_);
      const double residual = natural_residual(problem, trial_);
      if (!(residual < report.residual)) continue;
      report.residual = residual;
      P.head(n) = trial_.head(n);
    }
  }
  report.ok = report.residual <= tolerance;
  return report;
}

// a unit diagonal, and b of size one
void Lemke::scale(const ContactProblem& problem) {
  b_scale_ = 0;
  for (int i = 0; i < problem.rows(); ++i) {
    d_[i] = 1 / std::sqrt(weight(problem, i));
    b_scale_ = std::max(b_scale_, std::abs(d_[i] * problem.b[i]));
  }
  if (b_scale_ == 0) b_scale_ = 1;
}

// P_E = -W_EE^-1 (W_EC P_C + b_E)  =>  V = W_CC - W_CE W_EE^-1 W_EC,  c = b_C - W_CE W_EE^-1 b_E
void Lemke::eliminate_equalities(const ContactProblem& problem) {
  equality_.clear();
  contact_.clear();
  int row = 0;
  for (const Cone& cone : problem.cones)
    for (int k = 0; k < cone.rows(); ++k) (cone.kind == Cone::Kind::equality ? equality_ : contact_).push_back(row++);

  const int e = static_cast<int>(equality_.size()), m = static_cast<int>(contact_.size());
  const auto W = [&](int i, int j) { return d_[i] * problem.W(i, j) * d_[j]; };
  const auto b = [&](int i) { return d_[i] * problem.b[i] / b_scale_; };
  lu_.resize(e);
  for (int i = 0; i < e; ++i)
    for (int j = 0; j < e; ++j) lu_.at(i, j) = W(equality_[i], equality_[j]);
  lu_.factor();
  for (int j = 0; j <= m; ++j) {
    const bool right_side = j == m;
    for (int i = 0; i < e; ++i) y_[i] = right_side ? b(equality_[i]) : W(equality_[i], contact_[j]);
    lu_.solve(y_.data());
    for (int i = 0; i < m; ++i) {
      double value = right_side ? b(contact_[i]) : W(contact_[i], contact_[j]);
      for (int k = 0; k < e; ++k) value -= W(contact_[i], equality_[k]) * y_[k];
      (right_side ? c_[i] : V_[i * m + j]) = value;
    }
  }
  // a contact that the equalities hold fast: what is left of its row is rounding
  for (int i = 0; i < m && e > 0; ++i) {
    if (V_[i * m + i] > little::lcp_pivot) continue;
    for (int j = 0; j < m; ++j) V_[i * m + j] = V_[j * m + i] = 0;
    if (std::abs(c_[i]) < little::lcp_pivot) c_[i] = 0;
  }
}

// z of a Coulomb contact: P_n, beta+, beta-, lambda, with P_t = beta+ - beta-;
// w: xi_n, lambda + xi_t, lambda - xi_t, mu P_n + offset - beta+ - beta-; a brake is the same without P_n
void Lemke::make_lcp(const ContactProblem& problem) {
  variable_.clear();
  int row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == Cone::Kind::equality) continue;
    const int t = row + cone.normals();
    if (cone.normals() > 0) variable_.push_back({row, 1});
    if (cone.frictional()) variable_.insert(variable_.end(), {{t, 1}, {t, -1}, {-1, 0}});
    row += cone.rows();
  }
  const int m = static_cast<int>(contact_.size()), size = static_cast<int>(variable_.size());
  lcp_.reserve(size);
  lcp_.resize(size);
  for (int i = 0; i < size; ++i) {
    const Variable& u = variable_[i];
    const bool impulse = u.contact_row >= 0;
    lcp_.q(i) = impulse ? u.sign * c_[u.contact_row] : 0;
    for (int j = 0; j < size; ++j) {
      const Variable& v = variable_[j];
      lcp_.M(i, j) = impulse && v.contact_row >= 0 ? u.sign * v.sign * V_[u.contact_row * m + v.contact_row] : 0;
    }
  }
  add_friction(problem);
}

void Lemke::add_friction(const ContactProblem& problem) {
  int first = 0, row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.frictional()) {
      const int n = first, plus = first + cone.normals(), minus = plus + 1, lambda = plus + 2, t = row + cone.normals();
      lcp_.M(plus, lambda) = lcp_.M(minus, lambda) = 1;
      lcp_.M(lambda, plus) = lcp_.M(lambda, minus) = -1;
      if (cone.normals() > 0) lcp_.M(lambda, n) = cone.mu * d_[row] / d_[t];
      lcp_.q(lambda) = cone.offset / (b_scale_ * d_[t]);
    }
    first += variables(cone);
    row += cone.rows();
  }
}

// an impulse in the basis is free to grow; friction is on its bound when the slack of its cone is not in the basis
void Lemke::read(const ContactProblem& problem, Vec& P) {
  const auto impulse = [&](int z, int row) { return b_scale_ * d_[row] * std::max(0.0, lcp_.z(z)); };
  int first = 0, row = 0;
  for (const Cone& cone : problem.cones) {
    P[row] = 0;
    mode_[row] = RowMode::free;
    if (cone.normals() > 0) {
      P[row] = impulse(first, row);
      if (!lcp_.z_is_basic(first)) mode_[row] = RowMode::lower;
    }
    if (cone.tangents() > 0) {
      const int t = row + cone.normals(), plus = first + cone.normals();
      P[t] = cone.frictional() ? impulse(plus, t) - impulse(plus + 1, t) : 0;
      const bool sticks = cone.frictional() && lcp_.w_is_basic(plus + 2) && (mode_[row] == RowMode::free || cone.offset > 0);
      mode_[t] = sticks ? RowMode::free : P[t] > 0 ? RowMode::upper : RowMode::lower;
    }
    first += variables(cone);
    row += cone.rows();
  }
}

}  // namespace escapement
