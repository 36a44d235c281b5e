#include "support/linear_systems.hpp"

#include <cmath>

#include "math/eigenvalues.hpp"

namespace escapement::testing {

// Taylor's series over short pieces of time, with more digits than the result has
Vec linear_motion(const Mat& A, const Vec& y0, double t) {
  using LongVec = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
  const auto pieces = static_cast<int>(std::ceil(A.cwiseAbs().rowwise().sum().maxCoeff() * std::abs(t)));
  LongVec y = y0.cast<long double>();
  for (int k = 0; k < pieces; ++k) {
    LongVec term = y;
    for (int i = 1; i < 24; ++i) {  // 1/24! < 2e-24
      LongVec next = LongVec::Zero(y.size());
      for (int j = 0; j < y.size(); ++j) next += A.col(j).cast<long double>() * term[j];
      term = next * (static_cast<long double>(t) / pieces / i);
      y += term;
    }
  }
  return y.cast<double>();
}

double fastest_frequency(const Mat& M, const Mat& K) { return std::sqrt(spectral_radius(inverse_of(M) * K)); }

Mat inverse_of(const Mat& A) { return A.inverse(); }

}  // namespace escapement::testing
