#include "math/matrix.hpp"

#include <algorithm>
#include <atomic>

#include "math/pairs.hpp"

namespace escapement::inline math {

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

bool Matrix::is_row_zero(int i) const {
  if (!sparse_) return (dense_.row(i).array() == 0).all();
  return std::all_of(value_.begin() + row_start_[i], value_.begin() + row_start_[i + 1], [](double x) { return x == 0; });
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
// y += a x
void add(int n, double a, const double* x, double* y) {
  int i = 0;
  for (; i + 1 < n; i += 2) store_pair(load_pair(y + i) + a * load_pair(x + i), y + i);
  if (i < n) y[i] += a * x[i];
}

// y = a x
void set(int n, double a, const double* x, double* y) {
  for (int i = 0; i < n; ++i) y[i] = a * x[i];
}

int used_rows(const Matrix::Scaled& term, int rows) {
  const int left = std::min(term.matrix->rows(), rows - term.row);
  return term.row_weight ? std::min(left, static_cast<int>(term.row_weight->size())) : left;
}
}  // namespace

namespace {
// dense ones of one size
void add_up(std::initializer_list<Matrix::Scaled> terms, Eigen::Index count, double* out) {
  Eigen::Index k = 0;
  for (; k + 1 < count; k += 2) {
    Pair sum{};
    for (const Matrix::Scaled& term : terms) sum += term.factor * load_pair(term.matrix->dense().data() + k);
    store_pair(sum, out + k);
  }
  if (k == count) return;
  double sum = 0;
  for (const Matrix::Scaled& term : terms) sum += term.factor * term.matrix->dense().data()[k];
  out[k] = sum;
}
}  // namespace

void Matrix::set_blocks(int rows, int cols, std::initializer_list<Scaled> terms) {
  if (!terms.begin()->matrix->is_sparse()) {
    if (sparse_ || rows_ != rows || cols_ != cols) resize(rows, cols);
    if (std::all_of(terms.begin(), terms.end(), [&](const Scaled& term) { return term.matrix->rows_ == rows && term.matrix->cols_ == cols && !term.row_weight; }))
      return add_up(terms, dense_.size(), dense_.data());
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
  // a term that has an entry for every place is written first: nothing needs to be zero before
  const auto covering = std::find_if(terms.begin(), terms.end(), [&](const Scaled& term) {
    return term.matrix->value_.size() == value_.size() && used_rows(term, rows) == term.matrix->rows_;
  });
  if (covering == terms.end()) set_zero();
  const auto put = [&](const Scaled& term, auto&& operation) {
    const std::size_t k = &term - terms.begin();
    const double* in = term.matrix->value_.data();
    for (std::size_t r = term_runs_[k]; r < term_runs_[k + 1]; ++r) {
      const Run& run = runs_[r];
      const double factor = term.row_weight ? term.factor * (*term.row_weight)[run.row] : term.factor;
      operation(run.length, factor, in + run.source, value_.data() + run.target);
    }
  };
  if (covering != terms.end()) put(*covering, [](auto... a) { set(a...); });
  for (const Scaled& term : terms)
    if (&term != covering) put(term, [](auto... a) { escapement::add(a...); });
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
  runs_.clear();
  term_runs_ = {0};
  for (const Scaled& term : terms) {
    const Matrix& b = *term.matrix;
    for (int i = 0; i < used_rows(term, rows); ++i)
      for (int k = b.row_start_[i]; k < b.row_start_[i + 1]; ++k) {
        const int target = slot(term.row + i, term.col + b.col_[k]);
        if (k > b.row_start_[i] && runs_.back().target + runs_.back().length == target) {
          ++runs_.back().length;
        } else {
          runs_.push_back({i, k, target, 1});
        }
      }
    term_runs_.push_back(runs_.size());
  }
}

void Matrix::set_product_pattern(const Matrix& a, const Matrix& b) {
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < a.rows_; ++i)
    a.for_each_in_row(i,
                      [&](int k, double) { b.for_each_in_row(k, [&](int j, double) { places.emplace_back(i, j); }); });
  set_pattern(a.rows_, b.cols_, places);
  term_versions_ = {a.version(), b.version()};
  product_slots_.clear();
  for (int i = 0; i < a.rows_; ++i)
    a.for_each_in_row(i, [&](int k, double) {
      const int first = b.row_start_[k], last = b.row_start_[k + 1];
      int place = first < last ? slot(i, b.col_[first]) : 0;
      if (first < last && slot(i, b.col_[last - 1]) != place + (last - first - 1)) place = -1;
      product_slots_.push_back(place);
    });
}

void Matrix::set_product(const Matrix& a, const Matrix& b) {
  if (a.sparse_ && b.sparse_) {
    const bool same =
        sparse_ && term_versions_.size() == 2 && term_versions_[0] == a.version() && term_versions_[1] == b.version();
    if (!same) set_product_pattern(a, b);
    set_zero();
    for (int i = 0; i < a.rows_; ++i)
      for (int e = a.row_start_[i]; e < a.row_start_[i + 1]; ++e) {
        const double x = a.value_[e];
        if (x == 0) continue;
        const int first = b.row_start_[a.col_[e]], length = b.row_start_[a.col_[e] + 1] - first;
        const double* from = b.value_.data() + first;
        if (product_slots_[e] < 0) {
          for (int k = 0; k < length; ++k) value_[slot(i, b.col_[first + k])] += x * from[k];
          continue;
        }
        escapement::add(length, x, from, value_.data() + product_slots_[e]);
      }
    return;
  }
  if (sparse_ || rows_ != a.rows_ || cols_ != b.cols_) resize(a.rows_, b.cols_);
  set_zero();
  for (int i = 0; i < a.rows_; ++i)
    a.for_each_in_row(i, [&](int k, double x) {
      if (x != 0) b.for_each_in_row(k, [&](int j, double y) { add(i, j, x * y); });
    });
}

}  // namespace escapement
