#include "math/dense_lu.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "math/pairs.hpp"

namespace escapement::inline math {

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

// scale: the inverse of each row's largest entry; false: a row is zero or not finite
template <int N>
bool find_scale(int size, const double* a, double* scale) {
  const int n = N > 0 ? N : size;
  UNROLLED
  for (int i = 0; i < n; ++i) scale[i] = std::abs(a[i]);
  UNROLLED
  for (int j = 1; j < n; ++j)
    UNROLLED
    for (int i = 0; i < n; ++i) scale[i] = std::max(scale[i], std::abs(a[j * n + i]));
  UNROLLED
  for (int i = 0; i < n; ++i) {
    if (!(scale[i] > 0 && scale[i] <= std::numeric_limits<double>::max())) return false;
    scale[i] = 1 / scale[i];
  }
  return true;
}

// the row that comes to place k, brought there in all columns; its scaled pivot
template <int N, int K = -1>
double bring_pivot(int size, int place, double* a, int* pivot, double* scale) {
  const int n = N > 0 ? N : size, k = K >= 0 ? K : place;
  const double* column = a + k * n;
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
  if (p != k && best > 0) {
    UNROLLED
    for (int j = 0; j < n; ++j) std::swap(a[j * n + k], a[j * n + p]);
    std::swap(scale[k], scale[p]);
  }
  return best;
}

// Columns first to last - 1 eliminated, rows of all columns swapped; the columns from last on are as they were but for that
template <int N>
double factor_panel(int size, int first, int last, double* a, int* pivot, double* scale) {
  const int n = N > 0 ? N : size;
  if (N > 0) first = 0, last = N;
  double smallest = std::numeric_limits<double>::infinity();
  UNROLLED
  for (int k = first; k < last; ++k) {
    double* column = a + k * n;
    const double best = bring_pivot<N>(n, k, a, pivot, scale);
    smallest = std::min(smallest, best);
    if (!(best > 0)) return 0;
    const double inverse = 1 / column[k];
    UNROLLED
    for (int i = k + 1; i < n; ++i) column[i] *= inverse;
    UNROLLED
    for (int j = k + 1; j < last; ++j) {
      double* target = a + j * n;
      const double factor = target[k];
      if (factor == 0) continue;
      UNROLLED
      for (int i = k + 1; i < n; ++i) target[i] -= column[i] * factor;
    }
  }
  return smallest;
}

// From five unknowns on columns are taken in pairs of entries: the same operations, in half as many instructions. What is left of a
// column below its pivot stays in registers while the columns behind it take their share
constexpr int first_in_pairs = 5;

// y[i] -= x[i] * factor for `count` numbers in pairs, and a last one
template <int Count>
struct Tail {
  static constexpr int pairs = Count / 2;
  static constexpr bool odd = Count % 2 != 0;
  Pair pair[pairs > 0 ? pairs : 1];
  double last = 0;

  explicit Tail(const double* x) {
    UNROLLED
    for (int i = 0; i < pairs; ++i) pair[i] = load_pair(x + 2 * i);
    if (odd) last = x[2 * pairs];
  }
  void scale_into(double factor, double* x) {
    UNROLLED
    for (int i = 0; i < pairs; ++i) store_pair(pair[i] *= factor, x + 2 * i);
    if (odd) x[2 * pairs] = last *= factor;
  }
  void take_from(double* y, double factor) const {
    UNROLLED
    for (int i = 0; i < pairs; ++i) store_pair(load_pair(y + 2 * i) - pair[i] * factor, y + 2 * i);
    if (odd) y[2 * pairs] -= last * factor;
  }
};

template <int N, int K>
double eliminate_in_pairs(double* a, int* pivot, double* scale, double smallest) {
  const double best = bring_pivot<N, K>(N, K, a, pivot, scale);
  if (!(best > 0)) return 0;
  smallest = std::min(smallest, best);
  if constexpr (K + 1 < N) {
    double* const column = a + K * N;
    Tail<N - K - 1> tail(column + K + 1);
    tail.scale_into(1 / column[K], column + K + 1);
    double* const end = a + N * N;
    for (double* target = column + N; target != end; target += N)
      if (const double factor = target[K]; factor != 0) tail.take_from(target + K + 1, factor);
    return eliminate_in_pairs<N, K + 1>(a, pivot, scale, smallest);
  } else {
    return smallest;
  }
}

template <int N>
double factor_in_place(double* a, int* pivot, double* scale) {
  if (!find_scale<N>(N, a, scale)) return 0;
  if constexpr (N < first_in_pairs) {
    return factor_panel<N>(N, 0, N, a, pivot, scale);
  } else {
    return eliminate_in_pairs<N, 0>(a, pivot, scale, std::numeric_limits<double>::infinity());
  }
}

// Larger matrices in panels of columns, whose share of the columns behind them is taken tile by tile, in registers. Every entry
// sees the same operations in the same order as without. Eigen's PartialPivLU, which asks for memory as it goes, takes 1.06 times
// the instructions at 40 unknowns, 0.97 at 100, 0.9 at 160
constexpr int panel = 8, tile = 4;

// the columns j to j + tile - 1 by the panel of columns first to last - 1
void update_columns(int n, int first, int last, int j, double* a) {
  struct Term {
    const double* column;
    double factor[tile];
  };
  std::array<Term, panel + tile> terms;
  int count = 0;
  for (int k = first; k < last; ++k) {
    const double* const column = a + k * n;
    Term& term = terms[count];
    term.column = column;
    bool any = false;
    UNROLLED
    for (int c = 0; c < tile; ++c) {
      double* const target = a + (j + c) * n;
      const double factor = term.factor[c] = target[k];
      if (factor == 0) continue;
      any = true;
      for (int i = k + 1; i < last; ++i) target[i] -= column[i] * factor;
    }
    count += any;
  }
  int i = last;
  for (; i + tile <= n; i += tile) {
    Pair sum[tile][2];
    UNROLLED
    for (int c = 0; c < tile; ++c)
      UNROLLED
      for (int r = 0; r < 2; ++r) sum[c][r] = *reinterpret_cast<const Pair*>(a + (j + c) * n + i + 2 * r);
    for (int t = 0; t < count; ++t) {
      const Pair *const column = reinterpret_cast<const Pair*>(terms[t].column + i), low = column[0], high = column[1];
      UNROLLED
      for (int c = 0; c < tile; ++c) {
        const double f = terms[t].factor[c];
        const Pair factor = {f, f};
        sum[c][0] -= low * factor;
        sum[c][1] -= high * factor;
      }
    }
    UNROLLED
    for (int c = 0; c < tile; ++c)
      UNROLLED
      for (int r = 0; r < 2; ++r) *reinterpret_cast<Pair*>(a + (j + c) * n + i + 2 * r) = sum[c][r];
  }
  for (; i < n; ++i)
    UNROLLED
    for (int c = 0; c < tile; ++c)
      for (int t = 0; t < count; ++t) a[(j + c) * n + i] -= terms[t].column[i] * terms[t].factor[c];
}

double factor_in_panels(int n, double* a, int* pivot, double* scale) {
  if (!find_scale<0>(n, a, scale)) return 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (int first = 0, last; first < n; first = last) {
    last = std::min(n, first + panel + (n - first) % tile);  // whole tiles of columns stay behind it
    smallest = std::min(smallest, factor_panel<0>(n, first, last, a, pivot, scale));
    if (!(smallest > 0)) return 0;
    for (int j = last; j < n; j += tile) update_columns(n, first, last, j, a);
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

template <int N, int K>
void substitute_forward(const double* a, double* x) {
  if (const double xk = x[K]; xk != 0) Tail<N - K - 1>(a + K * N + K + 1).take_from(x + K + 1, xk);
  if constexpr (K + 2 < N) substitute_forward<N, K + 1>(a, x);
}

template <int N, int K>
void substitute_backward(const double* a, double* x) {
  const double xk = x[K] /= a[K * N + K];
  if constexpr (K > 0) {
    Tail<K>(a + K * N).take_from(x, xk);
    substitute_backward<N, K - 1>(a, x);
  }
}

template <int N>
void solve_in_pairs(const double* a, const int* pivot, double* x) {
  for (int k = 0; k < N; ++k)
    if (pivot[k] != k) std::swap(x[k], x[pivot[k]]);
  substitute_forward<N, 0>(a, x);
  substitute_backward<N, N - 1>(a, x);
}

#undef UNROLLED

// sizes known to the compiler
#define ESCAPEMENT_SIZES(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16)

}  // namespace

double DenseLu::factor() {
  double *a = lu_.data(), *scale = scale_.data();
  int* pivot = pivot_.data();
  switch (n_) {
#define ESCAPEMENT_SIZE(n) case n: return factor_in_place<n>(a, pivot, scale);
    ESCAPEMENT_SIZES(ESCAPEMENT_SIZE)
#undef ESCAPEMENT_SIZE
    default: return factor_in_panels(n_, a, pivot, scale);
  }
}

void DenseLu::solve(double* x) const {
  const double* a = lu_.data();
  const int* pivot = pivot_.data();
  switch (n_) {
#define ESCAPEMENT_SIZE(n) case n: return n < first_in_pairs ? solve_in_place<n>(n, a, pivot, x) : solve_in_pairs<n>(a, pivot, x);
    ESCAPEMENT_SIZES(ESCAPEMENT_SIZE)
#undef ESCAPEMENT_SIZE
    default: return solve_in_place<0>(n_, a, pivot, x);
  }
}

}  // namespace escapement
