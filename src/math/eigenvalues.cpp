#include "math/eigenvalues.hpp"

#include <Eigen/Eigenvalues>

namespace escapement::inline math {

std::vector<std::complex<double>> eigenvalues(const Mat& A) {
  const Eigen::EigenSolver<Mat> solver(A, false);
  return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

double spectral_radius(const Mat& A) {
  double largest = 0;
  for (const std::complex<double>& value : eigenvalues(A)) largest = std::max(largest, std::abs(value));
  return largest;
}

SymmetricEigen symmetric_eigen(const Mat& A) {
  const Eigen::SelfAdjointEigenSolver<Mat> solver(A);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace escapement
