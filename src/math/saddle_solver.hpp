// One solver for the saddle-point systems of every scheme:
//
//   [ A         -G_top^T ] [ x  ]   [ a ]
//   [ G_bottom   0       ] [ mu ] = [ b ]
//
// Rows of G_bottom that are entirely zero are switched off: their multiplier is 0, and in dense storage they cost a look at
// them alone. Rows that depend on others are kept
// by a small regularisation with iterative refinement: the solution is the one whose multiplier has (to the
// regularisation's accuracy) the smallest norm, and the motion x does not feel the choice.
//
// The storage chooses the method: dense LU, or when all are sparse block elimination in the mechanism's tree order.
// That analyses a pattern when it meets it first (and allocates there), and remembers the last few.
#pragma once

#include <memory>
#include <vector>

#include "math/block_lu.hpp"
#include "math/dense_lu.hpp"
#include "math/matrix.hpp"

namespace escapement::inline math {

class SaddleSolver {
 public:
  // size of A, number of rows, of which those from `joints` on are contacts', which may share what they carry in many ways; once, before
  // the first factor()
  void resize(int n, int m, int joints);
  void resize(int n, int m) { resize(n, m, m); }
  // false: singular for a reason other than dependent rows
  bool factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  bool factor(const Matrix& A, const Matrix& G) { return factor(A, G, G); }
  // a and b are sized n and m (entries of b beyond m are ignored); x and mu must be sized
  void solve(const Vec& a, const Vec& b, Vec& x, Vec& mu);

  bool redundant() const { return redundant_; }  // the last factorisation met dependent rows
  double pivot() const { return pivot_; }        // its smallest scaled pivot, before any regularisation
  // How far the rows are from depending on each other, and from vanishing: about the smallest eigenvalue of G A^-1 G^T, too
  // large by some factor, from one backsubstitution. What counts is how it changes with the place. Rows count in units in
  // which their largest so far, sized m, is 1
  double clearance(Vec& largest);
  int solves() const { return solves_; }         // since resize(); for the work counts
  bool finite() const { return finite_; }        // a failed factor(): false when the matrix held NaN or infinity

 private:
  bool factor_plain(const Matrix& A);  // no rows, dense: a linear system like any other; false: it needs more care
  void set_scale(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  void fill(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  double factor_dense();
  double factor_sparse(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  BlockLu& block_for(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  void apply_inverse(Vec& x);
  void subtract_product(const Vec& x, Vec& residual) const;  // residual -= matrix * x, unregularised

  void leave_out_contradictions();  // of contacts, in x_ and rhs_

  int n_ = 0, m_ = 0, joints_ = 0;
  int solves_ = 0;
  int refinements_ = 0;
  bool sparse_ = false;
  bool plain_ = false;
  bool redundant_ = false;
  bool finite_ = true;
  double pivot_ = 0;
  std::vector<char> switched_off_;
  // rows that take part: all in sparse storage, where the pattern stays, those that are on in dense; behind the n places of x
  // everything below is in their order
  std::vector<int> rows_;
  int taking_part() const { return static_cast<int>(rows_.size()); }
  Vec scale_;   // n + rows, powers of 2: makes the diagonals of A and of G A^-1 G^T comparable
  Vec weight_;  // rows: estimate of the row's G A^-1 G^T
  Vec probe_;   // m: a vector that no combination of rows is normal to, but by accident
  Vec shift_;   // rows: lower right diagonal
  Vec rhs_, x_, residual_;

  // dense
  DenseLu lu_;
  std::vector<double> full_;  // the unregularised matrix, for refinement; columns one after the other
  Eigen::Map<Mat> full() { return {full_.data(), n_ + taking_part(), n_ + taking_part()}; }
  Eigen::Map<const Mat> full() const { return {full_.data(), n_ + taking_part(), n_ + taking_part()}; }

  // sparse
  std::vector<std::unique_ptr<BlockLu>> blocks_;  // one per pattern
  BlockLu* block_ = nullptr;
  std::size_t next_block_ = 0;
  Matrix A_, G_top_, G_bottom_;  // copies for refinement, only when it is needed
};

// rows of G that depend on other rows (relative tolerance), in order; rank-revealing, for check and summaries
std::vector<int> redundant_rows(const Matrix& G);

}  // namespace escapement
