// What a step could pass over without its error showing it: loads that are little beside what they were before, functions that
// are narrow or overflow where they do not matter, contacts that are open at both ends of a step.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "math/table.hpp"
#include "support/example_run.hpp"

namespace escapement::hidden_features_test {
namespace {

using testing::time_stepping_schemes;

RunReport run(const std::string& text, const char* scheme, const std::string& tolerance, const std::string& step = "") {
  Overrides overrides;
  overrides.scheme = scheme;
  if (!tolerance.empty()) overrides.tolerance = tolerance;
  if (!step.empty()) overrides.step = step;
  Model model = read_model("model.yaml", "escapement: 1\n" + text, overrides);
  return run_model(model);
}

// a free mass at rest: no error tells of a load that comes and goes between two looks
double speed_after(const std::string& load, const char* scheme, double end, const std::string& tables = "") {
  const RunReport report = run(tables + "coordinates: {x: {}}\nkinetic_energy: x'^2/2\nforces: {x: \"" + load + "\"}\nsimulation: {end: " + fmt::format("{}", end) + "}\n", scheme, "1e-6");
  EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
  return report.outcome.final.v[0];
}

double integral(const std::function<double(double)>& f, double from, double to, int pieces) {
  double sum = 0;
  const double h = (to - from) / pieces;
  for (int i = 0; i < pieces; ++i) sum += h / 6 * (f(from + i * h) + 4 * f(from + (i + 0.5) * h) + f(from + (i + 1) * h));
  return sum;
}

constexpr const char* some_schemes[] = {"auto", "hem5", "bdf", "generalized-alpha", "moreau-jean", "moreau-midpoint-ggl"};

// the second bump is less than half of the first, and a tenth of what the load begins with
TEST(HiddenFeatures, LittleBumpsOfATableBesideLargeOnes) {
  std::vector<double> x, y;
  for (int i = 0; i <= 1000; ++i) {
    x.push_back(0.05 * i);
    y.push_back((i == 300 ? 50 : i == 700 ? 20 : 0) - 200 * std::exp(-0.1 * i));
  }
  const Table table(x, y);
  const double truth = integral([&](double t) { return table(t); }, 0, 50, 200000);
  const std::string tables = fmt::format("tables: {{load: {{x: [{}], y: [{}]}}}}\n", fmt::join(x, ", "), fmt::join(y, ", "));
  for (const char* scheme : some_schemes) EXPECT_NEAR(speed_after("load(t)", scheme, 50, tables), truth, 2e-2) << scheme;
}

TEST(HiddenFeatures, HighPowersAreNarrow) {
  const double truth = integral([](double t) { return 40 * std::pow(std::sin(t), 400); }, 0, 40, 100000);
  for (const char* scheme : some_schemes) EXPECT_NEAR(speed_after("40*sin(t)^400", scheme, 40), truth, 1e-3 * truth) << scheme;
}

// exp(63400) is no number, and nothing that the load shows
TEST(HiddenFeatures, FunctionsMayOverflowWhereTheyDoNotMatter) {
  const std::string load = "30/(1 + exp(-2000*(t - 31.7))) - 30/(1 + exp(-2000*(t - 31.72)))";
  for (const char* scheme : some_schemes) EXPECT_NEAR(speed_after(load, scheme, 60), 0.6, 1e-3) << scheme;
}

TEST(HiddenFeatures, JumpsWrittenByFunctionsThatHaveThem) {
  for (const char* scheme : {"auto", "bdf", "moreau-jean"}) {
    EXPECT_NEAR(speed_after("2*atan(tan(t))", scheme, 10), std::pow(10 - 3 * std::numbers::pi, 2), 1e-4) << scheme;
    EXPECT_NEAR(speed_after("sin(t + 0.1)/abs(sin(t + 0.1))", scheme, 10), 4 * std::numbers::pi - 10.2, 1e-4) << scheme;
    EXPECT_NEAR(speed_after("atan2(sin(t), cos(t))", scheme, 10), 0.5 * std::pow(10 - 2 * std::numbers::pi, 2) - 2 * std::numbers::pi * (10 - 3 * std::numbers::pi), 1e-3) << scheme;
  }
}

// forces follow the load within a step, not the straight line between its ends
TEST(HiddenFeatures, AStopConditionOnAForceIsMetWhereTheForceIs) {
  for (const char* scheme : {"auto", "rkf45", "bdf", "generalized-alpha"}) {
    const RunReport report = run(R"yaml(
name: pressed
coordinates: {y: {}}
kinetic_energy: y'^2/2
potential_energy: 9.81*y
forces: {y: "-60*exp(-((t - 23.3)/0.01)^2)"}
contacts: {floor: {gap: y}}
simulation: {end: 100, stop: "floor.force > 50"}
)yaml", scheme, "1e-6");
    EXPECT_EQ(report.outcome.status, Outcome::Status::stopped) << scheme;
    EXPECT_NEAR(report.outcome.final.t, 23.3 - 0.01 * std::sqrt(std::log(60 / 40.19)), 1e-9) << scheme;
  }
}

// for 3 ms around the highest point of a flight whose steps are a thousand times as long, and once it has bounced
TEST(HiddenFeatures, AStopConditionIsMetWithinAStep) {
  const auto stopped_at = [](const char* scheme, const std::string& stop) {
    const RunReport report = run("coordinates: {y: {rate: 10}}\nkinetic_energy: y'^2/2\npotential_energy: 10*y\n"
                                 "contacts: {floor: {gap: y + 1, restitution: 0.5}}\nsimulation: {end: 4, stop: \"" + stop + "\"}\n", scheme, "1e-6");
    EXPECT_EQ(report.outcome.status, Outcome::Status::stopped) << scheme << ": " << stop;
    EXPECT_LT(report.summary.steps, 1000) << scheme;
    return report.outcome.final.t;
  };
  std::vector<const char*> schemes{"auto", "hem5", "bdf", "generalized-alpha"};
  schemes.insert(schemes.end(), std::begin(time_stepping_schemes), std::end(time_stepping_schemes));
  const double impact = 1 + std::sqrt(1.2), after = 0.5 * std::sqrt(120);
  for (const char* scheme : schemes) {
    EXPECT_NEAR(stopped_at(scheme, "y > 4.99999"), 1 - std::sqrt(2e-6), 1e-4) << scheme;
    EXPECT_NEAR(stopped_at(scheme, "t > 0.3 and y < 4.9 or y > 5.1"), 0.3, 1e-12) << scheme;
    EXPECT_NEAR(stopped_at(scheme, "y' > 1 and t > 1"), impact, 1e-3) << scheme;
    EXPECT_NEAR(stopped_at(scheme, "t > 2.3 and y' < 2"), impact + (after - 2) / 10, 1e-3) << scheme;
  }
}

// open at both ends of a step that leads to the other side
constexpr const char* plate = R"yaml(
name: bullet
dimension: 2
bodies:
  ground: {shapes: [{box: [0.001, 2], at: [600, 0]}]}
  bullet: {mass: 0.01, inertia: 1e-6, velocity: [300, 0], shapes: [{circle: 0.005}]}
contacts: {hit: {between: [bullet, ground], restitution: 0.5}}
simulation: {end: 5}
)yaml";

TEST(HiddenFeatures, NoStepLeadsThroughAThinPlate) {
  const double at = 600 - 0.0055, truth = at - 150 * (5 - at / 300);
  for (const char* scheme : time_stepping_schemes)
    for (const char* tolerance : {"1e-3", "1e-6"}) {
      const RunReport report = run(plate, scheme, tolerance);
      EXPECT_NEAR(report.outcome.final.q[0], truth, 0.5) << scheme << ' ' << tolerance;
      EXPECT_LT(report.outcome.steps, 500) << scheme << ' ' << tolerance;
    }
  for (const char* step : {"0.01", "0.011"}) {  // a step ends inside the plate, or none does
    const RunReport fixed = run(plate, "moreau-jean", "", step);
    EXPECT_GT(fixed.outcome.final.q[0], 1000) << step;
    EXPECT_EQ(fixed.summary.verdict(), "suspect") << step;
  }
}

TEST(HiddenFeatures, BallsMeetAfterALongFlight) {
  const std::string balls = R"yaml(
name: balls
coordinates: {x1: {start: -800, rate: 40}, y1: {start: 0.3}, x2: {}, y2: {}}
kinetic_energy: (x1'^2 + y1'^2 + 2*x2'^2 + 2*y2'^2)/2
contacts: {hit: {gap: "sqrt((x1 - x2)^2 + (y1 - y2)^2) - 0.5", restitution: 0.8}}
simulation: {end: 60}
)yaml";
  // along the line between the centres, (-0.8, 0.6), with 2/3 of the mass
  const double impulse = 1.8 * 2 / 3 * 40 * 0.8;
  for (const char* scheme : {"auto", "hem5", "bdf", "moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"}) {
    const RunReport report = run(balls, scheme, "1e-6");
    EXPECT_NEAR(report.outcome.final.v[0], 40 - 0.8 * impulse, 0.05) << scheme;
    EXPECT_NEAR(report.outcome.final.v[1], 0.6 * impulse, 0.05) << scheme;
  }
}

// where the shelf ends the gap is suddenly 0.7: steps across it fail, and what they have failed on is the branch
TEST(HiddenFeatures, WhatSlidesOffAShelfFalls) {
  for (const char* scheme : {"auto", "hem5", "rkf45", "phem56", "mexx", "bdf", "generalized-alpha", "newmark", "hht"}) {
    const RunReport report = run(R"yaml(
name: shelf
coordinates: {x: {rate: 1}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 10*y
contacts: {floor: {gap: "if(x < 1, y, y + 0.7)"}}
simulation: {end: 1.3}
)yaml", scheme, "1e-6");
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
    EXPECT_NEAR(report.outcome.final.q[1], -0.45, 1e-4) << scheme;
  }
}

// a zone of 10 cm that steps of metres lead across
TEST(HiddenFeatures, AZoneIsNotPassedOver) {
  for (const char* scheme : time_stepping_schemes) {
    const RunReport report = run(R"yaml(
name: zone
coordinates: {x: {rate: 1}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
forces: {y: "-9.81 + if(x > 7.3 and x < 7.4, 80, 0)"}
contacts: {floor: {gap: y}}
simulation: {end: 8.2}
)yaml", scheme, "1e-6");
    const double up = 70.19 * 0.1, height = 0.5 * 70.19 * 0.01;
    EXPECT_NEAR(report.outcome.final.q[1], height + up * 0.8 - 0.5 * 9.81 * 0.64, 2e-2) << scheme;
  }
}

// the wall stops at an instant that is a number, where both branches of min() are equal and their slopes are not
TEST(HiddenFeatures, AWallStopsAtARoundTime) {
  for (const char* scheme : {"auto", "hem5", "rkf45", "bdf", "generalized-alpha"}) {
    const RunReport report = run(R"yaml(
name: jaw
coordinates: {x: {start: 0.9, rate: 0}}
kinetic_energy: x'^2/2
forces: {x: "-x'"}
contacts: {wall: {gap: "1 - 0.5*min(max((t - 4)/(8 - 4), 0), 1) - x"}}
simulation: {end: 12}
)yaml", scheme, "1e-6");
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
    EXPECT_NEAR(report.outcome.final.q[0], 0.5 - 0.125 * (1 - std::exp(-4.0)), 1e-4) << scheme;
  }
}

}  // namespace
}  // namespace escapement
