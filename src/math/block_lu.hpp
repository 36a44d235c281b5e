// LU factorisation of large saddle-point matrices
//
//   [ A         -G_top^T ]
//   [ G_bottom   shift   ]
//
// front by front (multifrontal): each front of an Elimination is a small dense matrix that takes its entries and the
// remainders of its children, eliminates its own unknowns with row interchanges among them, and leaves a remainder.
#pragma once

#include <vector>

#include "math/matrix.hpp"

namespace escapement::inline math {

class BlockLu {
 public:
  // sizes everything for these patterns, of which the first `rows` rows of G count
  void analyse(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, int rows);
  bool fits(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) const;  // analysed for these patterns
  // scale: one factor per unknown that makes the rows and columns comparable; shift: the lower right diagonal.
  // returns the smallest scaled pivot, 0 when singular or not finite
  double factor(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, const Vec& scale, const Vec& shift);
  void solve(Vec& x);                               // right side in, solution out
  int smallest_pivot() const { return smallest_; }  // the unknown of the smallest scaled pivot

  std::size_t stored() const { return lower_.size() + upper_.size(); }  // numbers kept by a factorisation
  std::size_t operations() const { return operations_; }                // multiplications of a factorisation, at most

 private:
  struct Span {
    int first = 0, last = 0;
  };
  struct Front {
    int pivots = 0, size = 0;
    int unknowns = 0;       // into unknowns_
    int places = 0;         // into places_: where the remainder's unknowns are in the parent
    std::size_t lower = 0;  // into lower_: the columns of L, each from below its diagonal
    std::size_t upper = 0;  // into upper_: the columns of U, to the diagonal (kept inverted) or to the last pivot
    int first_child = 0, children = 0;
    int runs[4] = {};  // runs_ of A from runs[0], of G_top from runs[1], of G_bottom from runs[2] to runs[3]
    Span own[3];       // of A, G_top and G_bottom: where the rows of its pivots are stored
  };
  // neighbours in a stored row that are neighbours in the front: along a row (A, G_bottom) or a column (G_top)
  struct Run {
    int source, target, length;
  };

  void assemble(const Front&, const Matrix& A, const Matrix& G_top, const Matrix& G_bottom, const Vec& shift);
  double eliminate(const Front&, const Vec& scale);
  void set_runs(const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);
  void set_own(Front&, const Matrix& A, const Matrix& G_top, const Matrix& G_bottom) const;
  static void fetch(const Front&, const Matrix& A, const Matrix& G_top, const Matrix& G_bottom);

  int n_ = 0, m_ = 0;
  unsigned versions_[3] = {};
  std::vector<Front> fronts_;
  std::vector<int> unknowns_, places_, pivot_;
  std::vector<Run> runs_;
  std::vector<double> lower_, upper_;  // apart, so that each half of solve() reads only what it needs
  std::size_t operations_ = 0;
  std::vector<double> work_;   // the front being eliminated, size x size
  std::vector<double> stack_;  // remainders that wait for their parents
  std::vector<int> child_fronts_;
  std::vector<double> local_;  // solve: one front's part of x
  std::size_t top_ = 0;        // of the stack
  int smallest_ = -1;
};

}  // namespace escapement
