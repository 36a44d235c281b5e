// Contact problems by blocks of bodies: sweeps and the method of multipliers against what can be said by hand.
#include "nonsmooth/many_contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "nonsmooth/gap_sweeps.hpp"
#include "nonsmooth/multipliers.hpp"

namespace escapement::many_contacts_test {
namespace {

using V3 = Eigen::Vector3d;
using M3 = Eigen::Matrix3d;

// balls of radius 1 above each other on the ground, each with the velocity that gravity gives it in a step
struct Tower {
  explicit Tower(const std::vector<double>& masses, double mu = 0.5) {
    const int n = static_cast<int>(masses.size());
    problem.resize(n, 6);
    v_free.setZero(6 * n);
    std::vector<std::pair<int, int>> places;
    for (int i = 0; i < 6 * n; ++i) places.emplace_back(i, i);
    A.set_pattern(6 * n, 6 * n, places);
    for (int b = 0; b < n; ++b) {
      const double m = masses[static_cast<std::size_t>(b)];
      auto& body = problem.bodies()[static_cast<std::size_t>(b)];
      body.mass = 1 / m;
      body.turning = M3::Identity() / (0.4 * m);
      v_free[6 * b + 2] = -g_h;
      for (int i = 0; i < 6; ++i) A.add(6 * b + i, 6 * b + i, i < 3 ? m : 0.4 * m);
      ManyContacts::Contact& c = problem.contacts().emplace_back();
      c.a = b == 0 ? problem.ground() : b - 1;
      c.b = b;
      c.rows = 3;
      c.mu = mu;
      c.wide = -1;
      c.D = ManyContacts::frame(V3::UnitZ());
      c.La.setZero();
      for (int k = 0; k < 3; ++k) {
        if (b > 0) c.La.row(k) = V3::UnitZ().cross(V3(c.D.row(k)));
        c.Lb.row(k) = (-V3::UnitZ()).cross(V3(c.D.row(k)));
      }
      c.P.setZero();
      c.bias.setZero();
    }
    for (auto& c : problem.contacts()) problem.set_response(c);
    problem.take(v_free);
  }
  double solve_by_newton(double tolerance) {
    Multipliers newton;
    newton.resize(static_cast<int>(v_free.size()), 0);
    Matrix none;
    none.set_pattern(0, static_cast<int>(v_free.size()), {});
    Vec v = v_free, mu;
    const std::vector<double> extent(problem.bodies().size(), 1.0);
    return newton.solve({A, none, none, 0, extent}, problem, v_free, tolerance, v, mu);
  }

  static constexpr double g_h = 0.05;
  ManyContacts problem;
  Matrix A;
  Vec v_free;
};

TEST(ManyContacts, ATowerCarriesItsWeightBySweepsAndByNewton) {
  for (const bool newton : {false, true}) {
    Tower tower({1, 2, 3});
    if (newton) {
      EXPECT_LE(tower.solve_by_newton(1e-12), 1e-12);
    } else {
      for (int k = 0; k < 300; ++k) tower.problem.sweep();
      EXPECT_LE(tower.problem.residual(), 1e-12);
    }
    double above = 6;
    for (const auto& c : tower.problem.contacts()) {
      EXPECT_NEAR(c.P[0], above * Tower::g_h, 1e-10);
      above -= 1 / tower.problem.bodies()[static_cast<std::size_t>(c.b)].mass;
    }
  }
}

TEST(ManyContacts, SweepsAreLostOnAThousandfoldLoadAndNewtonIsNot) {
  Tower sweeps({1, 1, 1, 1, 1000}), newton({1, 1, 1, 1, 1000});
  for (int k = 0; k < 500; ++k) sweeps.problem.sweep();
  EXPECT_GT(sweeps.problem.residual(), 1e-3 * Tower::g_h);
  EXPECT_LE(newton.solve_by_newton(1e-8 * Tower::g_h), 1e-8 * Tower::g_h);
  EXPECT_NEAR(newton.problem.contacts()[0].P[0], 1004 * Tower::g_h, 1e-4);
}

// exact Coulomb friction: the normal impulse is that of the weight, whatever the speed
TEST(ManyContacts, AFastSliderDoesNotLift) {
  for (const bool newton : {false, true}) {
    Tower one({2});
    one.v_free[0] = 20;
    one.v_free[1] = 10;
    one.problem.take(one.v_free);
    if (newton) one.solve_by_newton(1e-10);
    else
      for (int k = 0; k < 3; ++k) one.problem.sweep();
    const auto& c = one.problem.contacts()[0];
    EXPECT_NEAR(c.P[0], 2 * Tower::g_h, 1e-8);
    const V3 force = c.D.transpose() * c.P;
    EXPECT_NEAR(std::hypot(force[0], force[1]), 0.5 * c.P[0], 1e-8);
    EXPECT_NEAR(force[0], 2 * force[1], 1e-8);
    EXPECT_LT(force[0], 0);
    EXPECT_NEAR(one.problem.velocity(c)[0], 0, 1e-8);
  }
}

// one body slides on two points that carry it together, by impulses of 1e-2, until one is found to lift off by 1e-9: the way there is
// long while velocities stand still
TEST(ManyContacts, ImpulsesGoAllTheWayWhereVelocitiesStandStill) {
  Tower one({2});
  one.v_free[0] = 1;
  one.problem.contacts().push_back(one.problem.contacts()[0]);
  for (int k = 0; k < 2; ++k) {
    auto& c = one.problem.contacts()[static_cast<std::size_t>(k)];
    c.La.setZero();
    c.Lb.setZero();
    one.problem.set_response(c);
    c.bias[0] = k == 0 ? 1e-9 : -1e-9;
    c.P[0] = Tower::g_h;
  }
  EXPECT_LE(one.solve_by_newton(1e-9 * Tower::g_h), 1e-9 * Tower::g_h);
  EXPECT_NEAR(one.problem.contacts()[0].P[0], 0, 1e-9);
  EXPECT_NEAR(one.problem.contacts()[1].P[0], 2 * Tower::g_h, 1e-8);
  EXPECT_NEAR(one.problem.contacts()[1].P.tail<2>().norm(), 0.5 * one.problem.contacts()[1].P[0], 1e-12);
}

// balls that overlap are pushed up so far that gaps are closed, the heavier ones as far as the light ones below must; a ball beside its
// support turns
TEST(ManyContacts, SweepsOfGapsPushBodiesApartAndNoFarther) {
  Tower tower({1, 2, 3});
  const double gap[] = {-1e-3, -2e-3, 5e-3};
  for (std::size_t k = 0; k < 3; ++k) {
    auto& c = tower.problem.contacts()[k];
    c.rows = 1;
    c.La.setZero();
    c.Lb.setZero();
    tower.problem.set_response(c);
    c.bias[0] = gap[k];
  }
  Vec dx = Vec::Zero(18);
  tower.problem.take(dx);
  GapSweeps sweeps;
  sweeps.start(tower.problem);
  for (int k = 0; k < 500; ++k) sweeps.sweep();
  tower.problem.give(dx);
  EXPECT_NEAR(dx[2], 1e-3, 1e-12);
  EXPECT_NEAR(dx[8], 3e-3, 1e-12);
  EXPECT_EQ(dx[14], 0);  // 5 mm above: the others come 3 mm nearer

  Tower one({2});
  auto& c = one.problem.contacts()[0];
  c.rows = 1;
  c.Lb.row(0) = V3(0, 0.5, 0);
  one.problem.set_response(c);
  EXPECT_NEAR(c.W(0, 0), 0.5 + 0.25 / 0.8, 1e-15);
  c.bias[0] = -1e-3;
  dx.setZero(6);
  one.problem.take(dx);
  sweeps.start(one.problem);
  EXPECT_NEAR(sweeps.sweep(), 1e-3, 1e-18);  // the length by which it was too near
  EXPECT_EQ(sweeps.sweep(), 0);
  one.problem.give(dx);
  EXPECT_NEAR(dx[2] + 0.5 * dx[4], 1e-3, 1e-15);
  EXPECT_NEAR(dx[2] / dx[4], 0.5 / (0.5 / 0.8), 1e-12);
}

TEST(ManyContacts, ProjectionOntoTheConeIsTheNearestPointOfIt) {
  for (const double mu : {0.7, 0.0})
    for (const V3& z : {V3(1, 0.2, 0.1), V3(-1, 0.5, 0.5), V3(0.1, 2, -1), V3(-0.3, 1, 0), V3(-1, 0, 0)}) {
    const V3 p = ManyContacts::project(mu, z);
    EXPECT_LE(std::hypot(p[1], p[2]), mu * p[0] + 1e-15);
    // what is left of z stands on the polar cone: it is across p, and leads away from every point of the cone
    EXPECT_NEAR((z - p).dot(p), 0, 1e-14);
    for (double angle = 0; angle < 6.3; angle += 0.1) EXPECT_LE((z - p).dot(V3(1, mu * std::cos(angle), mu * std::sin(angle))), 1e-14);
  }
}

}  // namespace
}  // namespace escapement
