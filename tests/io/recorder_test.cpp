// What a run's columns hold.
#include "run/recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "io/run.hpp"
#include "support/bouncing_ball.hpp"

namespace escapement::recorder_test {
namespace {

// a block on a belt that speeds up: the slip is what one sees of the other
TEST(Recorder, SlipIsTheRelativeVelocity) {
  Model model = read_model("belt.yaml", R"yaml(escapement: 1
coordinates: {x: {rate: 3}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 10*y
contacts: {belt: {gap: y, friction: 0.1, slip: "x' - 1 - t"}}
simulation: {end: 0.5, tolerance: 1e-8, scheme: hem5}
)yaml");
  const Result result = run_model(model).result;
  ASSERT_GT(result.time.size(), 2u);
  // it is braked by 1
  for (std::size_t i = 0; i < result.time.size(); ++i) {
    EXPECT_NEAR(result.v(i, 0), 3 - result.time[i], 1e-9);
    EXPECT_NEAR(result.contacts.slip(i, 0), 2 - 2 * result.time[i], 1e-9);
    EXPECT_NEAR(result.contacts.friction(i, 0), -1, 1e-9);
  }
}

// three contacts with gaps, rates and forces that are known at every instant; the second closes and holds a growing load
TEST(Recorder, GapsRatesAndForcesOfEveryContact) {
  Model model = read_model("three.yaml", R"yaml(escapement: 1
coordinates: {x: {start: 1, rate: 0.5}, y: {}}
kinetic_energy: (x'^2 + 3*y'^2)/2
forces: {y: -2 - t}
contacts:
  far: {gap: 2 - x + sin(t)/4}
  floor: {gap: 4*y}
  wall: {gap: x + 2*y + t^2}
simulation: {end: 1, tolerance: 1e-8, scheme: hem5}
)yaml");
  const Result result = run_model(model).result;
  ASSERT_GT(result.time.size(), 100u);
  for (std::size_t i = 0; i < result.time.size(); ++i) {
    const double t = result.time[i], x = 1 + 0.5 * t;
    const double gaps[] = {2 - x + std::sin(t) / 4, 0, x + t * t}, rates[] = {-0.5 + std::cos(t) / 4, 0, 0.5 + 2 * t}, forces[] = {0, (2 + t) / 4, 0};
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(result.contacts.gap(i, k), gaps[k], 1e-9) << k << " at " << t;
      EXPECT_NEAR(result.contacts.gap_rate(i, k), rates[k], 1e-9) << k << " at " << t;
      EXPECT_NEAR(result.contacts.force(i, k), forces[k], 1e-9) << k << " at " << t;
    }
  }
}

TEST(Recorder, EventsNameTheirContacts) {
  Model model = read_model("between.yaml", R"yaml(escapement: 1
coordinates: {x: {rate: 1}}
kinetic_energy: x'^2/2
contacts: {left: {gap: x + 1, restitution: 1}, right: {gap: 1 - x, restitution: 1}}
simulation: {end: 6, tolerance: 1e-8, scheme: hem5}
)yaml");
  const Result result = run_model(model).result;
  ASSERT_EQ(result.events.time.size(), 3u);
  const char* names[] = {"right", "left", "right"};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(result.events.time[k], 1 + 2 * k, 1e-9);
    EXPECT_EQ(result.events.contact[k], names[k]);
  }
}

// of contacts that are found anew in each step too: two bodies that come together, the second one turning
TEST(Recorder, RatesOfContactsThatAreFound) {
  const std::string plane = R"yaml(escapement: 1
dimension: 2
bodies:
  disc: {mass: 1, inertia: 1, position: [0, 1], velocity: [0.3, -0.5], angular_velocity: 2, shapes: [{circle: 0.5}]}
  bar: {mass: 1, inertia: 1, velocity: [0, 0.25], angular_velocity: 0.2, shapes: [{box: [4, 0.2]}]}
contacts: {pair: {among: [disc, bar]}}
simulation: {end: 0.3, step: 1e-3, save_every: 1e-3, scheme: moreau-jean}
)yaml";
  const std::string space = R"yaml(escapement: 1
dimension: 3
bodies:
  disc: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0], velocity: [0.3, -0.5, 0], angular_velocity: [0, 0, 2], shapes: [{sphere: 0.5}]}
  bar: {mass: 1, inertia: [1, 1, 1], velocity: [0, 0.25, 0], angular_velocity: [0, 0, 0.2], shapes: [{box: [4, 0.2, 4]}]}
contacts: {pair: {among: [disc, bar]}}
simulation: {end: 0.3, step: 1e-3, save_every: 1e-3, scheme: moreau-jean}
)yaml";
  for (const std::string& text : {plane, space}) {
    Model model = read_model("pair.yaml", text);
    const Result result = run_model(model).result;
    int seen = 0;
    for (std::size_t i = 1; i + 1 < result.time.size(); ++i) {
      // the distance of the disc's centre from the bar's upper side
      const double t = result.time[i], turn = 0.2 * t, x = 0.3 * t, y = 1 - 0.75 * t;
      const double gap = -std::sin(turn) * x + std::cos(turn) * y - 0.1 - 0.5;
      const double rate = 0.2 * (-std::cos(turn) * x - std::sin(turn) * y) - 0.3 * std::sin(turn) - 0.75 * std::cos(turn);
      if (std::isnan(result.contacts.gap(i, 0))) continue;  // too far away to be looked at
      ++seen;
      EXPECT_NEAR(result.contacts.gap(i, 0), gap, 1e-9) << t;
      EXPECT_NEAR(result.contacts.gap_rate(i, 0), rate, 1e-9) << t;
    }
    EXPECT_GT(seen, 10);
  }
}

// columns of very long runs are thinned out; what was refused on the way to a step that is kept stays counted
TEST(Recorder, ThinnedStepsKeepTheirRejections) {
  const testing::BouncingBall ball(0.5);
  Recorder recorder(ball, {}, {});
  const State before = make_state(ball.dim());
  State after = before;
  const auto scheme = make_scheme("hem5");
  StepReport report;
  const long steps = 3'000'001;
  long refused = 0;
  for (long i = 0; i < steps; ++i) {
    after.t = static_cast<double>(i + 1);
    if (i % 7 == 3) {
      recorder.step({before, after, 2, report, false, *scheme});
      ++refused;
    }
    recorder.step({before, after, 1, report, true, *scheme});
  }
  const StepColumns& kept = recorder.result().steps;
  EXPECT_GT(kept.stride, 1);
  EXPECT_EQ(kept.time[1] - kept.time[0], static_cast<double>(kept.stride));
  EXPECT_EQ(kept.time.back(), static_cast<double>(steps));
  EXPECT_EQ(kept.rejected.size(), kept.time.size());
  EXPECT_EQ(std::accumulate(kept.rejected.begin(), kept.rejected.end(), 0.0), static_cast<double>(refused));
}

}  // namespace
}  // namespace escapement
