#include "nonsmooth/lcp.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline nonsmooth {

void Lcp::reserve(int n) {
  if (n <= static_cast<int>(q_.size())) return;
  M_.resize(static_cast<size_t>(n) * n);
  q_.resize(n);
  tableau_.resize(static_cast<size_t>(n) * (2 * n + 2));
  basis_.resize(n);
  place_.resize(2 * n + 1);
}

// w - M z - cover z0 = q
void Lcp::start(int attempt) {
  std::fill(place_.begin(), place_.end(), -1);
  for (int i = 0; i < n_; ++i) {
    for (int j = 0; j < n_; ++j) {
      T(i, j) = i == j;
      T(i, n_ + j) = -M(i, j);
    }
    // ones, then a fixed sequence spread over [1, 2)
    const double golden = 0.6180339887498949 * attempt * (i + 1);
    T(i, z0()) = -(1 + golden - std::floor(golden));
    T(i, right_side()) = q_[i];
    basis_[i] = place_[i] = i;
  }
}

int Lcp::solve(int attempt) {
  start(attempt);
  int row = first_row();
  if (row < 0) return 0;
  int entering = z0();
  const int limit = 50 + 20 * n_;
  for (int count = 1; count <= limit; ++count) {
    const int leaving = basis_[row];
    pivot(row, entering);
    if (leaving == z0()) return count;
    entering = leaving < n_ ? leaving + n_ : leaving - n_;
    row = leaving_row(entering);
    if (row < 0) return count;
  }
  return limit;
}

// where z0 enters: the most negative right side, the last of equals
int Lcp::first_row() const {
  int row = -1;
  for (int i = 0; i < n_; ++i)
    if (q_[i] < 0 && (row < 0 || q_[i] * T(row, z0()) >= q_[row] * T(i, z0()))) row = i;
  return row;
}

int Lcp::leaving_row(int column) const {
  double largest = 0;
  for (int i = 0; i < n_; ++i) largest = std::max(largest, std::abs(T(i, column)));
  int best = -1;
  for (int i = 0; i < n_; ++i)
    if (T(i, column) > little::lcp_pivot * largest && (best < 0 || lexicographically_less(i, best, column))) best = i;
  return best;
}

// compare the rows (right side, inverse of the basis) divided by their pivots; z0 leaves as soon as it may
bool Lcp::lexicographically_less(int row, int other, int column) const {
  const double pivot = T(row, column), other_pivot = T(other, column);
  for (int k = -1; k < n_; ++k) {
    const int j = k < 0 ? right_side() : k;
    const double x = T(row, j) / pivot, y = T(other, j) / other_pivot;
    const double rounding = little::lcp_tie * (std::abs(x) + std::abs(y) + 1);
    if (std::abs(x - y) > rounding) return x < y;
    if (k < 0 && (basis_[row] == z0() || basis_[other] == z0())) return basis_[row] == z0();
  }
  return false;
}

void Lcp::pivot(int row, int column) {
  const double inverse = 1 / T(row, column);
  for (int j = 0; j < width(); ++j) T(row, j) *= inverse;
  T(row, column) = 1;
  for (int i = 0; i < n_; ++i) {
    const double factor = T(i, column);
    if (i == row || factor == 0) continue;
    for (int j = 0; j < width(); ++j) T(i, j) -= factor * T(row, j);
    T(i, column) = 0;
  }
  place_[basis_[row]] = -1;
  place_[column] = row;
  basis_[row] = column;
}

}  // namespace escapement
