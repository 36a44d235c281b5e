// In-place LU factorisation with scaled partial pivoting; sized once, allocates nothing afterwards.
#pragma once

#include <vector>

#include "math/types.hpp"

namespace escapement {

class DenseLu {
 public:
  void resize(int n);
  Mat& matrix() { return lu_; }  // fill before factor(), which overwrites it
  // smallest scaled pivot met: |u_kk| over the largest entry its row had before elimination; 0 when singular
  double factor();
  void solve(Vec& x) const;  // x: right side in, solution out

 private:
  int n_ = 0;
  Mat lu_;
  std::vector<int> pivot_;
  Vec scale_;
};

}  // namespace escapement
