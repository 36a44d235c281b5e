#include "math/block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/elimination.hpp"
#include "math/front.hpp"

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
  front::with_shape(front.pivots, front.size, [&](const auto& shape) {
    const int size = shape.size;
    double* const work = work_.data();
    front::set_zero(size * size, work);
    const auto put = [&](int kind, const Matrix& matrix, int stride, auto&& value_of) {
      const double* const value = matrix.value().data();
      for (int r = front.runs[kind]; r < front.runs[kind + 1]; ++r) {
        const Run& run = runs_[r];
        front::put_run(run.length, value + run.source, stride, work + run.target, value_of);
      }
    };
    const auto same = [](double x) { return x; };
    put(0, A, size, same);
    put(1, G_top, 1, [](double x) { return -x; });
    put(2, G_bottom, size, same);
    const int* unknowns = &unknowns_[front.unknowns];
    for (int i = 0; i < shape.pivots; ++i)
      if (unknowns[i] >= n_) work[i * size + i] = shift[unknowns[i] - n_];
    for (int c = 0; c < front.children; ++c) {
      const Front& child = fronts_[child_fronts_[front.first_child + c]];
      const int rest = child.size - child.pivots;
      const int* place = places_.data() + child.places;
      top_ -= static_cast<std::size_t>(rest) * rest;
      const double* remainder = stack_.data() + top_;
      const bool together = rest > 0 && place[rest - 1] - place[0] == rest - 1;  // they ascend
      for (int j = 0; j < rest; ++j, remainder += rest) {
        double* column = work + place[j] * size;
        if (together) {
          front::add(rest, remainder, column + place[0]);
        } else {
          for (int i = 0; i < rest; ++i) column[place[i]] += remainder[i];
        }
      }
    }
  });
}

double BlockLu::eliminate(const Front& front, const Vec& scale) {
  const std::size_t rest = front.size - front.pivots;
  const front::Kept keep{pivot_.data() + front.unknowns, lower_.data() + front.lower, upper_.data() + front.upper, stack_.data() + top_};
  front::SmallestPivot smallest;
  bool regular = false;
  front::with_shape(front.pivots, front.size, [&](const auto& shape) {
    regular = front::eliminate(shape, &unknowns_[front.unknowns], scale, work_.data(), local_.data(), keep, smallest);
  });
  if (smallest.unknown >= 0) smallest_ = smallest.unknown;
  if (!regular) return 0;
  top_ += rest * rest;
  return smallest.size;
}

void BlockLu::solve(Vec& x) {
  for (const Front& front : fronts_)
    front::with_shape(front.pivots, front.size, [&](const auto& shape) {
      front::solve_forwards(shape, &unknowns_[front.unknowns], &pivot_[front.unknowns], lower_.data() + front.lower, local_.data(), x.data());
    });
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    if (f >= ahead)
      fetch_numbers(upper_.data() + fronts_[f - ahead].upper, upper_.data() + fronts_[f - ahead + 1].upper);
    front::with_shape(front.pivots, front.size, [&](const auto& shape) {
      front::solve_backwards(shape, &unknowns_[front.unknowns], upper_.data() + front.upper, local_.data(), x.data());
    });
  }
}

}  // namespace escapement
