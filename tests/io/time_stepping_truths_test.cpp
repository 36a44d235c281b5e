// Time-stepping by a tolerance where a comparison of steps sees nothing: bodies at rest under loads that vary, contacts that
// prescribe the motion, contacts of which one carries the load and the others contradict it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/example_run.hpp"

namespace escapement::time_stepping_truths_test {
namespace {

using testing::time_stepping_schemes;

RunReport run(const char* text, const char* scheme, const std::string& tolerance, const std::string& step = "") {
  Overrides overrides;
  overrides.scheme = scheme;
  if (!tolerance.empty()) overrides.tolerance = tolerance;
  if (!step.empty()) overrides.step = step;
  Model model = read_model("model.yaml", text, overrides);
  model.settings.save_every = 0;  // penetration at the ends of steps alone
  RunReport report = run_model(model);
  EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << scheme << ": " << report.outcome.message;
  return report;
}

struct Truth {
  const char* name;
  const char* model;
  double q, motion;  // of the first coordinate: at the end, and how far it moves
};

constexpr Truth truths[] = {
    {"a stop that a slow force pulls the mass off", R"yaml(escapement: 1
coordinates: {x: {}}
kinetic_energy: x'^2/2
potential_energy: 50*(x + 0.2)^2
forces: {x: 40*sin(2*t)}
contacts: {stop: {gap: x}}
simulation: {end: 4}
)yaml", 0.22681827, 0.23},
    {"the same with rebounds", R"yaml(escapement: 1
coordinates: {x: {}}
kinetic_energy: x'^2/2
potential_energy: 50*(x + 0.2)^2
forces: {x: 40*sin(2*t)}
contacts: {stop: {gap: x, restitution: 0.5}}
simulation: {end: 4}
)yaml", 0.22681827, 0.23},
    {"a hammer that comes through the floor", R"yaml(escapement: 1
coordinates: {s: {}}
kinetic_energy: s'^2/2
potential_energy: 9.81*s
contacts:
  floor: {gap: s}
  hammer: {gap: "s + 0.1 - 0.2*exp(-((t - 1.3)/0.02)^2)"}
simulation: {end: 3}
)yaml", 0.31327792, 3.77},
    {"a block that a slow force lifts", R"yaml(escapement: 1
coordinates: {y: {}}
kinetic_energy: y'^2/2
potential_energy: 9.81*y
forces: {y: 12*sin(0.7*t)}
contacts: {f: {gap: y, restitution: 0.5}}
simulation: {end: 14}
)yaml", 0.21877893, 1.5},
    {"a block that sticks and slides", R"yaml(escapement: 1
coordinates: {x: {rate: 0.5}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 10*y
forces: {x: 8*sin(0.7*t)}
contacts: {f: {gap: y, friction: 0.5, slip: x'}}
simulation: {end: 9}
)yaml", 0.60097856, 2.6},
};

TEST(TimeSteppingTruths, ErrorsFallWithTheSquareRootOfTheToleranceAtLeast) {
  for (const Truth& truth : truths)
    for (const char* scheme : time_stepping_schemes)
      for (double tolerance : {1e-4, 1e-6}) {
        const RunReport report = run(truth.model, scheme, fmt::format("{}", tolerance));
        EXPECT_NEAR(report.outcome.final.q[0], truth.q, std::sqrt(tolerance) * truth.motion)
            << scheme << ' ' << tolerance << ": " << truth.name;
      }
}

// nothing changes while it slides, so that steps are long: the one in which it stops must not move it for all of its length
TEST(TimeSteppingTruths, ASlidingBlockStopsWhereItsEnergyIsUsedUp) {
  constexpr const char* block = R"yaml(escapement: 1
coordinates: {x: {rate: 1}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 9.81*y
contacts: {f: {gap: y, friction: 0.3, slip: x'}}
simulation: {end: 3}
)yaml";
  for (const char* scheme : time_stepping_schemes)
    for (double tolerance : {1e-3, 1e-4, 1e-6})
      EXPECT_NEAR(run(block, scheme, fmt::format("{}", tolerance)).outcome.final.q[0], 1 / (2 * 0.3 * 9.81), 3 * tolerance)
          << scheme << ' ' << tolerance;
}

// no contact, no change of the motion before: only the force at the end of a step tells that a pulse has begun
TEST(TimeSteppingTruths, APulseOnAFreeMassIsSeen) {
  constexpr const char* pulse = R"yaml(escapement: 1
coordinates: {x: {rate: 1}}
kinetic_energy: x'^2/2
forces: {x: 50*exp(-((t - 57.3)/0.02)^2)}
simulation: {end: 100}
)yaml";
  for (const char* scheme : time_stepping_schemes)
    for (double tolerance : {1e-4, 1e-5, 1e-6})
      EXPECT_NEAR(run(pulse, scheme, fmt::format("{}", tolerance)).outcome.final.v[0], 1 + std::sqrt(M_PI), 30 * tolerance)
          << scheme << ' ' << tolerance;
}

constexpr const char* two_levels[] = {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"};

// a step that falls through both tables rests on the upper one
TEST(TimeSteppingTruths, OfTwoTablesTheUpperOneCarries) {
  constexpr const char* block = R"yaml(escapement: 1
coordinates: {s: {}}
kinetic_energy: s'^2/2
potential_energy: 9.81*s
contacts: {upper: {gap: s}, lower: {gap: s + 0.1}}
simulation: {end: 3}
)yaml";
  constexpr const char* ball = R"yaml(escapement: 1
coordinates: {y: {start: 0.5}}
kinetic_energy: y'^2/2
potential_energy: 9.81*y
contacts: {upper: {gap: y, restitution: 0.5}, lower: {gap: y + 0.2, restitution: 0.9}}
simulation: {end: 5}
)yaml";
  for (const char* scheme : two_levels)
    for (const char* tolerance : {"1e-3", "1e-4", "1e-6", "1e-8", ""})
      for (const char* model : {block, ball}) {
        const RunReport report = run(model, scheme, tolerance, *tolerance ? "" : "0.25");
        EXPECT_NEAR(report.outcome.final.q[0], 0, 1e-12) << scheme << ' ' << tolerance;
        EXPECT_LT(report.summary.max_penetration, 1e-12) << scheme << ' ' << tolerance;
      }
}

// cam and seat of a valve: the one that is higher at the end of a step carries
TEST(TimeSteppingTruths, CamAndSeatAreNotAveraged) {
  constexpr const char* valve = R"yaml(escapement: 1
coordinates: {s: {}}
kinetic_energy: 0.05*s'^2
potential_energy: 1e4*s^2 + 200*s
contacts:
  seat: {gap: s, restitution: 0.2}
  cam: {gap: s - 0.008*sin(300*t - 0.3), restitution: 0.2}
simulation: {end: 0.2}
)yaml";
  for (const char* scheme : two_levels)
    for (const char* tolerance : {"1e-3", "1e-4", "1e-6"})
      EXPECT_LT(run(valve, scheme, tolerance).summary.max_penetration, 1e-12) << scheme << ' ' << tolerance;
  // a closed contact that is hit again spoils the mean acceleration as one that closes does: taken for smooth motion it has twice as many
  // steps rejected (a regression test: five for each impact)
  const RunReport report = run(valve, "moreau-midpoint-ggl", "1e-4");
  EXPECT_LT(report.outcome.rejected_steps, 4 * report.summary.impacts);
}

// steps grow while the lower discs rest: the upper ones must neither pass through them nor end in their middle
TEST(TimeSteppingTruths, FallingDiscsDoNotPassThroughEachOther) {
  std::string text = R"yaml(escapement: 1
parameters: {r: 0.1, W: 0.37}
dimension: 2
gravity: [0, -9.81]
bodies:
)yaml";
  const double x[] = {-0.026, 0.001, 0.028, -0.01};
  for (int i = 0; i < 4; ++i)
    text += fmt::format("  b{}: {{mass: 1, inertia: r^2/2, position: [{}, {}]}}\n", i, x[i], 0.1 + 0.25 * i);
  text += "contacts:\n";
  for (int i = 0; i < 4; ++i) {
    text += fmt::format("  f{0}: {{gap: b{0}.y - r}}\n  l{0}: {{gap: b{0}.x + W - r}}\n  r{0}: {{gap: W - b{0}.x - r}}\n", i);
    for (int j = 0; j < i; ++j)
      text += fmt::format("  c{0}{1}: {{gap: sqrt((b{0}.x - b{1}.x)^2 + (b{0}.y - b{1}.y)^2) - 2*r}}\n", i, j);
  }
  text += "simulation: {end: 2}\n";
  for (const char* scheme : two_levels)
    EXPECT_LT(run(text.c_str(), scheme, "1e-4").summary.max_penetration, 1e-12) << scheme;
}

// an impact ends with its contact closed: what that moves the ball against its weight is work of the contact
TEST(TimeSteppingTruths, TheWorkOfImpactsIsTheChangeOfEnergy) {
  for (const char* scheme : two_levels)
    for (const char* step : {"0.01", "0.003"}) {
      const RunReport report = testing::ExampleRun{.model = "bouncing_ball", .scheme = scheme, .step = step}();
      EXPECT_LT(report.summary.energy.max_error, 1e-11) << scheme << ' ' << step;
    }
}

// the joint leaves the tip of the rod one way only, which the impact law takes: friction moves nothing
TEST(TimeSteppingTruths, FrictionOfAPinnedRodIsSolvedInEveryStep) {
  for (const char* mu : {"0.2", "0.3", "0.6", "1"}) {
    const std::string text = fmt::format(R"yaml(escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies: {{rod: {{mass: 1, inertia: 1/12, position: [0.5, 0.5]}}}}
joints: {{pin: {{revolute: [ground, rod], at: [0, 0.5]}}}}
contacts:
  floor: {{gap: rod.y + 0.5*sin(rod.angle), restitution: 0.5, friction: {}, slip: "rod.x' - 0.5*sin(rod.angle)*rod.angle'"}}
simulation: {{end: 0.6}}
)yaml", mu);
    EXPECT_EQ(run(text.c_str(), "moreau-midpoint-ggl", "", "1e-3").outcome.rejected_steps, 0) << mu;
  }
}

// a floor that drops away at once and then less and less: it would press again at the step's end, but a body that falls freely is
// above it there
TEST(TimeSteppingTruths, AFloorThatDropsAwayIsLeftThoughItPressesOnTheAverage) {
  constexpr const char* floor = R"yaml(escapement: 1
coordinates: {y: {}}
kinetic_energy: y'^2/2
potential_energy: 10*y
contacts: {floor: {gap: "y - if(t < 1, 0, -6.85*(t - 1)^2 + 100/6*(t - 1)^3)"}}
simulation: {end: 1.1}
)yaml";
  const RunReport report = run(floor, "moreau-midpoint-ggl", "", "0.1");
  EXPECT_NEAR(report.outcome.final.q[0], -0.05, 1e-12);
  EXPECT_NEAR(report.outcome.final.v[0], -1, 1e-12);
}

// a rod pushed against its friction, where no contact force exists: all schemes find the impulse without approach, which
// lets the tip stick, and report it
TEST(TimeSteppingTruths, ARodThatJamsTakesAnImpact) {
  constexpr const char* rod = R"yaml(escapement: 1
coordinates: {x: {rate: 3}, y: {start: sin(2.14)}, th: {start: 2.14}}
kinetic_energy: (x'^2 + y'^2)/2 + th'^2/6
potential_energy: 9.81*y
contacts: {tip: {gap: y - sin(th), friction: 2, slip: x' + sin(th)*th'}}
simulation: {end: 0.5}
)yaml";
  for (const char* scheme : time_stepping_schemes) {
    const RunReport report = run(rod, scheme, "1e-6");
    EXPECT_NEAR(report.outcome.final.v[0], 1.153, 2e-3) << scheme;
    EXPECT_GE(report.summary.impacts, 1) << scheme;
  }
}

}  // namespace
}  // namespace escapement
