// LU factorisation with complete pivoting that finds the rank; sized once, allocates nothing afterwards.
#pragma once

#include <initializer_list>
#include <vector>

namespace escapement::inline nonsmooth {

class RankLu {
 public:
  void reserve(int n);
  void resize(int n) { n_ = n; }  // n <= reserved; fill the entries before factor()
  double& at(int i, int j) { return a_[i * n_ + j]; }
  // pivots come from the leading block of size preferred[0] as long as it has any, then from that of size preferred[1],
  // ..., at last from the whole matrix
  void factor(std::initializer_list<int> preferred = {});
  // x: right side in, a basic solution out: unknowns beyond the rank are 0, equations beyond it are not looked at
  void solve(double* x);

 private:
  void eliminate(int block);
  void bring_to(int k, int row, int column);

  int n_ = 0, rank_ = 0;
  double threshold_ = 0;
  std::vector<double> a_;          // n x n, by rows
  std::vector<int> row_, column_;  // what stands where
  std::vector<double> y_;
};

}  // namespace escapement
