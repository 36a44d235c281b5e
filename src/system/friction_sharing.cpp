#include "system/friction_sharing.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline system {

// false: nobody holds anything
bool FrictionSharing::weigh() {
  double most = 0;
  for (const Row& one : rows_) most = std::max(most, one.limit);
  root_.clear();
  for (const Row& one : rows_) root_.push_back(std::sqrt(std::max(one.limit, little::rounding * most)));
  return most > 0;
}

void FrictionSharing::scale_rows(const Matrix& T) {
  columns_.clear();
  for (const Row& one : rows_)
    one.row.for_each([&](int slip, double) { T.for_each_in_row(slip, [&](int j, double x) { if (x != 0) columns_.push_back(j); }); });
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  scaled_.setZero(static_cast<int>(rows_.size()), static_cast<int>(columns_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i)
    rows_[i].row.for_each([&](int slip, double factor) {
      T.for_each_in_row(slip, [&](int j, double x) {
        if (x != 0) scaled_(static_cast<int>(i), static_cast<int>(std::lower_bound(columns_.begin(), columns_.end(), j) - columns_.begin())) += root_[i] * factor * x;
      });
    });
}

void FrictionSharing::find_basis() {
  rank_ = 0;
  if (basis_.size() < rows_.size()) basis_.resize(rows_.size());
  for (int j = 0; j < scaled_.cols() && rank_ < rows_.size(); ++j) {
    column_ = scaled_.col(j);
    const double size = column_.squaredNorm();
    for (int pass = 0; pass < 2; ++pass)
      for (std::size_t k = 0; k < rank_; ++k) column_ -= basis_[k].dot(column_) * basis_[k];
    if (column_.squaredNorm() > little::row_left * size) basis_[rank_++] = column_ / column_.norm();
  }
}

void FrictionSharing::share(const Matrix& T, Eigen::Ref<Vec> forces) {
  if (!weigh()) return;
  scale_rows(T);
  find_basis();
  if (rank_ == rows_.size()) return;
  x_.resize(static_cast<int>(rows_.size()));
  for (std::size_t i = 0; i < rows_.size(); ++i) x_[static_cast<int>(i)] = rows_[i].row.of(forces) / root_[i];
  shared_.setZero(x_.size());
  for (std::size_t k = 0; k < rank_; ++k) shared_ += basis_[k].dot(x_) * basis_[k];
  for (std::size_t i = 0; i < rows_.size(); ++i)
    rows_[i].row.for_each([&](int slip, double factor) { forces[slip] = factor * root_[i] * shared_[static_cast<int>(i)]; });
}

}  // namespace escapement
