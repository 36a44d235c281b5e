#include <algorithm>
#include <cmath>

#include "math/elimination.hpp"
#include "math/saddle_solver.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline math {

namespace {

// modified Gram-Schmidt, row by row, so that the later of two dependent rows is the one named
std::vector<int> redundant_rows_dense(const Matrix& G) {
  std::vector<int> dependent;
  std::vector<Vec> basis;
  for (int i = 0; i < G.rows(); ++i) {
    Vec row = Vec::Zero(G.cols());
    G.add_row(i, 1, row);
    const double norm = row.norm();
    for (int pass = 0; pass < 2; ++pass)
      for (const Vec& e : basis) row -= e.dot(row) * e;
    if (row.squaredNorm() <= little::row_left * norm * norm) {
      dependent.push_back(i);
    } else {
      basis.push_back(row / row.norm());
    }
  }
  return dependent;
}

// symmetric elimination of [1 G^T; G 0], front by front, with rows scaled to length 1: the pivot of a row is minus the
// square of its distance from the rows before it
class SparseRank {
 public:
  explicit SparseRank(const Matrix& G) : G_(G), n_(G.cols()) {
    std::vector<std::pair<int, int>> diagonal;
    for (int j = 0; j < n_; ++j) diagonal.emplace_back(j, j);
    A_.set_pattern(n_, n_, diagonal);
    for (int i = 0; i < G.rows(); ++i) {
      double sum = 0;
      G.for_each_in_row(i, [&](int, double value) { sum += value * value; });
      scale_.push_back(sum > 0 ? 1 / std::sqrt(sum) : 0);
    }
  }

  std::vector<int> dependent() {
    const Elimination elimination = find_elimination(A_, G_, G_, G_.rows());
    std::vector<Mat> remainder(elimination.fronts.size());
    std::vector<std::vector<int>> children(elimination.fronts.size());
    std::vector<int> local(n_ + G_.rows(), -1), front_of(n_ + G_.rows(), -1);
    for (std::size_t k = 0; k < elimination.fronts.size(); ++k) {
      const auto& front = elimination.fronts[k];
      if (front.parent >= 0) children[front.parent].push_back(static_cast<int>(k));
      for (int i = 0; i < front.pivots; ++i) front_of[front.unknowns[i]] = static_cast<int>(k);
    }
    for (std::size_t k = 0; k < elimination.fronts.size(); ++k) {
      const auto& front = elimination.fronts[k];
      const int size = static_cast<int>(front.unknowns.size());
      for (int i = 0; i < size; ++i) local[front.unknowns[i]] = i;
      Mat F = Mat::Zero(size, size);
      for (int i = 0; i < front.pivots; ++i)
        if (front.unknowns[i] < n_) F(i, i) = 1;
      for (int i = 0; i < size; ++i) {
        const int row = front.unknowns[i] - n_;
        if (row < 0) continue;
        G_.for_each_in_row(row, [&](int j, double value) {
          if (std::min(front_of[j], front_of[n_ + row]) != static_cast<int>(k)) return;
          F(i, local[j]) = F(local[j], i) = value * scale_[row];
        });
      }
      for (int child : children[k]) {
        const auto& from = elimination.fronts[child];
        const int rest = static_cast<int>(from.unknowns.size()) - from.pivots;
        for (int i = 0; i < rest; ++i)
          for (int j = 0; j < rest; ++j)
            F(local[from.unknowns[from.pivots + i]], local[from.unknowns[from.pivots + j]]) += remainder[child](i, j);
        remainder[child].resize(0, 0);
      }
      eliminate(front, F);
      remainder[k] = F.bottomRightCorner(size - front.pivots, size - front.pivots);
    }
    std::sort(dependent_.begin(), dependent_.end());
    return dependent_;
  }

 private:
  // pivots on the diagonal, largest first; what remains tiny is a dependent row and leaves
  void eliminate(const Elimination::Front& front, Mat& F) {
    const int size = static_cast<int>(front.unknowns.size());
    std::vector<char> done(front.pivots, 0);
    for (int step = 0; step < front.pivots; ++step) {
      int p = -1;
      for (int i = 0; i < front.pivots; ++i)
        if (!done[i] && (p < 0 || std::abs(F(i, i)) > std::abs(F(p, p)) * (1 + little::tie))) p = i;
      done[p] = 1;
      const double pivot = F(p, p);
      if (std::abs(pivot) <= little::row_left) {
        if (front.unknowns[p] >= n_) dependent_.push_back(front.unknowns[p] - n_);
        F.row(p).setZero();
        F.col(p).setZero();
        continue;
      }
      const Vec column = F.col(p);
      for (int i = 0; i < size; ++i) {
        if ((i < front.pivots && done[i]) || column[i] == 0) continue;
        for (int j = 0; j < size; ++j)
          if (j >= front.pivots || !done[j]) F(i, j) -= column[i] * column[j] / pivot;
      }
    }
  }

  const Matrix& G_;
  int n_;
  Matrix A_;
  std::vector<double> scale_;
  std::vector<int> dependent_;
};

}  // namespace

std::vector<int> redundant_rows(const Matrix& G) {
  return G.is_sparse() ? SparseRank(G).dependent() : redundant_rows_dense(G);
}

}  // namespace escapement
