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

namespace escapement {

class MonolithicSystem {
 public:
  // vectors of motion (dense systems may have eliminated some), and how many multipliers a row has: the multiplier of
  // level k acts on vector k. Terms and tangent are prepared
  struct Shape {
    int vectors, dense_vectors, levels;
  };
  void start(const System&, const Shape&, const Terms&, const Tangent&);

  bool is_sparse() const { return sparse_; }
  int motion() const { return motion_; }  // number of unknowns of motion
  int size() const { return size_; }

  // the places of rows are given anew for each iteration, then all is zero
  void begin_places() { size_ = core_; }
  int place(int level, int row) { return sparse_ && row < joints_ ? motion_ + level * joints_ + row : size_++; }
  int place() { return size_++; }
  void clear();

  double& operator()(int i, int j) { return sparse_ ? entry(i, j) : J_[j * size_ + i]; }
  double* dense() { return J_.data(); }  // columns one after the other
  Vec& right_side() { return R_; }       // and after solve() the solution
  // where rows depend on one another (contacts on contacts, redundant joints) their multipliers share; noise: what such
  // rows may disagree by through rounding. False: singular for another reason
  bool solve(double noise);
  double pivot() const { return pivot_; }  // the smallest scaled one of the last solve
  double left_open() const { return left_open_; }  // by rounding, of the multipliers' size; 0 where no rows depend

 private:
  // a row or column of the border
  struct Line {
    std::vector<std::pair<int, double>> entries;  // place in K, value
    double& at(int place);
  };

  void set_patterns(const Shape&, const Terms&, const Tangent&);
  void start_border(const Shape&, const Terms&, const Tangent&, int border);
  double& entry(int i, int j);
  double solve_dense();
  double solve_sparse();
  double solve_border();
  void solve_core(Vec& x);                                   // K^-1 x in place
  double weight(const Line& row, const Line& column) const;  // of a multiplier's effect on its row

  bool sparse_ = false;
  int joints_ = 0;
  int motion_ = 0, core_ = 0;  // core_: size of K, or of what is always there
  int size_ = 0;
  double pivot_ = 1, noise_ = 0, left_open_ = 0;
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
