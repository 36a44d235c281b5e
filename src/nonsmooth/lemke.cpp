#include "nonsmooth/lemke.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace escapement {

namespace {
constexpr int attempts = 4;           // with different covering vectors
constexpr double smallest_pivot = 1e-13;
constexpr double tie = 1e-11;
constexpr double held_fast = 1e-13;
}  // namespace

void Lemke::reserve(int rows) {
  if (rows <= capacity_) return;
  capacity_ = rows;
  const int size = 2 * rows;  // a Coulomb contact has two rows and four variables
  d_.resize(rows);
  equality_.reserve(rows);
  contact_.reserve(rows);
  V_.resize(static_cast<size_t>(rows) * rows);
  c_.resize(rows);
  y_.resize(rows);
  lu_.reserve(rows);
  variable_.reserve(size);
  M_.resize(static_cast<size_t>(size) * size);
  q_.resize(size);
  tableau_.resize(static_cast<size_t>(size) * (2 * size + 2));
  basis_.resize(size);
  place_.resize(2 * size + 1);
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
  if (std::isfinite(report.residual) && std::isfinite(b_scale_)) {
    eliminate_equalities(problem);
    make_lcp(problem);
    // not the first try but a wrong decision on rounding is what fails: another covering vector takes another path
    for (int attempt = 0; attempt < attempts && report.residual > 0.01 * tolerance; ++attempt) {
      start_tableau(attempt);
      const int count = pivots();
      report.iterations += std::abs(count);
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
    if (V_[i * m + i] > held_fast) continue;
    for (int j = 0; j < m; ++j) V_[i * m + j] = V_[j * m + i] = 0;
    if (std::abs(c_[i]) < held_fast) c_[i] = 0;
  }
}

// z of a Coulomb contact: P_n, beta+, beta-, lambda, with P_t = beta+ - beta-;
// w: xi_n, lambda + xi_t, lambda - xi_t, mu P_n + offset - beta+ - beta-
void Lemke::make_lcp(const ContactProblem& problem) {
  variable_.clear();
  int row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.kind == Cone::Kind::equality) continue;
    variable_.push_back({row, 1});
    if (cone.frictional()) variable_.insert(variable_.end(), {{row + 1, 1}, {row + 1, -1}, {-1, 0}});
    row += cone.rows();
  }
  const int m = static_cast<int>(contact_.size());
  size_ = static_cast<int>(variable_.size());
  for (int i = 0; i < size_; ++i) {
    const Variable& u = variable_[i];
    const bool impulse = u.contact_row >= 0;
    q_[i] = impulse ? u.sign * c_[u.contact_row] : 0;
    for (int j = 0; j < size_; ++j) {
      const Variable& v = variable_[j];
      M(i, j) = impulse && v.contact_row >= 0 ? u.sign * v.sign * V_[u.contact_row * m + v.contact_row] : 0;
    }
  }
  int first = 0;
  row = 0;
  for (const Cone& cone : problem.cones) {
    if (cone.frictional()) {
      const int n = first, plus = first + 1, minus = first + 2, lambda = first + 3;
      M(plus, lambda) = M(minus, lambda) = 1;
      M(lambda, plus) = M(lambda, minus) = -1;
      M(lambda, n) = cone.mu * d_[row] / d_[row + 1];
      q_[lambda] = cone.offset / (b_scale_ * d_[row + 1]);
    }
    if (cone.kind != Cone::Kind::equality) first += cone.frictional() ? 4 : 1;
    row += cone.rows();
  }
}

// w - M z - cover z0 = q
void Lemke::start_tableau(int attempt) {
  std::fill(place_.begin(), place_.end(), -1);
  for (int i = 0; i < size_; ++i) {
    for (int j = 0; j < size_; ++j) {
      T(i, j) = i == j;
      T(i, size_ + j) = -M(i, j);
    }
    // ones, then a fixed sequence spread over [1, 2)
    const double golden = 0.6180339887498949 * attempt * (i + 1);
    T(i, z0()) = -(1 + golden - std::floor(golden));
    T(i, right_side()) = q_[i];
    basis_[i] = i;
    place_[i] = i;
  }
}

int Lemke::pivots() {
  int row = -1;
  for (int i = 0; i < size_; ++i)
    if (q_[i] < 0 && (row < 0 || q_[i] * T(row, z0()) >= q_[row] * T(i, z0()))) row = i;
  if (row < 0) return 0;

  int entering = z0();
  const int limit = 50 + 20 * size_;
  for (int count = 1; count <= limit; ++count) {
    const int leaving = basis_[row];
    pivot(row, entering);
    if (leaving == z0()) return count;
    entering = leaving < size_ ? leaving + size_ : leaving - size_;
    row = leaving_row(entering);
    if (row < 0) return -count;  // a ray: no solution on this path
  }
  return -limit;
}

int Lemke::leaving_row(int column) const {
  double largest = 0;
  for (int i = 0; i < size_; ++i) largest = std::max(largest, std::abs(T(i, column)));
  int best = -1;
  for (int i = 0; i < size_; ++i)
    if (T(i, column) > smallest_pivot * largest && (best < 0 || lexicographically_less(i, best, column))) best = i;
  return best;
}

// compare the rows (right side, inverse of the basis) divided by their pivots; z0 leaves as soon as it may
bool Lemke::lexicographically_less(int row, int other, int column) const {
  const double pivot = T(row, column), other_pivot = T(other, column);
  for (int k = -1; k < size_; ++k) {
    const int j = k < 0 ? right_side() : k;
    const double x = T(row, j) / pivot, y = T(other, j) / other_pivot;
    const double rounding = tie * (std::abs(x) + std::abs(y) + (k < 0 ? 1 : 0));
    if (std::abs(x - y) > rounding) return x < y;
    if (k < 0 && (basis_[row] == z0() || basis_[other] == z0())) return basis_[row] == z0();
  }
  return false;
}

void Lemke::pivot(int row, int column) {
  const double inverse = 1 / T(row, column);
  for (int j = 0; j < width(); ++j) T(row, j) *= inverse;
  T(row, column) = 1;
  for (int i = 0; i < size_; ++i) {
    const double factor = T(i, column);
    if (i == row || factor == 0) continue;
    for (int j = 0; j < width(); ++j) T(i, j) -= factor * T(row, j);
    T(i, column) = 0;
  }
  place_[basis_[row]] = -1;
  place_[column] = row;
  basis_[row] = column;
}

// an impulse in the basis is free to grow; friction is on its bound when the slack of its cone is not in the basis
void Lemke::read(const ContactProblem& problem, Vec& P) {
  const auto impulse = [&](int z, int row) {
    return basic(size_ + z) ? b_scale_ * d_[row] * std::max(0.0, T(place_[size_ + z], right_side())) : 0.0;
  };
  int first = 0, row = 0;
  for (const Cone& cone : problem.cones) {
    P[row] = 0;
    mode_[row] = Mode::free;
    if (cone.kind != Cone::Kind::equality) {
      P[row] = impulse(first, row);
      if (!basic(size_ + first)) mode_[row] = Mode::lower;
    }
    if (cone.kind == Cone::Kind::coulomb) {
      P[row + 1] = cone.frictional() ? impulse(first + 1, row + 1) - impulse(first + 2, row + 1) : 0;
      const bool sticks = cone.frictional() && basic(first + 3) && (mode_[row] == Mode::free || cone.offset > 0);
      mode_[row + 1] = sticks ? Mode::free : P[row + 1] > 0 ? Mode::upper : Mode::lower;
    }
    if (cone.kind != Cone::Kind::equality) first += cone.frictional() ? 4 : 1;
    row += cone.rows();
  }
}

}  // namespace escapement
