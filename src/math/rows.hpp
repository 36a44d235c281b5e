// Rows and products of matrices where a call would cost more than it does: a dense row has a few entries. The same operations in the
// same order as the functions of Matrix.
#pragma once

#include <cmath>

#include "math/matrix.hpp"
#include "math/types.hpp"

namespace escapement::inline math {

// f(column, value) for the entries of a row
template <class F>
[[gnu::always_inline]] inline void for_each_of_row(const Matrix& A, int i, F&& f) {
  if (A.is_sparse()) {
    A.for_each_in_row(i, f);
    return;
  }
  const double* a = A.dense().data() + i;
  const int rows = A.rows(), columns = A.cols();
  for (int j = 0; j < columns; ++j, a += rows) f(j, *a);
}

[[gnu::always_inline]] inline double row_times(const Matrix& A, int i, const Vec& x) {
  const double* const value = x.data();
  double sum = 0;
  for_each_of_row(A, i, [&](int j, double a) { sum += a * value[j]; });
  return sum;
}

// x = the row
inline void copy_row(const Matrix& A, int i, Vec& x) {
  double* const value = x.data();
  if (A.is_sparse()) x.setZero();
  for_each_of_row(A, i, [&](int j, double a) { value[j] = a; });
}

// y += factor times the row
[[gnu::always_inline]] inline void add_row(const Matrix& A, int i, double factor, double* y) {
  for_each_of_row(A, i, [&](int j, double a) { y[j] += factor * a; });
}

// no entry is infinite or no number
bool is_finite(const Matrix& A);

// y += A x
void add_product(const Matrix& A, const Vec& x, double* y);
inline void add_product(const Matrix& A, const Vec& x, Vec& y) { add_product(A, x, y.data()); }

}  // namespace escapement
