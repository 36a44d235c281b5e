#include "math/rotation.hpp"

#include <gtest/gtest.h>

#include <random>

namespace escapement::rotation_test {
namespace {

std::mt19937 generator(1);

Vec3 random_vector(double size) {
  std::uniform_real_distribution<double> u(-1, 1);
  return size * Vec3(u(generator), u(generator), u(generator));
}

Vec4 random_rotation() { return rotation_exp(random_vector(3)); }

TEST(Rotation, MatrixIsOrthogonalAndComposes) {
  for (int i = 0; i < 20; ++i) {
    const Vec4 a = random_rotation(), b = random_rotation();
    const Mat3 A = rotation_matrix(a), B = rotation_matrix(b);
    EXPECT_LT((A.transpose() * A - Mat3::Identity()).norm(), 1e-15 * 10);
    EXPECT_NEAR(A.determinant(), 1, 1e-14);
    EXPECT_LT((rotation_matrix(product(a, b)) - A * B).norm(), 1e-14);
    EXPECT_LT((rotation_matrix(conjugate(a)) - A.transpose()).norm(), 1e-14);
    EXPECT_LT((rotation_matrix(7 * a) - A).norm(), 1e-14);  // only the direction counts
    EXPECT_LT((rotation_matrix(quaternion(A)) - A).norm(), 1e-14);
  }
}

TEST(Rotation, ExpAndLogInvertEachOther) {
  for (double size : {1e-12, 1e-6, 1e-4, 0.1, 1.0, 1.8}) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 d = random_vector(size);
      EXPECT_LT((rotation_log(rotation_exp(d)) - d).norm(), 4e-16 * (1 + d.norm()));
      EXPECT_LT((rotation_log(-rotation_exp(d)) - d).norm(), 4e-16 * (1 + d.norm()));  // p and -p are one rotation
      EXPECT_NEAR(rotation_exp(d).norm(), 1, 4e-16);
    }
  }
  EXPECT_EQ(rotation_log(Vec4(1, 0, 0, 0)), Vec3::Zero());
}

TEST(Rotation, ExpRotatesByTheVectorsAngle) {
  const Mat3 R = rotation_matrix(quaternion(Vec3(0, 0, 5), 0.3));
  EXPECT_NEAR(R(0, 0), std::cos(0.3), 1e-15);
  EXPECT_NEAR(R(1, 0), std::sin(0.3), 1e-15);
}

TEST(Rotation, TangentIsTheDerivativeOfTheIncrement) {
  for (double size : {1e-3, 0.011, 0.03, 1.0, 2.5}) {
    const Vec3 d = random_vector(size);
    const Mat3 T = rotation_tangent(d);
    const Vec4 back = conjugate(rotation_exp(d));
    const double e = 1e-5;
    for (int j = 0; j < 3; ++j) {
      const Vec3 step = e * Vec3::Unit(j);
      const Vec3 plus = rotation_log(product(back, rotation_exp(d + step)));
      const Vec3 minus = rotation_log(product(back, rotation_exp(d - step)));
      EXPECT_LT(((plus - minus) / (2 * e) - T.col(j)).norm(), 1e-10);
    }
  }
}

TEST(Rotation, RateTurnsTheMatrix) {
  const Vec4 p = random_rotation();
  const Vec3 w = random_vector(2);
  const double e = 1e-5;
  const Mat3 numeric =
      (rotation_matrix(p + e * quaternion_rate(p, w)) - rotation_matrix(p - e * quaternion_rate(p, w))) / (2 * e);
  EXPECT_LT((numeric - rotation_matrix(p) * skew(w)).norm(), 1e-9);
  EXPECT_NEAR(quaternion_rate(p, w).dot(p), 0, 1e-15);
}

}  // namespace
}  // namespace escapement
