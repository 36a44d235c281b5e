// Cams and curves: derivatives against differences, gaps against a search in long double, motions against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "io/run.hpp"
#include "support/derivative_check.hpp"

namespace escapement::curve_contact_test {
namespace {

RunReport run(const std::string& text, const std::string& scheme, const std::string& tolerance) {
  Overrides overrides;
  overrides.scheme = scheme;
  overrides.tolerance = tolerance;
  Model model = read_model("curves.yaml", text, overrides);
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
  return report;
}

void replace(std::string& text, const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); }

// every partner of a curve on moving bodies; friction makes slips
const char* pairs = R"yaml(
escapement: 1
dimension: 2
tables: {wavy: {x: [0, 1, 2, 3, 4, 5, 6.283185307179586], y: [1, 1.1, 1.05, 0.9, 1, 1.1, 1], ends: periodic}}
bodies:
  ground: {shapes: [{half_plane: [0.6, 0.8], at: [0.1, -9], angle: 0.2}]}
  oval: {mass: 1, inertia: 1, angle: 0.3, shapes: [{curve: {x: 1.5*cos(phi), y: sin(phi), over: [phi, 0, 2*pi]}, at: [0.2, -0.1], angle: 0.5}]}
  disc: {mass: 2, inertia: 3, position: [3, 1], angle: 0.2, shapes: [{circle: 0.3, at: [0.2, 0.1]}]}
  flat: {mass: 2, inertia: 3, position: [0, 5], angle: 0.1, shapes: [{half_plane: [0.3, -1]}]}
  box: {mass: 2, inertia: 3, position: [-1, 3], angle: 0.2, shapes: [{box: [3, 1]}]}
  corner: {mass: 2, inertia: 3, position: [3, -2], angle: 0.2, shapes: [{polygon: [[0, 0], [1, 0.3], [0.4, 1]]}]}
  pin: {mass: 2, inertia: 3, position: [-4, -1], angle: 0.2, shapes: [{capsule: [1, 0.2]}]}
  track: {mass: 2, inertia: 3, position: [3, 4], angle: 0.2, shapes: [{curve: {x: -s, y: -s^2/3, over: [s, -1, 1]}}]}
  cam: {mass: 2, inertia: 3, position: [8, 0], shapes: [{cam: {radius: wavy(phi)}}]}
  egg: {mass: 2, inertia: 3, position: [-3, -2], angle: 0.7, shapes: [{curve: {x: 1.2*cos(phi), y: sin(phi) + 0.1*cos(2*phi), over: [phi, 0, 2*pi]}, at: [0.1, 0.3], angle: 1}]}
  tooth: {mass: 2, inertia: 3, position: [2, -4], angle: 3, shapes: [{curve: {x: -s, y: -s^2/3, over: [s, -1, 1]}}]}
contacts:
  eleven: {between: [oval, egg], friction: 0.3}
  twelve: {between: [tooth, track], friction: 0.3}
  thirteen: {between: [tooth, egg], friction: 0.3}
  one: {between: [oval, disc], friction: 0.3}
  two: {between: [oval, flat], friction: 0.3}
  three: {between: [oval, box], friction: 0.3}
  four: {between: [oval, corner], friction: 0.3}
  five: {between: [oval, pin], friction: 0.3}
  six: {between: [oval, ground], friction: 0.3}
  seven: {between: [track, disc], friction: 0.3}
  eight: {between: [track, box], friction: 0.3}
  nine: {between: [track, flat], friction: 0.3}
  ten: {between: [cam, disc], friction: 0.3}
simulation: {end: 1}
)yaml";

TEST(CurveContacts, DerivativesToSecondOrder) {
  const Model model = read_model("curves.yaml", pairs);
  for (unsigned seed = 1; seed < 6; ++seed) {
    State s = model.start;
    std::srand(seed);
    s.v = Vec::Random(s.v.size());
    const Vec step = 0.2 * Vec::Random(s.v.size()), q = s.q;
    model.system->retract(q, step, s.q);
    testing::DerivativeCheck(*model.system, s).run();
  }
}

TEST(CurveContacts, DoNotDependOnTheOrderOfTheirBodies) {
  std::string text = pairs;
  const Model model = read_model("curves.yaml", text);
  for (const auto& [a, b] : {std::pair{"oval", "disc"}, {"oval", "flat"}, {"oval", "box"}, {"oval", "corner"}, {"oval", "pin"}, {"track", "box"}, {"oval", "egg"}, {"tooth", "track"}, {"tooth", "egg"}})
    replace(text, "[" + std::string(a) + ", " + b + "]", "[" + std::string(b) + ", " + a + "]");
  const Model other = read_model("curves.yaml", text);
  Terms T, U;
  model.system->prepare(T);
  other.system->prepare(U);
  model.system->evaluate(model.start, Need::gap | Need::jacobian | Need::curvature, T);
  other.system->evaluate(other.start, Need::gap | Need::jacobian | Need::curvature, U);
  EXPECT_LT((T.g - U.g).norm(), 1e-13);
  EXPECT_LT((T.G.dense() - U.G.dense()).norm(), 1e-12);
}

// the distance of a disc and of a box from an ellipse by minimising over both, in long double
TEST(CurveContacts, GapsOfAnEllipseAgainstASearchInLongDouble) {
  const auto search = [](auto&& height) {
    long double best = 0, least = height(0.0L);
    for (int k = 0; k < 20000; ++k)
      if (const long double phi = 2 * M_PIl * k / 20000, here = height(phi); here < least) best = phi, least = here;
    long double a = best - 1e-3L, b = best + 1e-3L;
    for (int k = 0; k < 200; ++k) {
      const long double c = a + (b - a) * 0.381966L, d = a + (b - a) * 0.618034L;
      (height(c) < height(d) ? b : a) = height(c) < height(d) ? d : c;
    }
    return height((a + b) / 2);
  };
  const Model model = read_model("curves.yaml", R"yaml(
escapement: 1
dimension: 2
bodies:
  oval: {mass: 1, inertia: 1, shapes: [{curve: {x: 3*cos(phi), y: sin(phi), over: [phi, 0, 2*pi]}}]}
  disc: {mass: 1, inertia: 1, position: [2, 2], shapes: [{circle: 0.25}]}
  box: {mass: 1, inertia: 1, position: [-1, -3], shapes: [{box: [2, 2]}]}
contacts: {one: {between: [oval, disc]}, two: {between: [oval, box]}}
simulation: {end: 1}
)yaml");
  Terms T;
  model.system->prepare(T);
  State s = model.start;
  for (int k = 0; k < 40; ++k) {
    const double angle = 0.157 * k;
    s.q[3] = 5 * std::cos(angle);
    s.q[4] = 3 * std::sin(angle);
    s.q[6] = -5.5 * std::cos(angle);
    s.q[7] = -4 * std::sin(angle);
    s.q[8] = 0.37 * k;
    model.system->evaluate(s, Need::gap, T);
    const auto point = [&](long double phi) { return std::pair{3 * std::cos(phi), std::sin(phi)}; };
    const long double disc = search([&](long double phi) { return std::hypot(s.q[3] - point(phi).first, s.q[4] - point(phi).second); });
    EXPECT_NEAR(T.g[0], static_cast<double>(disc) - 0.25, 1e-14) << k;
    const long double c = std::cos(static_cast<long double>(s.q[8])), sn = std::sin(static_cast<long double>(s.q[8]));
    const long double box = search([&](long double phi) {
      const long double dx = point(phi).first - s.q[6], dy = point(phi).second - s.q[7];
      return std::hypot(std::max(0.0L, std::abs(c * dx + sn * dy) - 1), std::max(0.0L, std::abs(-sn * dx + c * dy) - 1));
    });
    EXPECT_NEAR(T.g[1], static_cast<double>(box), 1e-9) << k;
  }
}

// of two ellipses, by the supports of both over all directions, in long double: what separates them most is their distance
TEST(CurveContacts, GapsOfTwoEllipsesAgainstASearchInLongDouble) {
  const Model model = read_model("curves.yaml", R"yaml(
escapement: 1
dimension: 2
bodies:
  a: {mass: 1, inertia: 1, shapes: [{curve: {x: 3*cos(phi), y: sin(phi), over: [phi, 0, 2*pi]}}]}
  b: {mass: 1, inertia: 1, position: [2, 2], shapes: [{curve: {x: cos(phi), y: 0.5*sin(phi), over: [phi, 0, 2*pi]}}]}
contacts: {one: {between: [a, b]}}
simulation: {end: 1}
)yaml");
  Terms T;
  model.system->prepare(T);
  State s = model.start;
  for (int k = 0; k < 60; ++k) {
    const double angle = 0.105 * k;
    s.q[3] = 4.3 * std::cos(angle);
    s.q[4] = 2.3 * std::sin(angle);
    s.q[5] = 0.37 * k;
    model.system->evaluate(s, Need::gap, T);
    const long double turn = s.q[5];
    const auto separation = [&](long double way) {
      const long double c = std::cos(way), n = std::sin(way), c2 = std::cos(way - turn), n2 = std::sin(way - turn);
      return c * s.q[3] + n * s.q[4] - std::hypot(3 * c, n) - std::hypot(c2, 0.5L * n2);
    };
    long double best = 0, most = -100;
    for (int i = 0; i < 5000; ++i)
      if (const long double way = 2 * M_PIl * i / 5000, here = separation(way); here > most) best = way, most = here;
    long double low = best - 2e-3L, high = best + 2e-3L;
    for (int i = 0; i < 100; ++i) {
      const long double p = low + (high - low) * 0.381966L, q = low + (high - low) * 0.618034L;
      (separation(p) > separation(q) ? high : low) = separation(p) > separation(q) ? q : p;
    }
    EXPECT_NEAR(T.g[0], static_cast<double>(separation((low + high) / 2)), 1e-14) << k;
  }
}

// an eccentric disc, R = 0.05, e = 0.01, turns at 20 rad/s under a follower that moves up and down
std::string eccentric(const std::string& cam, const std::string& follower) {
  return R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
parameters: {R: 0.05, e: 0.01, rho: 0.02}
bodies:
  cam: {mass: 1, inertia: 0.01, angular_velocity: 20, shapes: [{)yaml" + cam + R"yaml(}]}
  follower: {mass: 0.3, inertia: 1, position: [0, 0.1], shapes: [{)yaml" + follower + R"yaml(}]}
joints:
  shaft: {revolute: [ground, cam], at: [0, 0], angle: 20*t}
  guide: {prismatic: [ground, follower], at: [0, 0.1], axis: [0, 1]}
contacts: {lift: {between: [cam, follower], friction: 0.1}}
outputs: {force: lift.force}
simulation: {end: 0.43}
)yaml";
}

const char* by_formula = "curve: {x: e + R*cos(phi), y: R*sin(phi), over: [phi, 0, 2*pi]}";
const char* by_radius = "cam: {radius: e*cos(phi) + sqrt(R^2 - (e*sin(phi))^2)}";

TEST(CurveContacts, EccentricCamWithFlatFollower) {
  for (const std::string cam : {by_formula, by_radius})
    for (const std::string flat : {"half_plane: [0, -1], at: [0, 0]", "box: [0.2, 0.02], at: [0, 0.01]"}) {
      std::string text = eccentric(cam, flat);
      replace(text, "position: [0, 0.1]", "position: [0, 0.05], velocity: [0, 0.2]");
      const RunReport report = run(text, "hem5", "1e-9");
      // y = R + e sin(20 t); m (y'' + g) is what the cam carries; friction acts along the face
      const double th = 20 * 0.43, y = 0.05 + 0.01 * std::sin(th), a = -400 * 0.01 * std::sin(th);
      EXPECT_NEAR(report.outcome.final.q[4], y, 1e-10);
      EXPECT_NEAR(report.outcome.final.v[4], 20 * 0.01 * std::cos(th), 1e-8);
      EXPECT_NEAR(report.result.outputs[0].back(), 0.3 * (a + 9.81), 1e-6);
    }
}

TEST(CurveContacts, EccentricCamWithRoller) {
  // the roller as a circle and as a curve, whole or as the half that faces the cam
  for (const char* roller : {"circle: rho", "cam: {radius: rho}", "curve: {x: rho*cos(phi), y: rho*sin(phi), over: [phi, pi, 2*pi]}"})
  for (const char* scheme : {"hem5", "moreau-midpoint-ggl"}) {
    SCOPED_TRACE(roller);
    std::string text = eccentric(by_radius, roller);
    replace(text, ", friction: 0.1", "");
    const double l = 0.07, e = 0.01;
    replace(text, "position: [0, 0.1]", "position: [0, sqrt((R + rho)^2 - e^2)], velocity: [0, 20*e]");
    const RunReport report = run(text, scheme, std::string(scheme) == "hem5" ? "1e-9" : "1e-6");
    const double th = 20 * 0.43, root = std::sqrt(l * l - e * e * std::cos(th) * std::cos(th));
    EXPECT_NEAR(report.outcome.final.q[4], e * std::sin(th) + root, 1e-10) << scheme;
    EXPECT_NEAR(report.outcome.final.v[4], 20 * e * std::cos(th) * (1 + e * std::sin(th) / root), std::string(scheme) == "hem5" ? 1e-8 : 1e-3) << scheme;
  }
}

// a smooth disc in a round bowl is a pendulum whose length is the difference of the radii
TEST(CurveContacts, ADiscInABowlIsAPendulum) {
  const RunReport bowl = run(R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {shapes: [{curve: {x: cos(phi), y: -sin(phi), over: [phi, 0, 2*pi]}}]}
  disc: {mass: 1, inertia: 1, position: [0.8, 0], shapes: [{circle: 0.2}]}
contacts: {wall: {between: [disc, ground]}}
simulation: {end: 2}
)yaml", "hem5", "1e-10");
  const RunReport pendulum = run(R"yaml(
escapement: 1
coordinates: {x: {start: 0.8}, y: {start: 0}}
kinetic_energy: 1/2*(x'^2 + y'^2)
potential_energy: 9.81*y
constraints: {string: x^2 + y^2 - 0.64}
simulation: {end: 2}
)yaml", "hem5", "1e-10");
  EXPECT_NEAR(bowl.outcome.final.q[0], pendulum.outcome.final.q[0], 1e-8);
  EXPECT_NEAR(bowl.outcome.final.q[1], pendulum.outcome.final.q[1], 1e-8);
}

// Teeth that are involutes of two circles pass on a torque by the ratio of these circles, evenly, wherever they touch: with I the sum of
// both inertias at the first, I w' = -M r1/r2, and the force stays the same
TEST(CurveContacts, InvolutesTurnEachOtherEvenly) {
  const RunReport report = run(R"yaml(
escapement: 1
dimension: 2
parameters: {r1: 0.04, r2: 0.06, d: 0.115, rolled: 0.025, s: sqrt(d^2 - (r1 + r2)^2), a: acos((r1 + r2)/d)}
bodies:
  pinion:
    mass: 1
    inertia: 1e-3
    angular_velocity: 10
    angle: rolled/r1 - a
    shapes: [{curve: {x: r1*(cos(1.2 - u) + (1.2 - u)*sin(1.2 - u)), y: -r1*(sin(1.2 - u) - (1.2 - u)*cos(1.2 - u)), over: [u, 0.2, 1]}}]
  wheel:
    mass: 1
    inertia: 2e-3
    position: [d, 0]
    angular_velocity: -10*r1/r2
    angle: pi - a + (s - rolled)/r2
    shapes: [{curve: {x: r2*(cos(1.2 - u) + (1.2 - u)*sin(1.2 - u)), y: -r2*(sin(1.2 - u) - (1.2 - u)*cos(1.2 - u)), over: [u, 0.2, 1]}}]
joints:
  one: {revolute: [ground, pinion], at: [0, 0]}
  two: {revolute: [ground, wheel], at: [d, 0]}
contacts: {teeth: {between: [pinion, wheel]}}
forces: {load: {torque: wheel, value: 0.3}}
outputs: {force: teeth.force}
simulation: {end: 0.02}
)yaml", "hem5", "1e-9");
  const double all = 1e-3 + 2e-3 * 4 / 9, slower = 0.3 * 2 / 3 / all;
  EXPECT_NEAR(report.outcome.final.v[2], 10 - slower * 0.02, 1e-9);
  EXPECT_NEAR(report.outcome.final.v[5], -(10 - slower * 0.02) * 2 / 3, 1e-9);
  for (double force : report.result.outputs[0]) EXPECT_NEAR(force, 1e-3 * slower / 0.04, 1e-6);
}

// a valley too narrow for the disc holds it with two contacts
TEST(CurveContacts, ADiscRestsOnBothFlanksOfANarrowValley) {
  const RunReport report = run(R"yaml(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {shapes: [{curve: {x: -s, y: s^2, over: [s, -2, 2]}}]}
  disc: {mass: 2, inertia: 1, position: [0, 2], shapes: [{circle: 1}]}
contacts: {valley: {between: [disc, ground]}}
outputs: {left: valley.1.force, right: valley.2.force}
simulation: {end: 2}
)yaml", "hem5", "1e-8");
  // touching at x where 1 = x sqrt(1 + 1/(4 x^2)): x^2 = 3/4; the centre is 1/2 above the points
  EXPECT_NEAR(report.outcome.final.q[1], 1.25, 1e-9);
  EXPECT_NEAR(report.result.outputs[0].back(), report.result.outputs[1].back(), 1e-6);
}

TEST(CurveContacts, WhatIsNoCurveIsRefused) {
  const auto refused = [](const std::string& from, const std::string& to, const std::string& message) {
    std::string text = pairs;
    replace(text, from, to);
    try {
      read_model("curves.yaml", text);
      ADD_FAILURE() << message;
    } catch (const std::exception& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  refused("x: 1.5*cos(phi), y: sin(phi)", "x: phi^2, y: phi^2", "stands still");
  refused("x: 1.5*cos(phi), y: sin(phi)", "x: 1.5*cos(phi), y: sin(psi)", "psi");
  refused("over: [s, -1, 1]", "over: [s, 1, -1]", "ends behind its beginning");
  refused("over: [s, -1, 1]", "over: 2", "'over' is a variable and its range");
  refused("{cam: {radius: wavy(phi)}}", "{cam: {radius: 1/(phi - 1)}}", "the radius of a cam must be greater than 0");
  refused("ends: periodic", "ends: periodic, interpolation: linear", "linear table");
  refused("{circle: 0.3, at: [0.2, 0.1]}", "{cam: {radius: 1 + 0.4*cos(3*phi)}}", "two curves touch where both are convex");
}

}  // namespace
}  // namespace escapement
