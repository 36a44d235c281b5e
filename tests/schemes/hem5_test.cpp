#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/slider_crank.hpp"

namespace escapement {
namespace {

using namespace testing;

TEST(Hem5, TheErrorEstimateFallsWithTheFifthPower) {
  const SliderCrank system;
  auto scheme = make_scheme("hem5");
  State s = system.consistent_start();
  scheme->start(system, s);
  State s1 = s;
  const double e1 = scheme->step(system, s, 0.004, s1).error, e2 = scheme->step(system, s, 0.002, s1).error;
  EXPECT_NEAR(std::log2(e1 / e2), scheme->info().error_power, 0.3);
}

TEST(Hem5, ProjectsThePositionWhenAsked) {
  const SliderCrank system;
  auto scheme = make_scheme("hem5", {{"projection", "both"}});
  EXPECT_TRUE(scheme->info().keeps_position && scheme->info().keeps_velocity);
  State s = system.consistent_start();
  scheme->start(system, s);
  ASSERT_TRUE(run_steps(*scheme, system, 100, 0.02, s));
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap | Need::jacobian, T);
  EXPECT_LT(T.g.norm(), 2e-15);
  EXPECT_LT((T.G.dense() * s.v).norm(), 1e-14);
}

}  // namespace
}  // namespace escapement
