#include "math/matrix.hpp"

#include <algorithm>
#include <atomic>

namespace escapement {

namespace {
unsigned next_version() {
  static std::atomic<unsigned> counter{0};
  return ++counter;
}
}  // namespace

void Matrix::resize(int rows, int cols) {
  rows_ = rows;
  cols_ = cols;
  sparse_ = false;
  dense_.setZero(rows, cols);
  version_ = next_version();
}

void Matrix::set_pattern(int rows, int cols, const std::vector<std::pair<int, int>>& places) {
  rows_ = rows;
  cols_ = cols;
  sparse_ = true;
  auto sorted = places;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  row_start_.assign(rows + 1, 0);
  col_.clear();
  for (auto [i, j] : sorted) {
    ++row_start_[i + 1];
    col_.push_back(j);
  }
  for (int i = 0; i < rows; ++i) row_start_[i + 1] += row_start_[i];
  value_.assign(col_.size(), 0.0);
  version_ = next_version();
}

int Matrix::slot(int i, int j) const {
  const auto first = col_.begin() + row_start_[i], last = col_.begin() + row_start_[i + 1];
  const auto it = std::lower_bound(first, last, j);
  return it != last && *it == j ? static_cast<int>(it - col_.begin()) : -1;
}

void Matrix::set_zero() {
  if (sparse_) {
    std::fill(value_.begin(), value_.end(), 0.0);
  } else {
    dense_.setZero();
  }
}

void Matrix::set_row_zero(int i) {
  if (sparse_) {
    std::fill(value_.begin() + row_start_[i], value_.begin() + row_start_[i + 1], 0.0);
  } else {
    dense_.row(i).setZero();
  }
}

double Matrix::operator()(int i, int j) const {
  if (!sparse_) return dense_(i, j);
  const int k = slot(i, j);
  return k < 0 ? 0.0 : value_[k];
}

void Matrix::add(int i, int j, double x) {
  if (sparse_) {
    value_[slot(i, j)] += x;
  } else {
    dense_(i, j) += x;
  }
}

void Matrix::add_product(double a, const Vec& x, Vec& y) const {
  if (sparse_) {
    for (int i = 0; i < rows_; ++i) {
      double sum = 0;
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) sum += value_[k] * x[col_[k]];
      y[i] += a * sum;
    }
    return;
  }
  for (int j = 0; j < cols_; ++j) {
    const double xj = a * x[j];
    if (xj == 0) continue;
    const double* column = dense_.data() + static_cast<std::ptrdiff_t>(j) * rows_;
    for (int i = 0; i < rows_; ++i) y[i] += column[i] * xj;
  }
}

void Matrix::add_transposed_product(double a, const Vec& x, Vec& y) const {
  if (sparse_) {
    for (int i = 0; i < rows_; ++i) {
      const double xi = a * x[i];
      if (xi == 0) continue;
      for (int k = row_start_[i]; k < row_start_[i + 1]; ++k) y[col_[k]] += value_[k] * xi;
    }
    return;
  }
  for (int j = 0; j < cols_; ++j) {
    const double* column = dense_.data() + static_cast<std::ptrdiff_t>(j) * rows_;
    double sum = 0;
    for (int i = 0; i < rows_; ++i) sum += column[i] * x[i];
    y[j] += a * sum;
  }
}

double Matrix::row_dot(int i, const Vec& x) const {
  double sum = 0;
  for_each_in_row(i, [&](int j, double value) { sum += value * x[j]; });
  return sum;
}

void Matrix::add_row(int i, double a, Vec& y) const {
  for_each_in_row(i, [&](int j, double value) { y[j] += a * value; });
}

void Matrix::set_sum(std::initializer_list<Scaled> terms) {
  if (!terms.begin()->matrix->is_sparse()) {
    const Matrix& first = *terms.begin()->matrix;
    if (sparse_ || rows_ != first.rows() || cols_ != first.cols()) resize(first.rows(), first.cols());
    const std::ptrdiff_t n = dense_.size();
    double* out = dense_.data();
    bool begun = false;
    for (const Scaled& term : terms) {
      const double* in = term.matrix->dense_.data();
      if (begun) {
        for (std::ptrdiff_t k = 0; k < n; ++k) out[k] += term.factor * in[k];
      } else {
        for (std::ptrdiff_t k = 0; k < n; ++k) out[k] = term.factor * in[k];
      }
      begun = true;
    }
    return;
  }

  bool same = sparse_ && sum_versions_.size() == terms.size();
  std::size_t n = 0;
  for (const Scaled& term : terms) same = same && sum_versions_[n++] == term.matrix->version();
  if (!same) {
    std::vector<std::pair<int, int>> places;
    sum_versions_.clear();
    for (const Scaled& term : terms) {
      const Matrix& b = *term.matrix;
      for (int i = 0; i < b.rows(); ++i)
        for (int k = b.row_start_[i]; k < b.row_start_[i + 1]; ++k) places.emplace_back(i, b.col_[k]);
      sum_versions_.push_back(b.version());
    }
    set_pattern(terms.begin()->matrix->rows(), terms.begin()->matrix->cols(), places);
    sum_slots_.clear();
    for (const Scaled& term : terms) {
      const Matrix& b = *term.matrix;
      std::vector<int>& slots = sum_slots_.emplace_back();
      for (int i = 0; i < b.rows(); ++i)
        for (int k = b.row_start_[i]; k < b.row_start_[i + 1]; ++k) slots.push_back(slot(i, b.col_[k]));
    }
  }
  set_zero();
  n = 0;
  for (const Scaled& term : terms) {
    const std::vector<int>& slots = sum_slots_[n++];
    for (std::size_t k = 0; k < slots.size(); ++k) value_[slots[k]] += term.factor * term.matrix->value_[k];
  }
}

}  // namespace escapement
