// Friction that follows what a joint carries, solved together with it: closed forms, and an integration of its own.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "io/model_file.hpp"
#include "io/run.hpp"

namespace escapement::joint_friction_test {
namespace {

constexpr double g = 9.81;

RunReport run(const std::string& text, const std::string& scheme, const std::string& step = "", const std::string& end = "") {
  Overrides overrides;
  overrides.scheme = scheme;
  if (!step.empty()) overrides.step = step;
  if (!end.empty()) overrides.end = end;
  Model model = read_model("m.yaml", "escapement: 1\n" + text, overrides);
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << ": " << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << scheme << to_text(report.summary);
  return report;
}

double final_q(const RunReport& report, const char* name) { return value_of(report.summary.final.q, name); }
double final_v(const RunReport& report, const char* name) { return value_of(report.summary.final.v, name); }

std::string error_of(const std::string& text) {
  try {
    read_model("m.yaml", "escapement: 1\n" + text);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

// the arm of the example journal_bearing, released from the horizontal
struct Arm {
  double m = 2, l = 0.4, J = 0.03, friction = 0.2 * 0.03;
  double angle = 0, rate = 0;

  // (J + m l^2) a = -m g l cos(angle) - sign(rate) friction |R|, with R the force of the bearing on the arm
  double acceleration(double q, double v) const {
    double a = 0;
    for (int round = 0; round < 60; ++round) {
      const double x = -l * a * std::sin(q) - l * v * v * std::cos(q), y = l * a * std::cos(q) - l * v * v * std::sin(q);
      const double carried = std::hypot(m * x, m * (y + g));
      a = (-m * g * l * std::cos(q) + friction * carried) / (J + m * l * l);  // it turns backwards
    }
    return a;
  }
  void go(double end, int steps) {
    const double h = end / steps;
    for (int i = 0; i < steps; ++i) {
      const double k1 = acceleration(angle, rate), k2 = acceleration(angle + h / 2 * rate, rate + h / 2 * k1);
      const double k3 = acceleration(angle + h / 2 * (rate + h / 2 * k1), rate + h / 2 * k2);
      const double k4 = acceleration(angle + h * (rate + h / 2 * k2), rate + h * k3);
      angle += h * rate + h * h / 6 * (k1 + k2 + k3);
      rate += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
  }
};

constexpr const char* arm = R"(dimension: 2
gravity: [0, -9.81]
bodies: {arm: {mass: 2, inertia: 0.03, position: [0.4, 0]}}
joints: {bearing: {revolute: [ground, arm], at: [0, 0]}}
forces: {rubbing: {friction: bearing, coefficient: 0.2, radius: 0.03, law: coulomb}}
outputs: {carried: bearing.force, rubbing: rubbing.force}
simulation: {end: 0.6, tolerance: 1e-9}
)";

TEST(JointFriction, FollowsTheForceOfASwingingArm) {
  Arm truth;
  truth.go(0.6, 4000);
  for (const char* scheme : {"hem5", "phem56", "mexx", "rkf45", "rk4", "bdf", "generalized-alpha", "auto"}) {
    const RunReport report = run(arm, scheme, std::string(scheme) == "rk4" ? "1e-3" : "");
    const double bound = scheme == std::string("bdf") ? 2e-5 : 1e-6;  // of order 2: the errors of many steps add up
    EXPECT_NEAR(final_q(report, "arm.angle"), truth.angle, bound) << scheme;
    EXPECT_NEAR(final_v(report, "arm.angle"), truth.rate, bound) << scheme;
  }
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl-decoupled", "moreau-midpoint-ggl",
                             "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"}) {
    double error[2];
    for (int k : {0, 1}) error[k] = std::abs(final_q(run(arm, scheme, k == 0 ? "2e-4" : "1e-4"), "arm.angle") - truth.angle);
    EXPECT_LT(error[1], 1e-3) << scheme;  // h times the speed is 4e-4
    EXPECT_LT(error[1], 0.7 * error[0] + 1e-9) << scheme;  // of first order at least
  }
}

// what is recorded obeys the law while it slides, and stays within it while the arm rests beside its lowest place
TEST(JointFriction, HoldsWhatComesToRest) {
  for (const char* scheme : {"auto", "hem5", "rkf45"}) {
    const RunReport report = run(arm, scheme, "", "30");
    const Column carried = report.result.outputs["carried"], rubbing = report.result.outputs["rubbing"];
    const Column rate = report.result.v["arm.angle"];
    for (std::size_t i = 0; i < rate.size(); ++i) {
      const double most = 0.2 * 0.03 * carried[i];
      EXPECT_LE(std::abs(rubbing[i]), most * (1 + 1e-9)) << scheme << " " << i;
      if (std::abs(rate[i]) > 1e-2) {
        EXPECT_NEAR(std::abs(rubbing[i]), most, 1e-9 * most) << scheme << " " << i;
      }
    }
    EXPECT_NEAR(final_v(report, "arm.angle"), 0, 1e-15) << scheme;
    // held against its weight: m g l |cos(angle)| = |friction|
    EXPECT_NEAR(std::abs(rubbing.back()), 2 * g * 0.4 * std::abs(std::cos(final_q(report, "arm.angle"))), 1e-8) << scheme;
  }
}

// What a step could miss of a slip is judged by the limit that the bearing's force sets: at rest nothing does, in any units
TEST(JointFriction, LeavesLongStepsAtRest) {
  const std::string in_metres = arm, in_millimetres = R"(dimension: 2
length_scale: 1000
gravity: [0, -9810]
bodies: {arm: {mass: 2, inertia: 0.03e6, position: [400, 0]}}
joints: {bearing: {revolute: [ground, arm], at: [0, 0]}}
forces: {rubbing: {friction: bearing, coefficient: 0.2, radius: 30, law: coulomb}}
simulation: {end: 0.6, tolerance: 1e-9}
)";
  for (const char* scheme : {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"}) {
    long steps[2][2];
    for (int units : {0, 1})
      for (int longer : {0, 1}) {
        Overrides overrides;
        overrides.scheme = scheme;
        overrides.tolerance = "1e-4";
        overrides.end = longer ? "60" : "27";  // it rests from 25.6 s on
        Model model = read_model("m.yaml", "escapement: 1\n" + (units ? in_millimetres : in_metres), overrides);
        steps[units][longer] = run_model(model).outcome.steps;
      }
    EXPECT_LT(steps[0][1] - steps[0][0], 50) << scheme;
    EXPECT_LT(steps[1][1] - steps[1][0], 50) << scheme;
    EXPECT_NEAR(static_cast<double>(steps[1][1]), static_cast<double>(steps[0][1]), 0.02 * static_cast<double>(steps[0][1])) << scheme;
  }
}

// a balanced wheel: the bearing carries the weight alone, and the friction is constant
TEST(JointFriction, StopsAWheel) {
  const std::string wheel = R"(dimension: 2
gravity: [0, -9.81]
bodies: {wheel: {mass: 3, inertia: 0.02, angular_velocity: 20}}
joints: {bearing: {revolute: [ground, wheel], at: [0, 0]}}
forces: {rubbing: {friction: bearing, coefficient: 0.1, radius: 0.02}}
simulation: {end: 10, tolerance: 1e-9}
)";
  const double slowing = 0.1 * 0.02 * 3 * g / 0.02;
  for (const char* scheme : {"auto", "hem5", "generalized-alpha", "moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"}) {
    const RunReport report = run(wheel, scheme);
    EXPECT_NEAR(final_q(report, "wheel.angle"), 20 * 20 / (2 * slowing), 1e-4) << scheme;
    EXPECT_NEAR(final_v(report, "wheel.angle"), 0, 1e-9) << scheme;
  }
}

// the torque comes at once with the load that lets the bearing hold it: nothing slips for an instant by the limit of before
TEST(JointFriction, HoldsByTheLoadThatComesWithTheTorque) {
  const std::string wheel = R"yaml(dimension: 2
bodies: {wheel: {mass: 3, inertia: 0.02}}
joints: {bearing: {revolute: [ground, wheel], at: [0, 0]}}
forces:
  rubbing: {friction: bearing, coefficient: 0.5, radius: 0.1, law: coulomb}
  load: {force: wheel, value: [0, "if(t < 1, 1, 100)"]}
  turn: {torque: wheel, value: "if(t < 1, 0, 2)"}
simulation: {end: 2, tolerance: 1e-6}
)yaml";
  for (const char* scheme : {"auto", "hem5", "rkf45", "bdf"}) EXPECT_EQ(final_q(run(wheel, scheme), "wheel.angle"), 0) << scheme;
}

// a slide carries the weight: m a = F - mu m g
TEST(JointFriction, BrakesASlide) {
  const std::string slide = R"(dimension: 2
gravity: [0, -9.81]
bodies: {block: {mass: 2, inertia: 0.1}}
joints: {guide: {prismatic: [ground, block], at: [0, 0], axis: [1, 0]}}
forces:
  rubbing: {friction: guide, coefficient: 0.3}
  push: {force: block, value: [10, 0]}
simulation: {end: 2, tolerance: 1e-9}
)";
  for (const char* scheme : {"auto", "phem56", "moreau-midpoint"})
    EXPECT_NEAR(final_q(run(slide, scheme), "block.x"), (10 / 2.0 - 0.3 * g) * 2, 1e-5) << scheme;
}

// an impact gives the pin an impulse, and the friction follows it: time-stepping and event-driven schemes agree
TEST(JointFriction, FollowsImpacts) {
  const std::string hammer = R"(dimension: 2
gravity: [0, -9.81]
bodies: {hammer: {mass: 2, inertia: 0.03, position: [0.4, 0]}}
joints: {pin: {revolute: [ground, hammer], at: [0, 0]}}
forces: {rubbing: {friction: pin, coefficient: 0.4, radius: 0.1}}
contacts: {anvil: {gap: hammer.y + 0.2, restitution: 0.5}}
simulation: {end: 0.5, tolerance: 1e-9}
)";
  const RunReport events = run(hammer, "hem5"), steps = run(hammer, "moreau-midpoint", "2e-6"), both = run(hammer, "moreau-midpoint-ggl", "2e-5");
  ASSERT_GE(events.summary.impacts, 1);
  // without friction of the impact itself the speed after it would be e times the one before
  const auto& e = events.result.events;
  const std::size_t i = static_cast<std::size_t>(std::find(e.kind.begin(), e.kind.end(), "impact") - e.kind.begin());
  EXPECT_NEAR(e.velocity_after[i], -0.5 * e.velocity_before[i], 1e-9);  // Newton's law is for the gap
  EXPECT_NEAR(final_q(events, "hammer.angle"), final_q(steps, "hammer.angle"), 2e-4);
  EXPECT_NEAR(final_q(events, "hammer.angle"), final_q(both, "hammer.angle"), 2e-4);
}

TEST(JointFriction, SaysWhatItCannotFollow) {
  const auto with = [](const std::string& friction, const std::string& joint = "revolute: [ground, arm], at: [0, 0]") {
    return error_of(fmt::format("dimension: 2\nbodies: {{arm: {{mass: 2, inertia: 0.03, position: [0.4, 0]}}}}\njoints: {{pin: {{{}}}}}\nforces: {{f: {{friction: pin, {}}}}}\nsimulation: {{end: 1}}\n", joint, friction));
  };
  EXPECT_EQ(with("coefficient: 0.1, radius: 0.1"), "no error");
  EXPECT_NE(with("coefficient: 0.1").find("radius"), std::string::npos);
  EXPECT_NE(with("coefficient: 0.1, radius: 0.1, size: 2").find("either given or follows"), std::string::npos);
  EXPECT_NE(with("size: 2, radius: 0.1").find("'coefficient'"), std::string::npos);
  EXPECT_NE(with("coefficient: 0.1, radius: 0.1", "prismatic: [ground, arm], at: [0, 0], axis: [1, 0]").find("has no 'radius'"), std::string::npos);
  EXPECT_NE(with("coefficient: 0.1, radius: 0.1, law: regularised").find("not available in this version"), std::string::npos);
}

}  // namespace
}  // namespace escapement
