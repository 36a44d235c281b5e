// Named expressions, points of bodies, joints between points, linear tables, units and grids of model files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/model_file.hpp"
#include "io/run.hpp"
#include "math/rotation.hpp"

namespace escapement {
namespace {

using std::numbers::pi;

Model read(const std::string& text) { return read_model("m.yaml", "escapement: 1\n" + text); }

std::string error_of(const std::string& text) {
  try {
    read(text);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

void expect_error(const std::string& text, const std::string& part) {
  const std::string message = error_of(text);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

std::vector<double> outputs_at(const Model& model, const State& s) {
  StateFunction outputs = model.outputs;
  std::vector<double> values(model.output_names.size());
  outputs.evaluate(s, values.data());
  return values;
}

double final_q(const RunReport& report, const char* name) { return value_of(report.summary.final.q, name); }

// --- expressions

const std::string cart = R"(parameters: {m: 2, k: 3, c: 0.1}
coordinates: {x: {start: 1}, y: {start: 0.5, rate: 0.2}}
kinetic_energy: m/2*(x'^2 + y'^2)
)";

TEST(Expressions, StandForWhatTheySay) {
  Model named = read(cart + R"(expressions:
  apart: hypotenuse - 1
  hypotenuse: sqrt(x^2 + y^2)
  rub: -c*(x' + drift)
  drift: 0.3*sin(t)
potential_energy: k/2*apart^2
forces: {x: rub}
outputs: {apart: apart, quick: "hypotenuse'", pull: rub, drift_rate: "drift'"}
simulation: {end: 2, scheme: hem5, tolerance: 1e-8}
)");
  Model plain = read(cart + R"(potential_energy: k/2*(sqrt(x^2 + y^2) - 1)^2
forces: {x: -c*(x' + 0.3*sin(t))}
outputs: {apart: sqrt(x^2 + y^2) - 1, quick: (x*x' + y*y')/sqrt(x^2 + y^2), pull: -c*(x' + 0.3*sin(t)), drift_rate: 0.3*cos(t)}
simulation: {end: 2, scheme: hem5, tolerance: 1e-8}
)");
  State s = named.start;
  s.t = 0.7;
  s.q << 0.3, -1.4;
  s.v << 2, 0.6;
  const std::vector<double> a = outputs_at(named, s), b = outputs_at(plain, s);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-15) << i;
  const RunReport one = run_model(named), two = run_model(plain);
  EXPECT_EQ(final_q(one, "x"), final_q(two, "x"));
  EXPECT_EQ(final_q(one, "y"), final_q(two, "y"));
}

TEST(Expressions, AreRefusedWhereTheyCannotStand) {
  const std::string end = "simulation: {end: 1}\n";
  expect_error(cart + "expressions: {a: b + 1, b: 2*a}\n" + end,
               "m.yaml:5:15: the expression 'a' is defined by itself (a -> b -> a)");
  expect_error(cart + "expressions: {a: a'}\n" + end, "the expression 'a' is defined by itself (a -> a)");
  expect_error(cart + "expressions: {fast: x' + 1}\npotential_energy: fast^2\n" + end,
               "'fast' cannot stand here: it uses rates, and only t and coordinates may stand here");
  expect_error(cart + "expressions: {fast: x' + 1}\nforces: {x: fast'}\n" + end,
               "the expression uses rates already, and rates have no rate here");
  expect_error(cart + "expressions: {x: y}\n" + end, "the expression 'x' has the name of a coordinate");
  expect_error(cart + "expressions: {a: z + 1}\n" + end, "m.yaml:5:18: the name 'z' is not known here");
  expect_error("parameters: {p: a}\ncoordinates: {x: {}}\nkinetic_energy: x'^2\nexpressions: {a: x}\n" + end,
               "m.yaml:2:17: 'a' cannot stand here: it is an expression and varies with the motion; use parameters");
}

TEST(Expressions, OfTimeAloneDriveJoints) {
  const std::string start = R"(dimension: 2
bodies: {arm: {mass: 1, inertia: 1}}
expressions: {ramp: 2*t, turn: ramp^2 + 1*deg, off: arm.x + t}
assemble: true
simulation: {end: 0.5}
)";
  Model model = read(start + "joints: {pin: {revolute: [ground, arm], at: [0, 0], angle: turn}}\n");
  const RunReport report = run_model(model);
  EXPECT_NEAR(final_q(report, "arm.angle"), 1 + pi / 180, 1e-9);
  expect_error(start + "joints: {pin: {revolute: [ground, arm], at: [0, 0], angle: off}}\n",
               "'off' cannot stand here: it varies with the motion, but only t may stand here");
}

// --- units

TEST(Units, AreNumbersUnlessTheModelSaysOtherwise) {
  const Model model = read(R"(parameters: {a: 90*deg, n: 60*rpm, l: 5*mm + 2*cm}
coordinates: {x: {start: a}, kN: {start: 2}}
kinetic_energy: x'^2 + kN'^2
outputs: {own: kN}
simulation: {end: 1}
)");
  const double expected[] = {pi / 2, 2 * pi, 0.025};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(model.parameters[i].second, expected[i], 1e-15 * expected[i]) << i;
  EXPECT_EQ(outputs_at(model, model.start)[0], 2);
  expect_error("parameters: {a: kN}\ncoordinates: {kN: {}}\nkinetic_energy: kN'^2\nsimulation: {end: 1}\n",
               "'kN' cannot stand here: it is a coordinate");
}

TEST(Units, OfOutputsAreKept) {
  const Model model = read(R"(parameters: {F: 3*kN, E: 2*GPa - 1*MPa}
coordinates: {x: {start: 45*deg}}
kinetic_energy: x'^2
outputs: {arc: {value: x/deg, unit: deg}, plain: F}
simulation: {end: 1}
)");
  EXPECT_EQ(model.parameters[0].second, 3000);
  EXPECT_EQ(model.parameters[1].second, 1.999e9);
  EXPECT_EQ(model.output_units, (std::vector<std::string>{"deg", ""}));
  EXPECT_NEAR(outputs_at(model, model.start)[0], 45, 1e-13);
  expect_error("coordinates: {x: {}}\nkinetic_energy: x'^2\noutputs: {a: {unit: N}}\nsimulation: {end: 1}\n",
               "the key 'value' is missing");
}

// --- linear tables

TEST(LinearTables, OfTimeAreIntegratedCornerByCorner) {
  Model model = read(R"(tables: {F: {x: [0, 1, 1.3, 2], y: [0, 2, -1, 0.5], interpolation: linear}}
coordinates: {x: {}}
kinetic_energy: x'^2/2
forces: {x: F(t)}
simulation: {end: 3, scheme: hem5, tolerance: 1e-3}
)");
  const double t[] = {0, 1, 1.3, 2, 3}, F[] = {0, 2, -1, 0.5, 0.5 + 1.5 / 0.7};
  double x = 0, v = 0;
  for (int i = 0; i < 4; ++i) {
    const double h = t[i + 1] - t[i], slope = (F[i + 1] - F[i]) / h;
    x += h * (v + h * (F[i] / 2 + h * slope / 6));
    v += h * (F[i] + h * slope / 2);
  }
  EXPECT_NEAR(final_q(run_model(model), "x"), x, 1e-11);
}

// a mass between two springs with play: half waves and straight flights
TEST(LinearTables, OfMotionAreFollowedCornerByCorner) {
  const double omega = std::sqrt(2.0), period = 2 * pi / omega + 2 / (0.7 * omega);
  Model model = read(R"(tables: {F: {x: [-2, -0.5, 0.5, 2], y: [3, 0, 0, -3], interpolation: linear}}
coordinates: {x: {start: 1.2}}
kinetic_energy: x'^2/2
forces: {x: F(x)}
simulation: {end: )" + std::to_string(period) + ", scheme: hem5, tolerance: 1e-9}\n");
  EXPECT_NEAR(final_q(run_model(model), "x"), 1.2, 1e-7);
}

TEST(LinearTables, RepeatWithTheirCorners) {
  Model model = read(R"(tables: {F: {x: [0, 0.25, 0.75, 1], y: [0, 1, -1, 0], interpolation: linear, ends: periodic}}
coordinates: {x: {}}
kinetic_energy: x'^2/2
forces: {x: F(t)}
simulation: {end: 5, scheme: hem5, tolerance: 1e-3}
)");
  // over a period v rises to 1/4 and falls to 0, x grows by the integral: 1/4 * 1/2
  EXPECT_NEAR(final_q(run_model(model), "x"), 5 * 0.125, 1e-11);
}

TEST(LinearTables, AreRefusedWhereSecondDerivativesAreNeeded) {
  const std::string start = R"(tables: {F: {x: [0, 1, 2], y: [0, 2, -1], interpolation: linear}}
coordinates: {x: {start: 1}}
kinetic_energy: x'^2/2
simulation: {end: 1}
)";
  expect_error(start + "contacts: {floor: {gap: x - F(t)}}\n", "m.yaml:6:25: a linear table has corners and no second "
                                                                "derivative, which a gap needs");
  expect_error(start + "potential_energy: F(x)\n", "which an energy needs");
  expect_error(start + "constraints: {c: x - F(t)}\n", "which a constraint needs");
  EXPECT_EQ(error_of(start + "outputs: {c: F(x)}\n"), "no error");
}

// --- points and joints between them

const std::string four_bar = R"(parameters: {a: 0.1, b: 0.4, c: 0.3, d: 0.4}
dimension: 2
bodies:
  ground: {points: {left: [0, 0], right: [d, 0]}}
  crank: {mass: 0.2, inertia: 1e-3, position: [0.05, 0.03], points: {root: [-a/2, 0], tip: [a/2, 0]}}
  coupler: {mass: 0.8, inertia: 1e-2, position: [0.3, 0.3], points: {root: [-b/2, 0], tip: [b/2, 0]}}
  rocker: {mass: 0.6, inertia: 5e-3, position: [0.4, 0.2], angle: 90*deg, points: {root: [-c/2, 0], tip: [c/2, 0]}}
joints:
  o: {revolute: [ground.left, crank.root]}
  p: {revolute: [crank.tip, coupler.root]}
  q: {revolute: [coupler.tip, rocker.tip]}
  r: {revolute: [rocker.root, ground.right]}
)";

TEST(Points, JoinBodiesFromARoughStart) {
  const Model model = read(four_bar + R"(assemble: {keep: [crank.angle]}
outputs:
  px: crank.tip.x - coupler.root.x
  py: crank.tip.y - coupler.root.y
  qx: coupler.tip.x - rocker.tip.x
  qy: coupler.tip.y - rocker.tip.y
  ox: crank.root.x - ground.left.x
  ry: rocker.root.y
  rx: rocker.root.x - d
  speed: "coupler.tip.x'"
simulation: {end: 1}
)");
  EXPECT_EQ(model.start.q[2], 0);
  std::vector<double> off = outputs_at(model, model.start);
  for (std::size_t i = 0; i + 1 < off.size(); ++i) EXPECT_NEAR(off[i], 0, 1e-12) << model.output_names[i];
  State s = model.start;
  s.v << 0, 0, 0, 1.5, 0, 2, 0, 0, 0;  // of the coupler
  EXPECT_NEAR(outputs_at(model, s).back(), 1.5 - 2 * 0.2 * std::sin(s.q[5]), 1e-14);
}

TEST(Points, NameThePlacesOfForcesAndJoints) {
  const Model model = read(R"(dimension: 2
bodies:
  ground: {points: {hook: [0, 1]}}
  rod: {mass: 1, inertia: 0.1, position: [1, 0], angle: 90*deg, points: {tip: [0.5, 0], end: [-0.5, 0]}}
joints: {pin: {revolute: [ground, rod], at: rod.end}}
forces:
  spring: {spring_damper: [ground.hook, rod.tip], stiffness: 10}
  other: {spring_damper: [ground, rod], at: [[2, 2], rod.tip], stiffness: 10}
  push: {force: rod, at: rod.tip, value: [1, 0]}
simulation: {end: 1}
)");
  EXPECT_EQ(model.scene.links[0].at, (std::vector<std::vector<double>>{{0, 1}, {0.5, 0}}));
  EXPECT_NEAR(model.scene.links[1].at[1][0], 0.5, 1e-15);
  EXPECT_NEAR(model.scene.joints[0].at[0][0], 1, 1e-15);
  EXPECT_NEAR(model.scene.joints[0].at[0][1], -0.5, 1e-15);
  EXPECT_NEAR(model.scene.joints[0].at[1][0], -0.5, 1e-15);
}

TEST(Points, AlignFramesInThePlane) {
  const std::string start = R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, position: [0.1, 0], angle: 0.3, points: {p: [1, 0]}}
  b: {mass: 1, inertia: 1, position: [2.1, 0.2], angle: 0.5, points: {p: [-1, 0]}}
assemble: {keep: [a.x, a.y, a.angle]}
simulation: {end: 1}
)";
  const Model fixed = read(start + "joints: {j: {fixed: [a.p, b.p], relative_angle: 0.4}}\n");
  EXPECT_NEAR(fixed.start.q[5], 0.7, 1e-12);
  EXPECT_NEAR(fixed.start.q[3], 0.1 + std::cos(0.3) + std::cos(0.7), 1e-12);
  const Model aligned = read(start + "joints: {j: {prismatic: [a.p, b.p], axis: [1, 0], axis_frame: body}}\n");
  EXPECT_NEAR(aligned.start.q[5], 0.3, 1e-12);
  const double off = -std::sin(0.3) * (aligned.start.q[3] - 0.1) + std::cos(0.3) * aligned.start.q[4];
  EXPECT_NEAR(off, 0, 1e-12);
  const Model turned = read(start + "joints: {j: {prismatic: [a.p, b.p], axis: [1, 0], axis_frame: body, axis_b: [0, 1]}}\n");
  EXPECT_NEAR(turned.start.q[5], 0.3 - pi / 2, 1e-12);
}

Vec3 turned(const State& s, int body, const Vec3& u) {
  const Vec4 p = s.q.segment<4>(7 * body + 3);
  return rotation_matrix(p) * u;
}

TEST(Points, AlignFramesInSpace) {
  const std::string start = R"(dimension: 3
bodies:
  a: {mass: 1, inertia: [1, 1, 1], position: [0.1, 0, 0], orientation: {axis: [1, 2, 0], angle: 0.3}, points: {p: [1, 0, 0]}}
  b: {mass: 1, inertia: [1, 1, 1], position: [2.1, 0.2, 0], orientation: {axis: [0, 1, 1], angle: 0.2}, points: {p: [-1, 0, 0]}}
assemble: true
outputs: {x: a.p.x - b.p.x, y: a.p.y - b.p.y, z: a.p.z - b.p.z}
simulation: {end: 1}
)";
  const auto together = [](const Model& model) {
    for (double off : outputs_at(model, model.start)) EXPECT_NEAR(off, 0, 1e-12);
  };
  const Model hinge = read(start + "joints: {j: {revolute: [a.p, b.p], axis: [0, 0, 1], axis_frame: body, axis_b: [0, 1, 0]}}\n");
  together(hinge);
  EXPECT_NEAR((turned(hinge.start, 0, Vec3(0, 0, 1)) - turned(hinge.start, 1, Vec3(0, 1, 0))).norm(), 0, 1e-12);
  const Model fixed = read(start + "joints: {j: {fixed: [a.p, b.p], relative_orientation: {axis: [0, 0, 1], angle: 90*deg}}}\n");
  together(fixed);
  EXPECT_NEAR((turned(fixed.start, 0, Vec3(0, 1, 0)) - turned(fixed.start, 1, Vec3(1, 0, 0))).norm(), 0, 1e-12);
  EXPECT_NEAR((turned(fixed.start, 0, Vec3(0, 0, 1)) - turned(fixed.start, 1, Vec3(0, 0, 1))).norm(), 0, 1e-12);
  const Model cross = read(start + "joints: {j: {universal: [a.p, b.p], axis: [0, 0, 1], axis2: [0, 1, 0], axis_frame: body}}\n");
  together(cross);
  EXPECT_NEAR(turned(cross.start, 0, Vec3(0, 0, 1)).dot(turned(cross.start, 1, Vec3(0, 1, 0))), 0, 1e-12);
  const Model world = read(start + "joints: {j: {revolute: [a.p, b.p], axis: [0, 0, 1]}}\n");
  together(world);
}

// the angle of a hinge between points counts from where the frames of its bodies agree
TEST(Points, DriveHingesFromTheFramesOfTheirBodies) {
  Model model = read(R"(dimension: 3
bodies:
  ground: {points: {p: [0, 0, 0]}}
  arm: {mass: 1, inertia: [1, 1, 1], position: [0, 1, 0], orientation: {axis: [0, 0, 1], angle: 90*deg}, points: {root: [-1, 0, 0]}}
joints: {j: {revolute: [ground.p, arm.root], axis: [0, 0, 1], axis_frame: body, angle: 90*deg + 7*t}}
assemble: {keep: [arm.orientation]}
outputs: {turned: j.angle, x: arm.x}
simulation: {end: 1}
)");
  EXPECT_NEAR(outputs_at(model, model.start)[0], pi / 2, 1e-12);
  const RunReport report = run_model(model);
  EXPECT_NEAR(report.result.outputs[0].back(), pi / 2 + 7, 1e-9);
  EXPECT_NEAR(report.result.outputs[1].back(), std::cos(pi / 2 + 7), 1e-6);
}

TEST(Points, MistakesAreTold) {
  const std::string start = R"(dimension: 2
bodies:
  ground: {points: {o: [0, 0]}}
  a: {mass: 1, inertia: 1, points: {tip: [1, 0]}}
  b: {mass: 1, inertia: 1}
simulation: {end: 1}
)";
  expect_error(start + "joints: {j: {revolute: [a.tip, ground.o], at: [0, 0]}}\n", "the points that are named say where it is; remove 'at'");
  expect_error(start + "joints: {j: {revolute: [a.top, ground.o]}}\n", "joint 'j' needs the point 'a.top' here, but 'a' has tip");
  expect_error(start + "joints: {j: {revolute: [b.top, ground.o]}}\n", "joint 'j' needs the point 'b.top' here, but 'b' has no points; give it 'points: {top: ...}'");
  expect_error(start + "joints: {j: {revolute: [ground.p, a.tip]}}\n", "joint 'j' needs the point 'ground.p' here, but 'ground' has o");
  expect_error(start + "joints: {j: {revolute: [a.tip, b]}}\n", "a revolute joint needs 'at', where it is at the start, or a point of each body");
  expect_error(start + "joints: {j: {revolute: [a.tip, a]}}\n", "joins 'a' with itself");
  expect_error(start + "joints: {j: {revolute: [a, b], at: a.tup}}\n", "'a.tup' is no point of a body; did you mean 'a.tip'?");
  expect_error(start + "joints: {j: {revolute: [a, b], at: [0, 0], relative_angle: 1}}\n", "'relative_angle' belongs to fixed and prismatic joints between points");
  expect_error(start + "joints: {j: {prismatic: [a, b], at: [0, 0], axis: [1, 0], axis_b: [1, 0]}}\n", "'axis_b' is the axis in the second body's own frame");
  expect_error(start + "joints: {j: {fixed: [a.tip, ground.o], relative_orientation: [1, 0, 0, 0]}}\n", "a joint in the plane has 'relative_angle'");
  expect_error(start + "outputs: {v: a.tip}\n", "'a.tip'");
  expect_error("dimension: 2\nbodies: {a: {mass: 1, inertia: 1, points: {x: [1, 0]}}}\nsimulation: {end: 1}\n",
               "a point cannot be called 'x'");
  expect_error("dimension: 2\nbodies: {ground: {mass: 1}, a: {mass: 1, inertia: 1}}\nsimulation: {end: 1}\n",
               "'ground' is the body that does not move and takes 'points' and 'shapes' alone; remove 'mass'");
}

// names that are known, but not in this place
TEST(Points, NamesOfOtherPlacesAreTold) {
  const std::string start = "dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {pin: {revolute: [ground, a], at: [0, 1]}}\n"
                            "outputs: {swing: a.angle/deg}\nsimulation: {end: 1}\n";
  expect_error(start + "forces: {f: {torque: a, value: -swing}}\n",
               "'swing' cannot stand here: it is an output, which no expression can use; give it a name under 'expressions'");
  expect_error(start + "forces: {f: {torque: a, value: -pin.force}}\n", "'pin.force' cannot stand here: reactions are known after a step");
  expect_error(start + "forces: {f: {torque: a, value: -a.force}}\n", "the name 'a.force' is not known here; 'a' has");
  expect_error("dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\njoints: {pin: {revolute: [ground, a], at: [0, 1]}}\noutputs: {swing: pin.angel}\nsimulation: {end: 1}\n",
               "the name 'pin.angel' is not known here; did you mean 'pin.angle'?");
  expect_error(start + "forces: {f: {torque: a, value: 2 kg}}\n", "an operator is expected before 'kg'; write * to multiply; units of SI are left out");
  expect_error(start + "forces: {f: {torque: a, value: sin(30°)}}\n", "'°' has no meaning here; write 30*deg");
}

// what a parameter that is set between steps may be used for, directly and by way of others
TEST(Parameters, ThatAreSetBetweenSteps) {
  const std::string text = "escapement: 1\nparameters: {u: 1, pull: 2*u, k: 3, m: 2}\nexpressions: {push: pull + 1}\ncoordinates: {x: {start: 0}}\n"
                           "kinetic_energy: m*x'^2/2\npotential_energy: k*x^2/2\nforces: {x: push}\noutputs: {twice: 2*pull}\nsimulation: {end: 1}\n";
  const auto value = std::make_shared<double>(1);
  Overrides overrides;
  overrides.live = {{"u", value}};
  const Model model = read_model("m.yaml", text, overrides);
  const auto acceleration = [&] {
    Terms T;
    model.system->prepare(T);
    model.system->evaluate(model.start, Need::mass | Need::force, T);
    return T.f[0] / 2;
  };
  EXPECT_DOUBLE_EQ(acceleration(), 1.5);
  *value = 4;
  EXPECT_DOUBLE_EQ(acceleration(), 4.5);
  EXPECT_DOUBLE_EQ(outputs_at(model, model.start)[0], 16);
  const auto refusal = [&](const char* name, const std::string& changed) {
    overrides.live = {{name, value}};
    try {
      read_model("m.yaml", changed, overrides);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_NE(refusal("k", text).find("m.yaml:6:1: 'potential_energy' uses 'k', and only what forces, drives and outputs use"), std::string::npos) << refusal("k", text);
  std::string mass = text;
  mass.replace(mass.find("m*x'^2"), 1, "(1 + push)");
  EXPECT_NE(refusal("u", mass).find("m.yaml:5:1: 'kinetic_energy' uses 'u' by way of 'push'"), std::string::npos) << refusal("u", mass);
  EXPECT_NE(refusal("v", text).find("the model has no parameter 'v'"), std::string::npos) << refusal("v", text);
}

// --- grids

TEST(Grids, RepeatWithEveryPairOfCounters) {
  const Model model = read(R"(dimension: 2
bodies: {"m{i}_{j}": {repeat: {i: [1, 3], j: [1, i]}, mass: 1, inertia: 1, position: [i, 10*j]}}
contacts: {"floor{i}_{j}": {repeat: {i: [2, 3], j: [1, 2]}, gap: "m{i}_{j}.y + i"}}
simulation: {end: 1}
)");
  std::vector<std::string> names;
  for (const auto& body : model.scene.bodies) names.push_back(body.name);
  EXPECT_EQ(names, (std::vector<std::string>{"m1_1", "m2_1", "m2_2", "m3_1", "m3_2", "m3_3"}));
  EXPECT_EQ(model.start.q[3 * 4], 3);
  EXPECT_EQ(model.start.q[3 * 4 + 1], 20);
  EXPECT_EQ(model.system->contacts().size(), 4u);
  EXPECT_EQ(model.system->contacts()[3].name, "floor3_2");
  const std::string body = "mass: 1, inertia: 1}}\nsimulation: {end: 1}\n";
  expect_error("dimension: 2\nbodies: {\"m{i}\": {repeat: {i: [1, 2], j: [1, 2]}, " + body, "its name needs the counter, like m{i}{j}");
  expect_error("dimension: 2\nbodies: {\"m{i}\": {repeat: {i: [1]}, " + body, "'repeat' names a counter with its first and last value");
}

// --- reactions

double last(const RunReport& report, std::size_t output) { return report.result.outputs[output].back(); }

TEST(Reactions, OfJointsActOnTheSecondBodyInTheWorld) {
  const std::string start = R"(parameters: {m: 2, g: 10, l: 3}
dimension: 2
gravity: [0, -g]
bodies: {bar: {mass: m, inertia: m*l^2/12, position: [l/2, 0]}}
simulation: {end: 0.2, scheme: hem5, tolerance: 1e-8}
)";
  Model held = read(start + R"(joints: {wall: {fixed: [ground, bar], at: [0, 0]}}
expressions: {share: wall.fy/(m*g)}
outputs: {f: wall.force, x: wall.fx, y: wall.fy, M: wall.torque, share: share + 1}
)");
  const RunReport report = run_model(held);
  const double expected[] = {20, 0, 20, 30, 2};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(last(report, i), expected[i], 1e-9) << i;
  Model other = read(start + R"(joints: {wall: {fixed: [bar, ground], at: [0, 0]}}
outputs: {f: wall.force, x: wall.fx, y: wall.fy, M: wall.torque}
)");
  const RunReport opposite = run_model(other);
  const double on_ground[] = {20, 0, -20, -30};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(last(opposite, i), on_ground[i], 1e-9) << i;
  // released from rest, the pin carries a quarter of the weight
  Model swing = read(start + R"(joints: {pin: {revolute: [ground, bar], at: [0, 0]}}
outputs: {y: pin.fy, M: pin.torque}
)");
  const RunReport swinging = run_model(swing);
  EXPECT_NEAR(swinging.result.outputs[0][1], 5, 0.05);
  EXPECT_NEAR(last(swinging, 1), 0, 1e-10);
}

TEST(Reactions, OfJointsInSpace) {
  Model model = read(R"(dimension: 3
gravity: [0, 0, -10]
bodies: {bar: {mass: 2, inertia: [0.1, 1.5, 1.5], position: [0, 1.5, 0], orientation: {axis: [0, 0, 1], angle: 90*deg}}}
joints: {wall: {fixed: [ground, bar], at: [0, 0, 0]}}
outputs: {f: wall.force, z: wall.fz, M: wall.torque}
simulation: {end: 0.1}
)");
  const RunReport report = run_model(model);
  const double expected[] = {20, 20, 30};
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(last(report, i), expected[i], 1e-7) << i;
}

TEST(Reactions, OfContactsAreNormalForceAndFriction) {
  for (const char* scheme : {"hem5", "moreau-jean"}) {
    Model model = read(R"(coordinates: {x: {rate: 3}, y: {}}
kinetic_energy: x'^2 + y'^2
potential_energy: 20*y
contacts: {floor: {gap: y, friction: 0.3, slip: x'}}
outputs: {N: floor.force, R: floor.friction}
simulation: {end: 0.5, step: 1e-2, scheme: )" + std::string(scheme) + "}\n");
    const RunReport report = run_model(model);
    EXPECT_NEAR(last(report, 0), 20, 1e-9) << scheme;
    EXPECT_NEAR(last(report, 1), -6, 1e-9) << scheme;
  }
}

// a pendulum let go at 90 degrees carries 3 m g sin below the horizontal
TEST(Reactions, EndRuns) {
  Model model = read(R"(dimension: 2
gravity: [0, -10]
bodies: {bob: {mass: 1, inertia: 1e-12, position: [1, 0]}}
joints: {rod: {distance: [ground, bob], at: [[0, 0], [1, 0]]}}
simulation: {end: 5, tolerance: 1e-9, scheme: hem5, stop: rod.force > 15}
)");
  const RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "stopped");
  EXPECT_NEAR(final_q(report, "bob.y"), -0.5, 1e-5);
}

TEST(Reactions, AreRefusedWhereTheyAreNotKnown) {
  const std::string start = R"(dimension: 2
bodies: {a: {mass: 1, inertia: 1}, b: {mass: 1, inertia: 1}}
simulation: {end: 1}
)";
  expect_error(start + R"(joints: {p: {revolute: [ground, a], at: [0, 0]}}
forces: {f: {force: a, value: [p.fx, 0]}}
)", "'p.fx'");
  expect_error(start + R"(joints: {p: {fixed: [ground, a]}, q: {revolute: [ground, a], at: [0, 0]}}
outputs: {f: q.force}
)", "shares its forces with other joints in a way that is not determined");
  expect_error(start + R"(joints: {p: {fixed: [ground, a]}}
expressions: {f: p.force}
contacts: {c: {gap: f + a.y}}
)", "'f' cannot stand here: it uses reactions");
  expect_error(start + R"(joints: {p: {fixed: [ground, a]}}
outputs: {f: p.farce, g: p.force}
)", "the name 'p.farce' is not known here");
  expect_error(start + R"(joints: {p: {revolute: [ground, a], at: [0, 0]}}
outputs: {f: p.fz}
)", "the name 'p.fz' is not known here; did you mean 'p.fx'?");
  expect_error(R"(dimension: 2
bodies: {ground: {shapes: [{half_plane: [0, 1]}]}, a: {mass: 1, inertia: 1, position: [0, 1], shapes: [{box: [1, 1]}]}}
contacts: {floor: {between: [a, ground], friction: 0.5}}
outputs: {f: floor.friction}
simulation: {end: 1}
)", "'floor' touches in several points, each along a slip of its own; name one of them, like floor.1.friction");
}

// --- messages

TEST(Messages, SayWhatToDo) {
  const std::string bodies = "dimension: 2\nbodies: {box: {mass: 1, inertia: 1, points: {tip: [1, 0]}}}\nsimulation: {end: 1}\n";
  expect_error(bodies + "outputs: {a: box.theta}\n", "the name 'box.theta' is not known here; 'box' has angle, tip.x, tip.y, x, y");
  expect_error(bodies + "contacts:\n  c{k}: {gap: box.y}\n", "m.yaml:6:3: 'c{k}' has braces, which stand for numbers only in entries with 'repeat: {k: [1, n]}'");
  expect_error(bodies + "joints: {p: {revolute: [ground, box{k}], at: [0, 0]}}\n", "m.yaml:5:33: inside [ ] and { } a brace ends this name; put it into quotes: \"box{k}\"");
  expect_error(bodies + "joints: {p: {revolute: [ground, \"box{k}\"], at: [0, 0]}}\n", "names body 'box{k}', but braces stand for numbers only in entries with");
  const std::string points = "coordinates: {x: {}, y: {}}\nkinetic_energy: x'^2 + y'^2\nsimulation: {end: 1}\ntables: {lift: {x: [0, 1], y: [0, 1]}}\n";
  expect_error(points + "potential_energy: lift[x]\n", "tables and functions take round parentheses, like lift(x)");
  expect_error(points + "forces: {x: lift[x]}\n", "m.yaml:6:13: 'lift[x]' has square brackets; tables and functions take round parentheses");
  expect_error(points + "potential_energy: (sqrt(x^2 + y^2) - 1)^2\n", "m.yaml:6:19: the force on 'x' is not a finite number at the start: the root of 'x^2 + y^2' is taken of 0, where it has no derivative; start elsewhere, or add a small number under the root");
  expect_error(points + "forces: {x: 1/y}\n", "m.yaml:6:13: the force on 'x' is not a finite number at the start: something is divided by 'y', which is 0");
  expect_error(points + "forces: {x: log(y)}\n", "the logarithm of 'y' is taken of 0");
  const std::string options = error_of("coordinates: {x: {}}\nkinetic_energy: x'^2\nsimulation: {end: 1, scheme: moreau-jean, options: {rho_infinity: 0.5}}\n");
  EXPECT_NE(options.find("scheme 'moreau-jean' has no option 'rho_infinity'; it takes: "), std::string::npos) << options;
  EXPECT_EQ(options.find("impact_law"), options.rfind("impact_law")) << options;  // each once
  expect_error(points + "forces: {x: clip(y)}\n", "the function 'clip' is not known; there are ");
  expect_error(bodies + "states: {c: {rate: -c}}\nexpressions: {d: c'}\n", "'c'' cannot stand here: the rate of a state may stand in forces, outputs and the stop condition");
  expect_error(bodies + "joints: {p: {revolute: [ground, box]}}\n", "a revolute joint needs 'at', where it is at the start, or a point of each body, like {revolute: [a.tip, b.root]}");
}

// --- assembling

TEST(Assembling, TellsHowFarEachBodyMoved) {
  const Model model = read(four_bar + "assemble: {keep: [crank.angle]}\nsimulation: {end: 1}\n");
  ASSERT_TRUE(model.assembled);
  ASSERT_EQ(model.assembled->parts.size(), 3u);
  EXPECT_EQ(model.assembled->parts[0].name, "crank");
  EXPECT_NEAR(model.assembled->parts[0].moved, 0.03, 1e-12);
  EXPECT_EQ(model.assembled->parts[0].turned, 0);
  EXPECT_NEAR(*model.assembled->parts[1].turned, std::abs(model.start.q[5]), 1e-15);
}

// from starts all over the place every pin closes
TEST(Assembling, ConvergesFromRoughStarts) {
  int closed = 0;
  const int tries = 60;
  for (int k = 0; k < tries; ++k) {
    const auto number = [&](int i) { return std::fmod(0.7548776662 * (k + 1) * (i + 1) + 0.31 * i, 1.0); };
    std::string text = four_bar;
    const auto put = [&](const std::string& from, const std::string& to) { text.replace(text.find(from), from.size(), to); };
    put("position: [0.05, 0.03]", fmt::format("position: [{}, {}], angle: {}", number(0) - 0.5, number(1) - 0.5, 6 * number(2)));
    put("position: [0.3, 0.3]", fmt::format("position: [{}, {}], angle: {}", number(3) - 0.5, number(4) - 0.5, 6 * number(5)));
    put("position: [0.4, 0.2], angle: 90*deg", fmt::format("position: [{}, {}], angle: {}", number(6) - 0.5, number(7) - 0.5, 6 * number(8)));
    closed += error_of(text + "assemble: true\nsimulation: {end: 1}\n") == "no error";
  }
  EXPECT_EQ(closed, tries);
}

TEST(Assembling, NamesTheJointThatCannotClose) {
  std::string text = four_bar;
  text.replace(text.find("d: 0.4"), 6, "d: 0.9");
  expect_error(text + "assemble: true\nsimulation: {end: 1}\n", "does not close");
  expect_error(text + "assemble: true\nsimulation: {end: 1}\n", "give start values that are nearer, or lengths that reach");
  expect_error("dimension: 2\nbodies:\n  ground: {points: {o: [0, 0]}}\n  a: {mass: 1, inertia: 1, points: {o: [3, 4]}}\n"
               "joints:\n  p: {revolute: [ground.o, a.o], clearance: 0.5}\nsimulation: {end: 1}\n",
               "the start is inconsistent: the centres of joint 'p' are 5 apart, more than its clearance of 0.5");
}

TEST(Assembling, WarnsOfPointsBesideTheirBodies) {
  const std::string text = R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 0.1, position: [0.5, 0], shapes: [{box: [1, 0.02]}]}
  b: {mass: 1, inertia: 0.1, position: [1.5, 0.1], shapes: [{box: [1, 0.02]}]}
assemble: true
simulation: {end: 1}
)";
  const Model beside = read(text + "joints: {o: {revolute: [ground, a], at: [0.1, 0]}, p: {revolute: [a, b], at: [1, 0]}, q: {slot: [ground, b], at: [2, 0.3], axis: [1, 0]}}\n");
  ASSERT_EQ(beside.warnings.size(), 0u);  // nothing had to move
  const Model moved = read(text + "joints: {o: {revolute: [ground, a], at: [0, 0], angle: 0.2}, p: {revolute: [a, b], at: [1, 0]}}\n");
  ASSERT_EQ(moved.warnings.size(), 1u);
  EXPECT_NE(moved.warnings[0].find("joint 'p' holds a point of 'b' that is 0.09 outside its shapes"), std::string::npos) << moved.warnings[0];
}

}  // namespace
}  // namespace escapement
