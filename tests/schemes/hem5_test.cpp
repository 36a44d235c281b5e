#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/slider_crank.hpp"

namespace escapement {
namespace {

using namespace testing;

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
