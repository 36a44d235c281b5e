// Compliant contacts of shapes: derivatives against differences, motions against formula contacts and closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "io/run.hpp"
#include "support/derivative_check.hpp"

namespace escapement::soft_shape_test {
namespace {

Model read(const std::string& text, const std::string& scheme = "", const std::string& tolerance = "") {
  Overrides overrides;
  if (!scheme.empty()) overrides.scheme = scheme;
  if (!tolerance.empty()) overrides.tolerance = tolerance;
  return read_model("soft.yaml", "escapement: 1\n" + text, overrides);
}

RunReport run(const std::string& text, const std::string& scheme, const std::string& tolerance) {
  Model model = read(text, scheme, tolerance);
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
  return report;
}

// every kind of pair, all pressed into each other
const char* plane = R"yaml(dimension: 2
bodies:
  ground: {shapes: [{half_plane: [0.1, 1]}]}
  a: {mass: 1, inertia: 1, position: [0, 0.2], shapes: [{circle: 0.3, at: [0.1, 0]}]}
  b: {mass: 2, inertia: 3, position: [0.5, 0.3], shapes: [{circle: 0.3}]}
  c: {mass: 2, inertia: 3, position: [1.2, 0.1], angle: 0.1, shapes: [{box: [1, 0.6]}]}
  d: {mass: 2, inertia: 3, position: [1.2, 0.63], angle: 0.05, shapes: [{polygon: [[-0.3, -0.3], [0.3, -0.3], [0, 0.4]]}]}
  e: {mass: 2, inertia: 3, position: [3, -0.2], angle: 0.1, shapes: [{capsule: [0.5, 0.2]}]}
contacts:
  one: {between: [a, ground], stiffness: 20, damping: 0.5, friction: 0.3, velocity: 0.5}
  two: {between: [a, b], stiffness: 30, law: hertz, damping: 0.4, friction_law: stribeck, mu_k: 0.3, mu_s: 0.5, v_s: 0.4, velocity: 0.3, sigma2: 0.1}
  three: {between: [b, c], stiffness: 25, law: hunt_crossley, damping: 0.2, friction_law: lugre, mu_k: 0.3, mu_s: 0.4, v_s: 0.5, sigma0: 2, sigma1: 0.3, sigma2: 0.1}
  four: {between: [c, d], stiffness: 20, damping: 0.5, friction_law: lugre, mu_k: 0.3, sigma0: 2}
  five: {between: [e, ground], stiffness: 20, friction: 0.3, velocity: 0.5}
simulation: {end: 1}
)yaml";

const char* space = R"yaml(dimension: 3
bodies:
  ground: {shapes: [{half_space: [0.1, 0.2, 1]}]}
  a: {mass: 1, inertia: [1, 2, 2.5], position: [0, 0, 0.2], shapes: [{sphere: 0.3, at: [0.05, 0, 0]}]}
  b: {mass: 2, inertia: [3, 3, 4], position: [0.5, 0, 0.3], shapes: [{sphere: 0.3}]}
  c: {mass: 2, inertia: [3, 3, 4], position: [1.2, 0, 0.1], orientation: {axis: [1, 1, 0], angle: 0.2}, shapes: [{box: [1, 0.8, 0.7]}]}
  d: {mass: 2, inertia: [3, 3, 4], position: [0.5, 0.55, 0.4], shapes: [{capsule: [0.5, 0.3]}]}
  e: {mass: 2, inertia: [3, 3, 4], position: [0.5, -0.55, 0.35], orientation: {axis: [1, 0, 0], angle: 0.3}, shapes: [{cylinder: [0.8, 0.3]}]}
contacts:
  one: {between: [a, ground], stiffness: 20, damping: 0.5, friction: 0.3, velocity: 0.5}
  two: {between: [a, b], stiffness: 30, law: hertz, damping: 0.4, friction_law: stribeck, mu_k: 0.3, mu_s: 0.5, v_s: 0.4, velocity: 0.3, sigma2: 0.1}
  three: {between: [b, c], stiffness: 25, law: hunt_crossley, damping: 0.2, friction_law: lugre, mu_k: 0.3, mu_s: 0.4, v_s: 0.5, sigma0: 2, sigma1: 0.3, sigma2: 0.1}
  four: {between: [c, ground], stiffness: 20, damping: 0.5, friction_law: lugre, mu_k: 0.3, sigma0: 2}
  five: {between: [b, d], stiffness: 20, friction: 0.3, velocity: 0.5}
  six: {between: [e, b], stiffness: 20, friction: 0.3, velocity: 0.5}
  seven: {between: [e, ground], stiffness: 20, friction: 0.3, velocity: 0.5}
simulation: {end: 1}
)yaml";

TEST(SoftShapes, TangentsAgainstDifferences) {
  for (const char* text : {plane, space}) {
    std::string outputs = "outputs: {";
    for (const char* name : {"one", "two", "three", "four", "five", "six", "seven"})
      if (std::string(text).find(std::string(name) + ":") != std::string::npos) outputs += std::string(name) + ": " + name + ".force, ";
    const Model model = read(std::string(text) + outputs + "}\n");
    State s = model.start;
    for (unsigned seed = 3; seed < 7; ++seed) {
      std::srand(seed);
      s.v = 0.3 * Vec::Random(s.v.size());
      s.z = 0.2 * Vec::Random(s.z.size());
      const Vec step = 0.02 * Vec::Random(s.v.size()), q = model.start.q;
      model.system->retract(q, step, s.q);
      testing::DerivativeCheck(*model.system, s, 1e-6).run();
      StateFunction function = model.outputs;
      std::vector<double> force(model.output_names.size());
      function.evaluate(s, force.data());
      for (std::size_t k = 0; k < force.size(); ++k) EXPECT_GT(force[k], 0.1) << model.output_names[k];
    }
  }
}

// a disc by its shape and by a formula
TEST(SoftShapes, ADiscIsThatOfAFormula) {
  for (const std::string law : {"stiffness: 1e4, damping: 20, friction: 0.3", "law: hertz, stiffness: 1e5, friction_law: stribeck, mu_k: 0.2, mu_s: 0.3",
                                "law: hunt_crossley, stiffness: 1e5, damping: 0.1, friction_law: lugre, mu_k: 0.3, sigma0: 300, sigma1: 0.1"}) {
    const auto end = [&](const std::string& rows, const std::string& shape) {
      return run("dimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: {shapes: [{half_plane: [0, 1]}]}\n"
                 "  disc: {mass: 2, inertia: 0.01, position: [0, 0.15], velocity: [1, 0], shapes: [" + shape + "]}\n"
                 "contacts: {floor: {" + rows + ", " + law + "}}\nstates: {impulse: {rate: floor.force}}\n"
                 "simulation: {end: 0.5}\n", "hem5", "1e-8").outcome.final;
    };
    const State one = end("between: [disc, ground]", "{circle: 0.1}");
    const State other = end("gap: disc.y - 0.1, slip: disc.x' + 0.1*disc.angle'", "{circle: 0.1, touch: false}");
    EXPECT_LT((one.q - other.q).norm(), 1e-8) << law;
    EXPECT_LT((one.v - other.v).norm(), 1e-7) << law;
    EXPECT_NEAR(one.z[0], other.z[0], 1e-7) << law;
    EXPECT_GT(one.z[0], 2 * 9.81 * 0.3);  // it has touched
  }
}

// slip keeps its direction, and friction goes against it; at 2 |u|/(7 mu g) the ball rolls
TEST(SoftShapes, ABallSlidesThenRolls) {
  for (double direction : {0.0, 0.7, 2.5, 4.0}) {
    const double mu_g = 0.3 * 9.81, v[2] = {std::cos(direction), std::sin(direction)};
    const double u[2] = {v[0] + 0.3, v[1] + 0.6}, speed = std::hypot(u[0], u[1]), t1 = 2 * speed / (7 * mu_g);
    const RunReport report = run(R"yaml(dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ground: {shapes: [{half_space: [0, 0, 1]}]}
  ball: {mass: 1, inertia: [4e-3, 4e-3, 4e-3], position: [0, 0, 0.1 - 9.81/1e5], shapes: [{sphere: 0.1}], velocity: [)yaml" +
                                     std::to_string(v[0]) + ", " + std::to_string(v[1]) + R"yaml(, 0], angular_velocity: [6, -3, 2]}
contacts: {floor: {between: [ball, ground], stiffness: 1e5, friction: 0.3, velocity: 1e-4}}
simulation: {end: 0.5}
)yaml", "bdf", "1e-7");
    for (int k = 0; k < 2; ++k) EXPECT_NEAR(report.outcome.final.v[k], v[k] - mu_g * u[k] / speed * t1, 1e-3) << direction;
  }
}

// a box of four corners (eight in space) on a slope: held by bristles, or sliding
TEST(SoftShapes, ABoxOnASlope) {
  for (int dimension : {2, 3})
    for (double mu : {0.4, 0.1}) {
      const bool flat = dimension == 2;
      const std::string text =
          "dimension: " + std::to_string(dimension) + "\ngravity: " + (flat ? "[9.81*sin(0.3), -9.81*cos(0.3)]" : "[9.81*sin(0.3), 0, -9.81*cos(0.3)]") +
          "\nbodies:\n  ground: {shapes: [{" + (flat ? "half_plane: [0, 1]" : "half_space: [0, 0, 1]") + "}]}\n  box: {mass: 3, inertia: " +
          (flat ? "0.02, position: [0, 0.05]" : "[0.02, 0.02, 0.02], position: [0, 0, 0.05]") + ", shapes: [{box: " + (flat ? "[0.2, 0.1]" : "[0.2, 0.2, 0.1]") +
          "}]}\ncontacts: {floor: {between: [box, ground], stiffness: 1e4, damping: 100, friction_law: lugre, mu_k: " + std::to_string(mu) +
          ", sigma0: 1e3, sigma1: 10}}\noutputs: {push: floor.force, low: floor.gap}\nsimulation: {end: 1}\n";
      const RunReport report = run(text, "bdf", "1e-6");
      const double expected = mu > std::tan(0.3) ? 0 : 0.5 * 9.81 * (std::sin(0.3) - mu * std::cos(0.3));
      EXPECT_NEAR(report.outcome.final.q[0], expected, expected > 0 ? 0.01 * expected : 2e-3) << dimension;
      const auto& outputs = report.result.outputs;
      EXPECT_NEAR(outputs(outputs.rows() - 1, 0), 3 * 9.81 * std::cos(0.3), 1e-2) << dimension;
      EXPECT_LT(outputs(outputs.rows() - 1, 1), 0);
    }
}

// an impact shorter than the steps around it: where the gap closes is found
TEST(SoftShapes, ShortImpactsAreNotPassedOver) {
  for (const char* scheme : {"hem5", "bdf", "generalized-alpha", "auto"}) {
    const RunReport report = run(R"yaml(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [-1, 0], velocity: [1, 0], shapes: [{circle: 0.1}]}
  b: {mass: 1, inertia: 1, position: [1, 0], shapes: [{circle: 0.1}]}
contacts: {hit: {between: [a, b], stiffness: 1e8}}
simulation: {end: 3}
)yaml", scheme, scheme == std::string("generalized-alpha") ? "1e-6" : "1e-4");
    EXPECT_NEAR(report.outcome.final.v[0], 0, 2e-3) << scheme;
    EXPECT_NEAR(report.outcome.final.v[3], 1, 2e-3) << scheme;
  }
}

// beside contacts that are found anew in each step: the soft pair is none of those
TEST(SoftShapes, BesideContactsThatAreFound) {
  const RunReport report = run(R"yaml(dimension: 2
gravity: [0, -9.81]
bodies:
  ground: {shapes: [{half_plane: [0, 1]}]}
  a: {mass: 1, inertia: 1, position: [0, 0.1], shapes: [{circle: 0.1}]}
  b: {mass: 1, inertia: 1, position: [0, 0.3 - 9.81/1e3], shapes: [{circle: 0.1}]}
joints: {rail: {prismatic: [ground, b], at: [0, 0], axis: [0, 1]}}
contacts:
  all: {among: [a, b, ground]}
  soft: {between: [a, b], stiffness: 1e3}
outputs: {push: soft.force}
simulation: {end: 0.5, scheme: moreau-jean, step: 1e-3}
)yaml", "", "");
  EXPECT_NEAR(report.outcome.final.q[4], 0.3 - 9.81 / 1e3, 1e-6);
  EXPECT_NEAR(report.result.outputs(report.result.outputs.rows() - 1, 0), 9.81, 1e-3);
}

// a box that comes down on a corner and goes on to the others: slips in space pass through zero, and no step has to see their direction turn
TEST(SoftShapes, ABoxFallsOnItsCorners) {
  const auto end = [](const char* scheme, const char* turned) {
    return run("dimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n"
               "  box: {mass: 3, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.06], orientation: {axis: " + std::string(turned) +
               ", angle: 0.1}, shapes: [{box: [0.2, 0.2, 0.1]}]}\ncontacts: {floor: {between: [box, ground], stiffness: 1e4, damping: 50, friction: 0.3}}\n"
               "simulation: {end: 0.3}\n", scheme, "1e-7").outcome.final;
  };
  for (const char* turned : {"[1, 2, 0]", "[0, 1, 0]"}) {
    const State expected = end("hem5", turned);
    for (const char* scheme : {"radau", "generalized-alpha", "bdf"}) EXPECT_LT((end(scheme, turned).q - expected.q).norm(), 2e-5) << scheme << ' ' << turned;
  }
}

// What a contact would do if it touched makes no difference in the air: where a slip turns round there, or an approach that damping would push
// against, no step has to end
TEST(SoftShapes, SlipsThatTurnRoundInTheAirEndNoSteps) {
  const std::string text = "dimension: 2\nbodies:\n  ground: {shapes: [{half_plane: [0, 1]}]}\n"
                           "  disc: {mass: 1, inertia: 0.01, position: [0.1, 1.15], shapes: [{circle: 0.1}]}\n"
                           "forces: {spring: {force: disc, value: [-1e4*disc.x, -1e4*(disc.y - 1)]}}\n";
  const std::string contact = "contacts: {floor: {between: [disc, ground], stiffness: 1e5, damping: 10, friction_law: lugre, mu_k: 0.3, sigma0: 300, sigma1: 0.1}}\n";
  for (const char* scheme : {"hem5", "generalized-alpha"}) {
    const RunReport with = run(text + contact + "simulation: {end: 1}\n", scheme, "1e-5"), without = run(text + "simulation: {end: 1}\n", scheme, "1e-5");
    EXPECT_LE(with.outcome.rejected_steps, without.outcome.rejected_steps) << scheme;  // 32 times
    EXPECT_LE(with.outcome.steps, without.outcome.steps) << scheme;
  }
}

TEST(SoftShapes, TellMistakes) {
  const auto expect = [](const std::string& contact, const std::string& part) {
    try {
      read("dimension: 2\nbodies: {ground: {shapes: [{half_plane: [0, 1]}]}, a: {mass: 1, inertia: 1, shapes: [{circle: 1}]}}\n"
           "contacts: {c: {" + contact + "}}\nsimulation: {end: 1}\n");
      ADD_FAILURE() << "accepted: " << contact;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\n expected: " << part;
    }
  };
  expect("between: [a, ground], damping: 3", "belongs to a compliant contact; add its 'stiffness'");
  expect("between: [a, ground], stiffness: 3, restitution: 0.3", "has no restitution");
  expect("between: [a, ground], stiffness: 3, slip: a.x'", "a contact of shapes has no 'slip'");
  expect("between: [a, ground], stiffness: 3, rolling_friction: 0.1", "a compliant contact has no 'rolling_friction'");
  expect("among: [a, ground], stiffness: 3", "have no 'stiffness'");
}

}  // namespace
}  // namespace escapement
