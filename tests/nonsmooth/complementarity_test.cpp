#include "nonsmooth/complementarity.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace escapement::complementarity_test {
namespace {

TEST(Complementarity, VanishesExactlyOnTheLawOfTheCone) {
  const double r[2] = {0.7, 3};
  double phi[2];
  const auto largest = [&](const Cone& cone, double Pn, double Pt, double xin, double xit) {
    const double P[2] = {Pn, Pt}, xi[2] = {xin, xit};
    complementarity(cone, P, xi, r, phi);
    return std::max(std::abs(phi[0]), cone.rows() == 2 ? std::abs(phi[1]) : 0);
  };
  EXPECT_EQ(largest(Cone::equality(), -5, 0, 0, 0), 0);
  EXPECT_GT(largest(Cone::equality(), 0, 0, 0.1, 0), 0);
  EXPECT_EQ(largest(Cone::non_negative(), 2, 0, 0, 0), 0);
  EXPECT_EQ(largest(Cone::non_negative(), 0, 0, 3, 0), 0);
  EXPECT_GT(largest(Cone::non_negative(), 2, 0, 3, 0), 0);
  EXPECT_GT(largest(Cone::non_negative(), -1, 0, 0, 0), 0);
  EXPECT_GT(largest(Cone::non_negative(), 0, 0, -1, 0), 0);

  const Cone cone = Cone::coulomb(0.5);
  EXPECT_EQ(largest(cone, 2, 0.9, 0, 0), 0);     // sticks
  EXPECT_EQ(largest(cone, 2, -1, 0, 4), 0);      // slips forward
  EXPECT_EQ(largest(cone, 2, 1, 0, -4), 0);      // slips back
  EXPECT_EQ(largest(cone, 0, 0, 1, -4), 0);      // open
  EXPECT_GT(largest(cone, 2, 1, 0, 4), 0);       // friction pushes along
  EXPECT_GT(largest(cone, 2, 0.9, 0, -0.1), 0);  // slips below the bound
  EXPECT_GT(largest(cone, 2, 1.1, 0, 0), 0);     // beyond the bound
  EXPECT_EQ(largest(Cone::coulomb(0.5, 0.25), 2, -1.25, 0, 4), 0);
  EXPECT_EQ(largest(Cone::coulomb(0.5, 0.25), 0, -0.25, 1, 4), 0);
}

TEST(Complementarity, VanishesExactlyOnTheLawsOfDiscAndInterval) {
  const double r[3] = {0.7, 3, 3};
  const auto largest = [&](const Cone& cone, std::array<double, 3> P, std::array<double, 3> xi) {
    double phi[3] = {0, 0, 0};
    complementarity(cone, P.data(), xi.data(), r, phi);
    return std::max({std::abs(phi[0]), std::abs(phi[1]), std::abs(phi[2])});
  };
  const Cone disc = Cone::disc(0.5);
  EXPECT_EQ(largest(disc, {2, 0.6, 0.7}, {0, 0, 0}), 0);             // sticks
  EXPECT_NEAR(largest(disc, {2, -0.6, -0.8}, {0, 3, 4}), 0, 1e-15);  // slides
  EXPECT_EQ(largest(disc, {0, 0, 0}, {1, -4, 2}), 0);                // open
  EXPECT_GT(largest(disc, {2, -0.8, -0.6}, {0, 3, 4}), 0.1);         // friction beside the slip
  EXPECT_GT(largest(disc, {2, 0.6, 0.8}, {0, 3, 4}), 0.1);           // friction pushes along
  EXPECT_GT(largest(disc, {2, 0.8, 0.8}, {0, 0, 0}), 0.01);          // beyond the disc, though within a square
  EXPECT_GT(largest(disc, {2, 0.3, 0.4}, {0, -3, -4}), 0.1);         // slides below the limit
  const Cone brake = Cone::interval(0.5);
  EXPECT_EQ(largest(brake, {0.4, 0, 0}, {0, 0, 0}), 0);
  EXPECT_EQ(largest(brake, {0.5, 0, 0}, {-2, 0, 0}), 0);
  EXPECT_EQ(largest(brake, {-0.5, 0, 0}, {2, 0, 0}), 0);
  EXPECT_GT(largest(brake, {0.5, 0, 0}, {2, 0, 0}), 0);
  EXPECT_GT(largest(brake, {0.4, 0, 0}, {-0.1, 0, 0}), 0);
}

TEST(Complementarity, DerivativeAgreesWithDifferences) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto three = [&](double* x) {
    for (int k = 0; k < 3; ++k) x[k] = uniform(generator);
  };
  for (const Cone& cone : {Cone::coulomb(0.8), Cone::coulomb(0.8, 0.2), Cone::disc(0.8), Cone::disc(0.8, 0.2), Cone::interval(0.3), Cone::non_negative(), Cone::equality()}) {
    int compared[2] = {0, 0};
    for (int trial = 0; trial < 2000; ++trial) {
      double r[3], P[3], xi[3], dP[3], dxi[3];
      three(P);
      three(xi);
      three(dP);
      three(dxi);
      three(r);
      for (double& x : r) x = std::abs(x) + 0.1;
      r[2] = r[1];
      RowMode mode[3] = {}, mode1[3] = {};
      decide(cone, P, xi, r, mode);
      ConeDerivative d;
      derivative(cone, P, xi, r, d);
      const double h = 1e-7;
      double P1[3], xi1[3], phi0[3], phi1[3];
      for (int k = 0; k < 3; ++k) {
        P1[k] = P[k] + h * dP[k];
        xi1[k] = xi[k] + h * dxi[k];
      }
      decide(cone, P1, xi1, r, mode1);
      if (!std::equal(mode, mode + 3, mode1)) continue;
      complementarity(cone, P, xi, r, phi0);
      complementarity(cone, P1, xi1, r, phi1);
      ++compared[mode[cone.rows() - 1] == RowMode::free];
      for (int k = 0; k < cone.rows(); ++k) {
        double expected = 0;
        for (int l = 0; l < cone.rows(); ++l) expected += d.P[k][l] * dP[l] + d.xi[k][l] * dxi[l];
        EXPECT_NEAR((phi1[k] - phi0[k]) / h, expected, 1e-5);
      }
    }
    EXPECT_GT(compared[0] + compared[1], 1900);
    if (cone.kind != Cone::Kind::equality) {
      EXPECT_GT(std::min(compared[0], compared[1]), 100);
    }
  }
}

TEST(Complementarity, ActiveSetIsTheSameForEveryRadiusAtASolution) {
  for (double r : {1e-9, 1e-3, 1.0, 1e3}) {
    EXPECT_TRUE(active(2, 0, r));
    EXPECT_FALSE(active(0, 3, r));
    EXPECT_TRUE(active(0, 0, r));  // a closed contact without impulse stays closed
  }
}

class NaturalResidual : public ::testing::Test {
 protected:
  void SetUp() override {
    problem.reserve(4);
    problem.add(Cone::non_negative());
    problem.add(Cone::non_negative());
    problem.W.setZero();
  }
  ContactProblem problem;
  Vec P = Vec::Zero(4);
};

TEST_F(NaturalResidual, DoesNotDependOnUnits) {
  problem.W.topLeftCorner(2, 2) << 2, -1, -1, 2;
  problem.b.head(2) << -1, 0.2;
  P.head(2) << 0.6, 0.3;
  const double residual = natural_residual(problem, P);
  EXPECT_GT(residual, 0.01);
  const double s[2] = {1e7, 1e-6};  // row i in other units of mass and length
  for (int i = 0; i < 2; ++i) {
    problem.b[i] *= s[i];
    P[i] /= s[i];
    for (int j = 0; j < 2; ++j) problem.W(i, j) *= s[i] * s[j];
  }
  EXPECT_NEAR(natural_residual(problem, P), residual, 1e-12);
}

TEST_F(NaturalResidual, LargeOpposedImpulsesHideNothing) {
  problem.W.topLeftCorner(2, 2) << 1, -1, -1, 1;
  problem.b.head(2) << -1, 0.5;  // xi_1 + xi_2 = -0.5 whatever the impulses: no solution
  P.head(2) << 1e12, 1e12;
  EXPECT_GT(natural_residual(problem, P), 1e-4);
  P.head(2) << 1e18, 1e18;  // here b is lost in rounding altogether
  EXPECT_GT(natural_residual(problem, P), 1e-4);
}

TEST_F(NaturalResidual, NoiseOfTheRightSideDoesNotCount) {
  problem.W.topLeftCorner(2, 2) << 1, -1, -1, 1;
  problem.b.head(2) << -1e-17, 0;  // a slider at rest between two walls
  EXPECT_GT(natural_residual(problem, P), 0.1);
  problem.noise = 1e-16;
  EXPECT_EQ(natural_residual(problem, P), 0);
}

TEST_F(NaturalResidual, NotANumberIsNoSolution) {
  problem.W.topLeftCorner(2, 2).setIdentity();
  problem.b.head(2) << std::nan(""), 1;
  EXPECT_TRUE(std::isinf(natural_residual(problem, P)));
  problem.b.head(2) << 1, 1;
  P[1] = std::nan("");
  EXPECT_TRUE(std::isinf(natural_residual(problem, P)));
}

}  // namespace
}  // namespace escapement
