#include "nonsmooth/rank_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace escapement::inline nonsmooth {

void RankLu::reserve(int n) {
  if (n <= static_cast<int>(row_.size())) return;
  a_.resize(static_cast<size_t>(n) * n);
  row_.resize(n);
  column_.resize(n);
  y_.resize(n);
}

void RankLu::bring_to(int k, int row, int column) {
  if (row != k) {
    for (int j = 0; j < n_; ++j) std::swap(at(k, j), at(row, j));
    std::swap(row_[k], row_[row]);
  }
  if (column != k) {
    for (int i = 0; i < n_; ++i) std::swap(at(i, k), at(i, column));
    std::swap(column_[k], column_[column]);
  }
}

void RankLu::factor(std::initializer_list<int> preferred) {
  double largest = 0;
  for (int i = 0; i < n_ * n_; ++i) largest = std::max(largest, std::abs(a_[i]));
  // what elimination leaves of a dependent row is a few roundings of the entries it started from
  threshold_ = 16 * n_ * std::numeric_limits<double>::epsilon() * largest;
  for (int i = 0; i < n_; ++i) row_[i] = column_[i] = i;
  rank_ = 0;
  for (int block : preferred) eliminate(block);
  eliminate(n_);
}

void RankLu::eliminate(int block) {
  for (; rank_ < block; ++rank_) {
    const int k = rank_;
    int row = k, column = k;
    double largest = 0;
    for (int i = k; i < block; ++i)
      for (int j = k; j < block; ++j)
        if (std::abs(at(i, j)) > largest) {
          largest = std::abs(at(i, j));
          row = i;
          column = j;
        }
    if (!(largest > threshold_)) return;
    bring_to(k, row, column);
    const double inverse = 1 / at(k, k);
    for (int i = k + 1; i < n_; ++i) {
      const double factor = at(i, k) *= inverse;
      if (factor == 0) continue;
      for (int j = k + 1; j < n_; ++j) at(i, j) -= factor * at(k, j);
    }
  }
}

void RankLu::solve(double* x) {
  for (int i = 0; i < rank_; ++i) {
    y_[i] = x[row_[i]];
    for (int j = 0; j < i; ++j) y_[i] -= at(i, j) * y_[j];
  }
  for (int i = rank_ - 1; i >= 0; --i) {
    for (int j = i + 1; j < rank_; ++j) y_[i] -= at(i, j) * y_[j];
    y_[i] /= at(i, i);
  }
  for (int i = 0; i < n_; ++i) x[column_[i]] = i < rank_ ? y_[i] : 0;
}

}  // namespace escapement
