#include "nonsmooth/contact_solver.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

#include "nonsmooth/complementarity.hpp"
#include "nonsmooth/enumeration.hpp"
#include "nonsmooth/lemke.hpp"
#include "nonsmooth/random_problem.hpp"
#include "nonsmooth/small_problem.hpp"

namespace escapement::contact_solver_test {
namespace {

bool is_direct(const std::string& name) { return name == "exact" || name == "lemke" || name == "newton"; }

Vec xi_of(const ContactProblem& problem, const Vec& P) {
  Vec xi(problem.rows());
  velocities(problem, P, xi);
  return xi;
}

class EveryContactSolver : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    problem.reserve(20);
    P = Vec::Zero(20);
    solver = make_contact_solver(GetParam());
  }
  // all random problems of one kind: never a wrong answer; returns the number of solved ones
  int solve_random(unsigned seed, int count, const RandomProblem::Kind& kind) {
    RandomProblem random(seed);
    int solved = 0;
    for (int k = 0; k < count; ++k) {
      random.fill(kind, problem);
      P.setZero();
      const SolveReport report = solver->solve(problem, P);
      EXPECT_EQ(report.ok, report.residual <= solver->tolerance);
      if (!report.ok) continue;
      ++solved;
      EXPECT_TRUE(is_solution(problem, P)) << "problem " << k << " of seed " << seed;
    }
    return solved;
  }

  ContactProblem problem;
  Vec P;
  std::unique_ptr<ContactSolver> solver;
};

// friction in space and brakes: Lemke's method and enumeration are not for discs
TEST_P(EveryContactSolver, RandomDiscsAreSolvedOrReportedUnsolved) {
  const int count = 2000;
  RandomProblem::Kind kind;
  kind.discs = true;
  kind.friction = kind.dependent = kind.equalities = false;
  kind.decades = 1;
  const int solved = solve_random(21, count, kind);
  const double least = GetParam() == "exact" || GetParam() == "newton" ? 0.995 : GetParam() == "lemke" ? 0 : 0.9;
  EXPECT_GE(solved, least * count);
  kind.dependent = true;
  EXPECT_GE(solve_random(22, count, kind), (least > 0.99 ? 0.97 : 0.9 * least) * count);
}

// a solution exists for all of these: the direct solvers may fail only where rounding has eaten a mass
TEST_P(EveryContactSolver, RandomMechanismsAreSolvedOrReportedUnsolved) {
  const int count = 3000;
  RandomProblem::Kind kind;
  kind.decades = 1;
  int solved = solve_random(11, count, kind);
  EXPECT_GE(solved, is_direct(GetParam()) ? count : 0.95 * count);
  kind.decades = 6;
  solved = solve_random(12, count, kind);
  EXPECT_GE(solved, is_direct(GetParam()) ? 0.997 * count : 0.75 * count);
  kind.friction = false;
  solved = solve_random(13, count, kind);
  EXPECT_GE(solved, is_direct(GetParam()) ? 0.999 * count : 0.8 * count);
}

// about a third of these have no solution at all
TEST_P(EveryContactSolver, ArbitraryRightSidesAreSolvedOrReportedUnsolved) {
  const int count = 1000;
  RandomProblem::Kind kind;
  kind.consistent = false;
  EXPECT_GT(solve_random(14, count, kind), 0.4 * count);
}

TEST_P(EveryContactSolver, FourCornersInASlot) {
  // rows of the two corners above and the two below: rank 2, and a light rotation makes the corners nearly independent
  // bodies
  Mat G(4, 2);
  G << -1, 1, -1, -1, 1, -1, 1, 1;
  const Vec inverse_mass = (Vec(2) << 14, 926).finished();
  problem.clear();
  for (int k = 0; k < 4; ++k) problem.add(Cone::non_negative());
  problem.W.topLeftCorner(4, 4) = G * inverse_mass.asDiagonal() * G.transpose();
  for (double spin : {0.0, 1e-12, 0.3, 1.0, 5.0, -2.0})
    for (double rise : {0.6, -0.6, 1e-9, 0.0}) {
      problem.b.head(4) = 1.1 * G * Eigen::Vector2d(rise, spin);
      P.setZero();
      const SolveReport report = solver->solve(problem, P);
      ASSERT_TRUE(report.ok) << rise << " " << spin << " residual " << report.residual;
      EXPECT_TRUE(is_solution(problem, P));
      if (is_direct(GetParam())) {
        EXPECT_LT(report.residual, 1e-14);
      }
    }
}

TEST_P(EveryContactSolver, RedundantContactsShareTheirImpulse) {
  // a body that can only move down stands on three corners: rank 1
  problem.clear();
  for (int k = 0; k < 3; ++k) problem.add(Cone::non_negative());
  problem.W.topLeftCorner(3, 3).setConstant(0.25);
  problem.b.head(3).setConstant(-2);
  const SolveReport report = solver->solve(problem, P);
  ASSERT_TRUE(report.ok);
  EXPECT_NEAR(P.head(3).sum(), 8, 1e-8);
  EXPECT_GE(P.head(3).minCoeff(), 0);
}

TEST_P(EveryContactSolver, BodyOnAnInclineSticksOrSlides) {
  // one mass, gravity's impulse down the incline and into it
  problem.clear();
  problem.add(Cone::coulomb(0.5));
  problem.W.topLeftCorner(2, 2).setIdentity();
  problem.b.head(2) << -2, -0.8;
  ASSERT_TRUE(solver->solve(problem, P).ok);
  EXPECT_NEAR(P[0], 2, 1e-9);
  EXPECT_NEAR(P[1], 0.8, 1e-9);  // sticks
  problem.b.head(2) << -2, -1.5;
  ASSERT_TRUE(solver->solve(problem, P).ok);
  EXPECT_NEAR(P[1], 1, 1e-9);
  EXPECT_NEAR(xi_of(problem, P)[1], -0.5, 1e-9);  // slides on
}

TEST_P(EveryContactSolver, EqualityRowsHold) {
  // a contact on a body that a joint ties to a second one
  problem.clear();
  problem.add(Cone::equality());
  problem.add(Cone::non_negative());
  problem.W.topLeftCorner(2, 2) << 2, -1, -1, 1;
  problem.b.head(2) << 0.5, -1;
  ASSERT_TRUE(solver->solve(problem, P).ok);
  EXPECT_NEAR(P[0], 0.5, 1e-9);
  EXPECT_NEAR(P[1], 1.5, 1e-9);
}

TEST_P(EveryContactSolver, WhatCannotBeSolvedIsReported) {
  problem.clear();
  problem.add(Cone::non_negative());
  problem.add(Cone::non_negative());
  problem.W.topLeftCorner(2, 2) << 1, -1, -1, 1;
  problem.b.head(2) << -1, 0.5;  // squeezed by two walls that move together
  EXPECT_FALSE(solver->solve(problem, P).ok);
  problem.W.topLeftCorner(2, 2) << 1, 0, 0, 0;
  problem.b.head(2) << 1, -1;  // nothing can be moved there
  EXPECT_FALSE(solver->solve(problem, P).ok);
  problem.W.topLeftCorner(2, 2).setIdentity();
  for (double bad : {std::nan(""), std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
    problem.b.head(2) << -1, bad;
    EXPECT_FALSE(solver->solve(problem, P).ok) << bad;
  }
  problem.b.head(2) << -1, -1;
  problem.W(0, 1) = std::nan("");
  EXPECT_FALSE(solver->solve(problem, P).ok);
}

TEST_P(EveryContactSolver, NoContactNoImpulse) {
  problem.clear();
  EXPECT_TRUE(solver->solve(problem, P).ok);
  problem.add(Cone::coulomb(1));
  problem.W.topLeftCorner(2, 2).setIdentity();
  problem.b.head(2) << 0.1, 3;
  ASSERT_TRUE(solver->solve(problem, P).ok);
  EXPECT_EQ(P[0], 0);
  EXPECT_EQ(P[1], 0);
}

TEST_P(EveryContactSolver, ABadGuessDoesNotHurt) {
  RandomProblem random(5);
  RandomProblem::Kind kind;
  kind.decades = 1;
  solver->reserve(20);
  int failed = 0;
  for (int k = 0; k < 300; ++k) {
    random.fill(kind, problem);
    for (int i = 0; i < problem.rows(); ++i) P[i] = random.real(-1e3, 1e3);
    const SolveReport report = solver->solve(problem, P);
    if (!report.ok) ++failed;
    EXPECT_TRUE(!report.ok || is_solution(problem, P)) << k;
  }
  EXPECT_LE(failed, is_direct(GetParam()) ? 0 : 15);
}

// two contacts of which one acts, or none: nothing of what stood there is left
TEST_P(EveryContactSolver, OneOfTwoContactsActsWhateverWasGuessed) {
  problem.clear();
  for (int k = 0; k < 2; ++k) problem.add(Cone::non_negative());
  problem.W.topLeftCorner(2, 2) << 2, 0.5, 0.5, 1;
  const double b[][2] = {{-1, 3}, {3, -1}, {1, 1}}, expected[][2] = {{0.5, 0}, {0, 1}, {0, 0}};
  for (int k = 0; k < 3; ++k) {
    problem.b.head(2) << b[k][0], b[k][1];
    P.head(2) << 7, 8;
    ASSERT_TRUE(solver->solve(problem, P).ok) << k;
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(P[i], expected[k][i], 1e-9) << k;
  }
}

// two rows are solved on the spot, whatever stood in P before
TEST(SmallProblem, TakesNothingFromTheGuess) {
  ContactProblem problem;
  problem.reserve(2);
  problem.clear();
  for (int k = 0; k < 2; ++k) problem.add(Cone::non_negative());
  problem.W.topLeftCorner(2, 2) << 2, 0.5, 0.5, 1;
  const double b[][2] = {{-1, 3}, {3, -1}, {1, 1}, {-1, -1}}, expected[][2] = {{0.5, 0}, {0, 1}, {0, 0}, {2. / 7, 6. / 7}};
  for (int k = 0; k < 4; ++k) {
    problem.b.head(2) << b[k][0], b[k][1];
    Vec P = Vec::Constant(2, 7);
    SolveReport report;
    ASSERT_TRUE(solve_small(problem, 1e-12, P, report)) << k;
    EXPECT_EQ(report.iterations, 1) << k;
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(P[i], expected[k][i], 1e-15) << k;
  }
}

// the answer before is a good guess: solvers that come nearer step by step do not begin anew
TEST_P(EveryContactSolver, AGoodGuessIsKept) {
  if (is_direct(GetParam())) GTEST_SKIP() << "takes no guesses, or not for every row";
  RandomProblem random(6);
  RandomProblem::Kind kind;
  kind.decades = 1;
  solver->reserve(20);
  int again = 0;
  long of_first = 0, of_second = 0;
  for (int k = 0; k < 100; ++k) {
    random.fill(kind, problem);
    P.setZero();
    const SolveReport first = solver->solve(problem, P);
    if (!first.ok) continue;
    const SolveReport second = solver->solve(problem, P);
    EXPECT_TRUE(second.ok) << k;
    again += second.iterations > first.iterations;
    of_first += first.iterations;
    of_second += second.iterations;
  }
  EXPECT_EQ(again, 0);
  EXPECT_LT(2 * of_second, of_first);
}

INSTANTIATE_TEST_SUITE_P(Names, EveryContactSolver, ::testing::ValuesIn(contact_solver_names()),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Lemke's method against all active sets, on LCPs with and without a solution: degenerate and rank-deficient ones
TEST(Lemke, AgreesWithEnumeration) {
  RandomProblem random(21);
  RandomProblem::Kind kind;
  kind.friction = kind.equalities = false;
  kind.decades = 1;
  kind.max_contacts = 6;
  ContactProblem problem;
  problem.reserve(6);
  Vec P = Vec::Zero(6), Q = Vec::Zero(6);
  Lemke lemke;
  Enumeration enumeration;
  int unsolvable = 0;
  for (int k = 0; k < 4000; ++k) {
    kind.consistent = k % 2;
    random.fill(kind, problem);
    const SolveReport a = lemke.solve(problem, P), b = enumeration.solve(problem, Q);
    ASSERT_EQ(a.ok, b.ok) << k;
    if (!a.ok) {
      ++unsolvable;
      continue;
    }
    // the impulses need not be unique, the velocities are
    const int n = problem.rows();
    const double terms = (problem.W.topLeftCorner(n, n).cwiseAbs() * (P + Q).head(n)).norm() + problem.b.head(n).norm();
    EXPECT_LE((xi_of(problem, P) - xi_of(problem, Q)).norm(), 1e-12 * terms) << k;
  }
  EXPECT_GT(unsolvable, 300);
}

TEST(Lemke, SolvesUnsymmetricProblems) {
  // diagonally dominant, so there is exactly one solution
  std::mt19937 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const int n = 12;
  ContactProblem problem;
  problem.reserve(n);
  for (int i = 0; i < n; ++i) problem.add(Cone::non_negative());
  Vec P = Vec::Zero(n);
  Lemke lemke;
  for (int k = 0; k < 500; ++k) {
    for (int i = 0; i < n; ++i) {
      problem.b[i] = uniform(generator);
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += std::abs(problem.W(i, j) = uniform(generator));
      problem.W(i, i) = sum;
    }
    ASSERT_TRUE(lemke.solve(problem, P).ok);
    EXPECT_TRUE(is_solution(problem, P, 1e-12));
  }
}

// ties in every pivot: without a rule against it the method runs in a circle
TEST(Lemke, DegeneratePivotsEnd) {
  const int n = 8;
  ContactProblem problem;
  problem.reserve(n);
  for (int i = 0; i < n; ++i) problem.add(Cone::non_negative());
  Vec P = Vec::Zero(n);
  Lemke lemke;
  for (int shift = 1; shift < n; ++shift) {
    Mat G = Mat::Zero(n, n);
    for (int i = 0; i < n; ++i) {
      G(i, i) = 1;
      G(i, (i + shift) % n) = -1;  // a ring of equal masses: rank n - gcd
    }
    problem.W.topLeftCorner(n, n) = G * G.transpose();
    for (int row = 0; row < n; ++row) {
      problem.b.head(n) = G.col(row);
      const SolveReport report = lemke.solve(problem, P);
      ASSERT_TRUE(report.ok) << shift << " " << row;
      EXPECT_LT(report.iterations, 5 * n);
      EXPECT_TRUE(is_solution(problem, P, 1e-12));
    }
  }
}

TEST(Exact, LongRowOfContactsWithFriction) {
  // a stack of blocks, each on the next: 2 rows per contact, larger than any enumeration
  const int blocks = 40;
  ContactProblem problem;
  problem.reserve(2 * blocks);
  for (int k = 0; k < blocks; ++k) problem.add(Cone::coulomb(0.3));
  Mat G = Mat::Zero(2 * blocks, 2 * blocks);
  for (int k = 0; k < blocks; ++k)
    for (int c = 0; c < 2; ++c) {
      G(2 * k + c, 2 * k + c) = 1;
      if (k > 0) G(2 * k + c, 2 * (k - 1) + c) = -1;
    }
  problem.W = G * G.transpose();
  Vec u(2 * blocks);
  for (int k = 0; k < blocks; ++k)
    u.segment(2 * k, 2) << -0.01, k >= blocks / 2 ? 0.0025 : 0.0;  // gravity; the upper half is pushed
  problem.b = G * u;
  Vec P = Vec::Zero(2 * blocks);
  const SolveReport report = make_contact_solver()->solve(problem, P);
  ASSERT_TRUE(report.ok);
  EXPECT_TRUE(is_solution(problem, P, 1e-12));
  for (int k = 0; k < blocks; ++k) EXPECT_NEAR(P[2 * k], 0.01 * (blocks - k), 1e-12);
}

// nine or twelve rows for the six velocities of a body: impulses can be shared in many ways, of which few leave every corner within its
// limit. What answers is no mass matrix but M + h D + ..., and a body at rest has little more than the rounding of its rows
TEST(Exact, ABoxThatComesToRestOnItsCorners) {
  const double a = 0.1, b = 0.075, c = 0.05;
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> one(-1, 1);
  ContactProblem problem;
  problem.reserve(12);
  Vec P = Vec::Zero(12);
  const auto solver = make_contact_solver();
  int most = 0;
  for (int k = 0; k < 2000; ++k) {
    const int corners = 3 + k % 2;
    problem.clear();
    Mat G(3 * corners, 6), A = Mat::Zero(6, 6);
    for (int i = 0; i < corners; ++i) {
      const double x = i % 2 ? a : -a, y = i / 2 ? b : -b, z = -c;
      problem.add(Cone::disc(0.4));
      G.middleRows(3 * i, 3) << 0, 0, 1, y, -x, 0,  //
          1, 0, 0, 0, z, -y,                        //
          0, 1, 0, -z, 0, x;
    }
    A.diagonal() << 2, 2, 2, 0.01, 0.012, 0.015;
    for (int i = 3; i < 6; ++i)
      for (int j = 3; j < 6; ++j) A(i, j) += 1e-5 * one(generator);
    const int n = problem.rows();
    problem.W.topLeftCorner(n, n) = G * A.inverse() * G.transpose();
    const bool resting = k % 4 < 2;
    Vec u(6);
    u << 0.02 * one(generator), 0.02 * one(generator), -0.1, 2 * one(generator), 2 * one(generator), 0.3 * one(generator);
    problem.b.head(n) = (resting ? 1e-9 : 1) * G * u;
    problem.noise = 1e-15;
    if (resting)
      for (int i = 0; i < n; ++i) problem.b[i] += problem.noise * one(generator);
    P.setZero();
    const SolveReport report = solver->solve(problem, P);
    EXPECT_TRUE(report.ok) << "problem " << k << ": " << report.residual;
    most = std::max(most, report.iterations);
  }
  EXPECT_LT(most, 500);
}

TEST(ContactSolverNames, UnknownNamesAreRefused) {
  EXPECT_THROW(make_contact_solver("simplex"), std::invalid_argument);
  for (const std::string& name : contact_solver_names()) EXPECT_NE(make_contact_solver(name), nullptr);
}

}  // namespace
}  // namespace escapement
