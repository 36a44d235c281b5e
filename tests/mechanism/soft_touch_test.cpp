// Compliant contacts of shapes whose points are found: derivatives against differences, motions against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/run.hpp"
#include "math/rotation.hpp"
#include "support/derivative_check.hpp"

namespace escapement::soft_touch_test {
namespace {

Model read(const std::string& text, const std::string& scheme = "", const std::string& tolerance = "") {
  Overrides overrides;
  if (!scheme.empty()) overrides.scheme = scheme;
  if (!tolerance.empty()) overrides.tolerance = tolerance;
  return read_model("soft.yaml", "escapement: 1\ndimension: 3\n" + text, overrides);
}

RunReport run(const std::string& text, const std::string& scheme, const std::string& tolerance) {
  Model model = read(text, scheme, tolerance);
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << ": " << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << scheme << ": " << to_text(report.summary);
  return report;
}

double last(const RunReport& report, int output) { return report.result.outputs(report.result.outputs.rows() - 1, output); }

// 3 kg on a table of which the box may or may not stand on all of its bottom
std::string box_on_table(const std::string& law, const std::string& of_box, const std::string& rest, const std::string& ground = "box: [2, 2, 0.2], at: [0, 0, -0.1]") {
  return "bodies:\n  ground: {shapes: [{" + ground + "}]}\n  box: {mass: 3, inertia: [0.02, 0.03, 0.025], shapes: [{box: [0.2, 0.3, 0.1]}], " + of_box +
         "}\ncontacts: {floor: {between: [box, ground], " + law + "}}\noutputs: {push: floor.force, gap: floor.gap}\n" + rest;
}

// every kind of pair, all pressed into each other: faces, edges, corners, rims, sides
TEST(SoftTouch, TangentsAgainstDifferences) {
  const char* law = "stiffness: 20, damping: 0.5, friction: 0.3, velocity: 0.5";
  const char* other = "law: hunt_crossley, stiffness: 30, damping: 0.4, friction_law: stribeck, mu_k: 0.3, mu_s: 0.5, v_s: 0.4, velocity: 0.3, sigma2: 0.1";
  const struct {
    const char *a, *b, *placed;  // the second one
  } pairs[] = {
      {"box: [1, 1, 1]", "box: [0.6, 0.8, 1]", "position: [0.1, 0.05, 0.92], orientation: {axis: [1, 2, 3], angle: 0.1}"},             // a face
      {"box: [1, 1, 1]", "box: [0.6, 0.8, 1]", "position: [0.4, 0.3, 0.92], orientation: {axis: [1, 2, 3], angle: 0.15}"},             // part of one
      {"box: [1, 1, 1]", "box: [1, 1, 1]", "position: [0.1, 0.05, 1.25], orientation: {axis: [1, -1, 0.1], angle: 0.9}"},              // a corner
      {"box: [1, 1, 1]", "box: [1, 1, 1]", "position: [0.65, 0.1, 0.65], orientation: {axis: [1.3, 0.2, -0.9], angle: 1.2}"},          // edges
      {"hull: [[0.6, 0, 0], [-0.5, 0.5, 0], [-0.4, -0.5, 0], [0, 0.1, 0.7]]", "box: [0.5, 0.5, 0.5]", "position: [0.1, 0, 0.85], orientation: {axis: [1, 1, 0], angle: 0.3}"},
      {"box: [1, 1, 1]", "cylinder: [1, 0.3]", "position: [0, 0.1, 0.9], orientation: {axis: [1, 0.3, 0], angle: 0.2}"},               // a rim
      {"box: [1, 1, 1]", "cylinder: [0.6, 0.3]", "position: [0, 0.1, 0.72], orientation: {axis: [1, 0.03, 0], angle: 1.56}"},          // a side
      {"cylinder: [1, 0.4]", "cylinder: [1, 0.3]", "position: [0.1, 0, 0.92], orientation: {axis: [1, 0.3, 0], angle: 0.15}"},         // a cap
      {"cylinder: [1, 0.4]", "cylinder: [1, 0.3]", "position: [0.62, 0.05, 0.1], orientation: {axis: [1, 0.3, 0], angle: 0.8}"},       // sides
      {"cylinder: [1, 0.4]", "capsule: [0.6, 0.3]", "position: [0.6, 0.05, 0.1], orientation: {axis: [1, 0.3, 0], angle: 0.8}"},
      {"hull: [[0.6, 0, 0], [-0.5, 0.5, 0], [-0.4, -0.5, 0], [0, 0.1, 0.7]]", "capsule: [0.6, 0.3]", "position: [0.1, 0.3, 0.62], orientation: {axis: [1, 0.3, 0], angle: 0.8}"},
      {"capsule: [0.8, 0.3]", "capsule: [0.6, 0.3]", "position: [0.52, 0.05, 0.1]"},                                                   // parallel
  };
  for (const auto& pair : pairs)
    for (const char* one : {law, other}) {
      const Model model = read(std::string("bodies:\n  a: {mass: 1, inertia: [1, 2, 2.5], shapes: [{") + pair.a + "}]}\n  b: {mass: 2, inertia: [3, 3, 4], " + pair.placed +
                               ", shapes: [{" + pair.b + "}]}\ncontacts: {c: {between: [a, b], " + one + "}}\noutputs: {force: c.force, gap: c.gap}\nsimulation: {end: 1}\n");
      State s = model.start;
      const Vec q = s.q;
      for (unsigned seed = 3; seed < 6; ++seed) {
        std::srand(seed);
        s.v = 0.3 * Vec::Random(s.v.size());
        model.system->retract(q, 0.01 * Vec::Random(s.v.size()), s.q);
        testing::DerivativeCheck(*model.system, s, 1e-6).run();
        StateFunction function = model.outputs;
        double told[2];
        function.evaluate(s, told);
        EXPECT_GT(told[0], 0.1) << pair.a << ' ' << pair.b;
        EXPECT_LT(told[1], 0) << pair.a << ' ' << pair.b;
      }
      if (HasFailure()) FAIL() << pair.a << ' ' << pair.b << ' ' << pair.placed << ' ' << one;
    }
}

// on four corners under every smooth scheme
TEST(SoftTouch, ABoxSettlesOnFourCorners) {
  for (const char* scheme : {"auto", "hem5", "phem56", "mexx", "rkf45", "bdf", "generalized-alpha", "radau"}) {
    const RunReport report = run("gravity: [0, 0, -9.81]\n" + box_on_table("stiffness: 1e4, damping: 100, friction: 0.3", "position: [0.3, 0.1, 0.06], orientation: {axis: [1, 2, 0], angle: 0.05}",
                                                                           "simulation: {end: 1}\n"), scheme, "1e-6");
    EXPECT_NEAR(last(report, 0), 3 * 9.81, 1e-4) << scheme;
    EXPECT_NEAR(last(report, 1), -3 * 9.81 / (4 * 1e4), 1e-8) << scheme;
  }
}

// ... and swings on them with the frequency of four springs
TEST(SoftTouch, ABoxSwingsOnFourSprings) {
  const double w = std::sqrt(4 * 1e4 / 3), rest = 3 * 9.81 / (4 * 1e4), swing = 0.5 * rest, periods = 20.25;
  const std::string end = std::to_string(periods * 2 * std::numbers::pi / w);
  const RunReport report = run("gravity: [0, 0, -9.81]\n" + box_on_table("stiffness: 1e4", "position: [0, 0, 0.05 - 1.5*3*9.81/4e4]", "simulation: {end: " + end + "}\n"), "hem5", "1e-9");
  const State& s = report.outcome.final;
  EXPECT_NEAR(s.q[2], 0.05 - rest - swing * std::cos(w * s.t), 1e-8);
  EXPECT_NEAR(s.v[2], swing * w * std::sin(w * s.t), 1e-6);
}

// without friction a box moves on a large box as on a plane, on edges and corners too
TEST(SoftTouch, ALargeBoxIsAPlane) {
  const auto end = [](const std::string& ground) {
    return run("gravity: [0, 0, -9.81]\n" + box_on_table("law: hertz, stiffness: 1e6", "position: [0.3, 0.1, 0.1], orientation: {axis: [1, 2, 0.3], angle: 0.4}, angular_velocity: [3, 1, 2]",
                                                         "simulation: {end: 0.5}\n", ground), "hem5", "1e-9").outcome.final;
  };
  const State box = end("box: [4, 4, 0.5], at: [0, 0, -0.25]"), plane = end("half_space: [0, 0, 1]");
  EXPECT_LT((box.q - plane.q).norm(), 1e-6);
  EXPECT_LT((box.v - plane.v).norm(), 1e-4);
}

// What Hunt and Crossley's damping takes of a fall onto a face: m v' = -4 k d^1.5 (1 + c v) has the integral v/c - ln(1 + c v)/c^2 + (4k/m) d^2.5/2.5
TEST(SoftTouch, HuntAndCrossleyTakeTheirPart) {
  for (const double c : {0.1, 0.4}) {
    const double v0 = 1;
    const auto integral = [&](double v) { return v / c - std::log1p(c * v) / (c * c); };
    double low = 0, high = v0;  // the speed after it
    for (int i = 0; i < 60; ++i) (integral(-0.5 * (low + high)) < integral(v0) ? low : high) = 0.5 * (low + high);
    for (const char* scheme : {"hem5", "radau"}) {
      const RunReport report = run(box_on_table("law: hunt_crossley, stiffness: 1e6, damping: " + std::to_string(c), "position: [0.2, 0.1, 0.06], velocity: [0, 0, -1]", "simulation: {end: 0.05}\n"), scheme, "1e-8");
      EXPECT_NEAR(report.outcome.final.v[2], low, 1e-6) << scheme << ' ' << c;
    }
  }
}

// two boxes that strike each other in flight with friction: momentum and angular momentum stay, and so does the motion where the contact
// names them the other way round
TEST(SoftTouch, FreeBoxesKeepTheirMomentum) {
  const auto strike = [](const std::string& between) {
    return run("bodies:\n  a: {mass: 1, inertia: [4e-3, 5e-3, 6e-3], velocity: [1, 0, 0.2], angular_velocity: [3, 1, -2], shapes: [{box: [0.2, 0.15, 0.1]}]}\n"
               "  b: {mass: 2, inertia: [7e-3, 6e-3, 8e-3], position: [0.4, 0.05, 0.06], orientation: {axis: [1, 2, 0.5], angle: 0.7}, shapes: [{box: [0.2, 0.2, 0.2]}]}\n"
               "contacts: {hit: {between: [" + between + "], law: hunt_crossley, stiffness: 1e6, damping: 0.1, friction: 0.4}}\nsimulation: {end: 0.6}\n", "hem5", "1e-8").outcome.final;
  };
  const State s = strike("a, b"), exchanged = strike("b, a");
  EXPECT_LT((s.q - exchanged.q).norm(), 1e-10);
  EXPECT_LT((s.v - exchanged.v).norm(), 1e-10);
  const Vec3 inertia[2] = {{4e-3, 5e-3, 6e-3}, {7e-3, 6e-3, 8e-3}};
  const auto momenta = [&](const State& at, Vec3& linear, Vec3& angular) {
    linear.setZero();
    angular.setZero();
    for (int k = 0; k < 2; ++k) {
      const Vec3 p = (k + 1.0) * at.v.segment<3>(6 * k), x = at.q.segment<3>(7 * k), w = at.v.segment<3>(6 * k + 3);
      linear += p;
      angular += x.cross(p) + rotation_matrix(at.q.segment<4>(7 * k + 3)) * inertia[k].cwiseProduct(w);
    }
  };
  Vec3 p0, l0, p1, l1;
  Model model = read("bodies:\n  a: {mass: 1, inertia: [4e-3, 5e-3, 6e-3], velocity: [1, 0, 0.2], angular_velocity: [3, 1, -2]}\n"
                     "  b: {mass: 2, inertia: [7e-3, 6e-3, 8e-3], position: [0.4, 0.05, 0.06], orientation: {axis: [1, 2, 0.5], angle: 0.7}}\nsimulation: {end: 1}\n");
  momenta(model.start, p0, l0);
  momenta(s, p1, l1);
  EXPECT_GT(s.v.segment<3>(6).norm(), 0.2);  // it was struck
  EXPECT_LT((p1 - p0).norm(), 1e-12);
  EXPECT_LT((l1 - l0).norm(), 1e-8);
}

// mu g brakes a box, and holds a cylinder upright that presses its whole rim into the ground
TEST(SoftTouch, FrictionActsAtThePoints) {
  const RunReport report = run("gravity: [0, 0, -9.81]\n" + box_on_table("stiffness: 1e5, damping: 1e3, friction: 0.3, velocity: 1e-4", "position: [0.2, 0, 0.05 - 3*9.81/4e5], velocity: [-1, 0, 0]",
                                                                         "simulation: {end: 0.2}\n"), "radau", "1e-7");
  EXPECT_NEAR(report.outcome.final.v[0], -1 + 0.3 * 9.81 * 0.2, 2e-3);
  const RunReport upright = run("gravity: [0, 0, -9.81]\nbodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n"
                                "  post: {mass: 2, inertia: [0.02, 0.02, 0.01], position: [0, 0, 0.21], shapes: [{cylinder: [0.4, 0.1]}], angular_velocity: [0.2, 0, 0]}\n"
                                "contacts: {floor: {between: [post, ground], stiffness: 1e4, damping: 100, friction: 0.5}}\noutputs: {push: floor.force, gap: floor.gap}\nsimulation: {end: 2}\n", "radau", "1e-6");
  EXPECT_NEAR(last(upright, 0), 2 * 9.81, 1e-3);
  EXPECT_NEAR(last(upright, 1), -2 * 9.81 / (4 * 1e4), 1e-6);
}

// one that is thrown across a long way at once
TEST(SoftTouch, ShortImpactsAreNotPassedOver) {
  for (const char* scheme : {"hem5", "bdf", "generalized-alpha", "auto"}) {
    const RunReport report = run("bodies:\n  a: {mass: 1, inertia: [1, 1, 1], position: [-1, 0, 0], velocity: [1, 0, 0], shapes: [{box: [0.1, 0.2, 0.2]}]}\n"
                                 "  b: {mass: 1, inertia: [1, 1, 1], position: [1, 0, 0], shapes: [{box: [0.1, 0.2, 0.2]}]}\n"
                                 "contacts: {hit: {between: [a, b], stiffness: 1e8}}\nsimulation: {end: 3}\n", scheme, scheme == std::string("generalized-alpha") ? "1e-6" : "1e-4");
    EXPECT_NEAR(report.outcome.final.v[0], 0, 2e-3) << scheme;
    EXPECT_NEAR(report.outcome.final.v[6], 1, 2e-3) << scheme;
  }
}

TEST(SoftTouch, TellsMistakes) {
  const auto expect = [](const std::string& contact, const std::string& part, const std::string& more = "") {
    try {
      read("bodies: {a: {mass: 1, inertia: [1, 1, 1], shapes: [{box: [1, 1, 1]}]}, b: {mass: 1, inertia: [1, 1, 1], shapes: [{box: [1, 1, 1]}]}}\n"
           "contacts: {c: {between: [a, b], " + contact + "}}\n" + more + "simulation: {end: 1}\n");
      ADD_FAILURE() << "accepted: " << contact;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\n expected: " << part;
    }
  };
  expect("stiffness: 3, friction_law: lugre, mu_k: 0.3, sigma0: 10", "contact 'c' is between a box and a box, where points come and go, and bristles belong to points that stay");
  expect("stiffness: 3, slip: a.vx", "a contact of shapes has no 'slip'");
  expect("stiffness: 3, rolling_friction: 0.1", "a compliant contact has no 'rolling_friction'");
  expect("stiffness: 3", "is for outputs and 'stop' alone", "forces: {f: {force: a, value: [c.force, 0, 0]}}\n");
}

}  // namespace
}  // namespace escapement
