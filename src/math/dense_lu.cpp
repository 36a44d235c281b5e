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

double DenseLu::factor() {
  const int n = n_;
  double* a = lu_.data();
  double* scale = scale_.data();
  for (int i = 0; i < n; ++i) scale[i] = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) scale[i] = std::max(scale[i], std::abs(a[j * n + i]));
  for (int i = 0; i < n; ++i) {
    if (!(scale[i] > 0) || !std::isfinite(scale[i])) return 0;
    scale[i] = 1 / scale[i];
  }

  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < n; ++k) {
    double* column = a + k * n;
    int p = k;
    double best = -1;
    for (int i = k; i < n; ++i) {
      const double candidate = std::abs(column[i]) * scale[i];
      if (candidate > best) {
        best = candidate;
        p = i;
      }
    }
    pivot_[k] = p;
    smallest = std::min(smallest, best);
    if (!(best > 0)) return 0;
    if (p != k) {
      for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + p]);
      std::swap(scale[k], scale[p]);
    }
    const double inverse = 1 / column[k];
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    for (int j = k + 1; j < n; ++j) {
      double* target = a + j * n;
      const double factor = target[k];
      if (factor == 0) continue;
      for (int i = k + 1; i < n; ++i) target[i] -= column[i] * factor;
    }
  }
  return smallest;
}

void DenseLu::solve(Vec& x) const {
  const int n = n_;
  const double* a = lu_.data();
  for (int k = 0; k < n; ++k)
    if (pivot_[k] != k) std::swap(x[k], x[pivot_[k]]);
  for (int k = 0; k < n; ++k) {
    const double xk = x[k];
    if (xk == 0) continue;
    for (int i = k + 1; i < n; ++i) x[i] -= a[k * n + i] * xk;
  }
  for (int k = n - 1; k >= 0; --k) {
    const double xk = x[k] /= a[k * n + k];
    for (int i = 0; i < k; ++i) x[i] -= a[k * n + i] * xk;
  }
}

}  // namespace escapement
