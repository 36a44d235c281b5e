#include "system/null_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/tolerances.hpp"

namespace escapement::inline system {

void NullRows::resize(int rows, int columns, int count) {
  count_ = count;
  left_.setZero(columns, rows);
  parts_.setZero(std::min(rows, columns), rows);
  order_.resize(rows);
  null_.setZero(rows, std::max(count, 0));
}

bool NullRows::find() {
  const int rows = static_cast<int>(left_.cols());
  const int rank = eliminate(count_ < 0 ? rows : rows - count_);
  if (count_ >= 0 && rank < rows - count_) return false;
  if (count_ < 0) null_.resize(rows, rows - rank);
  solve(rank);
  orthonormalise();
  return true;
}

int NullRows::eliminate(int most) {
  const int rows = static_cast<int>(left_.cols());
  std::iota(order_.begin(), order_.end(), 0);
  for (int i = 0; i < rows; ++i)
    if (const double norm = left_.col(i).norm(); norm > 0) left_.col(i) /= norm;
  most = std::min<int>(most, static_cast<int>(parts_.rows()));
  for (int k = 0; k < most; ++k) {
    int best = k;
    double largest = 0;
    for (int i = k; i < rows; ++i)
      if (const double size = left_.col(order_[i]).squaredNorm(); size > largest * (1 + little::tie)) {
        largest = size;
        best = i;
      }
    if (largest < little::row_left) return k;
    std::swap(order_[k], order_[best]);
    auto pivot = left_.col(order_[k]);
    parts_(k, order_[k]) = std::sqrt(largest);
    pivot /= parts_(k, order_[k]);
    for (int i = k + 1; i < rows; ++i) {
      auto other = left_.col(order_[i]);
      const double part = pivot.dot(other);
      parts_(k, order_[i]) = part;
      if (part != 0) other -= part * pivot;
    }
  }
  return most;
}

// every row that was not chosen, as a combination of those that were
void NullRows::solve(int rank) {
  null_.setZero();
  for (int j = 0; j < null_.cols(); ++j) {
    const int row = order_[rank + j];
    null_(row, j) = 1;
    for (int k = rank - 1; k >= 0; --k) {
      double sum = parts_(k, row);
      for (int i = k + 1; i < rank; ++i) sum += parts_(k, order_[i]) * null_(order_[i], j);
      null_(order_[k], j) = -sum / parts_(k, order_[k]);
    }
  }
}

void NullRows::orthonormalise() {
  for (int j = 0; j < null_.cols(); ++j) {
    for (int pass = 0; pass < 2; ++pass)
      for (int i = 0; i < j; ++i) {
        const double part = null_.col(i).dot(null_.col(j));
        null_.col(j) -= part * null_.col(i);
      }
    null_.col(j) /= null_.col(j).norm();
  }
}

void Dispensable::resize(int rows, int count) {
  left_.setZero(rows, count);
  along_.setZero(count);
  share_.setZero(rows);
  taken_.assign(rows, 0);
}

double Dispensable::take(int row) {
  const double part = left_.row(row).norm();
  taken_[row] = 1;
  if (part == 0) return 0;
  along_ = left_.row(row).transpose() / part;
  share_.noalias() = left_ * along_;
  for (int j = 0; j < along_.size(); ++j) left_.col(j) -= along_[j] * share_;
  return part;
}

double Dispensable::choose(const Mat& N, std::vector<int>& chosen) {
  left_ = N;
  std::fill(taken_.begin(), taken_.end(), 0);
  chosen.clear();
  double least = 1;
  for (int k = 0; k < N.cols(); ++k) {
    int best = -1;
    double largest = 0;
    for (int i = 0; i < N.rows(); ++i) {
      if (taken_[i]) continue;
      if (const double size = left_.row(i).squaredNorm(); size > largest * (1 + little::tie)) {
        largest = size;
        best = i;
      }
    }
    if (best < 0) return 0;
    chosen.push_back(best);
    least = std::min(least, take(best));
  }
  std::sort(chosen.begin(), chosen.end());
  return least;
}

double Dispensable::judge(const Mat& N, const std::vector<int>& rows) {
  left_ = N;
  std::fill(taken_.begin(), taken_.end(), 0);
  double least = 1;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    int best = -1;
    double largest = -1;
    for (int i : rows)
      if (const double size = left_.row(i).squaredNorm(); !taken_[i] && size > largest) {
        largest = size;
        best = i;
      }
    least = std::min(least, take(best));
  }
  return least;
}

}  // namespace escapement
