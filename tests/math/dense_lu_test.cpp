// The factorisation in panels against the same method written out in its simplest form: not near it, but the same bits.
#include "math/dense_lu.hpp"

#include <gtest/gtest.h>

#include <random>

namespace escapement::dense_lu_test {
namespace {

// row by row, one column after the other; the solution of A x = b
Vec by_elimination(Mat A, Vec b) {
  const int n = static_cast<int>(b.size());
  Vec scale = A.cwiseAbs().rowwise().maxCoeff().cwiseInverse();
  for (int k = 0; k < n; ++k) {
    int p = k;
    for (int i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) * scale[i] > std::abs(A(p, k)) * scale[p]) p = i;
    for (int j = 0; j < n; ++j) std::swap(A(k, j), A(p, j));
    std::swap(scale[k], scale[p]);
    std::swap(b[k], b[p]);
    const double inverse = 1 / A(k, k);
    for (int i = k + 1; i < n; ++i) A(i, k) *= inverse;
    for (int j = k + 1; j < n; ++j)
      for (int i = k + 1; i < n; ++i) A(i, j) -= A(i, k) * A(k, j);
  }
  for (int k = 0; k < n; ++k)
    for (int i = k + 1; i < n; ++i) b[i] -= A(i, k) * b[k];
  for (int k = n - 1; k >= 0; --k) {
    b[k] /= A(k, k);
    for (int i = 0; i < k; ++i) b[i] -= A(i, k) * b[k];
  }
  return b;
}

TEST(DenseLu, EverySizeGivesTheBitsOfPlainElimination) {
  std::mt19937 random(3);
  std::normal_distribution<double> number;
  DenseLu lu;
  for (const double filled : {1.0, 0.3}) {
    for (int n = 1; n <= 45; ++n) {
      Mat A = Mat::Zero(n, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          if (i == j || std::abs(number(random)) < filled) A(i, j) = number(random);
      const Vec b = Vec::NullaryExpr(n, [&] { return number(random); });
      lu.resize(n);
      lu.matrix() = A;
      ASSERT_GT(lu.factor(), 0) << n;
      Vec x = b;
      lu.solve(x);
      const Vec expected = by_elimination(A, b);
      for (int i = 0; i < n; ++i) EXPECT_EQ(x[i], expected[i]) << n;
    }
  }
}

TEST(DenseLu, SingularMatricesAreToldAtEverySize) {
  DenseLu lu;
  for (int n = 2; n <= 40; ++n) {
    lu.resize(n);
    lu.matrix().setIdentity();
    lu.matrix()(n - 1, n - 1) = 0;
    EXPECT_EQ(lu.factor(), 0) << n;
    lu.matrix().setOnes();
    EXPECT_EQ(lu.factor(), 0) << n;
  }
}

}  // namespace
}  // namespace escapement
