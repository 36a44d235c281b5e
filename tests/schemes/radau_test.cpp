#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/linear_systems.hpp"
#include "support/slider_crank.hpp"

namespace escapement::radau_test {
namespace {

using namespace testing;

// R(z) falls with 3/z: what is stiff is gone at the end of one step
TEST(Radau, DampsWhatIsStiff) {
  const StiffOscillator system;
  auto scheme = make_scheme("radau");
  State s = system.exact(0), s1 = s;
  scheme->start(system, s);
  for (double stiff : {1e4, 1e6}) {
    const double h = stiff / system.fastest();
    ASSERT_TRUE(scheme->step(system, s, h, s1).ok()) << stiff;
    EXPECT_LT(s1.q.norm(), 0.1 * s.q.norm()) << stiff;
    EXPECT_LT(h * s1.v.norm(), 10 * s.q.norm()) << stiff;
  }
}

// the factor L in place of A: at most about 0.4 is left by an iteration, whatever the step
TEST(Radau, IteratesAFewTimesHoweverStiff) {
  const StiffOscillator system;
  auto scheme = make_scheme("radau");
  State s = system.exact(0), s1 = s;
  scheme->start(system, s);
  scheme->set_tolerance(1e-6, false);
  for (double stiff = 1e-3; stiff < 1e6; stiff *= 3) {
    const StepReport report = scheme->step(system, s, stiff / system.fastest(), s1);
    ASSERT_TRUE(report.ok()) << stiff;
    EXPECT_LE(report.newton_iterations, 24) << stiff;
  }
}

// the stages meet the velocity level, the projection both
TEST(Radau, ProjectsToTheLevelsAskedFor) {
  const SliderCrank system;
  Terms T;
  system.prepare(T);
  for (const char* projection : {"none", "both"}) {
    auto scheme = make_scheme("radau", {{"projection", std::string(projection)}});
    State s = system.consistent_start();
    scheme->start(system, s);
    ASSERT_TRUE(run_steps(*scheme, system, 100, 0.02, s));
    system.evaluate(s, Need::gap | Need::jacobian, T);
    EXPECT_LT((T.G.dense() * s.v).norm(), 1e-12) << projection;
    EXPECT_EQ(T.g.norm() < 1e-14, projection == std::string("both")) << projection << " " << T.g.norm();
  }
}

}  // namespace
}  // namespace escapement
