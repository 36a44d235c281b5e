#include "simulate/simulation.hpp"

#include <gtest/gtest.h>

#include "simulate/monitors.hpp"
#include "support/pendulum.hpp"

namespace escapement::simulation_test {
namespace {

struct Collector : Observer {
  std::vector<double> times;
  void sample(const State& s) override { times.push_back(s.t); }
};

struct Fixture {
  testing::Pendulum system{1};
  Settings settings;
  State start = make_state(system.dim());
  Collector collector;
  Observer* other = nullptr;
  Fixture() {
    settings.end = 2;
    start.q << 1, 0;
  }
  Outcome go(std::function<double(const State&)> stop = {}) {
    const RunOptions options = check_options(settings);
    auto scheme = find_scheme(settings.scheme)->make(options.scheme);
    Simulation simulation(system, *scheme, settings, options.loop);
    simulation.observe(collector);
    if (other) simulation.observe(*other);
    if (stop) simulation.stop_when(stop);
    return simulation.run(start);
  }
};

TEST(Simulation, FixedStepsLandOnTheEndExactly) {
  Fixture run;
  run.settings.step = 0.03;  // 2/0.03 is not whole
  const Outcome outcome = run.go();
  EXPECT_EQ(outcome.status, Outcome::Status::completed);
  EXPECT_EQ(outcome.t, 2.0);
  EXPECT_EQ(outcome.steps, 67);
  EXPECT_EQ(run.collector.times.front(), 0);
  EXPECT_EQ(run.collector.times.back(), 2.0);
}

TEST(Simulation, ARemainderBelowTheThresholdJoinsTheLastStep) {
  Fixture run;
  run.settings.end = 0.3;
  run.settings.step = 0.1;  // 3 * 0.1 > 0.3 in doubles
  EXPECT_EQ(run.go().steps, 3);
}

// who is told of what it overrides alone is not missed where its type is known as an Observer's alone, nor behind another class
TEST(Simulation, ObserversAreToldOfWhatTheyOverride) {
  struct Counting : Observer {
    int steps = 0, begun = 0;
    void step(const StepRecord&) override { ++steps; }
  };
  struct Behind : Counting {
    void begin(const State&) override { ++begun; }
  } behind;
  Counting own, as_observer;
  Observers all;
  all.add(own);
  all.add<Observer>(as_observer);
  all.add(behind);
  const testing::Pendulum system(1);
  const State s = make_state(system.dim());
  const auto scheme = make_scheme("hem5");
  const StepReport report;
  all.begin(s);
  all.step({s, s, 1, report, true, *scheme});
  for (const Counting* one : {&own, &as_observer, static_cast<Counting*>(&behind)}) EXPECT_EQ(one->steps, 1);
  EXPECT_EQ(behind.begun, 1);
}

TEST(Simulation, SamplesStandOnTheirGrid) {
  Fixture run;
  run.settings.tolerance = 1e-6;
  run.settings.save_every = 0.25;
  run.go();
  ASSERT_EQ(run.collector.times.size(), 9u);
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(run.collector.times[i], 0.25 * i, 1e-12);
}

TEST(Simulation, SavesEveryStepOnRequest) {
  Fixture run;
  run.settings.tolerance = 1e-6;
  run.settings.save_every = 0;
  const Outcome outcome = run.go();
  EXPECT_EQ(static_cast<long>(run.collector.times.size()), outcome.steps + 1);
}

TEST(Simulation, ErrorFallsWithTheTolerance) {
  Fixture run;
  run.settings.tolerance = 1e-12;
  const State reference = run.go().final;
  double last = 1;
  for (double tolerance : {1e-4, 1e-6, 1e-8}) {
    run.settings.tolerance = tolerance;
    const double error = (run.go().final.q - reference.q).norm();
    EXPECT_LT(error, 0.1 * last);
    EXPECT_LT(error, 100 * tolerance);
    last = error;
  }
}

TEST(Simulation, ThePredictiveRuleRejectsLess) {
  // a pendulum that passes its lowest point again and again: the step must fall and rise
  long rejected[2], steps[2];
  for (const bool predictive : {false, true}) {
    Fixture run;
    run.settings.end = 100;
    run.settings.scheme = "phem56";
    run.settings.tolerance = 1e-6;
    run.settings.options["control"] = std::string(predictive ? "predictive" : "elementary");
    const Outcome outcome = run.go();
    ASSERT_EQ(outcome.status, Outcome::Status::completed);
    rejected[predictive] = outcome.rejected_steps;
    steps[predictive] = outcome.steps;
  }
  EXPECT_GT(rejected[0], 20);
  EXPECT_LT(2 * rejected[1], rejected[0]);
  EXPECT_LT(steps[1] + rejected[1], steps[0] + rejected[0]);
}

TEST(Simulation, StopsWhereTheConditionTurnsTrue) {
  Fixture run;
  run.settings.tolerance = 1e-9;
  run.settings.end = 10;
  const Outcome outcome = run.go([](const State& s) { return -s.q[0]; });  // lowest point: quarter period
  EXPECT_EQ(outcome.status, Outcome::Status::stopped);
  EXPECT_NEAR(outcome.t, 7.416298709205487673735401 / 4, 1e-7);
  EXPECT_EQ(run.collector.times.back(), outcome.t);
}

TEST(Simulation, SeesAStopConditionWithinALongStep) {
  Fixture run;
  run.settings.scheme = "mexx";
  run.settings.tolerance = 1e-10;
  run.settings.end = 10;
  run.settings.save_every = 0.01;
  // true for a moment only, around the lowest point
  const Outcome outcome = run.go([](const State& s) { return 0.1 - std::abs(s.q[0]); });
  EXPECT_EQ(outcome.status, Outcome::Status::stopped);
  EXPECT_NEAR(outcome.final.q[0], 0.1, 1e-9);
  EXPECT_NEAR(outcome.final.q.norm(), 1, 1e-8);
  EXPECT_GT(outcome.t / static_cast<double>(outcome.steps), 0.2);  // the steps are long
  ASSERT_EQ(run.collector.times.size(), static_cast<std::size_t>(outcome.t / 0.01) + 2);
  EXPECT_EQ(run.collector.times.back(), outcome.t);
}

struct LargestDrift : Observer {
  const System& system;
  double position = 0;
  Terms T;
  explicit LargestDrift(const System& sys) : system(sys) { sys.prepare(T); }
  void step(const StepRecord& record) override {
    if (!record.accepted) return;
    system.evaluate(record.after, Need::gap, T);
    position = std::max(position, T.g.lpNorm<Eigen::Infinity>());
  }
};

TEST(Simulation, MaxDriftProjectsWhereTheSchemeProjects) {
  for (const char* scheme : {"rkf45", "mexx", "hem5"}) {
    Fixture run;
    run.settings.scheme = scheme;
    run.settings.tolerance = 1e-5;
    run.settings.end = 20;
    run.settings.options = {{"projection", std::string("velocity")}};
    LargestDrift before(run.system), after(run.system);
    run.other = &before;
    ASSERT_EQ(run.go().status, Outcome::Status::completed);
    EXPECT_GT(before.position, 1e-7) << scheme;
    run.settings.options["max_drift"] = 1e-7;
    run.other = &after;
    const Outcome outcome = run.go();
    ASSERT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
    EXPECT_LT(after.position, 1e-7) << scheme;
  }
}

TEST(Simulation, MaxDriftRejectsFiveTimesWithoutProjection) {
  Fixture run;
  run.settings.scheme = "rkf45";
  run.settings.tolerance = 1e-5;
  run.settings.end = 20;
  run.settings.options = {{"projection", std::string("none")}, {"max_drift", 1e-6}};
  const Outcome outcome = run.go();
  EXPECT_EQ(outcome.status, Outcome::Status::failed);
  EXPECT_NE(outcome.message.find("max_drift"), std::string::npos) << outcome.message;
  EXPECT_NE(outcome.message.find("projection"), std::string::npos) << outcome.message;
  EXPECT_GE(outcome.rejected_steps, 5);
}

// who gives min_step has the drift rejected until there, in the share that is asked for
TEST(Simulation, MaxDriftRejectsUntilTheSmallestStepThatIsGiven) {
  auto rejected = [](double shrink) {
    Fixture run;
    run.settings.scheme = "rkf45";
    run.settings.tolerance = 1e-5;
    run.settings.end = 20;
    run.settings.options = {{"projection", std::string("none")}, {"max_drift", 1e-6}, {"min_step", 1e-9}, {"first_step", 1e-2}, {"drift_shrink", shrink}};
    const Outcome outcome = run.go();
    EXPECT_EQ(outcome.status, Outcome::Status::failed);
    EXPECT_NE(outcome.message.find("max_drift"), std::string::npos) << outcome.message;
    return outcome.rejected_steps;
  };
  const long halves = rejected(0.5), tenths = rejected(0.1);
  EXPECT_GT(halves, 15);  // from above 1e-4 down to 1e-9 alone takes 17 halvings
  EXPECT_LT(tenths, halves);
}

// the sizes of the accepted steps
struct Steps : Observer {
  std::vector<double> sizes;
  void step(const StepRecord& s) override {
    if (s.accepted) sizes.push_back(s.h);
  }
};

TEST(Simulation, TheFirstStepMayBeGiven) {
  for (const char* scheme : {"rkf45", "hem5", "mexx"}) {
    for (const double first : {1e-5, 3e-3}) {
      Fixture run;
      Steps steps;
      run.settings.scheme = scheme;
      run.settings.tolerance = 1e-4;
      run.settings.options = {{"first_step", first}};
      run.other = &steps;
      ASSERT_EQ(run.go().status, Outcome::Status::completed);
      EXPECT_EQ(steps.sizes.front(), first) << scheme;
    }
  }
}

TEST(Simulation, StepsGrowByAtMostWhatIsGiven) {
  auto largest_growth = [](double allowed) {
    Fixture run;
    Steps steps;
    run.settings.scheme = "rkf45";
    run.settings.tolerance = 1e-4;
    run.settings.options = {{"first_step", 1e-6}, {"max_growth", allowed}, {"control", std::string("elementary")}};
    run.other = &steps;
    EXPECT_EQ(run.go().status, Outcome::Status::completed);
    double most = 0;
    for (std::size_t i = 1; i < steps.sizes.size(); ++i) most = std::max(most, steps.sizes[i] / steps.sizes[i - 1]);
    return most;
  };
  EXPECT_NEAR(largest_growth(1.5), 1.5, 1e-12);
  EXPECT_NEAR(largest_growth(8), 8, 1e-12);
  EXPECT_GT(largest_growth(1e9), 100);
}

TEST(Simulation, StepLimitsThatContradictEachOtherAreRefused) {
  auto message = [](std::map<std::string, OptionValue> options) -> std::string {
    Settings settings;
    settings.tolerance = 1e-4;
    settings.options = std::move(options);
    try {
      check_options(settings);
    } catch (const OptionError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{"first_step", 1e-9}, {"min_step", 1e-6}}).find("first_step"), std::string::npos);
  EXPECT_NE(message({{"first_step", 1e-1}, {"max_step", 1e-2}}).find("first_step"), std::string::npos);
  EXPECT_NE(message({{"first_step", -1.0}}).find("first_step"), std::string::npos);
  EXPECT_NE(message({{"max_growth", 0.5}}).find("above 1"), std::string::npos);
  EXPECT_NE(message({{"drift_shrink", 1.0}}).find("drift_shrink"), std::string::npos);
  EXPECT_EQ(message({{"first_step", 1e-3}, {"max_growth", 2.0}, {"drift_shrink", 0.25}}), "");
}

TEST(Simulation, RepeatsItselfBitForBit) {
  Fixture run;
  run.settings.tolerance = 1e-7;
  const State a = run.go().final, b = run.go().final;
  EXPECT_TRUE(a.q == b.q && a.v == b.v && a.lambda == b.lambda);
}

// a force that ends in NaN: the run stops there, says so, and keeps what it has
class Exploding : public testing::Pendulum {
 public:
  void evaluate(const State& s, Need need, Terms& T) const override {
    Pendulum::evaluate(s, need, T);
    if (has(need, Need::force) && s.t > 1) T.f[0] = std::nan("");
  }
};

TEST(Simulation, AFailureSaysWhenAndKeepsWhatWasReached) {
  Fixture run;
  Exploding system;
  run.settings.step = 0.01;
  auto scheme = make_scheme("hem5");
  Simulation simulation(system, *scheme, run.settings, check_options(run.settings).loop);
  simulation.observe(run.collector);
  const Outcome outcome = simulation.run(run.start);
  EXPECT_EQ(outcome.status, Outcome::Status::failed);
  EXPECT_NEAR(outcome.t, 1, 0.011);
  EXPECT_EQ(run.collector.times.back(), outcome.t);
  EXPECT_NE(outcome.message.find("no longer finite"), std::string::npos) << outcome.message;
  EXPECT_TRUE(outcome.final.q.allFinite());
}

TEST(Monitors, EnergyAndDriftOfThePendulum) {
  Fixture run;
  run.settings.step = 0.01;
  auto scheme = make_scheme("hem5");
  Simulation simulation(run.system, *scheme, run.settings, check_options(run.settings).loop);
  DriftMonitor drift(run.system);
  EnergyMonitor energy(run.system);
  simulation.observe(drift);
  simulation.observe(energy);
  simulation.run(run.start);
  EXPECT_LT(drift.max_velocity(), 2e-14);
  EXPECT_GT(drift.max_position(), 1e-15);
  EXPECT_LT(energy.max_error(), 1e-9);
  EXPECT_GT(energy.max_error(), 0);
}

// a scheme whose estimate does not see what it does to the energy
struct Leaping : Scheme {
  std::unique_ptr<Scheme> inner = make_scheme("hem5");
  double factor = 1;
  bool dead_point = false;
  const SchemeInfo& info() const override { return inner->info(); }
  void start(const System& sys, State& s) override { inner->start(sys, s); }
  StepReport step(const System& sys, const State& s, double h, State& s1) override {
    StepReport report = inner->step(sys, s, h, s1);
    if (s.t < 1 && s1.t >= 1) {
      s1.v *= factor;
      report.passes_dead_point = dead_point;
    }
    return report;
  }
};

TEST(Simulation, ALeapOfTheEnergyEndsARunOfControlledErrors) {
  const auto go = [](double factor, bool dead_point, bool controlled) {
    Fixture run;
    run.start.q << 0.6, -0.8;
    run.start.v << 4, 3;
    run.settings.tolerance = 1e-6;
    Leaping scheme;
    scheme.factor = factor;
    scheme.dead_point = dead_point;
    Simulation simulation(run.system, scheme, run.settings, check_options(run.settings).loop);
    EnergyMonitor energy(run.system, controlled);
    simulation.observe(energy);
    return simulation.run(run.start);
  };
  EXPECT_EQ(go(1, true, true).status, Outcome::Status::completed);
  EXPECT_EQ(go(1.2, false, true).status, Outcome::Status::completed);
  EXPECT_EQ(go(10, false, false).status, Outcome::Status::completed);
  for (const Outcome& outcome : {go(10, false, true), go(1.2, true, true)}) {
    EXPECT_EQ(outcome.status, Outcome::Status::failed);
    EXPECT_NE(outcome.message.find("the energy leaps"), std::string::npos) << outcome.message;
    EXPECT_LT(outcome.t, 1.5);
  }
}

}  // namespace
}  // namespace escapement
