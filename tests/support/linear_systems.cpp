#include "support/linear_systems.hpp"

#include <Eigen/Eigenvalues>
#include <complex>

namespace escapement::testing {

Vec linear_motion(const Mat& A, const Vec& y0, double t) {
  const Eigen::EigenSolver<Mat> eigen(A);
  const Eigen::VectorXcd amplitude = eigen.eigenvectors().partialPivLu().solve(y0.cast<std::complex<double>>());
  Eigen::VectorXcd y = amplitude;
  for (int i = 0; i < y.size(); ++i) y[i] *= std::exp(eigen.eigenvalues()[i] * t);
  return (eigen.eigenvectors() * y).real();
}

double fastest_frequency(const Mat& M, const Mat& K) {
  return std::sqrt((M.inverse() * K).eigenvalues().real().maxCoeff());
}

Mat inverse_of(const Mat& A) { return A.inverse(); }

}  // namespace escapement::testing
