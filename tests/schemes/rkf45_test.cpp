#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/slider_crank.hpp"

namespace escapement::rkf45_test {
namespace {

using namespace testing;

struct Drifts {
  double position, velocity;
};

Drifts drifts_after(double end, const std::map<std::string, OptionValue>& options) {
  const SliderCrank system;
  auto scheme = make_scheme("rkf45", options);
  State s = system.consistent_start();
  scheme->start(system, s);
  EXPECT_TRUE(run_steps(*scheme, system, static_cast<int>(end / 0.01), 0.01, s));
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap | Need::jacobian, T);
  return {T.g.norm(), (T.G.dense() * s.v).norm()};
}

TEST(Rkf45, ProjectsToTheLevelsAskedFor) {
  const Drifts none = drifts_after(2, {{"projection", "none"}});
  EXPECT_GT(none.position, 1e-7);
  EXPECT_GT(none.velocity, 1e-7);
  const Drifts position = drifts_after(2, {{"projection", "position"}});
  EXPECT_LT(position.position, 2e-15);
  EXPECT_GT(position.velocity, 1e-7);
  const Drifts velocity = drifts_after(2, {{"projection", "velocity"}});
  EXPECT_GT(velocity.position, 1e-10);
  EXPECT_LT(velocity.velocity, 1e-14);
  const Drifts both = drifts_after(2, {{"projection", "both"}});
  EXPECT_LT(both.position, 2e-15);
  EXPECT_LT(both.velocity, 1e-14);
}

TEST(Rkf45, BaumgarteConstantsStopTheGrowthOfTheDrift) {
  const std::map<std::string, OptionValue> none{{"projection", "none"}};
  const std::map<std::string, OptionValue> held{
      {"projection", "none"}, {"baumgarte_alpha", 20.0}, {"baumgarte_beta", 20.0}};
  // the drift of g grows with t^2 by itself
  EXPECT_GT(drifts_after(40, none).position, 3e-4);
  EXPECT_LT(drifts_after(40, held).position, 3e-6);
}

}  // namespace
}  // namespace escapement
