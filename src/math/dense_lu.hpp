// In-place LU factorisation with scaled partial pivoting; sized once, allocates nothing afterwards.
#pragma once

#include <vector>

#include "math/types.hpp"

namespace escapement::inline math {

class DenseLu {
 public:
  void resize(int n);  // allocates only beyond the largest size so far
  Eigen::Map<Mat> matrix() { return {lu_.data(), n_, n_}; }  // fill before factor(), which overwrites it
  // smallest scaled pivot met: |u_kk| over the largest entry its row had before elimination; 0 when singular
  double factor();
  void solve(Vec& x) const { solve(x.data()); }  // x: right side in, solution out; entries beyond n are left alone
  void solve(double* x) const;

 private:
  int n_ = 0;
  std::vector<double> lu_;  // n x n, columns one after the other
  std::vector<int> pivot_;
  std::vector<double> scale_;
};

}  // namespace escapement
