#include "math/dense_lu.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace escapement {

void DenseLu::resize(int n) {
  n_ = n;
  const std::size_t size = static_cast<std::size_t>(n);
  if (lu_.size() < size * size) lu_.resize(size * size);
  if (pivot_.size() < size) pivot_.resize(size);
  if (scale_.size() < size) scale_.resize(size);
}

namespace {

// sizes N known to the compiler and loops written out cost half of what they do otherwise; 0: any size
#ifdef __clang__
#define UNROLLED _Pragma("unroll 8")
#else
#define UNROLLED _Pragma("GCC unroll 8")
#endif

template <int N>
double factor_in_place(int size, double* a, int* pivot, double* scale) {
  const int n = N > 0 ? N : size;
  UNROLLED
  for (int i = 0; i < n; ++i) scale[i] = std::abs(a[i]);
  UNROLLED
  for (int j = 1; j < n; ++j)
    UNROLLED
    for (int i = 0; i < n; ++i) scale[i] = std::max(scale[i], std::abs(a[j * n + i]));
  UNROLLED
  for (int i = 0; i < n; ++i) {
    if (!(scale[i] > 0 && scale[i] <= std::numeric_limits<double>::max())) return 0;
    scale[i] = 1 / scale[i];
  }

  double smallest = std::numeric_limits<double>::infinity();
  UNROLLED
  for (int k = 0; k < n; ++k) {
    double* column = a + k * n;
    int p = k;
    double best = std::abs(column[k]) * scale[k];
    UNROLLED
    for (int i = k + 1; i < n; ++i) {
      const double candidate = std::abs(column[i]) * scale[i];
      if (candidate > best) {
        best = candidate;
        p = i;
      }
    }
    pivot[k] = p;
    smallest = std::min(smallest, best);
    if (!(best > 0)) return 0;
    if (p != k) {
      UNROLLED
      for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + p]);
      std::swap(scale[k], scale[p]);
    }
    const double inverse = 1 / column[k];
    UNROLLED
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    UNROLLED
    for (int j = k + 1; j < n; ++j) {
      double* target = a + j * n;
      const double factor = target[k];
      if (factor == 0) continue;
      UNROLLED
      for (int i = k + 1; i < n; ++i) target[i] -= column[i] * factor;
    }
  }
  return smallest;
}

template <int N>
void solve_in_place(int size, const double* a, const int* pivot, double* x) {
  const int n = N > 0 ? N : size;
  UNROLLED
  for (int k = 0; k < n; ++k)
    if (pivot[k] != k) std::swap(x[k], x[pivot[k]]);
  UNROLLED
  for (int k = 0; k < n; ++k) {
    const double xk = x[k];
    if (xk == 0) continue;
    UNROLLED
    for (int i = k + 1; i < n; ++i) x[i] -= a[k * n + i] * xk;
  }
  UNROLLED
  for (int k = n - 1; k >= 0; --k) {
    const double xk = x[k] /= a[k * n + k];
    UNROLLED
    for (int i = 0; i < k; ++i) x[i] -= a[k * n + i] * xk;
  }
}

#undef UNROLLED

}  // namespace

double DenseLu::factor() {
  double *a = lu_.data(), *scale = scale_.data();
  int* pivot = pivot_.data();
  switch (n_) {
    case 1: return factor_in_place<1>(1, a, pivot, scale);
    case 2: return factor_in_place<2>(2, a, pivot, scale);
    case 3: return factor_in_place<3>(3, a, pivot, scale);
    case 4: return factor_in_place<4>(4, a, pivot, scale);
    case 5: return factor_in_place<5>(5, a, pivot, scale);
    case 6: return factor_in_place<6>(6, a, pivot, scale);
    case 7: return factor_in_place<7>(7, a, pivot, scale);
    case 8: return factor_in_place<8>(8, a, pivot, scale);
    case 9: return factor_in_place<9>(9, a, pivot, scale);
    case 10: return factor_in_place<10>(10, a, pivot, scale);
    default: return factor_in_place<0>(n_, a, pivot, scale);
  }
}

void DenseLu::solve(double* x) const {
  const double* a = lu_.data();
  const int* pivot = pivot_.data();
  switch (n_) {
    case 1: return solve_in_place<1>(1, a, pivot, x);
    case 2: return solve_in_place<2>(2, a, pivot, x);
    case 3: return solve_in_place<3>(3, a, pivot, x);
    case 4: return solve_in_place<4>(4, a, pivot, x);
    case 5: return solve_in_place<5>(5, a, pivot, x);
    case 6: return solve_in_place<6>(6, a, pivot, x);
    case 7: return solve_in_place<7>(7, a, pivot, x);
    case 8: return solve_in_place<8>(8, a, pivot, x);
    case 9: return solve_in_place<9>(9, a, pivot, x);
    case 10: return solve_in_place<10>(10, a, pivot, x);
    default: return solve_in_place<0>(n_, a, pivot, x);
  }
}

}  // namespace escapement
