#include "nonsmooth/complementarity.hpp"

#include <gtest/gtest.h>

#include <random>

namespace escapement {
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

TEST(Complementarity, DerivativeAgreesWithDifferences) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  int modes_seen[3] = {0, 0, 0};
  for (int trial = 0; trial < 2000; ++trial) {
    const Cone cone = Cone::coulomb(0.8, trial % 2 ? 0.2 : 0);
    const double r[2] = {std::abs(uniform(generator)) + 0.1, std::abs(uniform(generator)) + 0.1};
    double P[2] = {uniform(generator), uniform(generator)}, xi[2] = {uniform(generator), uniform(generator)};
    RowMode mode[2];
    decide(cone, P, xi, r, mode);
    ++modes_seen[static_cast<int>(mode[1])];
    if (mode[0] == RowMode::free) xi[0] = 0;  // what the contact's own normal row enforces
    decide(cone, P, xi, r, mode);
    RowDerivative d[2];
    derivative(cone, mode, r, d);

    const double dP[2] = {uniform(generator), uniform(generator)};
    const double dxi[2] = {mode[0] == RowMode::free ? 0 : uniform(generator), uniform(generator)};
    const double h = 1e-7;
    double phi0[2], phi1[2];
    const double P1[2] = {P[0] + h * dP[0], P[1] + h * dP[1]}, xi1[2] = {xi[0] + h * dxi[0], xi[1] + h * dxi[1]};
    RowMode mode1[2];
    decide(cone, P1, xi1, r, mode1);
    if (mode1[0] != mode[0] || mode1[1] != mode[1]) continue;
    complementarity(cone, P, xi, r, phi0);
    complementarity(cone, P1, xi1, r, phi1);
    EXPECT_NEAR((phi1[0] - phi0[0]) / h, d[0].P * dP[0] + d[0].xi * dxi[0], 1e-6);
    EXPECT_NEAR((phi1[1] - phi0[1]) / h, d[1].P * dP[1] + d[1].normal * dP[0] + d[1].xi * dxi[1], 1e-6);
  }
  for (int count : modes_seen) EXPECT_GT(count, 100);
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
