#include "math/block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/elimination.hpp"
#include "math/pairs.hpp"

namespace escapement::inline math {

// What a front needs is asked for while those before it are worked on. Large systems do not fit the caches, and the
// processor, which foresees arrays that are read forwards, does not foresee these: bodies are numbered from the roots,
// fronts go from the leaves
namespace {
constexpr std::size_t ahead = 2;  // fronts
constexpr int most_ahead = 1024;  // numbers of one matrix

inline void fetch_numbers(const double* first, const double* last) {
  constexpr int line = 64 / sizeof(double);
  for (; first < last; first += line) __builtin_prefetch(first);
}
}  // namespace

void BlockLu::analyse(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, int rows) {
  n_ = A.rows();
  m_ = rows;
  versions_[0] = A.version();
  versions_[1] = G_top.version();
  versions_[2] = G_bottom.version();
  const Elimination elimination = find_elimination(A, G_top, G_bottom, rows);

  fronts_.assign(elimination.fronts.size(), {});
  unknowns_.clear();
  places_.clear();
  std::size_t lower = 0, upper = 0, largest = 0;
  operations_ = 0;
  std::vector<int> local(n_ + m_, -1);
  for (std::size_t k = 0; k < fronts_.size(); ++k) {
    const Elimination::Front& from = elimination.fronts[k];
    Front& front = fronts_[k];
    front.pivots = from.pivots;
    front.size = static_cast<int>(from.unknowns.size());
    front.unknowns = static_cast<int>(unknowns_.size());
    unknowns_.insert(unknowns_.end(), from.unknowns.begin(), from.unknowns.end());
    const std::size_t size = front.size, pivots = front.pivots;
    front.lower = lower;
    front.upper = upper;
    lower += pivots * (size - pivots) + pivots * (pivots - 1) / 2;
    upper += pivots * (size - pivots) + pivots * (pivots + 1) / 2;
    for (std::size_t p = 0; p < pivots; ++p) operations_ += (size - p) * (size - p - 1);
    largest = std::max(largest, size);
    front.places = static_cast<int>(places_.size());
    if (from.parent < 0) continue;
    ++fronts_[from.parent].children;
    const std::vector<int>& above = elimination.fronts[from.parent].unknowns;
    for (std::size_t i = 0; i < above.size(); ++i) local[above[i]] = static_cast<int>(i);
    for (std::size_t i = pivots; i < size; ++i) places_.push_back(local[from.unknowns[i]]);
  }

  // the children of a front in the order in which they leave the stack
  child_fronts_.clear();
  std::vector<int> pending;
  std::size_t height = 0, tallest = 0;
  for (std::size_t k = 0; k < fronts_.size(); ++k) {
    Front& front = fronts_[k];
    front.first_child = static_cast<int>(child_fronts_.size());
    for (int c = 0; c < front.children; ++c) {
      const Front& child = fronts_[pending.back()];
      child_fronts_.push_back(pending.back());
      pending.pop_back();
      height -= static_cast<std::size_t>(child.size - child.pivots) * (child.size - child.pivots);
    }
    if (elimination.fronts[k].parent < 0) continue;
    pending.push_back(static_cast<int>(k));
    height += static_cast<std::size_t>(front.size - front.pivots) * (front.size - front.pivots);
    tallest = std::max(tallest, height);
  }

  set_runs(A, G_top, G_bottom);
  lower_.assign(lower, 0);
  upper_.assign(upper, 0);
  work_.assign(largest * largest, 0);
  stack_.assign(tallest, 0);
  local_.assign(largest, 0);
  pivot_.assign(unknowns_.size(), 0);
}

bool BlockLu::fits(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) const {
  return A.version() == versions_[0] && G_top.version() == versions_[1] && G_bottom.version() == versions_[2];
}

// where each stored number of A, G_top and G_bottom goes
void BlockLu::set_runs(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  std::vector<int> owner(n_ + m_, -1);
  for (std::size_t k = 0; k < fronts_.size(); ++k)
    for (int i = 0; i < fronts_[k].pivots; ++i) owner[unknowns_[fronts_[k].unknowns + i]] = static_cast<int>(k);

  struct Placed {
    int row, col, source;
  };
  std::vector<std::vector<Placed>> by_front[3];
  for (auto& list : by_front) list.resize(fronts_.size());
  const auto add = [&](int kind, int row, int col, int source) {
    by_front[kind][std::min(owner[row], owner[col])].push_back({row, col, source});
  };
  for (int i = 0; i < n_; ++i)
    for (int k = A.row_start()[i]; k < A.row_start()[i + 1]; ++k) add(0, i, A.col()[k], k);
  for (int i = 0; i < m_; ++i) {
    for (int k = G_top.row_start()[i]; k < G_top.row_start()[i + 1]; ++k) add(1, G_top.col()[k], n_ + i, k);
    for (int k = G_bottom.row_start()[i]; k < G_bottom.row_start()[i + 1]; ++k) add(2, n_ + i, G_bottom.col()[k], k);
  }

  runs_.clear();
  std::vector<int> local(n_ + m_, -1);
  for (std::size_t k = 0; k < fronts_.size(); ++k) {
    Front& front = fronts_[k];
    const int* unknowns = &unknowns_[front.unknowns];
    for (int i = 0; i < front.size; ++i) local[unknowns[i]] = i;
    for (int kind = 0; kind < 3; ++kind) {
      front.runs[kind] = static_cast<int>(runs_.size());
      const int stride = kind == 1 ? 1 : front.size;
      for (const Placed& e : by_front[kind][k]) {
        const int target = local[e.col] * front.size + local[e.row];
        if (static_cast<int>(runs_.size()) > front.runs[kind]) {
          Run& last = runs_.back();
          if (last.source + last.length == e.source && last.target + last.length * stride == target) {
            ++last.length;
            continue;
          }
        }
        runs_.push_back({e.source, target, 1});
      }
    }
    front.runs[3] = static_cast<int>(runs_.size());
    set_own(front, A, G_top, G_bottom);
  }
}

void BlockLu::set_own(Front& front, const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) const {
  const int* unknowns = &unknowns_[front.unknowns];
  const auto add = [](Span& span, const Matrix& matrix, int row) {
    const int first = matrix.row_start()[row], last = matrix.row_start()[row + 1];
    if (span.first == span.last) span = {first, first};
    span = {std::min(span.first, first), std::max(span.last, last)};
  };
  for (int i = 0; i < front.pivots; ++i) {
    if (unknowns[i] < n_) {
      add(front.own[0], A, unknowns[i]);
    } else {
      add(front.own[1], G_top, unknowns[i] - n_);
      add(front.own[2], G_bottom, unknowns[i] - n_);
    }
  }
  for (Span& span : front.own) span.last = std::min(span.last, span.first + most_ahead);
}

void BlockLu::fetch(const Front& front, const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) {
  const Matrix* matrices[] = {&A, &G_top, &G_bottom};
  for (int kind = 0; kind < (&G_top == &G_bottom ? 2 : 3); ++kind) {
    const double* value = matrices[kind]->value().data();
    fetch_numbers(value + front.own[kind].first, value + front.own[kind].last);
  }
}

double BlockLu::factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, const Vec& scale,
                       const Vec& shift) {
  top_ = 0;
  smallest_ = -1;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    const Front& front = fronts_[f];
    if (f + ahead < fronts_.size()) fetch(fronts_[f + ahead], A, G_top, G_bottom);
    assemble(front, A, G_top, G_bottom, shift);
    const int before = smallest_;
    const double pivot = eliminate(front, scale);
    if (pivot < smallest) {
      smallest = pivot;
    } else {
      smallest_ = before;
    }
    if (!(pivot > 0)) return 0;
  }
  return smallest;
}

void BlockLu::assemble(const Front& front, const Matrix& A, const Matrix& G_top, const Matrix& G_bottom,
                       const Vec& shift) {
  const int size = front.size;
  double* work = work_.data();
  std::fill_n(work, static_cast<std::size_t>(size) * size, 0.0);
  const auto put = [&](int kind, const Matrix& matrix, int stride, double sign) {
    const double* value = matrix.value().data();
    for (int r = front.runs[kind]; r < front.runs[kind + 1]; ++r) {
      const Run& run = runs_[r];
      for (int i = 0; i < run.length; ++i) work[run.target + i * stride] = sign * value[run.source + i];
    }
  };
  put(0, A, size, 1);
  put(1, G_top, 1, -1);
  put(2, G_bottom, size, 1);
  const int* unknowns = &unknowns_[front.unknowns];
  for (int i = 0; i < front.pivots; ++i)
    if (unknowns[i] >= n_) work[i * size + i] = shift[unknowns[i] - n_];

  for (int c = 0; c < front.children; ++c) {
    const Front& child = fronts_[child_fronts_[front.first_child + c]];
    const int rest = child.size - child.pivots;
    const int* place = places_.data() + child.places;
    top_ -= static_cast<std::size_t>(rest) * rest;
    const double* remainder = stack_.data() + top_;
    for (int j = 0; j < rest; ++j) {
      double* column = work + static_cast<std::size_t>(place[j]) * size;
      for (int i = 0; i < rest; ++i) column[place[i]] += remainder[j * rest + i];
    }
  }
}

namespace {

// y -= a x
[[gnu::always_inline]] inline void subtract(int n, double a, const double* x, double* y) {
  int i = 0;
#pragma GCC unroll 6
  for (; i + 1 < n; i += 2) store_pair(load_pair(y + i) - a * load_pair(x + i), y + i);
  if (i < n) y[i] -= a * x[i];
}

// the same twice, one after the other
[[gnu::always_inline]] inline void subtract(int n, double a0, const double* x0, double a1, const double* x1, double* y) {
  int i = 0;
#pragma GCC unroll 6
  for (; i + 1 < n; i += 2) store_pair((load_pair(y + i) - a0 * load_pair(x0 + i)) - a1 * load_pair(x1 + i), y + i);
  if (i < n) y[i] = (y[i] - a0 * x0[i]) - a1 * x1[i];
}

// the end of what was written
[[gnu::always_inline]] inline double* copy(int n, const double* from, double* to) {
#pragma GCC unroll 12
  for (int i = 0; i < n; ++i) to[i] = from[i];
  return to + n;
}

// Fronts of chains of bodies are all of one size; where that is known beforehand, loops have no ends to look for
struct AnyShape {
  int pivots, size;
};
template <int p, int s>
struct Shape {
  static constexpr int pivots = p, size = s;
};
template <class Work>
void with_shape(int pivots, int size, Work&& work) {
  if (pivots == 3 && size == 6) return work(Shape<3, 6>{});  // a body between two others, in the plane
  if (pivots == 6 && size == 12) return work(Shape<6, 12>{});
  work(AnyShape{pivots, size});
}

// puts the row with the largest scaled entry of column k in place and divides the column by it
template <class Front>
int exchange(const Front& front, int k, double* a, double* row_scale) {
  const int size = front.size, pivots = front.pivots;
  double* column = a + static_cast<std::size_t>(k) * size;
  int p = k;
  double best = -1;
  for (int i = k; i < pivots; ++i) {
    const double candidate = std::abs(column[i]) * row_scale[i];
    if (candidate > best) {
      best = candidate;
      p = i;
    }
  }
  if (p != k) {
    for (int j = 0; j < size; ++j) std::swap(a[j * size + k], a[j * size + p]);
    std::swap(row_scale[k], row_scale[p]);
  }
  const double inverse = 1 / column[k];
  for (int i = k + 1; i < size; ++i) column[i] *= inverse;
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
bool eliminate_front(const Front& front, const int* unknowns, const Vec& scale, double* a, double* row_scale, Kept keep,
                     SmallestPivot& smallest) {
  const int size = front.size, pivots = front.pivots, rest = size - pivots;
  const auto column = [&](int k) { return a + static_cast<std::size_t>(k) * size; };
#pragma GCC unroll 8
  for (int i = 0; i < pivots; ++i) row_scale[i] = scale[unknowns[i]];
  const auto next_pivot = [&](int k) {
    keep.pivot[k] = exchange(front, k, a, row_scale);
    const double pivot = std::abs(column(k)[k]) * row_scale[k] * scale[unknowns[k]];
    if (pivot < smallest.size) smallest = {pivot, unknowns[k]};
    return pivot > 0;
  };
  int k = 0;
#pragma GCC unroll 4
  for (; k + 1 < pivots; k += 2) {
    double *first = column(k), *second = column(k + 1);
    if (!next_pivot(k)) return false;
    if (second[k] != 0) subtract(size - k - 1, second[k], first + k + 1, second + k + 1);
    if (!next_pivot(k + 1)) return false;
#pragma GCC unroll 12
    for (int j = k + 2; j < size; ++j) {
      double* target = column(j);
      const double f0 = target[k];
      const double f1 = target[k + 1] -= first[k + 1] * f0;
      if (f0 != 0 || f1 != 0) subtract(size - k - 2, f0, first + k + 2, f1, second + k + 2, target + k + 2);
    }
  }
  if (k < pivots) {
    if (!next_pivot(k)) return false;
#pragma GCC unroll 12
    for (int j = k + 1; j < size; ++j)
      if (column(j)[k] != 0) subtract(size - k - 1, column(j)[k], column(k) + k + 1, column(j) + k + 1);
  }

  double *lower = keep.lower, *upper = keep.upper, *left = keep.rest;
#pragma GCC unroll 8
  for (int j = 0; j < pivots; ++j) {
    upper = copy(j, column(j), upper);
    *upper++ = 1 / column(j)[j];
    lower = copy(size - j - 1, column(j) + j + 1, lower);
  }
#pragma GCC unroll 8
  for (int j = pivots; j < size; ++j) {
    upper = copy(pivots, column(j), upper);
    left = copy(rest, column(j) + pivots, left);
  }
  return true;
}

template <class Front>
void solve_forwards(const Front& front, const int* unknowns, const int* pivot, const double* l, double* local, double* x) {
  const int size = front.size, pivots = front.pivots;
#pragma GCC unroll 8
  for (int i = 0; i < pivots; ++i) local[i] = x[unknowns[i]];
#pragma GCC unroll 8
  for (int i = pivots; i < size; ++i) local[i] = 0;
#pragma GCC unroll 8
  for (int k = 0; k < pivots; ++k)
    if (pivot[k] != k) std::swap(local[k], local[pivot[k]]);
  int k = 0;
#pragma GCC unroll 4
  for (; k + 1 < pivots; k += 2) {
    const int below = size - k - 2;
    local[k + 1] -= l[0] * local[k];
    subtract(below, local[k], l + 1, local[k + 1], l + 1 + below, local + k + 2);
    l += 1 + 2 * below;
  }
  if (k < pivots) subtract(size - k - 1, local[k], l, local + k + 1);
#pragma GCC unroll 8
  for (int i = 0; i < pivots; ++i) x[unknowns[i]] = local[i];
#pragma GCC unroll 8
  for (int i = pivots; i < size; ++i) x[unknowns[i]] += local[i];
}

template <class Front>
void solve_backwards(const Front& front, const int* unknowns, const double* square, double* local, double* x) {
  const int size = front.size, pivots = front.pivots;
  const double* u = square + pivots * (pivots + 1) / 2;
#pragma GCC unroll 8
  for (int i = 0; i < pivots; ++i) local[i] = x[unknowns[i]];
  int j = pivots;
#pragma GCC unroll 4
  for (; j + 1 < size; j += 2, u += 2 * pivots)
    subtract(pivots, x[unknowns[j]], u, x[unknowns[j + 1]], u + pivots, local);
  if (j < size) subtract(pivots, x[unknowns[j]], u, local);
  int k = pivots - 1;
#pragma GCC unroll 4
  for (; k > 0; k -= 2) {
    const double *before = square + (k - 1) * k / 2, *last = before + k;
    local[k] *= last[k];
    local[k - 1] = (local[k - 1] - last[k - 1] * local[k]) * before[k - 1];
    subtract(k - 1, local[k], last, local[k - 1], before, local);
  }
  if (k == 0) local[0] *= square[0];
#pragma GCC unroll 8
  for (int i = 0; i < pivots; ++i) x[unknowns[i]] = local[i];
}

}  // namespace

double BlockLu::eliminate(const Front& front, const Vec& scale) {
  const std::size_t rest = front.size - front.pivots;
  const Kept keep{pivot_.data() + front.unknowns, lower_.data() + front.lower, upper_.data() + front.upper, stack_.data() + top_};
  SmallestPivot smallest;
  bool regular = false;
  with_shape(front.pivots, front.size, [&](const auto& shape) {
    regular = eliminate_front(shape, &unknowns_[front.unknowns], scale, work_.data(), local_.data(), keep, smallest);
  });
  if (smallest.unknown >= 0) smallest_ = smallest.unknown;
  if (!regular) return 0;
  top_ += rest * rest;
  return smallest.size;
}

void BlockLu::solve(Vec& x) {
  for (const Front& front : fronts_)
    with_shape(front.pivots, front.size, [&](const auto& shape) {
      solve_forwards(shape, &unknowns_[front.unknowns], &pivot_[front.unknowns], lower_.data() + front.lower, local_.data(), x.data());
    });
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    if (f >= ahead)
      fetch_numbers(upper_.data() + fronts_[f - ahead].upper, upper_.data() + fronts_[f - ahead + 1].upper);
    with_shape(front.pivots, front.size, [&](const auto& shape) {
      solve_backwards(shape, &unknowns_[front.unknowns], upper_.data() + front.upper, local_.data(), x.data());
    });
  }
}

}  // namespace escapement
