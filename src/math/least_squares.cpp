#include "math/least_squares.hpp"

namespace escapement::inline math {

LeastSquares least_squares(const Mat& A, const Vec& b) {
  const Eigen::CompleteOrthogonalDecomposition<Mat> decomposition(A);
  return {decomposition.solve(b), static_cast<int>(decomposition.rank())};
}

}  // namespace escapement
