// The work of one step as [000] Table 2 counts it: evaluations of F, G and G_qq, and linear systems.
#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/slider_crank.hpp"
#include "system/counting_system.hpp"

namespace escapement::work_test {
namespace {

using namespace testing;

struct Work {
  Counts counts;
  int solves = 0;
  long total() const { return counts.work(solves); }
};

// of a step in the middle of a run
Work work_of(const std::string& id, const std::map<std::string, OptionValue>& options) {
  const SliderCrank crank;
  CountingSystem system(crank);
  auto scheme = make_scheme(id, options);
  State s = crank.consistent_start();
  scheme->start(system, s);
  EXPECT_TRUE(run_steps(*scheme, system, 3, 0.005, s));
  system.reset();
  State s1 = s;
  const StepReport report = scheme->step(system, s, 0.005, s1);
  EXPECT_TRUE(report.ok());
  return {system.counts(), report.linear_solves};
}

TEST(Work, Hem5AsInTable2) {
  const Work work = work_of("hem5", {});
  EXPECT_EQ(work.counts.force, 8);
  EXPECT_EQ(work.counts.jacobian, 8);
  EXPECT_EQ(work.counts.curvature, 1);
  EXPECT_EQ(work.solves, 9);
  EXPECT_EQ(work.total(), 26);
}

TEST(Work, Phem56SavesTwoUnits) {
  const Work work = work_of("phem56", {});
  EXPECT_EQ(work.counts.force, 6);
  EXPECT_EQ(work.counts.jacobian, 10);  // at the stages and at the points of the constraints
  EXPECT_EQ(work.counts.curvature, 1);
  EXPECT_EQ(work.solves, 7);  // one of them for the error estimate, with factors at hand
  EXPECT_EQ(work.total(), 24);
}

// Table 2 says 30: it counts two linear systems per stage, M^-1 and G M^-1 G^T; one saddle-point system does it here
TEST(Work, Rkf45WithOneSystemPerStage) {
  const Work work = work_of("rkf45", {{"projection", "none"}});
  EXPECT_EQ(work.counts.force, 6);
  EXPECT_EQ(work.counts.jacobian, 6);
  EXPECT_EQ(work.counts.curvature, 6);
  EXPECT_EQ(work.solves, 6);
  EXPECT_EQ(work.total(), 24);
}

TEST(Work, ProjectionCostsFewSolves) {
  const Work velocity = work_of("rkf45", {{"projection", "velocity"}});
  EXPECT_EQ(velocity.total(), 24 + 1);  // one solve with the matrix of the end's acceleration
  const Work both = work_of("rkf45", {{"projection", "both"}});
  EXPECT_EQ(both.counts.jacobian, 7);
  EXPECT_LE(both.total(), 24 + 1 + 1 + 3);
}

// the end's position is known before the last stage: that stage meets the velocity level there, with the factors at
// hand
TEST(Work, HalfExplicitSchemesProjectWithTheFactorsTheyHave) {
  for (const auto& [id, plain] : {std::pair{"hem5", 26}, std::pair{"phem56", 24}}) {
    const Work both = work_of(id, {{"projection", "both"}}), none = work_of(id, {});
    EXPECT_EQ(none.total(), plain);
    EXPECT_EQ(both.counts.force, none.counts.force);
    EXPECT_EQ(both.counts.jacobian, none.counts.jacobian);
    EXPECT_GT(both.total(), plain) << id;
    EXPECT_LE(both.total(), plain + 2) << id;
  }
}

}  // namespace
}  // namespace escapement
