// One solver for the saddle-point systems of every scheme:
//
//   [ A         -G_top^T ] [ x  ]   [ a ]
//   [ G_bottom   0       ] [ mu ] = [ b ]
//
// Rows of G_bottom that are entirely zero are switched off: their multiplier is 0. Rows that depend on others are kept by a
// small regularisation with iterative refinement: the solution is the one whose multiplier has (to the regularisation's
// accuracy) the smallest norm, and the motion x does not feel the choice.
#pragma once

#include <vector>

#include "math/dense_lu.hpp"
#include "math/matrix.hpp"

namespace escapement {

class SaddleSolver {
 public:
  void resize(int n, int m);  // size of A, number of rows; once, before the first factor()
  // false: singular for a reason other than dependent rows
  bool factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  bool factor(const Matrix& A, const Matrix& G) { return factor(A, G, G); }
  // a and b are sized n and m (entries of b beyond m are ignored); x and mu must be sized
  void solve(const Vec& a, const Vec& b, Vec& x, Vec& mu);

  bool redundant() const { return redundant_; }  // the last factorisation met dependent rows
  bool finite() const { return full_.allFinite(); }  // a failed factor(): false when the matrix held NaN or infinity
  int solves() const { return solves_; }         // since resize(); for the work counts

 private:
  void fill(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);

  int n_ = 0, m_ = 0;
  int solves_ = 0;
  bool redundant_ = false;
  DenseLu lu_;
  Mat full_;                       // the unregularised matrix, for refinement
  std::vector<char> switched_off_;
  Vec rhs_, x_, residual_;
};

// rows of G that depend on the rows before them (relative tolerance), in order; rank-revealing, for check and summaries
std::vector<int> redundant_rows(const Matrix& G, double tolerance = 1e-9);

}  // namespace escapement
