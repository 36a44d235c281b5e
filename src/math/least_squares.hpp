// Rows that may depend on one another, in one place: the templates of the decomposition are slow to compile.
#pragma once

#include "math/types.hpp"

namespace escapement::inline math {

struct LeastSquares {
  Vec x;     // the shortest that leaves the smallest |A x - b|
  int rank;  // of A
};
LeastSquares least_squares(const Mat& A, const Vec& b);

}  // namespace escapement
