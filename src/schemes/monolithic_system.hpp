// The linear system of one semismooth Newton iteration of the monolithic schemes, with two storages.
//
// Unknowns and equations: first those of motion, several vectors of velocities one after the other, then those of rows,
// each with the equation that its multiplier is there for. Small systems are dense. Large ones are taken apart:
//
//   [ K  B ]   K: motion and joints, sparse, solved by block elimination in the mechanism's order; its pattern stays
//   [ C  D ]   B, C, D: the border, what contacts that are closed just now add; solved through D - C K^-1 B
//
// so that the cost of chains and trees grows with the number of bodies, times one more than that of closed contacts.
#pragma once

#include <utility>
#include <vector>

#include "math/dense_lu.hpp"
#include "math/saddle_solver.hpp"
#include "system/system.hpp"

namespace escapement::inline schemes {

class MonolithicSystem {
 public:
  // vectors of motion, and how many multipliers a row has: the multiplier of level k acts on vector k. Terms and tangent are
  // prepared
  struct Shape {
    int vectors, levels;
  };
  void start(const System&, const Shape&, const Terms&, const Tangent&);

  bool is_sparse() const { return sparse_; }
  int size() const { return size_; }

  // places of rows and slips among the unknowns, given anew where sets change, level by level; -1: none
  void begin_places() { size_ = core_; }
  void place(int level, const std::vector<char>& set);
  void place_slip(int slip, bool in) { slip_at_[slip] = in ? size_++ : -1; }
  int at(int level, int row) const { return at_[level * row_count_ + row]; }
  int slip_at(int slip) const { return slip_at_[slip]; }
  bool has_rows() const { return size_ > motion_; }

  // the matrix, block by block
  void clear();
  void add(int equation, int unknown, double x) { sparse_ ? void(entry(equation, unknown) += x) : void(J_[unknown * size_ + equation] += x); }
  // with its corner there; turn: columns of a derivative by q spread where increments of q turn on their way
  void add_block(int equation, int unknown, double factor, const Matrix& A, const Matrix* turn = nullptr) {
    sparse_ || turn ? add_turned_block(equation, unknown, factor, A, turn) : add_dense_block(equation, unknown, factor, A);
  }
  // one row of a matrix in one equation, or in one unknown's column
  void add_row(int equation, int unknown, double factor, const Matrix& A, int row, const Matrix* turn = nullptr) {
    if (sparse_ || turn) return add_turned_row(equation, unknown, factor, A, row, turn);
    double* to = J_.data() + unknown * size_ + equation;
    for_each_of_dense_row(A, row, [&](double x) {
      *to += factor * x;
      to += size_;
    });
  }
  void add_column(int equation, int unknown, double factor, const Matrix& A, int row) {
    if (sparse_) return add_sparse_column(equation, unknown, factor, A, row);
    double* to = J_.data() + unknown * size_ + equation;
    for_each_of_dense_row(A, row, [&](double x) { *to++ += factor * x; });
  }

  Vec& right_side() { return R_; }  // and after solve() the solution
  // Where rows depend on one another (contacts on contacts, redundant joints) their multipliers share. False: singular for
  // another reason
  bool factor();
  // of dense ones: of size() x size() numbers by columns, which entries() has given
  bool factor(const double* entries);
  const double* entries() const { return J_.data(); }
  // of a dense matrix made before: has a block of it, or one row in an unknown's column, hardly changed since, by no more than this
  // part? Corrections leave as much of themselves
  static constexpr double hardly = 0.05;
  bool resembles(int equation, int unknown, const Matrix& A) const;
  bool resembles_column(int equation, int unknown, double factor, const Matrix& A, int row) const;
  void solve(double noise);  // noise: what such rows may disagree by through rounding
  double pivot() const { return pivot_; }          // the smallest scaled one of the last matrix
  double left_open() const { return left_open_; }  // by rounding, of the multipliers' size; 0 where no rows depend

 private:
  // a row or column of the border
  struct Line {
    std::vector<std::pair<int, double>> entries;  // place in K, value
    double& at(int place);
    double times(const Vec& x) const;
  };

  template <class F>
  static void for_each_of_dense_row(const Matrix& A, int row, F&& f) {
    const double* x = A.dense().data() + row;
    for (int j = 0, rows = A.rows(); j < A.cols(); ++j, x += rows) f(*x);
  }
  void add_dense_block(int equation, int unknown, double factor, const Matrix&);
  void add_turned_block(int equation, int unknown, double factor, const Matrix&, const Matrix* turn);
  void add_turned_row(int equation, int unknown, double factor, const Matrix&, int row, const Matrix* turn);
  void add_sparse_column(int equation, int unknown, double factor, const Matrix&, int row);
  void set_patterns(const Shape&, const Terms&, const Tangent&);
  void start_border(const Shape&, const Terms&, const Tangent&, int border, int more);
  double& entry(int i, int j);
  bool factor_dense();
  bool factor_border();
  void solve_sparse(double noise);
  void set_shift();  // of dense rows that depend on one another
  void solve_core(Vec& x);                                   // K^-1 x in place
  double weight(const Line& row, const Line& column) const;  // of a multiplier's effect on its row

  bool sparse_ = false;
  int joints_ = 0, row_count_ = 0;
  int motion_ = 0, core_ = 0;  // core_: size of K, or of what is always there
  int size_ = 0;
  std::vector<int> at_, slip_at_;  // at_: levels x rows
  double pivot_ = 1, left_open_ = 0;
  bool shifted_ = false;  // the factors are those of a matrix whose rows depend on one another
  Vec R_, work_;

  // dense
  DenseLu lu_;
  Vec J_;

  // sparse
  Matrix A_, top_, bottom_;  // K = [A top^T; bottom 0]
  SaddleSolver core_solver_;
  Vec a_, b_, x_, mu_;
  std::vector<Line> rows_, columns_;  // C and B
  Vec D_;                             // border x border by columns
  Vec solution_, border_, shift_;     // K^-1 of one column; right side of the border; its regularisation
};

}  // namespace escapement
