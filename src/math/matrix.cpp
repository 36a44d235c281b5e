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

void Matrix::copy(const Matrix& other) {
  if (version_ != other.version_) {
    *this = other;
  } else if (sparse_) {
    std::copy(other.value_.begin(), other.value_.end(), value_.begin());
  } else {
    dense_ = other.dense_;
  }
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
  set_blocks(terms.begin()->matrix->rows(), terms.begin()->matrix->cols(), terms);
}

namespace {
int used_rows(const Matrix::Scaled& term, int rows) {
  const int left = std::min(term.matrix->rows(), rows - term.row);
  return term.row_weight ? std::min(left, static_cast<int>(term.row_weight->size())) : left;
}
}  // namespace

void Matrix::set_blocks(int rows, int cols, std::initializer_list<Scaled> terms) {
  if (!terms.begin()->matrix->is_sparse()) {
    if (sparse_ || rows_ != rows || cols_ != cols) resize(rows, cols);
    dense_.setZero();
    for (const Scaled& term : terms) {
      const Matrix& b = *term.matrix;
      const int m = used_rows(term, rows);
      for (int j = 0; j < b.cols_; ++j) {
        const double* in = b.dense_.data() + static_cast<std::ptrdiff_t>(j) * b.rows_;
        double* out = dense_.data() + static_cast<std::ptrdiff_t>(term.col + j) * rows_ + term.row;
        if (term.row_weight) {
          for (int i = 0; i < m; ++i) out[i] += term.factor * (*term.row_weight)[i] * in[i];
        } else {
          for (int i = 0; i < m; ++i) out[i] += term.factor * in[i];
        }
      }
    }
    return;
  }

  bool same = sparse_ && rows_ == rows && cols_ == cols && term_versions_.size() == terms.size();
  std::size_t n = 0;
  for (const Scaled& term : terms) same = same && term_versions_[n++] == term.matrix->version();
  if (!same) set_block_pattern(rows, cols, terms);
  set_zero();
  n = 0;
  for (const Scaled& term : terms) {
    const Matrix& b = *term.matrix;
    const std::vector<int>& slots = term_slots_[n++];
    for (int i = 0; i < used_rows(term, rows); ++i) {
      const double factor = term.row_weight ? term.factor * (*term.row_weight)[i] : term.factor;
      for (int k = b.row_start_[i]; k < b.row_start_[i + 1]; ++k) value_[slots[k]] += factor * b.value_[k];
    }
  }
}

void Matrix::set_block_pattern(int rows, int cols, std::initializer_list<Scaled> terms) {
  std::vector<std::pair<int, int>> places;
  term_versions_.clear();
  for (const Scaled& term : terms) {
    const Matrix& b = *term.matrix;
    for (int i = 0; i < used_rows(term, rows); ++i)
      for (int k = b.row_start_[i]; k < b.row_start_[i + 1]; ++k)
        places.emplace_back(term.row + i, term.col + b.col_[k]);
    term_versions_.push_back(b.version());
  }
  set_pattern(rows, cols, places);
  term_slots_.clear();
  for (const Scaled& term : terms) {
    const Matrix& b = *term.matrix;
    std::vector<int>& slots = term_slots_.emplace_back(b.col_.size(), -1);
    for (int i = 0; i < used_rows(term, rows); ++i)
      for (int k = b.row_start_[i]; k < b.row_start_[i + 1]; ++k) slots[k] = slot(term.row + i, term.col + b.col_[k]);
  }
}

void Matrix::set_product(const Matrix& a, const Matrix& b) {
  if (a.sparse_ && b.sparse_) {
    const bool same =
        sparse_ && term_versions_.size() == 2 && term_versions_[0] == a.version() && term_versions_[1] == b.version();
    if (!same) {
      std::vector<std::pair<int, int>> places;
      for (int i = 0; i < a.rows_; ++i)
        a.for_each_in_row(
            i, [&](int k, double) { b.for_each_in_row(k, [&](int j, double) { places.emplace_back(i, j); }); });
      set_pattern(a.rows_, b.cols_, places);
      term_versions_ = {a.version(), b.version()};
    }
  } else if (sparse_ || rows_ != a.rows_ || cols_ != b.cols_) {
    resize(a.rows_, b.cols_);
  }
  set_zero();
  for (int i = 0; i < a.rows_; ++i)
    a.for_each_in_row(i, [&](int k, double x) {
      if (x != 0) b.for_each_in_row(k, [&](int j, double y) { add(i, j, x * y); });
    });
}

}  // namespace escapement
