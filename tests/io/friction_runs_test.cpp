// Contact schemes with friction, in contacts, brakes and belts, and ropes, which hold like contacts.
#include <gtest/gtest.h>

#include <cmath>

#include <fmt/format.h>

#include "support/example_run.hpp"
#include "support/reference.hpp"

namespace escapement::friction_runs_test {
namespace {

using testing::ExampleRun;
using testing::time_stepping_schemes;

const char* const smooth_schemes[] = {"hem5", "phem56", "rkf45", "generalized-alpha"};

// a block of 1 m by 0.5 m on an incline, touching with the corners of its lower face; x up the slope
constexpr const char* incline = R"(
escapement: 1
name: block on an incline
parameters: {alpha: 20*pi/180, mu: 0.2, speed: 0, g: 9.81, A: 0.5, B: 0.25}
coordinates: {x: {rate: speed}, y: {start: B}, th: {start: 0}}
kinetic_energy: (x'^2 + y'^2)/2 + (A^2 + B^2)/6*th'^2
potential_energy: g*(x*sin(alpha) + y*cos(alpha))
contacts:
  down: {gap: y - A*sin(th) - B*cos(th), slip: x' + th'*(A*sin(th) + B*cos(th)), friction: mu}
  up: {gap: y + A*sin(th) - B*cos(th), slip: x' - th'*(A*sin(th) - B*cos(th)), friction: mu}
simulation: {end: 2, tolerance: 1e-9}
)";

RunReport run_incline(const nlohmann::json& data, const std::string& scheme, const std::string& step) {
  Overrides overrides;
  overrides.scheme = scheme;
  if (!step.empty()) overrides.step = step;
  const std::string degrees = data["incline_deg"], mu = data["mu"], speed = data["v0_upslope"];
  overrides.parameters = {{"alpha", degrees + "*pi/180"}, {"mu", mu}, {"speed", speed}};
  Model model = read_model("incline.yaml", incline, overrides);
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << ": " << report.summary.message;
  return report;
}

double decimal(const nlohmann::json& text) { return std::stod(text.get<std::string>()); }

// slides down, sticks, goes up and sticks, goes up and slides back: positions at 2 s, and the forces of the two corners
TEST(Friction, BlockOnAnIncline) {
  const nlohmann::json closed_forms = testing::read_json("contact_closed_forms.json");
  for (const char* name : {"incline_slide_down", "incline_stick", "incline_up_then_stick", "incline_up_then_slide_back"}) {
    const nlohmann::json& data = closed_forms[name];
    const double x = decimal(data["x_upslope_at_2s"]), v = decimal(data["v_upslope_at_2s"]);
    const nlohmann::json& corners = data["corner_forces_down_up_slope(b/a=0.5)"];
    auto check = [&](const std::string& scheme, const std::string& step, double tolerance, double force_tolerance) {
      SCOPED_TRACE(std::string(name) + ", " + scheme + ' ' + step);
      const RunReport run = run_incline(data, scheme, step);
      const double error_x = std::abs(run.outcome.final.q[0] - x), error_v = std::abs(run.outcome.final.v[0] - v);
      EXPECT_LT(error_x, tolerance);
      EXPECT_LT(error_v, tolerance);
      EXPECT_LT(std::abs(run.outcome.final.q[2]), tolerance);
      if (force_tolerance > 0) {
        EXPECT_NEAR(run.outcome.final.lambda[0], decimal(corners[0]), force_tolerance);
        EXPECT_NEAR(run.outcome.final.lambda[1], decimal(corners[1]), force_tolerance);
      }
      if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) fmt::print("{} {} {}: x {:.1e}, v {:.1e}, forces {:.6f} {:.6f}\n", name, scheme, step, error_x, error_v, run.outcome.final.lambda[0], run.outcome.final.lambda[1]);
    };
    // a block that stops inside a step and stays leaves (deceleration h^2)/2 of the way open, at most; one that turns back loses
    // up to h of its time
    const bool turns = std::string(name) == "incline_up_then_slide_back";
    for (const char* scheme : time_stepping_schemes) {
      check(scheme, "1e-2", turns ? 5e-2 : 1e-3, 1e-3);
      check(scheme, "1e-3", turns ? 5e-3 : 1e-5, 1e-4);
    }
    check("hem5", "", 1e-7, 1e-7);
    check("auto", "", 1e-7, 1e-7);
  }
}

// v0 - mu g t, stops after v0/(mu g)
TEST(Friction, ABlockSlidesToAStop) {
  const double stop = 2 / (0.3 * 9.81), way = 2 * stop / 2;
  for (const char* scheme : time_stepping_schemes)
    for (const char* step : {"1e-2", "1e-3"}) {
      const RunReport run = ExampleRun{.model = "sliding_block", .scheme = scheme, .step = step}();
      EXPECT_NEAR(run.outcome.final.q[0], way, 3 * std::stod(step)) << scheme;
      EXPECT_NEAR(run.outcome.final.v[0], 0, 1e-12) << scheme;
      if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) fmt::print("block {} {}: {:.1e}\n", scheme, step, run.outcome.final.q[0] - way);
    }
  for (const char* scheme : smooth_schemes) {
    const RunReport run = ExampleRun{.model = "sliding_block", .scheme = scheme, .tolerance = "1e-9"}();
    EXPECT_NEAR(run.outcome.final.q[0], way, 1e-8) << scheme;
    EXPECT_NEAR(run.outcome.final.v[0], 0, 1e-9) << scheme;
    const EventColumns& events = run.result.events;
    const auto stick = std::find(events.kind.begin(), events.kind.end(), "stick");
    ASSERT_NE(stick, events.kind.end()) << scheme;
    EXPECT_NEAR(events.time[stick - events.kind.begin()], stop, 1e-8) << scheme;
  }
}

// dragged by the sliding belt until it moves with it, carried until k x = mu m g, then a harmonic motion about that place with
// amplitude belt/omega
TEST(Friction, StickThenSlipOnABelt) {
  const double k = 40, mu = 0.4, belt = 0.3, omega = std::sqrt(k), place = mu * 9.81 / k, end = 1.1;
  const double carried = std::asin(belt / (place * omega)) / omega, slip = carried + place * std::cos(omega * carried) / belt;
  const double x = place + belt / omega * std::sin(omega * (end - slip)), v = belt * std::cos(omega * (end - slip));
  auto run = [&](const std::string& scheme, const std::string& step, const std::string& tolerance) {
    return ExampleRun{.model = "stick_slip_belt", .scheme = scheme, .step = step, .tolerance = tolerance, .end = "1.1", .parameters = {{"pull", "0"}}}();
  };
  for (const char* scheme : smooth_schemes) {
    const RunReport exact = run(scheme, "", "1e-9");
    EXPECT_NEAR(exact.outcome.final.q[0], x, 1e-7) << scheme;
    EXPECT_NEAR(exact.outcome.final.v[0], v, 1e-6) << scheme;
    const EventColumns& events = exact.result.events;
    const auto stick = std::find(events.kind.begin(), events.kind.end(), "stick"), slide = std::find(stick, events.kind.end(), "slide");
    ASSERT_NE(slide, events.kind.end()) << scheme;
    EXPECT_NEAR(events.time[stick - events.kind.begin()], carried, 1e-7) << scheme;
    EXPECT_NEAR(events.time[slide - events.kind.begin()], slip, 1e-7) << scheme;
    EXPECT_LT(exact.summary.energy.max_error, 1e-7) << scheme;
  }
  for (const char* scheme : time_stepping_schemes) {
    double last = 1;
    for (const char* step : {"1e-2", "1e-3", "1e-4"}) {
      const RunReport stepped = run(scheme, step, "");
      const double error = std::abs(stepped.outcome.final.q[0] - x);
      if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS")) fmt::print("belt {} {}: x {:.1e}, v {:.1e}\n", scheme, step, error, stepped.outcome.final.v[0] - v);
      EXPECT_LT(error, std::max(0.3 * last, 1e-9)) << scheme << ' ' << step;
      last = error;
    }
    EXPECT_LT(last, 1e-4) << scheme;
  }
}

// a distance joint with limits alone: falls freely until the rope is taut, then swings on it
TEST(Rope, MovesLikeItsFormula) {
  const char* joint = R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 1, position: [1, 0]}}
joints: {rope: {distance: [ground, a], at: [[0, 0], [1, 0]], length_limits: [0, 1.5], restitution: 0.2}}
simulation: {end: 1}
)yaml";
  const char* formula = R"yaml(
escapement: 1
coordinates: {x: {start: 1}, y: {}}
kinetic_energy: x'^2 + y'^2
potential_energy: 2*9.81*y
contacts: {rope: {gap: "1.5 - sqrt(x^2 + y^2)", restitution: 0.2}}
simulation: {end: 1}
)yaml";
  for (const char* scheme : {"hem5", "auto", "moreau-midpoint-ggl"}) {
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.tolerance = "1e-7";
    Model rope = read_model("rope.yaml", joint, overrides), same = read_model("formula.yaml", formula, overrides);
    EXPECT_EQ(rope.system->dim().bilateral, 0);
    const Vec q = run_model(rope).outcome.final.q, expected = run_model(same).outcome.final.q;
    EXPECT_LT((q.head(2) - expected).norm(), 1e-5) << scheme;
    EXPECT_NEAR(q.head(2).norm(), 1.5, 1e-9) << scheme;
  }
}

// stop and brake hold the same coordinate of a joint between moving bodies, one in position, the other in velocity
TEST(Friction, ABrakedGuideAtItsStop) {
  const auto run = [](const char* scheme, const char* tolerance) {
    Overrides overrides;
    overrides.scheme = scheme;
    (std::string(tolerance).empty() ? overrides.step : overrides.tolerance) = std::string(tolerance).empty() ? "1e-3" : tolerance;
    Model model = read_model("guide.yaml", R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  arm: {mass: 1, inertia: 0.03, position: [0.3, 0]}
  slider: {mass: 0.5, inertia: 0.01, position: [0.6, 0]}
joints:
  shoulder: {revolute: [ground, arm], at: [0, 0]}
  guide: {prismatic: [arm, slider], at: [0.6, 0], axis: [1, 0], length_limits: [-0.1, 0.1], restitution: 0.2}
forces:
  brake: {friction: guide, size: 1, law: coulomb}
simulation: {end: 1.5}
)yaml", overrides);
    return run_model(model);
  };
  const RunReport exact = run("hem5", "1e-10");
  for (const char* scheme : {"generalized-alpha", "newmark", "hht", "bdf", "structural-conditional"}) {
    const RunReport stepped = run(scheme, "");
    EXPECT_EQ(to_string(stepped.summary.status), "completed") << stepped.summary.message;
    EXPECT_LT((stepped.outcome.final.q - exact.outcome.final.q).cwiseAbs().maxCoeff(), 1e-3) << scheme;
    EXPECT_LT(stepped.summary.energy.max_error, 1e-3) << scheme;
    EXPECT_LT(stepped.summary.max_drift.velocity, 1e-3) << scheme;
  }
}

// the weaker brake gives way first, the joint only when both do: as with one brake of their sum
TEST(Friction, TwoBrakesOnOneJoint) {
  const auto run = [](const char* scheme, const char* brakes) {
    Overrides overrides;
    overrides.scheme = scheme;
    overrides.step = "2e-3";
    Model model = read_model("brakes.yaml", std::string(R"yaml(
escapement: 1
dimension: 2
bodies: {wheel: {mass: 1, inertia: 0.02, angular_velocity: 10}}
joints: {pin: {revolute: [ground, wheel], at: [0, 0]}}
simulation: {end: 5}
forces:
  load: {torque: wheel, value: 0.3*sin(3*t)}
)yaml") + brakes, overrides);
    return run_model(model);
  };
  for (const char* scheme : {"hem5", "rk4", "bdf", "generalized-alpha", "structural-conditional"}) {
    const RunReport two = run(scheme, "  a: {friction: pin, size: 0.1, law: coulomb}\n  b: {friction: pin, size: 0.05, law: coulomb}\n");
    const RunReport one = run(scheme, "  a: {friction: pin, size: 0.15, law: coulomb}\n");
    EXPECT_EQ(to_string(two.summary.status), "completed") << two.summary.message;
    EXPECT_NEAR(value_of(two.summary.final.q, "wheel.angle"), value_of(one.summary.final.q, "wheel.angle"), 1e-6) << scheme;
    EXPECT_LT(two.summary.energy.max_error, 1e-9) << scheme;
  }
}

}  // namespace
}  // namespace escapement
