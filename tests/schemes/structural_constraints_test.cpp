// Which structural methods of paper 002 can carry a position constraint, and what their multipliers do then.
#include <gtest/gtest.h>

#include <cmath>

#include "support/convergence.hpp"
#include "support/pendulum.hpp"
#include "support/structural_sets.hpp"

namespace escapement::structural_constraints_test {
namespace {

using namespace testing;

StructuralMethod method_of(const StructuralSet& set) {
  const auto family = set.scheme == E   ? StructuralFamily::E
                      : set.scheme == I ? StructuralFamily::I
                                        : StructuralFamily::CE;
  return StructuralMethod(family, Options(find_scheme(set.scheme)->info, set.options()));
}

// a position constraint asks for x(t+h); errors of the multiplier then grow by this factor per step
TEST(StructuralConstraints, OnlyTheConditionalFamilyAndDegree3CanCarryAPosition) {
  for (const StructuralSet& set : reference_sets("index3_sigma_max_root")) {
    const double factor = method_of(set).prescribed_position_root();
    EXPECT_NEAR(factor, set.data.at("root").get<double>(), 1e-3) << set.name;
    if (set.scheme == CE) {
      EXPECT_LT(factor, 1) << set.name;
    } else if (set.scheme == E) {
      EXPECT_GT(factor, 1.9) << set.name;
    } else if (set.degree > 3) {
      EXPECT_GT(factor, 9.8) << set.name;
    }
  }
}

// E5 on the Cartesian pendulum with lambda(t) chosen so that x(t+h) lies on the rod: lambda alternates and explodes
TEST(StructuralConstraints, TheExplicitFamilyBlowsUpWhenItCarriesThePosition) {
  const Pendulum system;
  StructuralMethod method(StructuralFamily::E, Options(find_scheme(E)->info, {}));
  const double h = 1e-3;
  method.set_step(h);
  State s = make_state(system.dim());
  s.q << -0.6, -0.8;
  auto exact = make_scheme("hem5");
  exact->start(system, s);
  DerivativeChain x, x1;
  for (int k = 1; k < 5; ++k) x[k] = x1[k] = Vec::Zero(2);
  x[2] = s.vdot;

  std::vector<double> wrong;  // multiplier minus the one of the index-1 form at the same state
  Vec q = s.q, q1 = q, dx = Vec::Zero(2);
  x1[1] = s.v;
  for (int n = 0; n < 25; ++n) {
    auto distance = [&](double lambda) {
      x1[2] = Vec::Unit(2, 1) * -9.81 + lambda * q;  // [002] (20) with the multiplier
      method.highest(2, x, x[4], x1[2], x1[4]);      // [002] (18), (19)
      method.equation(3, x, x[4], x1[4], x1[3]);
      method.equation(0, x1, x[4], x1[4], dx);  // [002] (16)
      q1 = q + dx;
      return 0.5 * (q1.squaredNorm() - 1);
    };
    const double correct = 9.81 * q[1] - x1[1].squaredNorm();
    double lambda = correct;
    for (int i = 0; i < 20; ++i)
      lambda -= distance(lambda) / ((distance(lambda + 1e-3) - distance(lambda - 1e-3)) / 2e-3);
    ASSERT_LT(std::abs(distance(lambda)), 1e-14);
    wrong.push_back(lambda - correct);
    Vec v1 = x1[1];
    method.equation(1, x1, x[4], x1[4], v1);  // [002] (17)
    x = x1;
    x1[1] = v1;
    q = q1;
  }
  EXPECT_NEAR(wrong[20] / wrong[19], -2.745, 0.01);
  EXPECT_GT(std::abs(wrong[24]), 1e3);
}

// a disturbance of the highest derivative dies out in the multiplier at the rate of the recursion
TEST(StructuralConstraints, TheConditionalFamilyForgetsADisturbanceOfTheMultiplier) {
  const std::map<int, double> roots{{4, 0.2926}, {5, 0.9209}};
  for (const auto& [degree, root] : roots) {
    const Pendulum system;
    const double h = 1e-3;
    auto scheme = make_scheme(CE, {{"degree", double(degree)}});
    State s = make_state(system.dim());
    s.q << -0.6, -0.8;
    scheme->start(system, s);
    ASSERT_TRUE(run_steps(*scheme, system, 10, h, s));
    State disturbed = s;
    disturbed.memory.vectors[degree - 3] += 0.1 * std::pow(h, 3 - degree) * s.q;
    // the largest difference within a window, early and late: the roots of degree 5 are complex
    const int window = degree == 5 ? 20 : 2, late = degree == 5 ? 80 : 8;
    double early = 0, end = 0;
    for (int i = 0; i < late + window; ++i) {
      ASSERT_TRUE(run_steps(*scheme, system, 1, h, s));
      ASSERT_TRUE(run_steps(*scheme, system, 1, h, disturbed));
      const double difference = std::abs(disturbed.lambda[0] - s.lambda[0]);
      if (i < window) early = std::max(early, difference);
      if (i >= late) end = std::max(end, difference);
    }
    EXPECT_NEAR(std::pow(end / early, 1.0 / late), root, 0.02) << degree;
  }
}

// at degree 3 the implicit family is Newmark's: alpha_1 = 1/2 keeps an error of the multiplier for ever, 0.55 does not
TEST(StructuralConstraints, ImplicitDegree3NeedsAlpha1AboveOneHalf) {
  const Pendulum system;
  State s = make_state(system.dim());
  s.q << -0.6, -0.8;
  auto worst_jump = [&](const Given& options) {
    auto scheme = make_scheme(I, options);
    State a = s, b = s;
    scheme->start(system, a);
    a.lambda[0] += 1;
    a.memory.vectors[0] += a.q;  // the acceleration that belongs to it
    run_steps(*scheme, system, 200, 1e-3, a);
    b = a;
    run_steps(*scheme, system, 1, 1e-3, b);
    return std::abs(b.lambda[0] - a.lambda[0]);
  };
  EXPECT_GT(worst_jump({{"degree", 3.0}, {"parameters", "paper"}}), 1.5);
  EXPECT_LT(worst_jump({{"degree", 3.0}}), 0.1);
}

}  // namespace
}  // namespace escapement
