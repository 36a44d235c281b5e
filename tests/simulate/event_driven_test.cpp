#include <gtest/gtest.h>

#include "simulate/monitors.hpp"
#include "simulate/simulation.hpp"
#include "support/bouncing_ball.hpp"

namespace escapement::event_driven_test {
namespace {

struct Log : Observer {
  std::vector<Event> events;
  std::vector<double> times, heights, rates;
  void event(const Event& e) override { events.push_back(e); }
  void sample(const State& s) override {
    times.push_back(s.t);
    heights.push_back(s.q[1]);
    rates.push_back(s.v[1]);
  }
  std::vector<Event> of(Event::Kind kind) const {
    std::vector<Event> some;
    for (const Event& e : events)
      if (e.kind == kind) some.push_back(e);
    return some;
  }
};

struct BallRun {
  testing::BouncingBall ball;
  Settings settings;
  State start;
  Log log;
  Outcome outcome;
  double energy_error = 0, penetration = 0;

  explicit BallRun(testing::BouncingBall b) : ball(std::move(b)), start(make_state(ball.dim())) {
    start.q << 0, 1;
    settings.end = 10;
    settings.tolerance = 1e-10;
  }
  void go(const std::string& id = "hem5") {
    settings.scheme = id;
    auto scheme = make_scheme(id);
    go(*scheme);
  }
  void go(Scheme& scheme) {
    Simulation simulation(ball, scheme, settings, check_options(settings).loop);
    EnergyMonitor energy(ball);
    DriftMonitor drift(ball);
    simulation.observe(log);
    simulation.observe(energy);
    simulation.observe(drift);
    outcome = simulation.run(start);
    energy_error = energy.max_error();
    penetration = drift.penetration();
  }
};

// closed form: t_k = t1 (1 + 2 (e + ... + e^(k-1))), ends at t1 (1 + e)/(1 - e)
TEST(EventDriven, BouncingBallImpactsAndTheirAccumulation) {
  for (double e : {0.0, 0.5, 0.8, 0.9}) {
    BallRun run{testing::BouncingBall(e)};
    run.go();
    ASSERT_EQ(run.outcome.status, Outcome::Status::completed) << run.outcome.message;
    const double t1 = std::sqrt(2 / 9.81), v1 = std::sqrt(2 * 9.81);
    double t = t1, v = v1;
    for (const Event& impact : run.log.of(Event::Kind::impact)) {
      if (v < 1e-5) break;
      EXPECT_NEAR(impact.t, t, 1e-10) << "e = " << e;
      EXPECT_NEAR(impact.velocity_before, -v, 1e-9);
      v *= e;
      t += 2 * v / 9.81;
    }
    if (e > 0) {
      ASSERT_EQ(run.log.of(Event::Kind::zeno).size(), 1u);
      EXPECT_NEAR(run.log.of(Event::Kind::zeno)[0].t, t1 * (1 + e) / (1 - e), 1e-10);
    }
    EXPECT_EQ(run.log.of(Event::Kind::close).size(), 1u);
    EXPECT_NEAR(run.outcome.final.q[1], 0, 1e-9);
    EXPECT_NEAR(run.outcome.final.lambda[0], 9.81, 1e-9);  // m g at rest
    EXPECT_LT(run.energy_error, 1e-9);
    EXPECT_LT(run.penetration, 1e-10);
  }
}

TEST(EventDriven, AnImpactGivesTwoSamplesOfEqualTime) {
  BallRun run{testing::BouncingBall(0.5)};
  run.settings.end = 0.5;
  run.go();
  const double t = run.log.of(Event::Kind::impact).at(0).t;
  EXPECT_EQ(std::count(run.log.times.begin(), run.log.times.end(), t), 2);
}

// the start as it is given is saved, and what its impact loses is no error
TEST(EventDriven, AnImpactAtTheStartComesAfterIt) {
  for (const char* scheme : {"hem5", "auto"}) {
    BallRun run{testing::BouncingBall(0.5)};
    run.start.q << 0, 0;
    run.start.v << 0, -3;
    run.settings.end = 0.2;
    run.go(scheme);
    ASSERT_EQ(run.log.of(Event::Kind::impact).size(), 1u);
    EXPECT_NEAR(run.log.of(Event::Kind::impact)[0].velocity_after, 1.5, 1e-12);
    EXPECT_EQ(std::count(run.log.times.begin(), run.log.times.end(), 0), 2);
    EXPECT_EQ(run.log.rates[0], -3);
    EXPECT_NEAR(run.log.rates[1], 1.5, 1e-12);
    EXPECT_LT(run.energy_error, 1e-10);
  }
}

// rk4, but for steps below h, except the last one
struct LongSteps : Scheme {
  double h, end;
  std::unique_ptr<Scheme> rk4 = make_scheme("rk4");
  LongSteps(double step, double last) : h(step), end(last) {}
  const SchemeInfo& info() const override { return rk4->info(); }
  void start(const System& sys, State& s) override { rk4->start(sys, s); }
  StepReport step(const System& sys, const State& s, double size, State& s1) override {
    if (size >= (1 - 1e-9) * h || s.t + size >= end) return rk4->step(sys, s, size, s1);
    StepReport report;
    report.status = Status::newton_failed;
    return report;
  }
};

// the dense output, which is exact here, has the events that no step of the scheme can end on
TEST(EventDriven, EventsAreFoundWhereShortStepsFail) {
  BallRun run{testing::BouncingBall(0.5, 0.3)};
  run.start.v << 1, 0;
  run.settings.tolerance.reset();
  run.settings.step = 0.01;
  run.settings.end = 3;
  LongSteps scheme(0.01, 3);
  run.go(scheme);
  ASSERT_EQ(run.outcome.status, Outcome::Status::completed) << run.outcome.message;
  double t = std::sqrt(2 / 9.81), v = 9.81 * t;
  for (const Event& impact : run.log.of(Event::Kind::impact)) {
    if (v < 1e-5) break;
    EXPECT_NEAR(impact.t, t, 1e-12);
    EXPECT_NEAR(impact.velocity_before, -v, 1e-11);
    v *= 0.5;
    t += 2 * v / 9.81;
  }
  EXPECT_LT(v, 1e-5);
  EXPECT_NEAR(run.outcome.final.q[1], 0, 1e-12);
  EXPECT_LT(run.energy_error, 1e-10);
  EXPECT_LT(run.penetration, 1e-12);
}

// a block that slides to a stop: x' = v0 - mu g t
TEST(EventDriven, FrictionStopsASlidingBlock) {
  BallRun run{testing::BouncingBall(0, 0.3)};
  run.start.q << 0, 0;
  run.start.v << 2, 0;
  run.settings.end = 2;
  run.go();
  ASSERT_EQ(run.outcome.status, Outcome::Status::completed) << run.outcome.message;
  const double stop = 2 / (0.3 * 9.81);
  ASSERT_EQ(run.log.of(Event::Kind::stick).size(), 1u);
  EXPECT_NEAR(run.log.of(Event::Kind::stick)[0].t, stop, 1e-10);
  EXPECT_NEAR(run.outcome.final.q[0], 2 * stop - 0.5 * 0.3 * 9.81 * stop * stop, 1e-10);
  EXPECT_NEAR(run.outcome.final.v[0], 0, 1e-12);
  EXPECT_LT(run.energy_error, 1e-9);
}

// pulled harder than friction holds, it slides at once; pulled less, it stays
TEST(EventDriven, FrictionHoldsUpToItsLimit) {
  for (double pull : {2.9, 3.0}) {  // the limit is 0.3 * 9.81 = 2.943
    BallRun run{testing::BouncingBall(0, 0.3, 9.81, pull)};
    run.start.q << 0, 0;
    run.settings.end = 1;
    run.go();
    const double expected = pull > 2.943 ? 0.5 * (pull - 2.943) : 0;
    EXPECT_NEAR(run.outcome.final.q[0], expected, 1e-10);
    EXPECT_LT(run.energy_error, 1e-9);
  }
}

// time-stepping: no step goes through the floor, and samples between steps, which are long in flight, are as good as these
TEST(TimeStepping, SamplesMeetTheTolerance) {
  const double fall = (-3 + std::sqrt(9 + 2 * 9.81)) / 9.81, speed = 3 + 9.81 * fall;
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl-decoupled", "moreau-midpoint-ggl",
                             "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"}) {
    BallRun run{testing::BouncingBall(0.5)};
    run.start.v << 0, -3;
    run.settings.end = 0.7;
    run.settings.tolerance = 1e-6;
    run.settings.save_every = 0.007;
    run.go(scheme);
    ASSERT_EQ(run.outcome.status, Outcome::Status::completed) << run.outcome.message;
    ASSERT_EQ(run.log.times.size(), 101u);
    for (std::size_t i = 0; i < run.log.times.size(); ++i) {
      const double t = run.log.times[i], u = t - fall;
      const double y = u < 0 ? 1 - 3 * t - 9.81 / 2 * t * t : 0.5 * speed * u - 9.81 / 2 * u * u;
      const double v = u < 0 ? -3 - 9.81 * t : 0.5 * speed - 9.81 * u;
      EXPECT_NEAR(run.log.heights[i], y, 1e-5) << scheme << " at " << t;
      EXPECT_NEAR(run.log.rates[i], v, 1e-5) << scheme << " at " << t;
    }
    EXPECT_LT(run.penetration, 1e-5) << scheme;
  }
}

// soft changes that crowd are chatter; hard impacts may crowd for long, as those of a ball that comes to rest do
TEST(ChatterWatch, CountsWhatCrowds) {
  const testing::BouncingBall ball(0.5);
  const double end = 10;
  auto admitted = [&](double pause, bool hard, int most) {
    ChatterWatch watch(ball, end);
    for (int n = 0; n < most; ++n) {
      if (!watch.admit(1 + n * pause)) {
        EXPECT_NE(watch.message().find("'floor'"), std::string::npos) << watch.message();
        return n;
      }
      watch.note(0, hard);
    }
    return most;
  };
  EXPECT_EQ(admitted(1e-5, false, 100000), 100000);
  EXPECT_NEAR(admitted(1e-8, false, 100000), 2000, 2);
  EXPECT_NEAR(admitted(1e-8, true, 100000), 50000, 30);
  EXPECT_NEAR(admitted(0, false, 100000), 200, 2);
}

// the rules of `auto` with contacts, one by one
struct AutomaticRules : ::testing::Test {
  testing::BouncingBall ball{0.5};
  Automatic automatic{ball, 1e-4};
  State s = make_state(ball.dim());
  StepReport report;

  const std::string& id() const { return automatic.scheme().info().id; }
  bool step(int closed = 0, double h = 1) { return automatic.consider({s, s, h, report, true, automatic.scheme()}, closed); }
  void impact() { automatic.note_event(Event{}); }
};

TEST_F(AutomaticRules, EventsThatCannotBeActedOnHandOver) {
  EXPECT_EQ(id(), "hem5");
  for (int i = 0; i < 1000; ++i) {
    impact();
    ASSERT_FALSE(step()) << "as long as they can be located, they are";
  }
  EXPECT_TRUE(automatic.give_up_events("events crowd without an end"));
  EXPECT_EQ(id(), "moreau-midpoint-ggl");
  EXPECT_EQ(automatic.why(), "moreau-midpoint-ggl: events crowd without an end");
  EXPECT_FALSE(automatic.give_up_events("again")) << "it has none";
}

TEST_F(AutomaticRules, TwentyClosedContactsHandOver) {
  EXPECT_FALSE(step(19));
  EXPECT_TRUE(step(20));
  EXPECT_EQ(automatic.why(), "moreau-midpoint-ggl: 20 contacts are closed");
  for (int i = 0; i < 100; ++i) ASSERT_FALSE(step(20)) << "it stays while they are";
  EXPECT_TRUE(step(19));
  EXPECT_EQ(id(), "hem5");
}

TEST_F(AutomaticRules, TwentyQuietStepsHandBack) {
  ASSERT_TRUE(automatic.give_up_events("events crowd without an end"));
  for (int i = 0; i < 15; ++i) ASSERT_FALSE(step());
  impact();
  EXPECT_FALSE(step()) << "the step of the impact itself";
  for (int i = 0; i < 19; ++i) ASSERT_FALSE(step()) << i;
  EXPECT_TRUE(step());
  EXPECT_EQ(automatic.why(), "hem5: 20 steps without a new impact");
}

}  // namespace
}  // namespace escapement
