// Elimination of a front of BlockLu, a small dense matrix of which the first unknowns are eliminated, and both halves of the
// solution with what is kept of it. Fronts of chains and trees of bodies are of few sizes: where the compiler knows one, loops have
// no ends to look for.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "math/pairs.hpp"
#include "math/types.hpp"

namespace escapement::inline math::front {

struct AnyShape {
  int pivots, size;
};
template <int p, int s>
struct Shape {
  static constexpr int pivots = p, size = s;
};

// work(shape), the shape as constants where it is one of those that mechanisms have: bodies with the revolute joint that leads to
// them, and bodies alone between joints
template <class Work>
[[gnu::always_inline]] inline void with_shape(int pivots, int size, Work&& work) {
  if (pivots == 11 && size == 17) return work(Shape<11, 17>{});  // in space
  if (pivots == 6 && size == 12) return work(Shape<6, 12>{});
  if (pivots == 5 && size == 8) return work(Shape<5, 8>{});  // in the plane
  if (pivots == 3 && size == 6) return work(Shape<3, 6>{});
  work(AnyShape{pivots, size});
}

// f(0), f(2), ... for pairs of neighbours among `count`, and last(count - 1) where one is left over; until one of them is false
template <int count, class F, class Last>
[[gnu::always_inline]] inline bool in_pairs(std::integral_constant<int, count>, F&& f, Last&& last) {
  const bool all = [&]<int... k>(std::integer_sequence<int, k...>) [[gnu::always_inline]] {
    return (f(std::integral_constant<int, 2 * k>{}) && ...);
  }(std::make_integer_sequence<int, count / 2>{});
  if constexpr (count % 2 != 0) return all && last(std::integral_constant<int, count - 1>{});
  return all;
}
template <class F, class Last>
[[gnu::always_inline]] inline bool in_pairs(int count, F&& f, Last&& last) {
  int k = 0;
  for (; k + 1 < count; k += 2)
    if (!f(k)) return false;
  return k == count || last(k);
}
template <int p, int s>
constexpr std::integral_constant<int, p> pivots_of(Shape<p, s>) { return {}; }
inline int pivots_of(const AnyShape& shape) { return shape.pivots; }

// y -= a x
[[gnu::always_inline]] inline void subtract(int n, double a, const double* x, double* y) {
  int i = 0;
#pragma GCC unroll 8
  for (; i + 1 < n; i += 2) store_pair(load_pair(y + i) - a * load_pair(x + i), y + i);
  if (i < n) y[i] -= a * x[i];
}

// the same twice, one after the other
[[gnu::always_inline]] inline void subtract(int n, double a0, const double* x0, double a1, const double* x1, double* y) {
  int i = 0;
#pragma GCC unroll 8
  for (; i + 1 < n; i += 2) store_pair((load_pair(y + i) - a0 * load_pair(x0 + i)) - a1 * load_pair(x1 + i), y + i);
  if (i < n) y[i] = (y[i] - a0 * x0[i]) - a1 * x1[i];
}

// x *= a
[[gnu::always_inline]] inline void scale_by(double a, int n, double* x) {
  int i = 0;
#pragma GCC unroll 8
  for (; i + 1 < n; i += 2) store_pair(load_pair(x + i) * a, x + i);
  if (i < n) x[i] *= a;
}

// y += x
[[gnu::always_inline]] inline void add(int n, const double* x, double* y) {
  int i = 0;
#pragma GCC unroll 4
  for (; i + 1 < n; i += 2) store_pair(load_pair(y + i) + load_pair(x + i), y + i);
  if (i < n) y[i] += x[i];
}

[[gnu::always_inline]] inline void set_zero(int n, double* x) {
  int i = 0;
#pragma GCC unroll 16
  for (; i + 1 < n; i += 2) store_pair(Pair{0, 0}, x + i);
  if (i < n) x[i] = 0;
}

// what stands in a row, three by three as bodies have them, `stride` apart
template <class ValueOf>
[[gnu::always_inline]] inline void put_run(int length, const double* from, int stride, double* to, ValueOf&& value_of) {
  for (; length >= 3; length -= 3, from += 3, to += 3 * stride) {
    to[0] = value_of(from[0]);
    to[stride] = value_of(from[1]);
    to[2 * stride] = value_of(from[2]);
  }
  for (; length > 0; --length, ++from, to += stride) *to = value_of(*from);
}

// the end of what was written
[[gnu::always_inline]] inline double* copy(int n, const double* from, double* to) {
  int i = 0;
#pragma GCC unroll 8
  for (; i + 1 < n; i += 2) store_pair(load_pair(from + i), to + i);
  if (i < n) to[i] = from[i];
  return to + n;
}

// puts the row with the largest scaled entry of column k in place and divides the column by it
template <class Front>
[[gnu::always_inline]] inline int exchange(const Front& front, int k, double* a, double* row_scale) {
  const int size = front.size, pivots = front.pivots;
  double* column = a + k * size;
  int p = k;
  double best = -1;
#pragma GCC unroll 11
  for (int i = k; i < pivots; ++i) {
    const double candidate = std::abs(column[i]) * row_scale[i];
    if (candidate > best) {
      best = candidate;
      p = i;
    }
  }
  if (p != k) {
    double *here = a + k, *there = a + p;
    for (const double* const end = a + size * size; here < end; here += size, there += size) std::swap(*here, *there);
    std::swap(row_scale[k], row_scale[p]);
  }
  scale_by(1 / column[k], size - k - 1, column + k + 1);
  return p;
}

// what a front's elimination leaves behind
struct Kept {
  int* pivot;
  double *lower, *upper, *rest;
};
struct SmallestPivot {
  double size = std::numeric_limits<double>::infinity();
  int unknown = -1;
};

// two pivots at a time, so that the columns behind them are read and written half as often; false: singular
template <class Front>
bool eliminate(const Front& front, const int* unknowns, const Vec& scale, double* a, double* row_scale, Kept keep,
               SmallestPivot& smallest) {
  const int size = front.size, pivots = front.pivots, rest = size - pivots;
  double* const end = a + size * size;
  const auto column = [&](int k) { return a + k * size; };
#pragma GCC unroll 11
  for (int i = 0; i < pivots; ++i) row_scale[i] = scale[unknowns[i]];
  const auto next_pivot = [&](int k) [[gnu::always_inline]] {
    keep.pivot[k] = exchange(front, k, a, row_scale);
    const double pivot = std::abs(column(k)[k]) * row_scale[k] * scale[unknowns[k]];
    if (pivot < smallest.size) smallest = {pivot, unknowns[k]};
    return pivot > 0;
  };
  const auto two = [&](int k) [[gnu::always_inline]] {
    double *first = column(k), *second = column(k + 1);
    if (!next_pivot(k)) return false;
    if (second[k] != 0) subtract(size - k - 1, second[k], first + k + 1, second + k + 1);
    if (!next_pivot(k + 1)) return false;
    for (double* target = column(k + 2); target < end; target += size) {
      const double f0 = target[k];
      const double f1 = target[k + 1] -= first[k + 1] * f0;
      if (f0 != 0 || f1 != 0) subtract(size - k - 2, f0, first + k + 2, f1, second + k + 2, target + k + 2);
    }
    return true;
  };
  const auto one = [&](int k) [[gnu::always_inline]] {
    if (!next_pivot(k)) return false;
    for (double* target = column(k + 1); target < end; target += size)
      if (target[k] != 0) subtract(size - k - 1, target[k], column(k) + k + 1, target + k + 1);
    return true;
  };
  if (!in_pairs(pivots_of(front), two, one)) return false;

  double *lower = keep.lower, *upper = keep.upper, *left = keep.rest;
#pragma GCC unroll 11
  for (int j = 0; j < pivots; ++j) {
    upper = copy(j, column(j), upper);
    *upper++ = 1 / column(j)[j];
    lower = copy(size - j - 1, column(j) + j + 1, lower);
  }
  for (int j = pivots; j < size; ++j) {
    upper = copy(pivots, column(j), upper);
    left = copy(rest, column(j) + pivots, left);
  }
  return true;
}

template <class Front>
void solve_forwards(const Front& front, const int* unknowns, const int* pivot, const double* l, double* local, double* x) {
  const int size = front.size, pivots = front.pivots;
#pragma GCC unroll 11
  for (int i = 0; i < pivots; ++i) local[i] = x[unknowns[i]];
#pragma GCC unroll 8
  for (int i = pivots; i < size; ++i) local[i] = 0;
#pragma GCC unroll 11
  for (int k = 0; k < pivots; ++k)
    if (pivot[k] != k) std::swap(local[k], local[pivot[k]]);
  const auto two = [&](int k) [[gnu::always_inline]] {
    const int below = size - k - 2;
    local[k + 1] -= l[0] * local[k];
    subtract(below, local[k], l + 1, local[k + 1], l + 1 + below, local + k + 2);
    l += 1 + 2 * below;
    return true;
  };
  const auto one = [&](int k) [[gnu::always_inline]] {
    subtract(size - k - 1, local[k], l, local + k + 1);
    return true;
  };
  in_pairs(pivots_of(front), two, one);
#pragma GCC unroll 11
  for (int i = 0; i < pivots; ++i) x[unknowns[i]] = local[i];
#pragma GCC unroll 8
  for (int i = pivots; i < size; ++i) x[unknowns[i]] += local[i];
}

template <class Front>
void solve_backwards(const Front& front, const int* unknowns, const double* square, double* local, double* x) {
  const int size = front.size, pivots = front.pivots;
  const double* u = square + pivots * (pivots + 1) / 2;
#pragma GCC unroll 11
  for (int i = 0; i < pivots; ++i) local[i] = x[unknowns[i]];
  int j = pivots;
#pragma GCC unroll 4
  for (; j + 1 < size; j += 2, u += 2 * pivots)
    subtract(pivots, x[unknowns[j]], u, x[unknowns[j + 1]], u + pivots, local);
  if (j < size) subtract(pivots, x[unknowns[j]], u, local);
  // from the last pivot up
  const auto two = [&](int done) [[gnu::always_inline]] {
    const int k = pivots - 1 - done;
    const double *before = square + (k - 1) * k / 2, *last = before + k;
    local[k] *= last[k];
    local[k - 1] = (local[k - 1] - last[k - 1] * local[k]) * before[k - 1];
    subtract(k - 1, local[k], last, local[k - 1], before, local);
    return true;
  };
  const auto one = [&](int) [[gnu::always_inline]] {
    local[0] *= square[0];
    return true;
  };
  in_pairs(pivots_of(front), two, one);
#pragma GCC unroll 11
  for (int i = 0; i < pivots; ++i) x[unknowns[i]] = local[i];
}

}  // namespace escapement::math::front
