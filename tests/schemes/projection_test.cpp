#include "schemes/projection.hpp"

#include <gtest/gtest.h>

#include "support/pendulum.hpp"
#include "support/pendulum_variants.hpp"
#include "support/slider_crank.hpp"
#include "support/spatial_top.hpp"

namespace escapement::projection_test {
namespace {

using namespace testing;

struct Projected {
  Status status;
  State s;
  Terms T;
};

Projected project(const System& system, const State& start, bool position, bool velocity) {
  Projected result{Status::ok, start, {}};
  Projection projection(position, velocity);
  SaddleSolver kkt;
  kkt.resize(system.dim().v, system.dim().rows());
  projection.resize(system);
  system.prepare(result.T);
  result.status = projection.project(system, result.s, Need(0), result.T, kkt);
  system.evaluate(result.s, Need::mass | Need::gap | Need::jacobian, result.T);
  return result;
}

State disturbed(State s, double size) {
  s.q.array() += size * Vec::LinSpaced(s.q.size(), 1, -0.5).array();
  s.v.array() += size * Vec::LinSpaced(s.v.size(), -0.7, 1).array();
  return s;
}

TEST(Projection, MeetsBothLevelsToRounding) {
  for (const double size : {1e-8, 1e-3, 0.1}) {
    const SliderCrank crank;
    const Projected p = project(crank, disturbed(crank.consistent_start(), size), true, true);
    ASSERT_EQ(p.status, Status::ok);
    EXPECT_LT(p.T.g.lpNorm<Eigen::Infinity>(), 2e-15);
    EXPECT_LT((p.T.G.dense() * p.s.v).lpNorm<Eigen::Infinity>(), 1e-14);

    const SpatialTop top;
    State s = disturbed(top.exact(0), size);
    top.normalize(s.q);
    const Projected p3 = project(top, s, true, true);
    ASSERT_EQ(p3.status, Status::ok);
    EXPECT_LT(p3.T.g.lpNorm<Eigen::Infinity>(), 2e-15);
    EXPECT_LT((p3.T.G.dense() * p3.s.v).lpNorm<Eigen::Infinity>(), 1e-14);
    EXPECT_NEAR(p3.s.q.tail(4).norm(), 1, 1e-15);
  }
}

TEST(Projection, TheCorrectionIsOrthogonalInTheKineticMetric) {
  // M (v1 - v) = G^T mu: it does no work on any velocity the constraints allow
  const SliderCrank crank;
  const State start = disturbed(crank.consistent_start(), 1e-6);
  const Projected p = project(crank, start, true, true);
  const Mat allowed = p.T.G.dense().fullPivLu().kernel();
  const Vec dv = p.s.v - start.v, dq = p.s.q - start.q;
  ASSERT_GT(dv.norm(), 1e-7);
  EXPECT_LT((allowed.transpose() * p.T.M.dense() * dv).norm(), 1e-13);
  EXPECT_LT((allowed.transpose() * p.T.M.dense() * dq).norm(), 1e-10);  // up to the curvature of the constraints
}

TEST(Projection, LevelsThatAreNotAskedForStay) {
  const SliderCrank crank;
  const State start = disturbed(crank.consistent_start(), 1e-3);
  EXPECT_EQ(project(crank, start, false, true).s.q, start.q);
  EXPECT_EQ(project(crank, start, true, false).s.v, start.v);
}

TEST(Projection, RedundantAndSwitchedOffRowsDoNoHarm) {
  const RedundantPendulum three;
  State s = make_state(three.dim());
  s.q << 0.61, -0.82;
  s.v << 1, 0.5;
  const Projected p = project(three, s, true, true);
  ASSERT_EQ(p.status, Status::ok);
  EXPECT_NEAR(p.s.q.norm(), 1, 4e-16);
  EXPECT_LT((p.s.q - s.q.normalized()).norm(), 1e-14);
  EXPECT_NEAR(p.s.q.dot(p.s.v), 0, 1e-15);
}

TEST(Projection, RowsWithoutAPositionLevelDoNotMoveThePosition) {
  const Skate skate;
  const State s = disturbed(skate.exact(0), 1e-2);
  const Projected p = project(skate, s, true, true);
  EXPECT_EQ(p.s.q, s.q);
  EXPECT_LT((p.T.G.dense() * p.s.v).norm(), 1e-15);
}

// (x^2 + y^2 + 1)/2 = 0 has no solution
class Impossible : public Pendulum {
 public:
  void evaluate(const State& s, Need need, Terms& T) const override {
    Pendulum::evaluate(s, need, T);
    if (has(need, Need::gap)) T.g[0] += 1;
  }
};

TEST(Projection, SaysWhenThereIsNoPosition) {
  const Impossible system;
  State s = make_state(system.dim());
  s.q << 0.6, -0.8;
  EXPECT_NE(project(system, s, true, false).status, Status::ok);
  s.q[0] = std::nan("");
  EXPECT_EQ(project(system, s, true, false).status, Status::not_finite);
}

}  // namespace
}  // namespace escapement
