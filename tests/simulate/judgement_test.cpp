// What a run's monitors make of steps that are handed to them, and the verdict on it.
#include <gtest/gtest.h>

#include "simulate/judgement.hpp"
#include "support/bouncing_ball.hpp"

namespace escapement::judgement_test {
namespace {

// a ball that slides along a floor, its steps made up
struct MadeUp {
  testing::BouncingBall ball{0.5, 0.3};
  DriftMonitor drift{ball, ContactMonitor::need(ball)};
  ContactMonitor contacts{ball, drift};
  EnergyMonitor energy{ball};
  StepMonitor steps;
  Settings settings;
  std::unique_ptr<Scheme> scheme = make_scheme("moreau-midpoint-ggl");
  State s = make_state(ball.dim()), s1 = s;

  MadeUp() {
    settings.scheme = "moreau-midpoint-ggl";
    settings.tolerance = 1e-6;
    s.v << 1, 0;
    for (Observer* o : observers()) o->begin(s);
  }
  std::vector<Observer*> observers() { return {&drift, &contacts, &steps}; }
  // one step further, 1 m
  void step(double y, double normal, double friction, const StepReport& report = {}) {
    s1 = s;
    s1.t += 1;
    s1.q << s.q[0] + 1, y;
    s1.lambda << normal, friction;
    for (Observer* o : observers()) o->step({s, s1, 1, report, true, *scheme});
    std::swap(s, s1);
  }
  Judgement judgement() const {
    return judge(ball, scheme->info(), settings, {drift, energy, contacts, steps});
  }
  std::string what() const {
    const Judgement verdict = judgement();
    std::string all;
    for (const Finding& f : verdict.findings) all += f.what + (f.value > f.limit ? "; " : " (slight); ");
    EXPECT_EQ(verdict.sound(), all.empty() || all.find("(slight)") != std::string::npos);
    return all;
  }
};

TEST(Judgement, SoundSteps) {
  MadeUp run;
  for (int i = 0; i < 10; ++i) run.step(0, 9.81, -0.3 * 9.81);
  EXPECT_EQ(run.what(), "");
}

TEST(Judgement, PenetrationIsJudgedByTheMotion) {
  MadeUp run;
  run.step(2, 0, 0);
  run.step(-1e-6, 9.81, -0.3 * 9.81);
  EXPECT_EQ(run.what(), "");  // of a range of 2
  run.step(-4e-6, 9.81, -0.3 * 9.81);
  EXPECT_EQ(run.what(), "penetration; ");
  const Finding found = run.judgement().findings[0];
  EXPECT_EQ(found.where, "floor");
  EXPECT_EQ(found.t, 3);
  EXPECT_NEAR(found.value, 2e-6, 1e-9);
  EXPECT_EQ(found.limit, 1e-6);
  // a scheme that keeps velocities alone sinks in by its nature
  run.scheme = make_scheme("moreau-midpoint");
  EXPECT_EQ(run.what(), "");
  run.step(-0.03, 9.81, -0.3 * 9.81);
  EXPECT_EQ(run.what(), "penetration; ");
}

TEST(Judgement, SamplesBetweenSteps) {
  MadeUp run;
  run.step(1, 0, 0);
  State between = run.s;
  between.q[1] = -1e-4;
  run.contacts.sample(between);  // the end of the step: it has been looked at
  EXPECT_EQ(run.what(), "");
  between.t -= 0.5;
  run.contacts.sample(between);
  EXPECT_EQ(run.what(), "penetration of samples between steps; ");
  EXPECT_EQ(run.contacts.deepest(), 1e-4);
  run.settings.tolerance.reset();
  run.settings.step = 1;
  EXPECT_EQ(run.what(), "");
}

TEST(Judgement, WhatTheStartHasIsNoFinding) {
  MadeUp run;
  run.s.q[1] = -1e-9;
  for (Observer* o : run.observers()) o->begin(run.s);
  run.step(-1e-9, 9.81, -0.3 * 9.81);
  EXPECT_EQ(run.what(), "");
}

TEST(Judgement, ForcesThatNoContactHas) {
  MadeUp pull, outside, along;
  pull.step(0, 9.81, -0.3 * 9.81);
  pull.step(0, -0.05, 0);
  EXPECT_EQ(pull.what(), "");
  pull.step(0, -0.2, 0);
  EXPECT_NE(pull.what().find("a contact that pulls; "), std::string::npos);
  outside.step(0, 9.81, -0.302 * 9.81);
  EXPECT_EQ(outside.what(), "");
  outside.step(0, 9.81, -0.31 * 9.81);
  EXPECT_EQ(outside.what(), "friction outside its cone; ");
  along.step(0, 9.81, 0.1);
  EXPECT_EQ(along.what(), "friction along the slip; ");
}

TEST(Judgement, StepsThatDidNotConverge) {
  MadeUp run;
  StepReport unsolved;
  unsolved.excess = 20;
  run.step(0, 9.81, -0.3 * 9.81, unsolved);
  EXPECT_EQ(run.what(), "steps whose iteration did not converge; ");
  for (int i = 0; i < 120; ++i) run.step(0, 9.81, -0.3 * 9.81);
  EXPECT_EQ(run.what(), "steps whose iteration did not converge (slight); ");
  EXPECT_TRUE(run.judgement().sound());
}

}  // namespace
}  // namespace escapement
