// Contacts of shapes and joints with clearance: derivatives against differences, motions against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "io/run.hpp"
#include "support/derivative_check.hpp"
#include "support/source_folder.hpp"

namespace escapement::shape_contact_test {
namespace {

RunReport run(const std::string& text, const std::string& scheme, const std::string& tolerance) {
  Overrides overrides;
  overrides.scheme = scheme;
  overrides.tolerance = tolerance;
  Model model = read_model("shapes.yaml", text, overrides);
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
  return report;
}

// every pair in the plane on two moving bodies; friction makes slips
const char* plane = R"yaml(
escapement: 1
dimension: 2
bodies:
  ground: {shapes: [{half_plane: [0.6, 0.8], at: [0.1, -9], angle: 0.2}]}
  a: {mass: 1, inertia: 1, shapes: [{half_plane: [1, 2], at: [-3, -0.2]}]}
  b: {mass: 2, inertia: 3, position: [2, 1], shapes: [{circle: 0.3, at: [0.2, 0.1]}, {box: [0.4, 0.2], at: [0.1, 0.3], angle: 0.4}, {capsule: [0.5, 0.1]}, {segment: [[0, 0], [0.1, 0.2]]}, {polygon: [[0, 0], [1, 0], [0, 1]]}]}
  c: {mass: 2, inertia: 3, position: [4, -1], shapes: [{circle: 0.2, at: [0.1, 0]}]}
  d: {mass: 2, inertia: 3, position: [5, 2], shapes: [{circle: 0.4}]}
  e: {mass: 2, inertia: 3, position: [7, 3], angle: 0.3, shapes: [{box: [2, 1]}, {polygon: [[0, 0], [0, 1], [-1, 0]]}, {capsule: [0.5, 0.2]}]}
  f: {mass: 2, inertia: 3, position: [8.1, 4.3], angle: 0.8, shapes: [{box: [1, 1]}, {capsule: [0.5, 0.2]}]}
joints:
  pin: {revolute: [a, b], at: [1, 0.5], clearance: 0.7, radius: 0.1, friction: 0.2}
  guide: {prismatic: [b, c], at: [3, 0], axis: [1, -2], clearance: 0.3, block: [0.4, 0.2], friction: 0.2}
contacts:
  one: {between: [a, b], friction: 0.3}
  two: {between: [d, c], friction: 0.3}
  three: {between: [b, ground], friction: 0.3}
  four: {between: [d, e], friction: 0.3}
  five: {between: [e, f], friction: 0.3}
simulation: {end: 1}
)yaml";

const char* space = R"yaml(
escapement: 1
dimension: 3
bodies:
  ground: {shapes: [{half_space: [0.6, 0, 0.8], at: [0, 0, -9], orientation: {axis: [1, 2, 3], angle: 0.3}}]}
  a: {mass: 1, inertia: [1, 2, 2.5], shapes: [{half_space: [1, 2, -1], at: [-3, -5, -0.2]}]}
  b: {mass: 2, inertia: [3, 3, 4], position: [2, 1, 0.3], orientation: {axis: [1, 1, 0], angle: 0.5}, shapes: [{sphere: 0.3, at: [0.2, 0.1, 0]}, {box: [0.4, 0.2, 0.3], at: [0.1, 0.3, 0.2]}, {capsule: [0.5, 0.1]}]}
  c: {mass: 2, inertia: [3, 3, 4], position: [4, -1, 0.5], shapes: [{sphere: 0.2, at: [0.1, 0, 0.3]}]}
  d: {mass: 2, inertia: [3, 3, 4], position: [5, 2, -1], shapes: [{sphere: 0.4}]}
  e: {mass: 2, inertia: [3, 3, 4], position: [3, -3, 0.4], orientation: {axis: [1, 2, 0], angle: 0.7}, shapes: [{cylinder: [0.8, 0.5], at: [0.1, 0, 0.2]}]}
  f: {mass: 2, inertia: [3, 3, 4], position: [2, 1.4, 1.1], shapes: [{sphere: 0.2}]}
  h: {mass: 2, inertia: [3, 3, 4], position: [3.5, -3.5, 0.9], shapes: [{sphere: 0.2}]}
joints:
  guide: {prismatic: [c, d], at: [3, 0, 1], axis: [1, -2, 0.5], clearance: 0.3, block: [0.4, 0.2, 0.3], friction: 0.2}
  ball: {spherical: [a, b], at: [1, 0.5, 0.2], clearance: 0.7, radius: 0.1, friction: 0.2}
contacts:
  one: {between: [b, a], friction: 0.3}
  two: {between: [d, c], friction: 0.3}
  three: {between: [b, ground], friction: 0.3}
  four: {between: [b, d], friction: 0.3}
  five: {between: [e, c], friction: 0.3}
  six: {between: [e, ground], friction: 0.3}
  seven: {between: [f, b], friction: 0.3}
  eight: {between: [h, e], friction: 0.3}
simulation: {end: 1}
)yaml";

TEST(ShapeContacts, DerivativesToSecondOrder) {
  for (const char* text : {plane, space}) {
    const Model model = read_model("shapes.yaml", text);
    State s = model.start;
    for (unsigned seed = 3; seed < 7; ++seed) {
      std::srand(seed);
      s.v = Vec::Random(s.v.size());
      const Vec step = 0.2 * Vec::Random(s.v.size()), q = model.start.q;
      model.system->retract(q, step, s.q);
      testing::DerivativeCheck(*model.system, s).run();
    }
    EXPECT_GT(model.system->dim().slip, 10);
  }
}

// the same contact named from either side
TEST(ShapeContacts, DoNotDependOnTheOrderOfTheirBodies) {
  for (std::string text : {plane, space}) {
    const Model model = read_model("shapes.yaml", text);
    const std::string pair = text.find("[a, b], friction: 0.3") != std::string::npos ? "[a, b]" : "[b, a]";
    text.replace(text.find(pair + ", friction: 0.3"), 6, pair == "[a, b]" ? "[b, a]" : "[a, b]");
    text.replace(text.find("[d, c]"), 6, "[c, d]");
    const Model other = read_model("shapes.yaml", text);
    Terms T, U;
    model.system->prepare(T);
    other.system->prepare(U);
    model.system->evaluate(model.start, Need::gap | Need::jacobian, T);
    other.system->evaluate(other.start, Need::gap | Need::jacobian, U);
    EXPECT_LT((T.g - U.g).norm(), 1e-14);
    EXPECT_LT((T.G.dense() - U.G.dense()).norm(), 1e-13);
  }
}

std::string ball(double mu, const std::string& more) {
  return R"yaml(
escapement: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ground: {shapes: [{half_space: [0, 0, 1]}]}
  ball: {mass: 1, inertia: [4e-3, 4e-3, 4e-3], position: [0, 0, 0.1], )yaml" + more + R"yaml(, shapes: [{sphere: 0.1}]}
contacts: {floor: {between: [ball, ground], friction: )yaml" + std::to_string(mu) + "}}\nsimulation: {end: 0.5}\n";
}

// slip keeps its direction; at 2 |u|/(7 mu g) the ball rolls
TEST(ShapeContacts, ABallSlidesThenRolls) {
  for (double direction : {0.0, 0.7, 2.5, 4.0}) {
    const double mu_g = 0.3 * 9.81, v[2] = {std::cos(direction), std::sin(direction)};
    // spin [6, -3, 2] gives the lowest point the velocity r (3, 6)
    const double u[2] = {v[0] + 0.3, v[1] + 0.6}, speed = std::hypot(u[0], u[1]), t1 = 2 * speed / (7 * mu_g);
    const RunReport report =
        run(ball(0.3, "velocity: [" + std::to_string(v[0]) + ", " + std::to_string(v[1]) + ", 0], angular_velocity: [6, -3, 2]"), "hem5", "1e-8");
    for (int k = 0; k < 2; ++k) {
      const double a = -mu_g * u[k] / speed, rolling = v[k] + a * t1;
      EXPECT_NEAR(report.outcome.final.v[k], rolling, 2e-6) << direction;
      EXPECT_NEAR(report.outcome.final.q[k], v[k] * t1 + 0.5 * a * t1 * t1 + rolling * (0.5 - t1), 2e-6) << direction;
    }
  }
}

std::string box(int dimension, double mu) {
  const bool flat = dimension == 2;
  std::string text = "escapement: 1\ndimension: " + std::to_string(dimension) + "\ngravity: ";
  text += flat ? "[9.81*sin(0.3), -9.81*cos(0.3)]" : "[9.81*sin(0.3), 0, -9.81*cos(0.3)]";
  text += "\nbodies:\n  ground: {shapes: [{";
  text += flat ? "half_plane: [0, 1]}]}\n  box: {mass: 2, inertia: 0.01, position: [0, 0.1], shapes: [{box: [0.4, 0.2]}]}"
               : "half_space: [0, 0, 1]}]}\n  box: {mass: 2, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.1], shapes: [{box: [0.4, 0.4, 0.2]}]}";
  return text + "\ncontacts: {floor: {between: [box, ground], friction: " + std::to_string(mu) + "}}\nsimulation: {end: 1}\n";
}

TEST(ShapeContacts, ABoxOnAnInclineSticksOrSlides) {
  for (int dimension : {2, 3})
    for (const char* scheme : {"hem5", "moreau-midpoint-ggl"}) {
      SCOPED_TRACE(std::string(scheme) + " " + std::to_string(dimension));
      EXPECT_NEAR(run(box(dimension, 0.4), scheme, "1e-8").outcome.final.q[0], 0, 1e-9);  // tan 0.3 = 0.31
      // the upper corners press less: shared evenly, their friction would be beyond its limit
      EXPECT_NEAR(run(box(dimension, 0.32), scheme, "1e-8").outcome.final.q[0], 0, 1e-9);
      const double a = 9.81 * (std::sin(0.3) - 0.2 * std::cos(0.3));
      EXPECT_NEAR(run(box(dimension, 0.2), scheme, "1e-8").outcome.final.q[0], a / 2, 1e-5);
    }
}

TEST(ShapeContacts, ABoxSticksForAMinute) {
  for (int dimension : {2, 3})
    for (const char* scheme : {"hem5", "moreau-midpoint-ggl"}) {
      std::string text = box(dimension, 0.4);
      text.replace(text.find("end: 1"), 6, "end: 60");
      EXPECT_LT(std::abs(run(text, scheme, "1e-6").outcome.final.q[0]), 1e-9) << scheme << " " << dimension;
    }
}

// a cube that falls on an edge, e = 0: its corners stop sliding together when its spin and its slip come to an end, each within its limit
TEST(ShapeContacts, FeetStopTogether) {
  for (const double tilt : {0.3, 1.0})
    for (const double height : {0.15, 0.5, 2.0}) {
      std::ostringstream text;
      text << "escapement: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n  box: {mass: 1, inertia: "
              "[0.0027, 0.0042, 0.0052], position: [0, 0, " << height << "], orientation: {axis: [1, 0.7, 0.2], angle: " << tilt
           << "}, shapes: [{box: [0.2, 0.15, 0.1]}]}\ncontacts: {floor: {between: [box, ground], friction: 0.5}}\nsimulation: {end: 1}\n";
      SCOPED_TRACE(text.str());
      run(text.str(), "auto", "1e-6");
    }
}

// two balls of different mass meet head-on: relative speed -e times that before, momentum kept
TEST(ShapeContacts, TwoBallsCollide) {
  const std::string text = R"yaml(
escapement: 1
dimension: 3
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [2, 0, 0], shapes: [{sphere: 0.1}]}
  b: {mass: 3, inertia: [1, 1, 1], position: [1, 0, 0], velocity: [-1, 0, 0], shapes: [{sphere: 0.3}]}
contacts: {hit: {between: [a, b], restitution: 0.6}}
simulation: {end: 1}
)yaml";
  const RunReport report = run(text, "hem5", "1e-8");
  const Vec& v = report.outcome.final.v;
  EXPECT_NEAR(v[6] - v[0], 0.6 * 3, 1e-12);
  EXPECT_NEAR(v[0] + 3 * v[6], -1, 1e-12);
  ASSERT_EQ(report.result.events.time.size(), 1u);
  EXPECT_NEAR(report.result.events.time[0], 0.6 / 3, 1e-12);
}

// paper 004's slider from bodies: the impacts of the formula version
TEST(ShapeContacts, SliderCrankFromBodiesEqualsTheFormulas) {
  Overrides overrides;
  overrides.scheme = "hem5";
  overrides.tolerance = "1e-11";
  const std::string folder = escapement::testing::source_folder() + "/examples/";
  Model formulas = load_model(folder + "slider_crank_clearance.yaml", overrides);
  Model bodies = load_model(folder + "slider_crank_clearance_bodies.yaml", overrides);
  const RunReport a = run_model(formulas), b = run_model(bodies);
  const auto impacts = [](const EventColumns& events) {
    std::vector<std::pair<double, double>> list;
    for (std::size_t i = 0; i < events.time.size(); ++i)
      if (events.kind[i] == "impact" && events.velocity_before[i] < -1e-4) list.emplace_back(events.time[i], events.velocity_before[i]);
    return list;
  };
  const auto expected = impacts(a.result.events), found = impacts(b.result.events);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_GT(found.size(), 20u);
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i].first, expected[i].first, 1e-8);
    EXPECT_NEAR(found[i].second, expected[i].second, 1e-5);
  }
  // with both levels the gaps stay closed
  overrides.scheme = "moreau-midpoint-ggl";
  overrides.tolerance = "1e-6";
  Model both_levels = load_model(folder + "slider_crank_clearance_bodies.yaml", overrides);
  EXPECT_LT(run_model(both_levels).summary.max_penetration, 1e-12);
}

// a journal at rest in its bearing lies at the bottom: gap 0, force its weight; from the middle it falls there first
TEST(ShapeContacts, AJournalFallsToTheBottomOfItsBearing) {
  const std::string text = R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies: {shaft: {mass: 2, inertia: 0.1, position: [0, 0]}}
joints: {pin: {revolute: [ground, shaft], at: [0, 0], clearance: 0.01, radius: 0.1}}
outputs: {force: pin.force}
simulation: {end: 0.1}
)yaml";
  const RunReport report = run(text, "hem5", "1e-9");
  EXPECT_NEAR(report.outcome.final.q[1], -0.01, 1e-12);
  EXPECT_NEAR(report.result.outputs[0].back(), 2 * 9.81, 1e-9);
  EXPECT_NEAR(report.result.events.time[0], std::sqrt(2 * 0.01 / 9.81), 1e-10);
}

// a disc that rolls on its rim in a circle around its own resting middle: with half its thickness h, the inertias A and C across and
// along its axis, and the inclination a, Omega^2 sin a (A r cos a - C h sin a)/r = m g (r cos a - h sin a); thin: 4 g/r
TEST(ShapeContacts, ADiscRollsAroundItsRestingMiddle) {
  const double r = 0.1, h = 0.004, a = 0.5, m = 0.4, A = m * (r * r / 4 + h * h / 3), C = m * r * r / 2;
  const double omega = std::sqrt(m * 9.81 * (r * std::cos(a) - h * std::sin(a)) * r / (std::sin(a) * (A * r * std::cos(a) - C * h * std::sin(a))));
  std::ostringstream text;
  text.precision(17);
  text << "escapement: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n  disc: {mass: " << m
       << ", inertia: [" << A << ", " << A << ", " << C << "], position: [0, 0, " << r * std::sin(a) + h * std::cos(a)
       << "], orientation: {axis: [1, 0, 0], angle: " << a << "}, angular_velocity: [0, " << omega * std::sin(a) << ", "
       << omega * std::sin(a) * h / r << "], shapes: [{cylinder: [" << 2 * h << ", " << r
       << "]}]}\ncontacts: {table: {between: [disc, ground], friction: 0.5}}\nsimulation: {end: 1}\n";
  const RunReport report = run(text.str(), "hem5", "1e-9");
  EXPECT_NEAR(report.outcome.final.q[0], 0, 1e-6);
  EXPECT_NEAR(report.outcome.final.q[1], 0, 1e-6);
  EXPECT_NEAR(report.outcome.final.q[2], r * std::sin(a) + h * std::cos(a), 1e-7);
  EXPECT_LT(report.summary.energy.max_error, 1e-7);
}

// without thickness: Omega^2 sin a = 4 g/r
TEST(ShapeContacts, AThinDiscRollsAroundItsRestingMiddle) {
  const double r = 0.1, a = 0.4, omega = std::sqrt(4 * 9.81 / (r * std::sin(a)));
  std::ostringstream text;
  text.precision(17);
  text << "escapement: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n  disc: {mass: 2, inertia: ["
       << 2 * r * r / 4 << ", " << 2 * r * r / 4 << ", " << 2 * r * r / 2 << "], position: [0, 0, " << r * std::sin(a)
       << "], orientation: {axis: [1, 0, 0], angle: " << a << "}, angular_velocity: [0, " << omega * std::sin(a)
       << ", 0], shapes: [{cylinder: [2e-9, " << r << "], at: [0, 0, 1e-9]}]}\ncontacts: {table: {between: [disc, ground], friction: 0.5}}\nsimulation: {end: 0.5}\n";
  const RunReport report = run(text.str(), "hem5", "1e-9");
  for (int k = 0; k < 2; ++k) EXPECT_NEAR(report.outcome.final.q[k], 0, 1e-6);
  EXPECT_NEAR(report.outcome.final.q[2], r * std::sin(a), 1e-7);
  EXPECT_LT(report.summary.energy.max_error, 1e-7);
}

// a bounce with spin on a rough table: the tangential impulse stops the slip of a ball, u -> 0, whose effective mass is 2/7 m
TEST(ShapeContacts, ABallBouncesWithSpin) {
  std::string text = ball(0.5, "velocity: [1, 0, -2], angular_velocity: [0, 5, 0]");
  text.replace(text.find("friction:"), 9, "restitution: 0.6, friction:");
  text.replace(text.find("position: [0, 0, 0.1]"), 21, "position: [0, 0, 0.2]");
  text.replace(text.find("end: 0.5"), 8, "end: 0.1");
  const RunReport report = run(text, "hem5", "1e-9");
  // slip of the lowest point 1 - 0.1*5 = 0.5; 2/7 of it is taken: 1/7 m/s
  EXPECT_NEAR(report.outcome.final.v[0], 1 - 2.0 / 7 * 0.5, 1e-9);
  EXPECT_NEAR(report.outcome.final.v[4], 5 + 2.0 / 7 * 0.5 / 0.04, 1e-7);
}

// boxes of equal size on each other: flush corners, and the upper one pushed off the edge goes over it
TEST(ShapeContacts, ABoxSlidesOffABox) {
  const std::string text = R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {shapes: [{half_plane: [0, 1]}]}
  low: {mass: 5, inertia: 0.02, position: [0, 0.1], shapes: [{box: [0.4, 0.2]}]}
  high: {mass: 1, inertia: 0.02, position: [0, 0.3], velocity: [SPEED, 0], shapes: [{box: [0.4, 0.2]}]}
contacts:
  floor: {between: [low, ground], friction: 0.9}
  shelf: {between: [low, high], friction: 0.1}
outputs: {load: shelf.force, all: floor.force}
simulation: {end: END}
)yaml";
  const auto with = [&](const char* speed, const char* end) {
    std::string one = text;
    one.replace(one.find("SPEED"), 5, speed);
    one.replace(one.find("END"), 3, end);
    return one;
  };
  const RunReport rest = run(with("0", "0.5"), "hem5", "1e-8");
  EXPECT_NEAR(rest.outcome.final.q[4], 0.3, 1e-9);
  EXPECT_NEAR(rest.result.outputs[0].back(), 9.81, 1e-6);
  EXPECT_NEAR(rest.result.outputs[1].back(), 6 * 9.81, 1e-6);
  // corners leave the edge at once
  for (const char* scheme : {"auto", "hem5", "moreau-midpoint-ggl"}) {
    const RunReport slides = run(with("0.3", "0.2"), scheme, "1e-6");
    EXPECT_NEAR(slides.outcome.final.q[3], 0.3 * 0.2 - 0.5 * 0.1 * 9.81 * 0.04, 1e-6) << scheme;
    EXPECT_NEAR(slides.outcome.final.q[4], 0.3, 1e-9) << scheme;
  }
}

// a narrow box slides over the edge of a broad one: corner hands over to corner, and when its middle is beyond the edge it tips; until
// then it moves as on a plane. Energy falls by friction alone
TEST(ShapeContacts, ABoxTipsOverAnEdge) {
  const std::string text = R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {shapes: [{box: [1, 0.2], at: [0, -0.1]}, {half_plane: [0, 1], at: [0, -2]}]}
  box: {mass: 1, inertia: 2e-3, position: [0.35, 0.05], velocity: [1, 0], shapes: [{box: [0.1, 0.1]}]}
contacts: {shelf: {between: [box, ground], friction: 0.1}}
outputs: {load: shelf.force}
simulation: {end: END}
)yaml";
  const auto until = [&](const char* end) {
    std::string one = text;
    return one.replace(one.find("END"), 3, end);
  };
  for (const char* scheme : {"auto", "hem5", "moreau-midpoint-ggl"}) {
    SCOPED_TRACE(scheme);
    // its front corner passes the edge at 0.105 s; it tips from 0.157 s on, when the edge is mu times its height short of its middle
    const RunReport slides = run(until("0.15"), scheme, "1e-7");
    EXPECT_NEAR(slides.outcome.final.q[0], 0.35 + 0.15 - 0.5 * 0.981 * 0.15 * 0.15, 1e-6);
    EXPECT_NEAR(slides.outcome.final.q[1], 0.05, 1e-9);
    EXPECT_NEAR(slides.outcome.final.q[2], 0, 1e-9);
    EXPECT_NEAR(slides.result.outputs[0].back(), 9.81, 1e-4);
    const RunReport tips = run(until("0.3"), scheme, "1e-7");
    EXPECT_LT(tips.outcome.final.q[2], -0.05);
  }
}

// A small disc slides over a rounded end without friction: a step ends where the flat goes over into the round, at a time known, and it
// leaves the round where v^2/R = g cos, with v^2 = v0^2 + 2 g R (1 - cos)
TEST(ShapeContacts, AStepEndsWhereAFeatureDoes) {
  const RunReport report = run(R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {shapes: [{capsule: [1, 0.2]}]}
  disc: {mass: 1, inertia: 0.005, position: [0.1, 0.3], velocity: [0.5, 0], shapes: [{circle: 0.1}]}
contacts: {hill: {between: [disc, ground]}}
simulation: {end: 1.4}
)yaml", "hem5", "1e-8");
  const EventColumns& events = report.result.events;
  int changes = 0;
  double left = 0;
  for (std::size_t i = 0; i < events.time.size(); ++i) {
    if (events.kind[i] == "feature") {
      ++changes;
      EXPECT_EQ(events.contact[i], "hill");
      EXPECT_NEAR(events.time[i], 0.8, 1e-9);
    }
    if (events.kind[i] == "open") left = events.time[i];
  }
  EXPECT_EQ(changes, 1);
  // phi'^2 = v0^2/R^2 + 2 g (1 - cos phi)/R from 0 to where it leaves
  const double R = 0.3, g = 9.81, v0 = 0.5, last = std::acos((v0 * v0 / (g * R) + 2) / 3);
  double time = 0;
  const int n = 20000;
  for (int k = 0; k < n; ++k) time += last / n / std::sqrt(v0 * v0 / (R * R) + 2 * g / R * (1 - std::cos((k + 0.5) * last / n)));
  EXPECT_NEAR(left - 0.8, time, 1e-7);
}

// A box falls into a bowl and is held by two of its corners: the forces of least size that its rest asks for are beyond the friction's limit,
// others are within
TEST(ShapeContacts, ABoxWedgedInABowlIsHeldWithinTheLimits) {
  const RunReport report = run(R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {shapes: [{curve: {x: 0.5*cos(phi), y: 0.5 - 0.5*sin(phi), over: [phi, pi/2 - 1, pi/2 + 1]}}]}
  box: {mass: 1, inertia: 0.01, position: [0.01, 0.45], shapes: [{box: [0.3, 0.2]}]}
contacts: {hit: {between: [ground, box], friction: 0.4, restitution: 0.3}}
outputs: {n1: hit.1.force, f1: hit.1.friction, n2: hit.2.force, f2: hit.2.friction}
simulation: {end: 0.5}
)yaml", "hem5", "1e-6");
  EXPECT_LT(report.outcome.steps, 100);
  for (std::size_t k : {0u, 2u}) {
    EXPECT_GT(report.result.outputs[k].back(), 2);
    EXPECT_LE(std::abs(report.result.outputs[k + 1].back()), 0.4 * report.result.outputs[k].back());
  }
}

// A disc slides off a flat and over what follows, a sharp corner or a round end, without friction: phi'^2 = v0^2/R^2 + 2 g (1 - cos phi)/R
// about that, R from its centre. Schemes keep their order over the border of the two
TEST(ShapeContacts, OrderIsKeptOverCorners) {
  const double v0 = 0.2, g = 9.81, angle = 0.6;
  struct Hill {
    const char* shape;
    double R, top;
  };
  for (const Hill& hill : {Hill{"box: [1, 0.2]", 0.1, 0.2}, Hill{"capsule: [1, 0.2]", 0.3, 0.3}}) {
    double time = 0;
    const int n = 4000;  // Simpson's rule
    for (int k = 0; k <= n; ++k)
      time += (k == 0 || k == n ? 1 : k % 2 ? 4 : 2) * angle / (3.0 * n) / std::sqrt(v0 * v0 / (hill.R * hill.R) + 2 * g / hill.R * (1 - std::cos(k * angle / n)));
    std::ostringstream text;
    text.precision(17);
    text << "escapement: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: {shapes: [{" << hill.shape
         << "}]}\n  disc: {mass: 1, inertia: 0.005, position: [0.4, " << hill.top << "], velocity: [" << v0
         << ", 0], shapes: [{circle: 0.1}]}\ncontacts: {hill: {between: [disc, ground]}}\nsimulation: {end: " << 0.5 + time << "}\n";
    const double x = 0.5 + hill.R * std::sin(angle), y = hill.top - hill.R + hill.R * std::cos(angle);
    for (const char* scheme : {"hem5", "phem56", "mexx"}) {
      SCOPED_TRACE(std::string(hill.shape) + " " + scheme);
      const auto error = [&](const char* tolerance, double& steps) {
        const RunReport report = run(text.str(), scheme, tolerance);
        steps = static_cast<double>(report.outcome.steps);
        return std::hypot(report.outcome.final.q[0] - x, report.outcome.final.q[1] - y);
      };
      double few, many;
      const double loose = error("1e-5", few), tight = error("1e-9", many);
      EXPECT_LT(loose, 1e-4);
      EXPECT_LT(tight, 1e-8);
      if (scheme != std::string("mexx")) {  // whose order goes with the tolerance
        EXPECT_GT(std::log(loose / tight) / std::log(many / few), 4.5);
      }
    }
  }
}

void expect_refused(std::string text, const std::string& from, const std::string& to, const std::string& message) {
  text.replace(text.find(from), from.size(), to);
  try {
    read_model("shapes.yaml", text);
    ADD_FAILURE() << message;
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

// corners that strike while others press: impacts take their impulses at once, which no shorter step changes
TEST(ShapeContacts, ABoxThrownOverAFloorComesToRestByTimeStepping) {
  const std::string text = R"yaml(
escapement: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  box: {mass: 2, inertia: [0.01, 0.012, 0.015], position: [0, 0, 0.6], velocity: [1, 0, 0], angular_velocity: [1, 2, 3], shapes: [{box: [0.2, 0.15, 0.1]}]}
  ground: {shapes: [{half_space: [0, 0, 1]}]}
contacts:
  floor: {between: [box, ground], restitution: 0.3, friction: 0.4}
simulation: {end: 1.5}
)yaml";
  std::string nudged = text;
  nudged.replace(nudged.find("0.6]"), 4, "0.600001]");
  const State reference = run(text, "hem5", "1e-9").outcome.final;
  const double growth = (run(nudged, "hem5", "1e-9").outcome.final.q - reference.q).cwiseAbs().maxCoeff() / 1e-6;  // of errors on the way
  for (const char* scheme : {"moreau-jean", "moreau-midpoint", "nonsmooth-generalized-alpha"})
    for (const char* tolerance : {"1e-5", "1e-6"}) {
      SCOPED_TRACE(scheme);
      const State last = run(text, scheme, tolerance).outcome.final;
      EXPECT_LT((last.q - reference.q).cwiseAbs().maxCoeff(), 5 * growth * std::sqrt(std::stod(tolerance)));
      EXPECT_LT(last.v.cwiseAbs().maxCoeff(), 1e-9);
    }
}

TEST(ShapeContacts, WhatIsNotThereIsRefusedByName) {
  expect_refused(plane, "[[0, 0], [0, 1], [-1, 0]]", "[[0, 0], [0, 1], [-0.1, 0.1], [-1, 0]]", "a polygon that touches is convex");
  expect_refused(plane, "{circle: 0.4}", "{circle: 0.4, touch: false}", "'d' has no shape that could touch");
  expect_refused(plane, "[d, c]", "[b, a]", "between 'b' and 'a' already");
  expect_refused(plane, "clearance: 0.7,", "clearance: 0.7, angle: t,", "has no 'angle'");
  expect_refused(plane, "clearance: 0.7, radius: 0.1,", "clearance: 0.7,", "radius");
  expect_refused(plane, "clearance: 0.7, ", "", "belongs to a joint with 'clearance'");
  expect_refused(plane, "two: {", "two: {gap: d.x, ", "has no 'gap'");
  expect_refused(plane, "two: {", "two: {damping: 1e5, ", "'damping' belongs to a compliant contact");
}

}  // namespace
}  // namespace escapement
