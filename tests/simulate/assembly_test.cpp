#include "simulate/assembly.hpp"

#include <gtest/gtest.h>

namespace escapement::assembly_test {
namespace {

// a mass with different inertias along x and y on the circle x^2 + y^2 = (1 + t)^2, above the floor y >= floor
class Ring : public System {
 public:
  Ring(double mass_y, double floor) : mass_y_(mass_y), floor_(floor) {
    dim_.q = dim_.v = 2;
    dim_.bilateral = dim_.unilateral = 1;
    names_ = {{"x", "y"}, {"x", "y"}, {}, {"ring", "floor"}};
  }
  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }
  void prepare(Terms& T) const override {
    T.M.resize(2, 2);
    T.G.resize(2, 2);
    T.f.setZero(2);
    T.g.setZero(2);
    T.g_t.setZero(2);
    T.kappa.setZero(2);
  }
  void prepare(Tangent& D) const override {
    D.K.resize(2, 2);
    D.D.resize(2, 2);
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense() << 1, 0, 0, mass_y_;
    if (has(need, Need::gap)) T.g << (s.q.squaredNorm() - (1 + s.t) * (1 + s.t)) / 2, s.q[1] - floor_;
    if (has(need, Need::jacobian)) {
      T.G.dense() << s.q[0], s.q[1], 0, 1;
      T.g_t << -(1 + s.t), 0;
    }
  }
  void tangent(const State&, const Vec&, const Vec& mu, Parts, Tangent& D) const override {
    D.K.dense() = -mu[0] * Mat::Identity(2, 2);
    D.D.set_zero();
  }
  Energy energy(const State&, Terms&) const override { return {}; }

 private:
  double mass_y_, floor_;
  Dim dim_;
  Names names_;
};

State start_at(const System& system, double x, double y, double vx, double vy) {
  State s = make_state(system.dim());
  s.q << x, y;
  s.v << vx, vy;
  return s;
}

TEST(Assembly, NearestPointOfACircle) {
  const Ring ring(1, -10);
  State s = start_at(ring, 1.5, 2, 1, 1);
  const Assembly done = assemble(ring, s, {}, {});
  EXPECT_TRUE(done.ok);
  EXPECT_NEAR(s.q[0], 0.6, 1e-15);
  EXPECT_NEAR(s.q[1], 0.8, 1e-15);
  EXPECT_NEAR(done.moved, 1.2, 1e-14);
  // tangential velocity stays, the radial one becomes 1 (the ring grows)
  EXPECT_NEAR(s.v[0] * 0.6 + s.v[1] * 0.8, 1, 1e-14);
  EXPECT_NEAR(s.v[0] * -0.8 + s.v[1] * 0.6, -0.2, 1e-14);
}

// the shortest way in the metric of the kinetic energy: M dx is normal to the constraint
TEST(Assembly, NearestInTheKineticMetric) {
  const Ring ring(9, -10);
  State s = start_at(ring, 2, 1, 0, 0);
  const State given = s;
  ASSERT_TRUE(assemble(ring, s, {}, {}).ok);
  EXPECT_NEAR(s.q.norm(), 1, 1e-15);
  const Vec dx = s.q - given.q;
  const double tangential = dx[0] * -s.q[1] + 9 * dx[1] * s.q[0];
  EXPECT_NEAR(tangential, 0, 1e-13);
  EXPECT_GT(s.q[1], 0.6);  // the heavy direction moves little
}

TEST(Assembly, KeepsWhatItIsTold) {
  const Ring ring(1, -10);
  State s = start_at(ring, 0.6, 2, 3, 1);
  ASSERT_TRUE(assemble(ring, s, {0}, {0}).ok);
  EXPECT_EQ(s.q[0], 0.6);
  EXPECT_EQ(s.v[0], 3);
  EXPECT_NEAR(s.q[1], 0.8, 1e-15);
  EXPECT_NEAR(0.6 * 3 + 0.8 * s.v[1], 1, 1e-14);
}

TEST(Assembly, FailsWhereItCannot) {
  const Ring ring(1, -10);
  State s = start_at(ring, 3, 2, 0, 0);
  EXPECT_FALSE(assemble(ring, s, {0}, {}).ok);  // x = 3 is outside the ring
  EXPECT_EQ(s.q[0], 3);
  State kept = start_at(ring, 3, 2, 0, 0);
  EXPECT_FALSE(assemble(ring, kept, {0, 1}, {}).ok);
  EXPECT_EQ(kept.q, (Vec(2) << 3, 2).finished());
}

TEST(Assembly, OpensGaps) {
  const Ring ring(1, 0.5);
  State s = start_at(ring, 2, 0.1, 0, 0);  // its nearest point of the circle lies below the floor
  ASSERT_TRUE(assemble(ring, s, {}, {}).ok);
  EXPECT_NEAR(s.q[1], 0.5, 1e-12);
  EXPECT_NEAR(s.q[0], std::sqrt(0.75), 1e-12);
  State above = start_at(ring, 1, 2, 0, 0);
  ASSERT_TRUE(assemble(ring, above, {}, {}).ok);
  EXPECT_NEAR(above.q[0] * 2, above.q[1], 1e-14);
}

TEST(Assembly, WorstViolation) {
  const Ring ring(1, 0);
  State s = start_at(ring, 1, 0, 1, 0);
  EXPECT_EQ(worst_violation(ring, s).scaled, 0);
  s.v[0] = 0.7;
  StartViolation worst = worst_violation(ring, s);
  EXPECT_EQ(worst.level, StartLevel::velocity);
  EXPECT_EQ(worst.row, 0);
  EXPECT_NEAR(worst.value, -0.3, 1e-15);
  EXPECT_NEAR(worst.scaled, 0.3 / 2.7, 1e-15);
  s.q[1] = -0.5;
  worst = worst_violation(ring, s);
  EXPECT_EQ(worst.level, StartLevel::gap);
  EXPECT_EQ(worst.row, 1);
  EXPECT_EQ(worst.value, -0.5);
}

}  // namespace
}  // namespace escapement
