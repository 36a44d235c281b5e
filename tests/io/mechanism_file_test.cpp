// Mechanisms from model files: what is read, and what every mistake is told.
#include <gtest/gtest.h>

#include "io/check.hpp"
#include "io/model_file.hpp"
#include "io/run.hpp"
#include "support/derivative_check.hpp"
#include "support/source_folder.hpp"

namespace escapement {
namespace {

Model read(const std::string& text) { return read_model("m.yaml", "escapement: 1\n" + text); }

const std::string planar_start = R"(parameters: {l: 1, g: 9.81}
dimension: 2
gravity: [0, -g]
bodies:
  crank: {mass: 1, inertia: 1/12, position: [l/2, 0], velocity: [0, 4], angular_velocity: 8}
  rod: {mass: 1, inertia: 1/12, position: [3*l/2, 0], velocity: [0, 4], angular_velocity: -8}
)";
const std::string end = "simulation: {end: 1}\n";

TEST(MechanismFile, ReadsBodiesAndJoints) {
  const Model model = read(planar_start + R"(joints:
  pin: {revolute: [ground, crank], at: [0, 0]}
  elbow: {revolute: [crank, rod], at: [l, 0]}
outputs: {both: elbow.angle - 2*pin.angle, speed: elbow.angle', tip: rod.y}
)" + end);
  EXPECT_EQ(model.kind, "mechanism");
  EXPECT_EQ(model.system->dim().v, 6);
  EXPECT_EQ(model.system->names().q,
            (std::vector<std::string>{"crank.x", "crank.y", "crank.angle", "rod.x", "rod.y", "rod.angle"}));
  EXPECT_EQ(model.system->names().multipliers, (std::vector<std::string>{"pin.x", "pin.y", "elbow.x", "elbow.y"}));
  EXPECT_EQ(model.start.q[3], 1.5);
  EXPECT_EQ(model.start.v[5], -8);
  State s = model.start;
  s.q[2] = 0.3;
  s.q[5] = 1;
  s.q[4] = 7;
  StateFunction outputs = model.outputs;
  double values[3];
  outputs.evaluate(s, values);
  EXPECT_NEAR(values[0], 0.7 - 0.6, 1e-15);
  EXPECT_EQ(values[1], -16);
  EXPECT_EQ(values[2], 7);
  EXPECT_EQ(model.scene.bodies.size(), 2u);
  EXPECT_EQ(model.scene.joints[1].at, (std::vector<std::vector<double>>{{0.5, 0}, {-0.5, 0}}));
}

const std::string spatial_start = R"(dimension: 3
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, inertia: [0.1, 0.2, 0.25], position: [0.5, 0, 0], orientation: {axis: [0, 0, 1], angle: 0.4}}
  b: {mass: 2, inertia: [0.1, 0.2, 0.25, 0.01, 0, 0], position: [1.5, 0, 0], orientation: [1, 0, 0, 1], angular_velocity: [0, 0, 2], velocity: [0, 1, 0]}
)";

TEST(MechanismFile, ReadsSpatialJointsForcesAndContacts) {
  const Model model = read(spatial_start + R"(joints:
  hinge: {revolute: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], angle_limits: [-1, 1], restitution: 0.5}
  sleeve: {cylindrical: [a, b], at: [1, 0, 0], axis: [1, 0, 0]}
forces:
  spring: {spring_damper: [ground, b], at: [[3, 0, 0], [2, 0, 0]], stiffness: 10, damping: 1, length: 0.5}
  coil: {torsional_spring_damper: hinge, stiffness: 2}
  push: {force: a, at: [1, 0, 0], value: [0, sin(t), -b.vx], frame: body}
  twist: {torque: [a, b], value: [sleeve.angle, 0, a.wz]}
  mount: {bushing: [ground, a], at: [0, 0, 0], stiffness: 100, turning_damping: [1, 2, 3]}
  motor: {actuator: sleeve, length: 0.1*sin(t), stiffness: 50, damping: 5, limit: 20}
  rub: {friction: sleeve, coordinate: angle, size: 0.2}
contacts:
  floor: {gap: b.z + 1, restitution: 0.2, friction: 0.3, slip: b.x'}
assemble: true
)" + end);
  EXPECT_EQ(model.system->dim().bilateral, 9);
  EXPECT_EQ(model.system->dim().unilateral, 3);
  EXPECT_EQ(model.system->dim().slip, 1);
  EXPECT_EQ(model.system->dim().z, 2);  // angles of hinge and sleeve
  EXPECT_EQ(model.system->contacts()[0].name, "hinge.angle_min");
  EXPECT_EQ(model.system->contacts()[1].restitution, 0.5);
  EXPECT_EQ(model.system->contacts()[2].friction, 0.3);
  for (int k = 0; k < 3; ++k)
    testing::DerivativeCheck(*model.system, testing::random_state(*model.system, model.start, 0.2, 1)).run();
}

TEST(MechanismFile, AForceBetweenTwoBodiesKeepsTheirMomentum) {
  const Model model = read(R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1}
  b: {mass: 1, inertia: 1, velocity: [1, 0]}
forces: {f: {force: [a, b], value: [0, 1]}}
)" + end);
  State s = model.start;
  s.q << 0.1, -0.3, 0.4, 1.2, 0.5, -2;
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(s, Need::force, T);
  const Vec& f = T.f;
  EXPECT_EQ(f[1], -1);
  EXPECT_EQ(f[4], 1);
  EXPECT_NEAR(s.q[0] * f[1] - s.q[1] * f[0] + f[2] + s.q[3] * f[4] - s.q[4] * f[3] + f[5], 0, 1e-15);
  EXPECT_NEAR(f[2], -1.1, 1e-15);  // a reaches to b's centre of mass, 1.1 to its right
}

TEST(MechanismFile, AForceBetweenABodyAndTheGroundActsAtAPointOfTheBody) {
  const std::string start = "dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\nforces: {f: {force: ";
  const Model on = read(start + "a, at: [1, 0], value: [0, 1]}}\n" + end);
  const Model from = read(start + "[ground, a], at: [1, 0], value: [0, 1]}}\n" + end);
  const Model back = read(start + "[a, ground], at: [1, 0], value: [0, -1]}}\n" + end);
  Terms T, other;
  State s = on.start;
  s.q << 0.3, 0.2, 0.5;
  on.system->prepare(T);
  on.system->evaluate(s, Need::force, T);
  EXPECT_NEAR(T.f[2], std::cos(0.5), 1e-15);
  for (const Model* model : {&from, &back}) {
    model->system->prepare(other);
    model->system->evaluate(s, Need::force, other);
    EXPECT_EQ(other.f, T.f);
  }
}

// the turns of an angle in space are counted, which costs a state, when an expression names it, also by a counter
TEST(MechanismFile, NamesAnglesInSpaceThatExpressionsUse) {
  const std::string start = R"(parameters: {n: 4}
dimension: 3
bodies: {"link{k}": {repeat: {k: [1, n]}, mass: 1, inertia: [1, 1, 1], position: [k - 0.5, 0, 0]}}
joints:
  pin1: {revolute: [ground, link1], at: [0, 0, 0], axis: [0, 1, 0]}
  pin{k}: {repeat: {k: [2, n]}, revolute: ["link{k - 1}", "link{k}"], at: [k - 1, 0, 0], axis: [0, 1, 0]}
)";
  const Model model = read(start + R"(contacts:
  stop{k}: {repeat: {k: [3, n]}, gap: "pin{k - 1}.angle + 0.5*k", restitution: 0.2}
outputs: {rate: 2*pin1.angle'}
)" + end);
  EXPECT_EQ(model.system->names().z, (std::vector<std::string>{"pin1.angle", "pin2.angle", "pin3.angle"}));
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::gap, T);
  EXPECT_EQ(T.g[model.system->dim().bilateral], 1.5);
  EXPECT_EQ(T.g[model.system->dim().bilateral + 1], 2);
  // a part of another name, and what stands in a comment, name nothing
  EXPECT_EQ(read(start + "name: in.angle\noutputs: {x: link1.x}  # pin1.angle\n" + end).system->dim().z, 0);
}

// what stands behind set-valued friction is not the mechanism's
TEST(MechanismFile, CountsBrakesApartFromContacts) {
  const std::string joints = R"(joints:
  pin: {revolute: [ground, crank], at: [0, 0]}
  elbow: {revolute: [crank, rod], at: [l, 0]}
)";
  const auto report = check_model(read(planar_start + joints + R"(forces:
  one: {friction: pin, size: 1.5, law: coulomb}
  two: {friction: elbow, size: 0.5, law: coulomb}
  none: {friction: elbow, size: 0, law: coulomb}
)" + end));
  EXPECT_EQ(report["degrees_of_freedom"], 2);
  EXPECT_EQ(report["brakes"], 2);
  EXPECT_EQ(report["contacts"], 0);
  EXPECT_EQ(report["velocities"], 6);
  EXPECT_EQ(check_model(read(planar_start + joints + end))["degrees_of_freedom"], 2);
}

TEST(MechanismFile, RepeatsBodiesAndJoints) {
  const auto chain = [](const std::string& n) {
    return read("parameters: {n: " + n + R"(, l: 0.5}
dimension: 2
gravity: [0, -9.81]
bodies:
  link{k}: {repeat: {k: [1, n]}, mass: k, inertia: 0.1, position: [(k - 0.5)*l, 0]}
joints:
  pin1: {revolute: [ground, link1], at: [0, 0]}
  pin{i}: {repeat: {i: [2, n]}, revolute: ["link{i - 1}", "link{i}"], at: [(i - 1)*l, 0]}
forces:
  damper{k}: {repeat: {k: [1, n]}, friction: "pin{k}", size: 0.1}
outputs: {tip: link1.y}
)" + end);
  };
  const Model three = chain("3");
  EXPECT_EQ(three.system->names().q, (std::vector<std::string>{"link1.x", "link1.y", "link1.angle", "link2.x", "link2.y", "link2.angle",
                                                               "link3.x", "link3.y", "link3.angle"}));
  EXPECT_EQ(three.system->names().multipliers, (std::vector<std::string>{"pin1.x", "pin1.y", "pin2.x", "pin2.y", "pin3.x", "pin3.y"}));
  EXPECT_EQ(three.start.q[6], 1.25);
  Terms T;
  three.system->prepare(T);
  three.system->evaluate(three.start, Need::mass, T);
  EXPECT_EQ(T.M(6, 6), 3);
  EXPECT_EQ(chain("1").system->dim().v, 3);  // the joints from 2 to 1 are none
  EXPECT_EQ(chain("100").system->dim().bilateral, 200);

  Overrides overrides;
  overrides.parameters = {{"N", "40"}};
  const Model bars = load_model(escapement::testing::source_folder() + "/examples/a02_four_bars.yaml", overrides);
  EXPECT_EQ(bars.system->dim().v, 3 * 81);
  EXPECT_EQ(bars.system->dim().bilateral, 2 * 121);
}

// rows that the equations leave out are looked at all the same
TEST(MechanismFile, TellsTheDriftOfRowsThatAreLeftOut) {
  Model model = load_model(escapement::testing::source_folder() + "/examples/a04_bricard.yaml");
  model.settings.end = 0.5;
  model.settings.scheme = "moreau-midpoint";  // drifts
  model.settings.step = 1e-2;
  model.settings.tolerance.reset();
  const RunReport report = run_model(model);
  ASSERT_EQ(report.summary.redundant_constraints.size(), 1u);
  Summary::Levels drift;
  for (const auto& [name, levels] : report.summary.drift_by_constraint)
    if (name == report.summary.redundant_constraints[0]) drift = levels;
  EXPECT_GT(drift.position, 1e-6);
  EXPECT_GT(drift.velocity, 1e-6);
  EXPECT_LE(drift.position, report.summary.max_drift.position);
}

TEST(MechanismFile, KnowsEveryRowBesidesThoseOfItsEquations) {
  const Model model = load_model(escapement::testing::source_folder() + "/examples/four_bar_space.yaml");
  Terms all, reduced;
  model.system->prepare(all);
  model.system->prepare(reduced);
  model.system->evaluate(model.start, Need::jacobian, all);
  const RowSelection rows = model.system->first_rows();
  SelectedRows(*model.system, rows).evaluate(model.start, Need::jacobian, reduced);
  int zero_rows = 0;
  for (int i = 0; i < all.G.rows(); ++i) {
    double here = 0, there = 0;
    all.G.for_each_in_row(i, [&](int, double x) { here += std::abs(x); });
    reduced.G.for_each_in_row(i, [&](int, double x) { there += std::abs(x); });
    EXPECT_GT(here, 0);
    zero_rows += there == 0;
  }
  EXPECT_EQ(zero_rows, 3);
}

// the work of a motor is as accurate as the scheme: the energy balance closes
TEST(MechanismFile, CountsTheWorkOfADrive) {
  const auto error = [](const std::string& scheme, double step, double tolerance) {
    Model model = load_model(escapement::testing::source_folder() + "/examples/slider_crank_motor.yaml");
    model.settings.scheme = scheme;
    model.settings.tolerance.reset();
    if (step > 0) model.settings.step = step;
    if (step == 0) model.settings.tolerance = tolerance;
    return run_model(model).summary.energy.max_error;
  };
  EXPECT_LT(error("hem5", 0, 1e-8), 1e-7);
  EXPECT_LT(error("rk4", 1e-3, 0), 1e-9);
  for (const char* scheme : {"generalized-alpha", "moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"}) {
    const double coarse = error(scheme, 2e-3, 0), fine = error(scheme, 1e-3, 0);
    EXPECT_LT(fine, 1e-3) << scheme;
    EXPECT_GT(coarse / fine, 3) << scheme << " is of second order";
  }
}

TEST(MechanismFile, NamesRedundantJoints) {
  const Model model = load_model(escapement::testing::source_folder() + "/examples/four_bar_space.yaml");
  const auto names = redundant_constraints(*model.system, model.start);
  EXPECT_EQ(names.size(), 3u);
  for (const std::string& name : names)
    EXPECT_TRUE(name.starts_with("base2.") || name.starts_with("right.") || name.starts_with("left.") ||
                name.starts_with("base1."))
        << name;
}

// which rows say nothing new is looked for along the motion, without drives: they are known behind joints with and without a point
TEST(MechanismFile, LeavesOutRowsBesideADrive) {
  const std::string before = "dimension: 2\nassemble: true\nbodies: {crank: {mass: 1, inertia: 1}, slider: {mass: 1, inertia: 1}}\njoints:\n",
                    pin = "  pin: {revolute: [ground, crank], at: [0, 0]}\n",
                    guide = "  guide: {prismatic: [ground, slider], at: [0, 0], axis: [1, 0], length: 0.1*sin(t)}\n",
                    other = "  other: {prismatic: [ground, slider], at: [0, 1], axis: [1, 0]}\n";
  const auto left_out = [&](const std::string& joints) {
    const Model model = read(before + joints + end);
    const std::vector<std::string> names = model.system->names().multipliers;
    std::set<std::string> joint_of;
    const std::vector<int> rows = model.system->first_rows().left_out;
    for (const int row : rows) joint_of.insert(names[row].substr(0, names[row].find('.')));
    return std::pair(rows.size(), joint_of);
  };
  for (const std::string& joints : {guide + other, guide + other + pin, pin + guide + other, other + guide + pin, guide + pin + other}) {
    const auto [count, joint_of] = left_out(joints);
    EXPECT_EQ(count, 2u) << joints;
    EXPECT_EQ(joint_of.size(), 1u) << joints;
    EXPECT_FALSE(joint_of.contains("pin")) << joints;
  }
}

struct Mistake {
  const char* text;
  const char* place;    // "LINE:COLUMN", empty: any
  const char* message;  // part of it
};

std::string message_of(const std::string& text) {
  try {
    read(text);
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

void expect_mistake(const std::string& text, const std::string& part) {
  const std::string message = message_of(text);
  EXPECT_TRUE(message.starts_with("m.yaml:")) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(MechanismFile, FrictionBrakesTheCoordinateItNames) {
  const auto with = [](const std::string& joint, const std::string& keys) {
    return read("dimension: 3\nbodies: {a: {mass: 1, inertia: [1, 1, 1], velocity: [0, 0, 1], angular_velocity: [0, 0, 1]}}\n"
                "joints: {c: {" + joint + ": [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}}\nassemble: true\n"
                "forces: {f: {friction: c, size: 0.5" + keys + "}}\n" + end);
  };
  const auto braked = [](const Model& model) {
    Terms T;
    model.system->prepare(T);
    model.system->evaluate(model.start, Need::force, T);
    return std::pair(T.f[2], T.f[5]);
  };
  const Model length = with("cylindrical", ", coordinate: length"), angle = with("cylindrical", ", coordinate: angle");
  EXPECT_EQ(braked(length), std::pair(-0.5, 0.0));
  EXPECT_EQ(braked(angle), std::pair(0.0, -0.5));
  EXPECT_TRUE(length.warnings.empty() && angle.warnings.empty());
  // the contact of the set-valued law slips at the rate of the coordinate
  for (const std::string which : {"length", "angle"}) {
    const Model model = with("cylindrical", ", law: coulomb, coordinate: " + which);
    Terms T;
    model.system->prepare(T);
    model.system->evaluate(model.start, Need::slip, T);
    EXPECT_EQ(T.T(0, 2), which == "length" ? 1 : 0);
    EXPECT_EQ(T.T(0, 5), which == "angle" ? 1 : 0);
  }
  // without a choice it is the angle, and said
  const Model unsaid = with("cylindrical", ""), plane = with("planar", "");
  EXPECT_EQ(braked(unsaid), std::pair(0.0, -0.5));
  ASSERT_EQ(unsaid.warnings.size(), 1u);
  EXPECT_EQ(unsaid.warnings[0],
            "m.yaml:6:10: the friction 'f' brakes the turning of joint 'c' and not its sliding; say so with 'coordinate: "
            "angle', or choose 'coordinate: length'");
  EXPECT_EQ(plane.warnings.size(), 1u);
  EXPECT_TRUE(with("planar", ", coordinate: angle").warnings.empty());
  EXPECT_TRUE(with("revolute", "").warnings.empty());
  EXPECT_TRUE(with("prismatic", "").warnings.empty());
  EXPECT_THROW(with("planar", ", coordinate: length"), ModelError);
  EXPECT_THROW(with("revolute", ", coordinate: length"), ModelError);
}

TEST(MechanismFile, SuggestsNamesOfJoints) {
  const auto value = [](const std::string& text) {
    return "dimension: 3\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n"
           "joints: {hinge: {revolute: [ground, a], at: [1, 0, 0], axis: [0, 0, 1]}}\n"
           "forces: {f: {torque: a, value: [0, 0, " + text + "]}}\n" + end;
  };
  for (const char* wrong : {"hinge.angel", "hing.angle", "hinge.angles"}) expect_mistake(value(wrong), "did you mean 'hinge.angle'?");
  std::string swapped = value("0");
  swapped.replace(swapped.find("torque: a"), 9, "torque: hinge");
  expect_mistake(swapped, "needs a body here, but 'hinge' is a joint; name one of its bodies");
}

TEST(MechanismFile, NamesTheForceThatIsNotANumber) {
  const std::string start = "dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\nforces:\n  fine: {force: a, value: [1, 2]}\n";
  EXPECT_EQ(message_of(start + "  soft: {bushing: [ground, a], at: [0, 0], stiffness: 1, turning_stiffness: 1}\n"
                               "  bad: {force: a, value: [1, log(a.x - 1)]}\n" + end),
            "m.yaml:7:3: the force on 'a.y' is not a finite number at the start; check the start values");
}

TEST(MechanismFile, TellsMistakesInBodies) {
  const auto with = [](const std::string& body) { return "dimension: 2\nbodies: {a: " + body + "}\n" + end; };
  expect_mistake(with("{inertia: 1}"), "the key 'mass' is missing");
  expect_mistake(with("{mass: 0, inertia: 1}"), "mass is 0 but must be greater than 0");
  expect_mistake(with("{mass: 1, inertia: -1}"), "inertia is -1 but must be greater than 0");
  expect_mistake(with("{mass: 1, inertia: 1, position: [1, 2, 3]}"), "must be a list of 2 numbers");
  expect_mistake(with("{mass: 1, inertia: 1, positon: [1, 2]}"), "did you mean 'position'?");
  expect_mistake(with("{mass: 1, inertia: 1, orientation: [1, 0, 0, 0]}"), "has 'angle', not 'orientation'");
  expect_mistake(with("{mass: 1, inertia: 1, position: [x, 2]}"), "x");
  expect_mistake(with("{mass: 1, inertia: 1, shapes: [{sphere: 1}]}"), "a sphere is a shape in space");
  expect_mistake(with("{mass: 1, inertia: 1, shapes: [{box: [1, -1]}]}"), "must be greater than 0");
  expect_mistake("dimension: 4\nbodies: {a: {mass: 1, inertia: 1}}\n" + end, "dimension is 4 but must be 2 or 3");
  expect_mistake("dimension: 2\nbodies: {}\n" + end, "at least one body");
  expect_mistake("dimension: 2\nbodies: {ground: {mass: 1, inertia: 1}}\n" + end,
                 "'ground' is the body that does not move");
  expect_mistake("parameters: {a: 1}\ndimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\n" + end, "has the name of a");
  expect_mistake("dimension: 3\nbodies: {a: {mass: 1, inertia: [1, 1, 1, 2, 0, 0]}}\n" + end, "not positive definite");
  expect_mistake("dimension: 3\nbodies: {a: {mass: 1, inertia: [1, 1]}}\n" + end, "must be a list of 3 to 6 numbers");
  expect_mistake("dimension: 3\nbodies: {a: {mass: 1, inertia: [1, 1, 1], orientation: [0, 0, 0, 0]}}\n" + end,
                 "must not be zero");
  expect_mistake("dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\nbeams: {a: {}}\n" + end, "has the name of a body");
  expect_mistake("dimension: 2\ngravity: [0]\nbodies: {a: {mass: 1, inertia: 1}}\n" + end,
                 "'gravity' must be a list of 2 numbers");
  expect_mistake("dimension: 2\nbodies: {a: {mass: 1, inertia: 1}}\ncoordinates: {x: {}}\n" + end, "not both");
}

// what can be simulated but is hardly meant
TEST(MechanismFile, WarnsOfDoubtfulBodies) {
  const auto warnings = [](const std::string& body) {
    return read("dimension: 3\nbodies: {a: {mass: 1, " + body + "}}\n" + end).warnings;
  };
  EXPECT_TRUE(warnings("inertia: [0.1, 0.7, 0.8], orientation: [0.6, 0, 0.8, 0]").empty());  // a thin plate
  EXPECT_TRUE(warnings("inertia: [2, 2, 2, 0.5, 0.5, 0.5], orientation: [0.7071068, 0.7071068, 0, 0]").empty());
  const std::vector<std::string> impossible = warnings("inertia: [1, 1, 5]"), turned = warnings("inertia: [3, 3, 1, -2, 0, 0]");
  ASSERT_EQ(impossible.size(), 1u);
  EXPECT_EQ(impossible[0], "m.yaml:3:32: no body has this inertia: its principal moment 5 exceeds the sum of the other two, 2; "
                           "check its numbers and their order");
  ASSERT_EQ(turned.size(), 1u);  // principal moments 5, 1 and 1
  const std::vector<std::string> long_one = warnings("inertia: [1, 1, 1], orientation: [1, 1, 0, 0]");
  ASSERT_EQ(long_one.size(), 1u);
  EXPECT_EQ(long_one[0], "m.yaml:3:56: the quaternion has length 1.41421 and is divided by it; check its numbers, w first");
}

TEST(MechanismFile, TellsMistakesInJoints) {
  const auto with = [](const std::string& joint) { return planar_start + "joints: {pin: " + joint + "}\n" + end; };
  expect_mistake(with("{revolute: [ground, rodd], at: [0, 0]}"), "joint 'pin' names body 'rodd'; did you mean 'rod'?");
  expect_mistake(with("{revolute: [crank, crank], at: [0, 0]}"), "joins 'crank' with itself");
  expect_mistake(with("{revolute: [crank], at: [0, 0]}"), "takes two bodies");
  expect_mistake(with("{revolute: [ground, crank]}"), "a revolute joint needs 'at', where it is at the start, or a point of each body");
  expect_mistake(with("{revolute: [ground, crank], at: [0, 0], axis: [0, 1]}"), "has no 'axis'");
  expect_mistake(with("{prismatic: [ground, crank], at: [0, 0]}"), "the key 'axis' is missing");
  expect_mistake(with("{prismatic: [ground, crank], at: [0, 0], axis: [0, 0]}"), "an axis must not be zero");
  expect_mistake(with("{spherical: [ground, crank], at: [0, 0]}"), "is a joint in space");
  expect_mistake(with("{revolut: [ground, crank], at: [0, 0]}"), "did you mean 'revolute'?");
  expect_mistake(with("{at: [0, 0]}"), "has no type");
  expect_mistake(with("{revolute: [ground, crank], fixed: [ground, rod], at: [0, 0]}"), "is a revolute already");
  expect_mistake(with("{distance: [ground, crank], at: [0, 0]}"), "takes two points");
  expect_mistake(with("{fixed: [ground, crank], angle: 1}"), "has no angle");
  expect_mistake(with("{revolute: [ground, crank], at: [0, 0], angle: crank.x}"),
                 "'crank.x' cannot stand here: it is a coordinate and varies with the motion; use parameters");
  expect_mistake(with("{revolute: [ground, crank], at: [0, 0], angle_limits: [1, 0]}"),
                 "must be below the second; swap them");
  expect_mistake(with("{revolute: [ground, crank], at: [0, 0], angle_limits: [1, 1]}"), "take a fixed joint");
  expect_mistake(with("{revolute: [ground, crank], at: [0, 0], restitution: 0.5}"), "belongs to limits");
  expect_mistake(with("{gear: [pan, crank], ratio: 2}"), "pan");
  expect_mistake(with("{gear: [crank, crank], ratio: 2}"), "gears 'crank' with itself; name two joints");
  expect_mistake(planar_start + "joints: {crank: {revolute: [ground, crank], at: [0, 0]}}\n" + end,
                 "has the name of a body");
  // the start turns too fast for this joint
  expect_mistake(with("{revolute: [ground, rod], at: [0, 0]}"), "the start is inconsistent");
}

TEST(MechanismFile, TellsMistakesInRepetitions) {
  const auto bodies = [](const std::string& text) {
    return "parameters: {n: 3, x: 1}\ndimension: 2\nbodies:\n  a1: {mass: 1, inertia: 1}\n  " + text + "\n" + end;
  };
  expect_mistake(bodies("b: {repeat: {k: [1, n]}, mass: 1, inertia: 1}"), "its name needs the counter, like b{k}");
  expect_mistake(bodies("b{k}: {repeat: {k: 3}, mass: 1, inertia: 1}"), "like {k: [1, n]}");
  expect_mistake(bodies("b{k}: {repeat: [1, 3], mass: 1, inertia: 1}"), "like {k: [1, n]}");
  expect_mistake(bodies("b{k}: {repeat: {k: [1, 2.5]}, mass: 1, inertia: 1}"), "takes whole numbers");
  expect_mistake(bodies("b{k}: {repeat: {k: [1, m]}, mass: 1, inertia: 1}"), "m.yaml:6:");
  expect_mistake(bodies("b{k}: {repeat: {k: [1, 1e6]}, mass: 1, inertia: 1}"), "take fewer");
  expect_mistake(bodies("b{x}: {repeat: {x: [1, n]}, mass: 1, inertia: 1}"), "has the name of a parameter");
  expect_mistake(bodies("b{pi}: {repeat: {pi: [1, n]}, mass: 1, inertia: 1}"), "already has a meaning");
  expect_mistake(bodies("b{k: {repeat: {k: [1, n]}, mass: 1, inertia: 1}"), "m.yaml:6:");
  expect_mistake(bodies("a{k}: {repeat: {k: [1, n]}, mass: 1, inertia: 1}"), "rename one of them");
  expect_mistake(bodies("b{k}: {repeat: {k: [1, n]}, mass: k - 2, inertia: 1}"), "mass is -1 but must be greater than 0");
  expect_mistake(bodies("b{j}: {repeat: {k: [1, n]}, mass: 1, inertia: 1}"), "m.yaml:6:");
}

TEST(MechanismFile, TellsMistakesInForcesAndContacts) {
  const auto force = [](const std::string& text) {
    return planar_start +
           "joints: {pin: {revolute: [ground, crank], at: [0, 0]}, weld: {fixed: [ground, rod]}}\nforces: {f: " + text +
           "}\n" + end;
  };
  expect_mistake(force("{stiffness: 1}"), "has no type");
  expect_mistake(force("{spring_damper: [crank, rod], stiffness: 1}"), "the key 'at' is missing");
  expect_mistake(force("{spring_damper: [crank, rod], at: [[0, 0], [0, 0]], stiffness: 1}"), "no direction");
  expect_mistake(force("{spring_damper: [crank, rod], at: [[0, 0], [1, 0]], stiffness: -1}"), "must be at least 0");
  expect_mistake(force("{spring_damper: [crank, rod], at: [[0, 0], [1, 0]], value: 1}"), "has no 'value'");
  expect_mistake(force("{torsional_spring_damper: pinn, stiffness: 1}"), "names joint 'pinn'; did you mean 'pin'?");
  expect_mistake(force("{torsional_spring_damper: weld, stiffness: 1}"), "has no angle; name one that has");
  expect_mistake(force("{actuator: crank, angle: t}"), "needs a joint here, but 'crank' is a body");
  expect_mistake(force("{force: crank, value: [1]}"), "a list of 2 expressions");
  expect_mistake(force("{force: crank, value: [1, crank.z]}"), "crank.z");
  expect_mistake(force("{force: ground, value: [1, 2]}"), "moves nothing");
  expect_mistake(force("{force: crank, value: [1, 2], frame: bodi}"), "did you mean 'body'?");
  expect_mistake(force("{actuator: pin, stiffness: 1}"), "either an 'angle' or a 'length'");
  expect_mistake(force("{friction: pin}"), "the key 'size' is missing");
  expect_mistake(force("{friction: pin, size: -1, law: coulomb}"), "must be at least 0");
  expect_mistake(force("{friction: pin, size: 1, law: coulom}"), "did you mean 'coulomb'?");
  expect_mistake(force("{friction: pin, size: 1, law: coulomb, velocity: 1e-3}"), "leave it out");
  expect_mistake(force("{friction: weld, size: 1, law: coulomb}"), "has no angle and no length");
  const auto contact = [](const std::string& text) { return planar_start + "contacts: {c: " + text + "}\n" + end; };
  expect_mistake(contact("{between: [crank, ground]}"),
                 "has no shape that could touch; give it one");
  expect_mistake(contact("{gap: crank.y'}"), "no rates");
  expect_mistake(contact("{gap: 1}"), "depends on no coordinate");
  expect_mistake(contact("{gap: crank.y + 1, friction: 0.1}"), "no 'slip'");
  expect_mistake(contact("{gap: crank.y + 1, friction: 0.1, slip: \"crank.x'^2\"}"), "affine");
  expect_mistake(contact("{gap: crank.y + 1, friction: 0.1, slip: crank.x}"), "depends on no rate; it is a velocity");
  expect_mistake(contact("{gap: crank.y - 1}"), "below 0");
  expect_mistake(contact("{gap: crank.y + 1, restitution: 2}"), "must lie between 0 and 1");
}

// where a driven angle in space stands is asked at the time at which the run starts
TEST(MechanismFile, TakesDrivesAtTheStartOfTheRun) {
  Model model = read(R"(dimension: 3
bodies: {table: {mass: 5, inertia: [0.1, 0.1, 0.2], angular_velocity: [0, 0, pi]}}
joints: {spindle: {revolute: [ground, table], at: [0, 0, 0], axis: [0, 0, 1], angle: pi*(t - 5)}}
outputs: {turned: spindle.angle}
simulation: {start: 5, end: 7.5}
)");
  const RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  EXPECT_NEAR(report.result.outputs["turned"].back(), 2.5 * 3.14159265358979, 1e-9);
}

}  // namespace
}  // namespace escapement
