#include "math/saddle_solver.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "math/rows.hpp"
#include "math/sparse_row.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline math {

namespace {
constexpr int most_refinements = 6;
constexpr std::size_t most_patterns = 6;

// a power of 2 near 1/sqrt(x), for positive x; made from the exponent's bits
double inverse_root_power_of_2(double x) {
  if (!(x >= std::numeric_limits<double>::min() && x <= std::numeric_limits<double>::max())) return 1;
  constexpr int bias = 1023, mantissa_bits = 52;
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(x) >> mantissa_bits) - (bias - 1);
  return std::bit_cast<double>(static_cast<std::uint64_t>(bias - exponent / 2) << mantissa_bits);
}

// the largest magnitude in each row
void largest_in_rows(const Matrix& A, int n, double* largest) {
  if (A.is_sparse()) {
    const double* value = A.value().data();
    for (int i = 0; i < n; ++i) {
      double most = 0;
      for (const double* const end = A.value().data() + A.row_start()[i + 1]; value != end; ++value) most = std::max(most, std::abs(*value));
      largest[i] = most;
    }
    return;
  }
  const double* const value = A.dense().data();
  const int size = n * A.cols();
  for (int i = 0; i < n; ++i) {
    double most = 0;
    for (int k = i; k < size; k += n) most = std::max(most, std::abs(value[k]));
    largest[i] = most;
  }
}

// sum of value^2 x over a row
[[gnu::always_inline]] inline double row_weight(const Matrix& G, int i, const double* x) {
  double sum = 0;
  if (G.is_sparse()) {
    const double* const value = G.value().data();
    for_each_place(G.col().data(), G.row_start()[i], G.row_start()[i + 1], [&](int k, int j) { sum += value[k] * value[k] * x[j]; });
  } else {
    const double* value = G.dense().data() + i;
    const int rows = G.rows(), columns = G.cols();
    for (int j = 0; j < columns; ++j, value += rows) sum += *value * *value * x[j];
  }
  return sum;
}

bool is_zero(const Matrix& G, int i) {
  bool zero = true;
  for_each_of_row(G, i, [&](int, double value) { zero = zero && value == 0; });
  return zero;
}

// A, G_top and G_bottom of the rows that take part, columns one after the other; times scale on both sides where there is one
template <bool scaled>
void put_together(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, const std::vector<int>& rows, const double* scale, double* matrix) {
  const int n = A.rows(), count = static_cast<int>(rows.size()), size = n + count;
  const auto at = [=](int i, int j, double value) { return scaled ? value * scale[i] * scale[j] : value; };
  const bool plain = !A.is_sparse() && !G_top.is_sparse() && !G_bottom.is_sparse();
  if (!plain) {
    std::fill_n(matrix, size * size, 0.0);
    for (int i = 0; i < n; ++i) A.for_each_in_row(i, [&](int j, double value) { matrix[j * size + i] = at(i, j, value); });
    for (int k = 0; k < count; ++k) {
      G_bottom.for_each_in_row(rows[k], [&](int j, double value) { matrix[j * size + n + k] = at(n + k, j, value); });
      G_top.for_each_in_row(rows[k], [&](int j, double value) { matrix[(n + k) * size + j] = at(j, n + k, -value); });
    }
    return;
  }
  const double *a = A.dense().data(), *bottom = G_bottom.dense().data(), *const top = G_top.dense().data();
  const int m = G_bottom.rows(), m_top = G_top.rows();
  double* to = matrix;
  for (int j = 0; j < n; ++j, a += n, bottom += m) {
    for (int i = 0; i < n; ++i) *to++ = at(i, j, a[i]);
    for (int k = 0; k < count; ++k) *to++ = at(n + k, j, bottom[rows[k]]);
  }
  for (int k = 0; k < count; ++k) {
    const double* value = top + rows[k];
    for (int i = 0; i < n; ++i, value += m_top) *to++ = at(i, n + k, -*value);
    for (int i = 0; i < count; ++i) *to++ = 0;
  }
}
}  // namespace

void SaddleSolver::resize(int n, int m, int joints) {
  joints_ = joints;
  n_ = n;
  m_ = m;
  solves_ = 0;
  redundant_ = false;
  full_.clear();
  rows_.clear();
  rows_.reserve(m);
  blocks_.clear();
  block_ = nullptr;
  next_block_ = 0;
  switched_off_.assign(m, 0);
  scale_.setOnes(n + m);
  weight_.setZero(m);
  probe_.resize(m);
  for (int i = 0; i < m; ++i) probe_[i] = std::sin(1 + double(i) * i);
  shift_.setZero(m);
  rhs_.setZero(n + m);
  x_.setZero(n + m);
  residual_.setZero(n + m);
}

void SaddleSolver::set_scale(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  largest_in_rows(A, n_, x_.data());
  for (int i = 0; i < n_; ++i) {
    const double largest = x_[i];
    x_[i] = largest > 0 ? 1 / largest : 1;
    scale_[i] = largest > 0 ? inverse_root_power_of_2(largest) : 1;
  }
  rows_.resize(m_);
  int count = 0;
  for (int i = 0; i < m_; ++i) {
    double weight = row_weight(G_bottom, i, x_.data());
    const bool zero = weight == 0 && is_zero(G_bottom, i);  // numbers whose squares vanish count
    switched_off_[i] = zero;
    if (zero && !sparse_) continue;
    const int k = count++;
    rows_[k] = i;
    if (zero) weight = 1;
    // directions of the forces may be much larger or smaller than the rows
    if (&G_top != &G_bottom && !zero) weight = std::sqrt(weight * row_weight(G_top, i, x_.data()));
    weight_[k] = weight;
    scale_[n_ + k] = weight > 0 ? inverse_root_power_of_2(weight) : 1;
    shift_[k] = zero ? 1 : 0;
  }
  rows_.resize(count);
}

bool SaddleSolver::factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  plain_ = m_ == 0 && !A.is_sparse() && factor_plain(A);
  if (plain_) return true;
  sparse_ = A.is_sparse() && G_top.is_sparse() && G_bottom.is_sparse();
  redundant_ = false;
  refinements_ = 0;
  set_scale(A, G_top, G_bottom);
  if (!sparse_) fill(A, G_top, G_bottom);
  double pivot = sparse_ ? factor_sparse(A, G_top, G_bottom) : factor_dense();
  pivot_ = pivot;
  if (!sparse_ && pivot < little::doubtful_pivot) put_together<false>(A, G_top, G_bottom, rows_, nullptr, full_.data());
  if (pivot <= little::row_left) {
    redundant_ = true;
    for (int k = 0; k < taking_part(); ++k)
      if (!switched_off_[rows_[k]]) shift_[k] = little::regularisation * weight_[k];
    if (!sparse_) fill(A, G_top, G_bottom);
    pivot = sparse_ ? factor_sparse(A, G_top, G_bottom) : factor_dense();
    if (!(pivot > little::rounding)) {
      finite_ = is_finite(A) && is_finite(G_top) && is_finite(G_bottom);
      return false;
    }
    refinements_ = most_refinements;
  } else if (pivot < little::doubtful_pivot) {
    refinements_ = 1;
  }
  if (sparse_ && refinements_ > 0) {
    A_.copy(A);
    G_top_.copy(G_top);
    G_bottom_.copy(G_bottom);
  }
  return true;
}

bool SaddleSolver::factor_plain(const Matrix& A) {
  lu_.resize(n_);
  std::copy_n(A.dense().data(), n_ * n_, lu_.matrix().data());
  pivot_ = lu_.factor();
  return pivot_ > little::doubtful_pivot;
}

// the scaled matrix, but for its lower right diagonal
void SaddleSolver::fill(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  const int size = n_ + taking_part();
  if (full_.size() < static_cast<std::size_t>(size) * size) {
    // room for what may be on some time, once; of very many rows few are on at a time
    const int most = std::max(size, n_ + std::min(m_, 256));
    full_.resize(static_cast<std::size_t>(most) * most);
    lu_.resize(most);
  }
  lu_.resize(size);
  put_together<true>(A, G_top, G_bottom, rows_, scale_.data(), lu_.matrix().data());
}

double SaddleSolver::factor_dense() {
  const int size = n_ + taking_part();
  double *const matrix = lu_.matrix().data(), *const scale = scale_.data();
  for (int k = n_; k < size; ++k) matrix[k * (size + 1)] = shift_[k - n_] * scale[k] * scale[k];
  return lu_.factor();
}

BlockLu& SaddleSolver::block_for(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  for (const auto& block : blocks_)
    if (block->fits(A, G_top, G_bottom)) return *block;
  if (blocks_.size() < most_patterns) blocks_.emplace_back();
  auto& slot = blocks_[next_block_++ % most_patterns];
  slot = std::make_unique<BlockLu>();
  slot->analyse(A, G_top, G_bottom, m_);
  return *slot;
}

double SaddleSolver::factor_sparse(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  block_ = &block_for(A, G_top, G_bottom);
  return block_->factor(A, G_top, G_bottom, scale_, shift_);
}

void SaddleSolver::apply_inverse(Vec& x) {
  if (sparse_) {
    block_->solve(x);
    return;
  }
  const int size = n_ + taking_part();
  double *const value = x.data(), *const scale = scale_.data();
  for (int i = 0; i < size; ++i) value[i] *= scale[i];
  lu_.solve(value);
  for (int i = 0; i < size; ++i) value[i] *= scale[i];
}

double SaddleSolver::clearance(Vec& largest) {
  if (m_ == 0) return 1;
  for (int i = 0; i < m_; ++i)
    if (switched_off_[i] && largest[i] > 0) return 0;
  const int count = taking_part();
  auto rows = x_.segment(n_, count);
  x_.setZero();
  for (int k = 0; k < count; ++k) {
    const int i = rows_[k];
    if (switched_off_[i]) continue;
    largest[i] = std::max(largest[i], weight_[k]);
    rows[k] = probe_[i] * std::sqrt(largest[i]);
  }
  apply_inverse(x_);
  double sum = 0;
  for (int k = 0; k < count; ++k) sum += rows[k] * rows[k] * largest[rows_[k]];
  return sum > 0 ? probe_.norm() / std::sqrt(sum) : 1;
}

void SaddleSolver::subtract_product(const Vec& x, Vec& residual) const {
  if (!sparse_) {
    const int size = n_ + taking_part();
    residual.head(size).noalias() -= full() * x.head(size);
    return;
  }
  for (int i = 0; i < n_; ++i) residual[i] -= A_.row_dot(i, x);
  for (int i = 0; i < m_; ++i) {
    const double mu = x[n_ + i];
    if (switched_off_[i]) {
      residual[n_ + i] -= mu;
      continue;
    }
    G_top_.for_each_in_row(i, [&](int j, double value) { residual[j] += value * mu; });
    residual[n_ + i] -= G_bottom_.row_dot(i, x);
  }
}

// Dependent rows whose right sides do not depend on each other likewise, by rounding at least: no motion meets them, and the
// regularisation would make multipliers of what is left, a billion times as large. Friction would follow these. With K the matrix,
// S the shifts and n a combination of rows that vanishes, (K + S) x = b says n'S x = n'b: that part of x is x - (K + S)^-1 K x, and
// the shifts times it are what b has too much. Of joints it is not taken: where rows come to depend on each other, at dead points, it is
// not rounding alone
void SaddleSolver::leave_out_contradictions() {
  const int count = taking_part(), size = n_ + count;
  residual_.head(size).setZero();
  subtract_product(x_, residual_);
  apply_inverse(residual_);
  double of_joints = 0, of_contacts = 0;
  for (int k = 0; k < count; ++k) {
    double& most = rows_[k] < joints_ ? of_joints : of_contacts;
    most = std::max(most, std::abs(x_[n_ + k] + residual_[n_ + k]));
  }
  if (of_joints > little::part_of_null * of_contacts) return;
  for (int i = n_; i < size; ++i) rhs_[i] -= shift_[i - n_] * (x_[i] + residual_[i]);
  x_.head(size) = -residual_.head(size);
}

void SaddleSolver::solve(const Vec& a, const Vec& b, Vec& x, Vec& mu) {
  ++solves_;
  if (plain_) {
    x = a;
    lu_.solve(x);
    return;
  }
  const int count = taking_part(), size = n_ + count;
  double* const unknown = x_.data();
  std::copy_n(a.data(), n_, unknown);
  for (int k = 0; k < count; ++k) unknown[n_ + k] = switched_off_[rows_[k]] ? 0 : b[rows_[k]];
  if (refinements_ > 0) rhs_.head(size) = x_.head(size);
  apply_inverse(x_);
  if (redundant_ && joints_ < m_) leave_out_contradictions();
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < refinements_; ++pass) {
    residual_.head(size) = rhs_.head(size);
    subtract_product(x_, residual_);
    apply_inverse(residual_);
    // in units in which all unknowns are comparable; stop at rounding or when refinement no longer helps
    const double change = residual_.head(size).cwiseQuotient(scale_.head(size)).norm(), of = x_.head(size).cwiseQuotient(scale_.head(size)).norm();
    if (!(change < 0.5 * before)) break;
    x_.head(size) += residual_.head(size);
    if (change <= little::rounding * of) break;
    before = change;
  }
  x.resize(n_);
  std::copy_n(unknown, n_, x.data());
  if (count < m_) mu.head(m_).setZero();
  for (int k = 0; k < count; ++k) mu[rows_[k]] = unknown[n_ + k];
}

}  // namespace escapement
