// A system [M -G^T; G1 0] (a, lambda) = (f, r) given by its numbers, as [000] prints one in section 4.1: solved as
// equations where that is possible, and with G1 a - r >= 0 complementary to lambda >= 0 as an LCP, (20).
#include <cmath>

#include "math/least_squares.hpp"
#include "nonsmooth/lcp.hpp"
#include "study/probe.hpp"

namespace escapement::inline study {

Point probe_linear_system(const ProbeInput& input) {
  const std::vector<double> m = input.setup.numbers("mass"), f = input.setup.numbers("force");
  const std::vector<double> g = input.setup.numbers("jacobian"), g1 = input.setup.numbers("jacobian_next");
  const std::vector<double> r = input.setup.numbers("right_side");
  const auto n = static_cast<int>(f.size()), k = static_cast<int>(r.size());
  auto matrix = [](const std::vector<double>& x, int rows, int cols) {
    return Mat(Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(x.data(), rows, cols));
  };
  const Mat M = matrix(m, n, n), G = matrix(g, k, n), G1 = matrix(g1, k, n);
  const Vec F = Eigen::Map<const Vec>(f.data(), n), R = Eigen::Map<const Vec>(r.data(), k);

  Mat A = Mat::Zero(n + k, n + k);
  A << M, -G.transpose(), G1, Mat::Zero(k, k);
  Vec b(n + k);
  b << F, R;
  const LeastSquares solution = least_squares(A, b);

  Point point;
  point.values["size"] = n + k;
  point.values["rank"] = solution.rank;
  point.values["residual"] = (A * solution.x - b).norm();

  Lcp lcp;
  lcp.reserve(k);
  lcp.resize(k);
  Mat response(n, k);  // M^-1 G^T
  for (int i = 0; i < k; ++i) response.col(i) = least_squares(M, G.row(i).transpose()).x;
  const Vec free = least_squares(M, F).x;
  const Mat W = G1 * response;
  const Vec q = G1 * free - R;
  for (int i = 0; i < k; ++i) {
    lcp.q(i) = q[i];
    for (int j = 0; j < k; ++j) lcp.M(i, j) = W(i, j);
  }
  lcp.solve();
  Vec lambda(k);
  for (int i = 0; i < k; ++i) lambda[i] = lcp.z(i);
  const Vec a = free + response * lambda, w = G1 * a - R;
  point.values["lcp.violation"] = std::max({0.0, -w.minCoeff(), -lambda.minCoeff(), std::abs(w.dot(lambda))});
  for (int i = 0; i < n; ++i) point.values["lcp.a" + std::to_string(i + 1)] = a[i];
  for (int i = 0; i < k; ++i) point.values["lcp.lambda" + std::to_string(i + 1)] = lambda[i];
  for (int i = 0; i < k; ++i) point.values["lcp.gap" + std::to_string(i + 1)] = w[i];
  return point;
}

}  // namespace escapement
