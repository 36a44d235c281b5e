#include "math/block_lu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "math/elimination.hpp"

namespace escapement {

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
  std::size_t factor_count = 0, largest = 0;
  std::vector<int> local(n_ + m_, -1);
  for (std::size_t k = 0; k < fronts_.size(); ++k) {
    const Elimination::Front& from = elimination.fronts[k];
    Front& front = fronts_[k];
    front.pivots = from.pivots;
    front.size = static_cast<int>(from.unknowns.size());
    front.unknowns = unknowns_.size();
    unknowns_.insert(unknowns_.end(), from.unknowns.begin(), from.unknowns.end());
    const std::size_t size = front.size, pivots = front.pivots;
    front.factors = factor_count;
    factor_count += size * pivots + pivots * (size - pivots);
    largest = std::max(largest, size);
    front.places = places_.size();
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
  factors_.assign(factor_count, 0);
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
      front.runs[kind] = runs_.size();
      const int stride = kind == 1 ? 1 : front.size;
      for (const Placed& e : by_front[kind][k]) {
        const int target = local[e.col] * front.size + local[e.row];
        if (runs_.size() > front.runs[kind]) {
          Run& last = runs_.back();
          if (last.source + last.length == e.source && last.target + last.length * stride == target) {
            ++last.length;
            continue;
          }
        }
        runs_.push_back({e.source, target, 1});
      }
    }
    front.runs[3] = runs_.size();
  }
}

double BlockLu::factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, const Vec& scale,
                       const Vec& shift) {
  top_ = 0;
  smallest_ = -1;
  double smallest = std::numeric_limits<double>::infinity();
  for (const Front& front : fronts_) {
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
    for (std::size_t r = front.runs[kind]; r < front.runs[kind + 1]; ++r) {
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

double BlockLu::eliminate(const Front& front, const Vec& scale) {
  const int size = front.size, pivots = front.pivots, rest = size - pivots;
  double* a = work_.data();
  int* pivot = pivot_.data() + front.unknowns;
  const int* unknowns = &unknowns_[front.unknowns];
  double* row_scale = local_.data();
  for (int i = 0; i < pivots; ++i) row_scale[i] = scale[unknowns[i]];

  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < pivots; ++k) {
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
    pivot[k] = p;
    best *= scale[unknowns[k]];
    if (!(best > 0)) return 0;
    if (best < smallest) {
      smallest = best;
      smallest_ = unknowns[k];
    }
    if (p != k) {
      for (int j = 0; j < size; ++j) std::swap(a[j * size + k], a[j * size + p]);
      std::swap(row_scale[k], row_scale[p]);
    }
    const double inverse = 1 / column[k];
    for (int i = k + 1; i < size; ++i) column[i] *= inverse;
    for (int j = k + 1; j < size; ++j) {
      double* target = a + static_cast<std::size_t>(j) * size;
      const double factor = target[k];
      if (factor == 0) continue;
      for (int i = k + 1; i < size; ++i) target[i] -= column[i] * factor;
    }
  }

  double* out = factors_.data() + front.factors;
  out = std::copy_n(a, static_cast<std::size_t>(size) * pivots, out);
  for (int j = pivots; j < size; ++j) {
    const double* column = a + static_cast<std::size_t>(j) * size;
    out = std::copy_n(column, pivots, out);
    std::copy_n(column + pivots, rest, stack_.data() + top_);
    top_ += rest;
  }
  return smallest;
}

void BlockLu::solve(Vec& x) {
  double* local = local_.data();
  for (const Front& front : fronts_) {
    const int size = front.size, pivots = front.pivots;
    const int* unknowns = &unknowns_[front.unknowns];
    const int* pivot = &pivot_[front.unknowns];
    const double* l = &factors_[front.factors];
    for (int i = 0; i < pivots; ++i) local[i] = x[unknowns[i]];
    for (int i = pivots; i < size; ++i) local[i] = 0;
    for (int k = 0; k < pivots; ++k)
      if (pivot[k] != k) std::swap(local[k], local[pivot[k]]);
    for (int k = 0; k < pivots; ++k, l += size) {
      const double xk = local[k];
      for (int i = k + 1; i < size; ++i) local[i] -= l[i] * xk;
    }
    for (int i = 0; i < pivots; ++i) x[unknowns[i]] = local[i];
    for (int i = pivots; i < size; ++i) x[unknowns[i]] += local[i];
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {
    const Front& front = fronts_[f];
    const int size = front.size, pivots = front.pivots;
    const int* unknowns = &unknowns_[front.unknowns];
    const double* l = &factors_[front.factors];
    const double* u = l + static_cast<std::size_t>(size) * pivots;
    for (int i = 0; i < pivots; ++i) local[i] = x[unknowns[i]];
    for (int j = pivots; j < size; ++j, u += pivots) {
      const double xj = x[unknowns[j]];
      for (int i = 0; i < pivots; ++i) local[i] -= u[i] * xj;
    }
    for (int k = pivots - 1; k >= 0; --k) {
      const double* column = l + static_cast<std::size_t>(k) * size;
      const double xk = local[k] /= column[k];
      for (int i = 0; i < k; ++i) local[i] -= column[i] * xk;
    }
    for (int i = 0; i < pivots; ++i) x[unknowns[i]] = local[i];
  }
}

}  // namespace escapement
