#include "math/rows.hpp"

namespace escapement::inline math {

namespace {

// N: the number of rows where the compiler knows it, else 0
template <int N>
void add_columns(int size, int columns, const double* a, const double* x, double* y) {
  const int rows = N > 0 ? N : size;
  for (int j = 0; j < columns; ++j, a += rows) {
    const double factor = x[j];
    if (factor == 0) continue;
#pragma GCC unroll 8
    for (int i = 0; i < rows; ++i) y[i] += a[i] * factor;
  }
}

}  // namespace

bool is_finite(const Matrix& A) {
  double zero = 0;
  const auto look = [&zero](const double* x, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) zero += 0 * x[k];
  };
  A.is_sparse() ? look(A.value().data(), A.value().size()) : look(A.dense().data(), static_cast<std::size_t>(A.dense().size()));
  return zero == 0;
}

void add_product(const Matrix& A, const Vec& x, double* y) {
  const int rows = A.rows(), columns = A.cols();
  if (A.is_sparse()) {
    for (int i = 0; i < rows; ++i) y[i] += row_times(A, i, x);
    return;
  }
  const double *const a = A.dense().data(), *const from = x.data();
  switch (rows) {
    case 1: return add_columns<1>(1, columns, a, from, y);
    case 2: return add_columns<2>(2, columns, a, from, y);
    case 3: return add_columns<3>(3, columns, a, from, y);
    case 4: return add_columns<4>(4, columns, a, from, y);
    case 5: return add_columns<5>(5, columns, a, from, y);
    case 6: return add_columns<6>(6, columns, a, from, y);
    default: return add_columns<0>(rows, columns, a, from, y);
  }
}

}  // namespace escapement
