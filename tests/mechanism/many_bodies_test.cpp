// Contacts of shapes that are found anew in each step, from model files: rest, sliding, bounces, joints, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "io/model_error.hpp"
#include "io/model_file.hpp"
#include "io/run.hpp"
#include "system/contact_search.hpp"

namespace escapement::many_bodies_test {
namespace {

RunReport run(const std::string& text) {
  Model model = read_model("m.yaml", "escapement: 1\n" + text);
  return run_model(model);
}

std::string refused(const std::string& text) {
  try {
    read_model("m.yaml", "escapement: 1\n" + text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "taken";
}

const std::string space = "dimension: 3\ngravity: [0, 0, -9.81]\n";
const std::string ball = "{mass: 2, inertia: [0.008, 0.008, 0.008], shapes: [{sphere: 0.1}], ";

TEST(ManyBodies, ABallComesToRestWithItsWeightOnTheFloor) {
  const RunReport report = run(space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ball: " + ball +
                               "position: [0, 0, 0.3]}}\ncontacts: {floor: {among: [ball, ground], friction: 0.5}}\n"
                               "simulation: {end: 1, step: 5e-3}\n");
  EXPECT_EQ(report.summary.status, Outcome::Status::completed);
  EXPECT_TRUE(report.summary.sound);
  EXPECT_EQ(report.summary.scheme_choice.substr(0, 11), "moreau-jean");
  EXPECT_NEAR(value_of(report.summary.final.q, "ball.z"), 0.1, 1e-9);
  EXPECT_NEAR(value_of(report.summary.final.v, "ball.vz"), 0, 1e-9);
  EXPECT_LE(report.summary.max_penetration, 1e-9);
  EXPECT_EQ(report.summary.impacts, 1);
  const Column force = report.result.contacts.force["floor"], gap = report.result.contacts.gap["floor"];
  EXPECT_NEAR(force[force.size() - 1], 2 * 9.81, 1e-6);
  EXPECT_NEAR(gap[gap.size() - 1], 0, 1e-9);
}

// v = v0 - mu g t until it rolls, at 5/7 v0
TEST(ManyBodies, ABallSlidesThenRolls) {
  const RunReport report = run(space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ball: " + ball +
                               "position: [0, 0, 0.1], velocity: [3, 4, 0]}}\ncontacts: {floor: {among: [ball, ground], friction: 0.3}}\n"
                               "simulation: {end: 1, step: 1e-3}\n");
  EXPECT_NEAR(value_of(report.summary.final.v, "ball.vx"), 3 * 5.0 / 7, 1e-6);
  EXPECT_NEAR(value_of(report.summary.final.v, "ball.vy"), 4 * 5.0 / 7, 1e-6);
}

TEST(ManyBodies, RestitutionActsOnceWithTheVelocityOfTheApproach) {
  for (const double step : {1e-3, 2.5e-4}) {
    const RunReport report = run(space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ball: " + ball +
                                 "position: [0, 0, 1.1]}}\ncontacts: {floor: {among: [ball, ground], restitution: 0.5}}\n"
                                 "simulation: {end: 0.67, step: " + std::to_string(step) + ", save_every: 0}\n");
    // falls 1 m in 0.4515 s, rises to 0.25 m in half that time
    // the closing step keeps what the rebound gives back: energy is never above that of the start
    double top = 0;
    const Column z = report.result.q["ball.z"], energy = report.result.energy["total"];
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (report.result.time[i] > 0.5) top = std::max(top, z[i]);
      EXPECT_LE(energy[i], energy[0] * (1 + 1e-12));
    }
    EXPECT_NEAR(top, 0.35, 8 * step);
    EXPECT_EQ(report.summary.impacts, 1);
  }
}

// a ball that falls 1 m has e^2 of its energy of motion after an impact. Errors of instants are of order 1, those of the energy of order 2
TEST(ManyBodies, WhatBouncesKeepsItsEnergyToSecondOrder) {
  const double mg = 2 * 9.81, rest = 0.1 * mg;
  for (const double e : {0.5, 0.9}) {
    double before = 0;
    for (const double step : {4e-3, 1e-3, 2.5e-4}) {
      std::ostringstream end;
      end << ", restitution: " << e << "}}\nsimulation: {end: 0.64, step: " << step << "}\n";
      const RunReport report = run(space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ball: " + ball +
                                   "position: [0, 0, 1.1]}}\ncontacts: {floor: {among: [ball, ground]" + end.str());
      EXPECT_TRUE(report.summary.sound);
      const double error = std::abs(report.summary.energy.final - rest - e * e * mg);
      EXPECT_LT(error, 2 * mg * 9.81 * step * step) << e << " " << step;  // what a step's forces give from rest, a few times
      if (before > 0) {
        EXPECT_LT(error, before / 8) << e << " " << step;  // 16 by order 2
      }
      before = error;
      EXPECT_LT(report.summary.energy.max_error, 1e-9);
    }
  }
}

// what one tries first: a box, boxes, a ball on a box, balls, dropped flat or tilted from little or much, by the default step
TEST(ManyBodies, WhatIsDroppedIsSoundByDefault) {
  const std::string box2 = "mass: 1, inertia: 0.004, shapes: [{box: [0.2, 0.1]}], position: ", box3 = "mass: 1, inertia: [0.003, 0.004, 0.005], shapes: [{box: [0.2, 0.15, 0.1]}], position: ";
  const std::string ball2 = "mass: 1, inertia: 0.005, shapes: [{circle: 0.1}], position: ", ball3 = "mass: 1, inertia: [0.004, 0.004, 0.004], shapes: [{sphere: 0.1}], position: ";
  const std::vector<std::string> in_plane{
      "one: {" + box2 + "[0, 0.15]}", "one: {" + box2 + "[0, 0.25], angle: 0.3}", "one: {" + box2 + "[0, 2], angle: 1}",
      "one: {" + box2 + "[0, 0.3]}, two: {" + box2 + "[0.03, 0.5]}, three: {" + box2 + "[-0.02, 0.7]}",
      "one: {" + box2 + "[0, 0.05]}, two: {" + ball2 + "[0.02, 0.6]}", "one: {" + ball2 + "[0, 0.3]}, two: {" + ball2 + "[0.03, 0.6]}"};
  const std::vector<std::string> in_space{
      "one: {" + box3 + "[0, 0, 0.15]}", "one: {" + box3 + "[0, 0, 0.15], orientation: {axis: [1, 0.7, 0.2], angle: 0.3}}",
      "one: {" + box3 + "[0, 0, 2], orientation: {axis: [1, 0.7, 0.2], angle: 1}}",
      "one: {" + box3 + "[0, 0, 0.3]}, two: {" + box3 + "[0.03, 0, 0.5]}, three: {" + box3 + "[-0.02, 0, 0.7]}",
      "one: {" + box3 + "[0, 0, 0.05]}, two: {" + ball3 + "[0.02, 0, 0.6]}", "one: {" + ball3 + "[0, 0, 0.3]}, two: {" + ball3 + "[0.03, 0, 0.6]}"};
  for (const bool flat : {true, false})
    for (const std::string& bodies : flat ? in_plane : in_space)
      for (const char* law : {"", "restitution: 0.3, friction: 0.5", "restitution: 0.8, friction: 0.5", "restitution: 0.8"}) {
        const RunReport report = run((flat ? "dimension: 2\ngravity: [0, -9.81]\nbodies: {ground: {shapes: [{half_plane: [0, 1]}]}, "
                                           : space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ") +
                                     bodies + "}\ncontacts: {floor: {among: [\"*\", ground], " + law + "}}\nsimulation: {end: 1}\n");
        EXPECT_EQ(report.summary.verdict(), "sound") << bodies << law << "\n" << to_text(report.summary);
      }
}

// a disc on an incline: resistance to rolling above r tan(slope) holds it, below it rolls
TEST(ManyBodies, RollingFrictionHoldsADisc) {
  const auto speed = [](const std::string& rolling) {
    const RunReport report = run("dimension: 2\ngravity: [9.81*sin(0.1), -9.81*cos(0.1)]\n"
                                 "bodies: {ground: {shapes: [{half_plane: [0, 1]}]}, disc: {mass: 1, inertia: 0.005, position: [0, 0.1], shapes: [{circle: 0.1}]}}\n"
                                 "contacts: {floor: {among: [disc, ground], friction: 0.5, rolling_friction: " + rolling + "}}\n"
                                 "simulation: {end: 1, step: 1e-3}\n");
    return value_of(report.summary.final.v, "disc.x");
  };
  EXPECT_NEAR(speed("0.0101"), 0, 1e-6);
  // m a = m g sin - F, J a/r = F r - roll N: a = g (sin - cos roll/r)/(1 + J/(m r^2))
  EXPECT_NEAR(speed("0.005"), 9.81 * (std::sin(0.1) - std::cos(0.1) * 0.05) / 1.5, 2e-3);
}

// a pendulum whose bob strikes a wall: joints and contacts are solved together; only by name do bodies of a joint touch
// a ball that spins about the vertical is slowed by spinning_friction x weight, and stays at rest then
TEST(ManyBodies, SpinningFrictionStopsASpinner) {
  const auto spin = [](double end) {
    const RunReport report = run(space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ball: " + ball +
                                 "position: [0, 0, 0.1], angular_velocity: [0, 0, 5]}}\n"
                                 "contacts: {floor: {among: [ball, ground], friction: 0.5, spinning_friction: 2e-3}}\n"
                                 "simulation: {end: " + std::to_string(end) + ", step: 1e-3, options: {contact_tolerance: 1e-9}}\n");
    EXPECT_TRUE(report.summary.sound);
    return value_of(report.summary.final.v, "ball.wz");
  };
  EXPECT_NEAR(spin(0.5), 5 - 2e-3 * 2 * 9.81 / 0.008 * 0.5, 1e-6);
  EXPECT_NEAR(spin(1.5), 0, 1e-6);
}

// steps of a stack whose topmost box is 1000 times as heavy: how far they end from what they ask for, 1e-8 of the largest approach
TEST(ManyBodies, AHeavyBoxOnALightStackIsSolvedInEveryStep) {
  const Model model = read_model("m.yaml", "escapement: 1\n" + space +
                                               "parameters: {n: 5}\nbodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n"
                                               "  box{k}: {repeat: {k: [1, n]}, mass: \"if(k == n, 1000, 1)\", inertia: [\"if(k == n, 1000, 1)*0.004\", \"if(k == n, 1000, 1)*0.004\", \"if(k == n, 1000, 1)*0.007\"], "
                                               "position: [0, 0, 0.1*(k - 0.5)], shapes: [{box: [0.2, 0.2, 0.1]}]}\n"
                                               "contacts: {stack: {among: [\"box*\", ground], friction: 0.5}}\nsimulation: {end: 1, step: 5e-3}\n");
  const auto scheme = make_scheme("moreau-jean", {});
  scheme->estimate_errors(false);
  State s = model.start;
  scheme->start(*model.system, s);
  State s1 = s;
  int solved = 0;
  double worst = 0;
  for (int k = 0; k < 400; ++k) {
    const StepReport report = scheme->step(*model.system, s, 5e-3, s1);
    ASSERT_TRUE(report.ok());
    solved += report.excess <= 1;
    worst = std::max(worst, report.excess);
    std::swap(s, s1);
  }
  EXPECT_GE(solved, 396);
  EXPECT_LE(worst, 100);  // 1e-6
  EXPECT_LT((s.q - model.start.q).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(ManyBodies, JointsAndContactsActTogether) {
  const RunReport report = run("dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                               "  ground: {shapes: [{half_plane: [-1, 0], at: [0.1, 0]}]}\n"
                               "  bob: {mass: 1, inertia: 0.004, position: [-1, 0], angle: 0, shapes: [{circle: 0.1}]}\n"
                               "joints: {pin: {revolute: [ground, bob], at: [0, 0]}}\n"
                               "contacts: {wall: {between: [bob, ground], rolling_friction: 0}}\nsimulation: {end: 2, step: 1e-3}\n");
  EXPECT_TRUE(report.summary.sound);
  EXPECT_NEAR(value_of(report.summary.final.q, "bob.x"), 0, 1e-6);  // against the wall, below its pin
  EXPECT_NEAR(value_of(report.summary.final.q, "bob.y"), -1, 1e-6);
  EXPECT_LE(report.summary.max_drift.position, 1e-9);
}

// a beam on a hinge carries a ball that is found by its shape: what holds the beam is one of the system's own contacts
std::string beam_with_ball(const std::string& hinge, const std::string& mass, const std::string& forces, const std::string& contacts = "") {
  return "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
         "  ground: {shapes: [{half_plane: [0, 1], at: [0, -2]}]}\n"
         "  beam: {mass: 1, inertia: 0.1, position: [0.5, 0], shapes: [{box: [1, 0.04]}]}\n"
         "  ball: {mass: " + mass + ", inertia: 0.005*" + mass + ", position: [0.4, 0.12], shapes: [{circle: 0.1}]}\n"
         "joints: {hinge: {revolute: [ground, beam], at: [0, 0]" + hinge + "}}\n" + forces +
         "contacts: {grains: {among: [beam, ball, ground], friction: 0.5}" + contacts + "}\nsimulation: {end: 0.5, step: 1e-3}\n";
}

// the ball falls from 0.18 m onto it, ten or a thousand times as heavy as the beam
TEST(ManyBodies, ALimitOfAJointHoldsWhatLiesOnIt) {
  for (const char* mass : {"10", "1000"}) {
    std::string text = beam_with_ball(", angle_limits: [0, 1]", mass, "");
    text.replace(text.find("[0.4, 0.12]"), 11, "[0.4, 0.3]");
    const RunReport report = run(text);
    EXPECT_TRUE(report.summary.sound) << mass;
    EXPECT_NEAR(value_of(report.summary.final.q, "beam.angle"), 0, 1e-9) << mass;
    EXPECT_NEAR(value_of(report.summary.final.q, "ball.y"), 0.12, 1e-9) << mass;
    EXPECT_LE(report.summary.max_penetration, 1e-8) << mass;
    // torques about the hinge
    const Column force = report.result.contacts.force["hinge.angle_min"];
    EXPECT_NEAR(force[force.size() - 1], 9.81 * (0.5 + 0.4 * std::stod(mass)), 1e-5 * std::stod(mass)) << mass;
  }
}

// a brake holds up to 9.81 (0.5 + 0.4) = 8.829, and below that takes its torque from what turns
TEST(ManyBodies, ABrakeHoldsWhatLiesOnItUpToItsLimit) {
  const auto brake = [](const std::string& size) { return run(beam_with_ball("", "1", "forces: {brake: {friction: hinge, " + size + ", law: coulomb}}\n")); };
  for (const char* size : {"size: 9", "coefficient: 0.5, radius: 2"}) {  // the latter follows the joint, which carries 19.6
    const RunReport holds = brake(size);
    EXPECT_TRUE(holds.summary.sound) << size;
    EXPECT_NEAR(value_of(holds.summary.final.q, "beam.angle"), 0, 1e-8) << size;
    EXPECT_NEAR(value_of(holds.summary.final.q, "ball.x"), 0.4, 1e-8) << size;
  }
  const RunReport slips = brake("size: 8.5");
  const double angle = value_of(slips.summary.final.q, "beam.angle");
  // the ball rolls down on it a little: what its weight turns by changes by less than a tenth
  const double acceleration = (8.829 - 8.5) / (0.1 + 0.25 + 0.4 * 0.4), expected = -0.5 * acceleration * 0.25;
  EXPECT_NEAR(angle, expected, 0.1 * std::abs(expected));
}

TEST(ManyBodies, ContactsByFormulasActWithThoseThatAreFound) {
  // a wall that a formula makes, with friction, keeps a disc that others push from below
  const RunReport report = run("dimension: 2\ngravity: [1, -9.81]\nbodies:\n"
                               "  ground: {shapes: [{half_plane: [0, 1]}]}\n"
                               "  disc{k}: {repeat: {k: [1, 2]}, mass: 1, inertia: 0.005, position: [0.3*k, 0.1], shapes: [{circle: 0.1}]}\n"
                               "contacts:\n  all: {among: [\"disc*\", ground]}\n  wall: {gap: 0.7 - disc2.x, slip: \"disc2.y'\", friction: 0.2}\n"
                               "simulation: {end: 2, step: 1e-3}\n");
  EXPECT_TRUE(report.summary.sound);
  EXPECT_NEAR(value_of(report.summary.final.q, "disc2.x"), 0.7, 1e-8);
  EXPECT_NEAR(value_of(report.summary.final.q, "disc1.x"), 0.5, 1e-8);
  const Column wall = report.result.contacts.force["wall"], all = report.result.contacts.force["all"];
  EXPECT_NEAR(wall[wall.size() - 1], 2, 1e-6);
  EXPECT_NEAR(all[all.size() - 1], 2 * 9.81 + 1, 1e-5);
}

// at rest no energy is met that an imbalance could be small beside, but what a step's forces would give. These positions are rounded: the
// cards fall by 1e-8 m
TEST(ManyBodies, AStackThatStandsForLongIsSound) {
  const RunReport report = run(space + "bodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n"
                               "  left: {mass: 0.002, inertia: [1.95e-6, 1.35e-6, 6e-7], position: [-0.0130958, 0, 0.0438549], orientation: {axis: [0, 1, 0], angle: 15*deg}, shapes: [{box: [3e-3, 0.06, 0.09]}]}\n"
                               "  right: {mass: 0.002, inertia: [1.95e-6, 1.35e-6, 6e-7], position: [0.0130958, 0, 0.0438549], orientation: {axis: [0, 1, 0], angle: -15*deg}, shapes: [{box: [3e-3, 0.06, 0.09]}]}\n"
                               "contacts: {cards: {among: [left, right, ground], friction: 0.6}}\nsimulation: {end: 30, step: 5e-3, save_every: 1}\n");
  EXPECT_TRUE(report.summary.sound) << (report.summary.findings.empty() ? "" : report.summary.findings[0].what);
  EXPECT_NEAR(value_of(report.summary.final.q, "left.z"), 0.0438549, 1e-6);
}

// what a table of points says together is what acts: they carry the weight, midway between what they touch, from a to b
TEST(ManyBodies, PointsThatTouchAreRecorded) {
  const RunReport report = run(space + "bodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n"
                               "  box: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.05], shapes: [{box: [0.2, 0.3, 0.1]}]}\n"
                               "  top: {mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.02, 0, 0.2], shapes: [{sphere: 0.1}]}\n"
                               "contacts: {stack: {among: [box, top, ground], friction: 0.5}}\nsimulation: {end: 0.5, step: 5e-3, save_every: 0.1}\n");
  const ContactPointColumns& points = report.result.points;
  ASSERT_EQ(points.dimension, 3);
  ASSERT_EQ(points.stride, 1);
  for (std::uint64_t sample = 1; sample < report.result.samples(); ++sample) {
    Eigen::Vector3d ground = Eigen::Vector3d::Zero(), top = ground;
    int count = 0;
    for (std::size_t i = 0; i < points.rows(); ++i) {
      if (points.sample[i] != sample) continue;
      ++count;
      EXPECT_EQ(points.names[points.contact[i]], "stack");
      const bool is_top = points.names[points.b[i]] == "top";
      EXPECT_EQ(points.names[points.a[i]], is_top ? "box" : "ground");
      (is_top ? top : ground) += Eigen::Vector3d(&points.force[3 * i]);
      EXPECT_NEAR(points.point[3 * i + 2], is_top ? 0.1 : 0, 1e-6);
      EXPECT_NEAR(points.normal[3 * i + 2], 1, 1e-9);
      EXPECT_NEAR(points.gap[i], 0, 1e-6);
    }
    EXPECT_EQ(count, 5);
    EXPECT_NEAR(ground[2], 3 * 9.81, 1e-4);
    EXPECT_NEAR(top[2], 9.81, 1e-4);
  }
}

// a hull is what its corners span, however it is given: a box of points stands like the box
TEST(ManyBodies, HullsTouchLikeTheBoxTheyAre) {
  const auto height = [](const std::string& shape) {
    const RunReport report = run(space + "bodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n"
                                 "  low: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.06], shapes: [" + shape + "]}\n"
                                 "  high: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.02, 0.03, 0.17], shapes: [" + shape + "]}\n"
                                 "contacts: {stack: {among: [low, high, ground], friction: 0.5}}\nsimulation: {end: 0.5, step: 2e-3}\n");
    EXPECT_EQ(report.summary.status, Outcome::Status::completed);
    EXPECT_TRUE(report.summary.sound);
    return value_of(report.summary.final.q, "high.z");
  };
  const double box = height("{box: [0.2, 0.3, 0.1]}");
  EXPECT_NEAR(box, 0.15, 1e-8);
  EXPECT_NEAR(height("{hull: [[0.1, 0.15, 0.05], [-0.1, 0.15, 0.05], [0.1, -0.15, 0.05], [-0.1, -0.15, 0.05], [0.1, 0.15, -0.05], [-0.1, 0.15, -0.05], "
                     "[0.1, -0.15, -0.05], [-0.1, -0.15, -0.05], [0, 0, 0]]}"), box, 1e-8);
  EXPECT_NE(refused(space + "bodies: {a: {mass: 1, inertia: [1, 1, 1], shapes: [{hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}]}}\nsimulation: {end: 1}\n")
                .find("encloses nothing: its points lie in a plane"), std::string::npos);
}

// ground of segments that share their ends: a box, a ball and a capsule without friction pass the ends that go straight on as if there were
// none, come up a slope with the part of their speed that lies along it, and keep to the ground over an edge; beyond its end they fall
TEST(ManyBodies, NothingCatchesOnInnerEndsOfSegments) {
  const auto slides = [](const std::string& shape, const std::string& ground, double end) {
    return run("dimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: {shapes: [" + ground + "]}\n  one: {mass: 1, inertia: 0.004, position: [-0.5, 0.05], "
               "velocity: [2, 0], shapes: [{" + shape + "}]}\ncontacts: {floor: {between: [one, ground], rolling_friction: 0}}\nsimulation: {end: " + std::to_string(end) + "}\n");
  };
  const std::string flat = "{segment: [[-1, 0], [-0.2, 0]]}, {segment: [[0.1, 0], [-0.2, 0]]}, {segment: [[0.1, 0], [0.7, 0]]}";
  for (const char* shape : {"box: [0.2, 0.1]", "circle: 0.05", "capsule: [0.2, 0.05]", "polygon: [[-0.1, -0.05], [0.1, -0.05], [0, 0.1]]"}) {
    SCOPED_TRACE(shape);
    const RunReport on = slides(shape, flat, 0.5);
    EXPECT_EQ(on.summary.verdict(), "sound") << to_text(on.summary);
    EXPECT_NEAR(value_of(on.summary.final.q, "one.x"), 0.5, 1e-9);
    EXPECT_NEAR(value_of(on.summary.final.q, "one.y"), 0.05, 1e-9);
    EXPECT_NEAR(value_of(on.summary.final.v, "one.x"), 2, 1e-9);
    EXPECT_NEAR(value_of(on.summary.final.q, "one.angle"), 0, 1e-9);
    const RunReport beyond = slides(shape, flat, 1.2);
    EXPECT_GT(value_of(beyond.summary.final.q, "one.x"), 1.5);
    EXPECT_LT(value_of(beyond.summary.final.q, "one.y"), -1);
  }
  // a ball, which has no front that the slope could turn: e = 0 takes what goes across it, and the rest climbs
  const RunReport up = slides("circle: 0.05", flat + ", {segment: [[0.7, 0], [1.7, 0.3]]}", 0.7);
  const double slope = std::atan(0.3), along = value_of(up.summary.final.v, "one.x") / std::cos(slope);
  const double height = value_of(up.summary.final.q, "one.y") - 0.05;
  EXPECT_NEAR(along * along, 4 * std::cos(slope) * std::cos(slope) - 2 * 9.81 * height, 0.02);
  const RunReport down = slides("box: [0.2, 0.1]", "{segment: [[-1, 0], [0, 0]]}, {segment: [[0, 0], [1, -0.1]]}, {half_plane: [0, 1], at: [0, -3]}", 0.6);
  EXPECT_EQ(down.summary.verdict(), "sound");
  EXPECT_GT(value_of(down.summary.final.v, "one.x"), 1.99);
}

// an ellipse among bodies is met where one found by a search is
TEST(ManyBodies, CurvesTouchAmongBodies) {
  const std::string disc = "{mass: 1, inertia: 0.005, position: ";
  // a disc rests on the top of a fixed ellipse's flank between two walls; a cam by its radius holds a box
  const RunReport report = run("dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                               "  ground: {shapes: [{curve: {x: 0.5*cos(s), y: 0.2*sin(s), over: [s, 0, 2*pi]}}, {half_plane: [1, 0], at: [-0.1, 0]}, {half_plane: [-1, 0], at: [0.3, 0]}]}\n"
                               "  disc: " + disc + "[0.15, 0.4], shapes: [{circle: 0.1}]}\n"
                               "contacts: {all: {among: [disc, ground], friction: 0.1}}\nsimulation: {end: 2, step: 2e-3}\n");
  EXPECT_EQ(report.summary.status, Outcome::Status::completed);
  EXPECT_TRUE(report.summary.sound);
  // against the right wall, its centre 0.1 from the ellipse
  EXPECT_NEAR(value_of(report.summary.final.q, "disc.x"), 0.2, 1e-6);
  double nearest = INFINITY;
  for (int k = 0; k < 200000; ++k) nearest = std::min(nearest, std::hypot(0.2 - 0.5 * std::cos(k * M_PI / 1e5), value_of(report.summary.final.q, "disc.y") - 0.2 * std::sin(k * M_PI / 1e5)));
  EXPECT_NEAR(nearest, 0.1, 1e-8);
  const RunReport on_cam = run("dimension: 2\ngravity: [0, -9.81]\nbodies:\n  ground: {shapes: [{cam: {radius: 0.1 + 0.02*cos(phi)^2}, angle: 90*deg}]}\n"
                               "  box: " + disc + "[0, 0.15], shapes: [{box: [0.1, 0.04]}]}\njoints: {guide: {prismatic: [ground, box], at: [0, 0], axis: [0, 1]}}\n"
                               "contacts: {all: {among: [box, ground], rolling_friction: 0}, own: {between: [box, ground]}}\nsimulation: {end: 1, step: 1e-3}\n");
  EXPECT_NEAR(value_of(on_cam.summary.final.q, "box.y"), 0.14, 1e-8);
  EXPECT_NE(refused("dimension: 2\nbodies: {a: " + disc + "[0, 0], shapes: [{cam: {radius: 1 + 0.5*cos(3*phi)}}]}, b: " + disc + "[3, 0], shapes: [{cam: {radius: 1}}]}}\n"
                    "contacts: {c: {among: [a, b]}}\nsimulation: {end: 1}\n").find("between a cam of 'a' and a cam of 'b'"), std::string::npos);
  EXPECT_NE(refused("dimension: 2\nbodies: {a: " + disc + "[0, 0], shapes: [{polygon: [[0, 0], [1, 0], [0.2, 0.2], [0, 1]]}]}, b: " + disc + "[3, 0], shapes: [{circle: 1}]}}\n"
                    "contacts: {c: {among: [a, b]}}\nsimulation: {end: 1}\n").find("a polygon that touches is convex"), std::string::npos);
}

// two ellipses and half of one: what is found is what rows have
TEST(ManyBodies, TwoCurvesAreFoundWhereTheirRowIs) {
  const std::string bodies = "dimension: 2\nbodies:\n  a: {mass: 1, inertia: 1, angle: 0.4, shapes: [{curve: {x: 3*cos(s), y: sin(s), over: [s, 0, 2*pi]}}]}\n"
                             "  b: {mass: 1, inertia: 1, position: [4, 1.5], angle: 1, shapes: [{curve: {x: cos(s), y: 0.5*sin(s), over: [s, 0, OVER]}}]}\n";
  for (const std::string over : {"2*pi", "pi"}) {
    std::string both = bodies;
    both.replace(both.find("OVER"), 4, over);
    const Model rows = read_model("m.yaml", "escapement: 1\n" + both + "contacts: {c: {between: [a, b]}}\nsimulation: {end: 1}\n");
    const Model found = read_model("m.yaml", "escapement: 1\n" + both + "contacts: {c: {among: [a, b]}}\nsimulation: {end: 1}\n");
    const auto* touching = dynamic_cast<const TouchingSystem*>(found.system.get());
    const auto search = touching->make_search();
    Terms T;
    rows.system->prepare(T);
    State s = rows.start;
    for (int k = 0; k < 60; ++k) {
      s.q[3] = 4.3 * std::cos(0.105 * k);
      s.q[4] = 3 * std::sin(0.105 * k);
      s.q[5] = 0.37 * k;
      rows.system->evaluate(s, Need::gap | Need::jacobian, T);
      std::vector<ContactPoint> points;
      search->find(s, {10, 10}, points);
      ASSERT_EQ(points.size(), 1u);
      EXPECT_NEAR(points[0].gap, T.g[0], 1e-14) << over << " " << k;
      EXPECT_NEAR(points[0].normal[0], T.G.dense()(0, 3), 1e-12) << over << " " << k;
      EXPECT_NEAR(points[0].normal[1], T.G.dense()(0, 4), 1e-12) << over << " " << k;
    }
  }
}

// pairs named by 'between' that may touch at any of their faces, edges and corners need nobody to ask for it: a box slides on a box until
// friction has stopped it, a can stands on the floor, and what is done is said with its reason
TEST(ManyBodies, PairsWithoutRowsAreFoundAnew) {
  const std::string box = "  box: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], velocity: [1, 0, 0], shapes: [{box: [0.2, 0.2, 0.2]}]}\n";
  const std::string on_box = space + "bodies:\n  ground: {shapes: [{box: [2, 2, 0.1], at: [0, 0, -0.05]}]}\n" + box + "contacts:\n  table: {between: [box, ground], friction: 0.3}\n";
  const RunReport slides = run(on_box + "simulation: {end: 1, step: 1e-3}\n");
  EXPECT_EQ(slides.summary.status, Outcome::Status::completed);
  EXPECT_TRUE(slides.summary.sound);
  EXPECT_EQ(slides.summary.scheme_choice, "moreau-jean: contacts of shapes are found anew in each step (contact 'table' is between a box and a box)");
  EXPECT_NEAR(value_of(slides.summary.final.q, "box.x"), 1 / (2 * 0.3 * 9.81), 1e-3);  // order 1: a step's way
  EXPECT_NEAR(value_of(slides.summary.final.q, "box.z"), 0.1, 1e-9);
  const RunReport stands = run(space + "bodies:\n  ground: {shapes: [{half_space: [0, 0, 1]}]}\n"
                               "  can: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], shapes: [{cylinder: [0.2, 0.05]}]}\n"
                               "contacts: {floor: {between: [can, ground], friction: 0.3}}\noutputs: {load: floor.force}\nsimulation: {end: 1, step: 1e-3}\n");
  EXPECT_EQ(stands.summary.status, Outcome::Status::completed);
  EXPECT_EQ(stands.summary.scheme_choice, "moreau-jean: contacts of shapes are found anew in each step (contact 'floor' begins with a cylinder that stands upright)");
  EXPECT_NEAR(value_of(stands.summary.final.q, "can.z"), 0.1, 1e-9);
  const Column force = stands.result.contacts.force["floor"];
  EXPECT_NEAR(force[force.size() - 1], 9.81, 1e-6);
  EXPECT_EQ(stands.result.outputs[0].back(), force[force.size() - 1]);
  EXPECT_NE(refused(on_box + "simulation: {end: 1, scheme: hem5}\n")
                .find("'hem5' does not take contacts of shapes that are found anew in each step (contact 'table' is between a box and a box); take moreau-jean or auto"), std::string::npos);
  EXPECT_EQ(refused(on_box + "  formula: {gap: box.z - 0.05}\nsimulation: {end: 1}\n"), "taken");
  // on a box too, and a hull of points on its rims as well
  std::string can = space + "bodies:\n  ground: {shapes: [{box: [2, 2, 0.1], at: [0, 0, -0.05]}]}\n  can: {mass: 1, inertia: [0.01, 0.01, 0.01], position: [0, 0, 0.1], "
                    "velocity: [0.5, 0, 0], shapes: [{cylinder: [0.2, 0.1]}]}\ncontacts: {table: {between: [can, ground], friction: 0.3}}\nsimulation: {end: 0.5, step: 1e-3}\n";
  const RunReport on_table = run(can);
  EXPECT_TRUE(on_table.summary.sound);
  EXPECT_NEAR(value_of(on_table.summary.final.q, "can.x"), 0.25 / (2 * 0.3 * 9.81), 1e-3);
  EXPECT_NEAR(value_of(on_table.summary.final.q, "can.z"), 0.1, 1e-9);
  can.replace(can.find("{cylinder: [0.2, 0.1]}"), 22, "{hull: [[0.1, 0, 0.1], [-0.1, 0, 0.1], [0, 0.1, 0.1], [0, -0.1, 0.1], [0.1, 0, -0.1], [-0.1, 0, -0.1], [0, 0.1, -0.1], [0, -0.1, -0.1]]}");
  EXPECT_NEAR(value_of(run(can).summary.final.q, "can.z"), 0.1, 1e-9);
  EXPECT_EQ(refused(on_box.substr(0, on_box.size() - 2) + ", stiffness: 1e5}\nsimulation: {end: 1, scheme: hem5}\n"), "taken");  // a force
}

TEST(ManyBodies, WhatCannotBeTakenIsRefusedWithItsPlace) {
  const std::string bodies = space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ball: " + ball + "position: [0, 0, 0.1]}, other: " + ball + "position: [0, 0, 0.31]}}\n";
  const std::string end = "simulation: {end: 1, step: 1e-3}\n";
  EXPECT_EQ(refused(bodies + "contacts: {c: {among: [\"ball*\", ground]}}\n" + end), "taken");
  EXPECT_EQ(refused(bodies + "contacts: {c: {among: [\"bal*\", grund]}}\n" + end).substr(0, 12), "m.yaml:5:32:");
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [\"box*\", ground]}}\n" + end).find("no body with shapes that touch has a name like"), std::string::npos);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball]}}\n" + end).find("one body alone"), std::string::npos);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball, ground]}}\nsimulation: {end: 1, step: 1e-3, scheme: hem5}\n").find("take moreau-jean or auto"), std::string::npos);
  EXPECT_THROW(run(bodies + "contacts: {c: {among: [ball, ground]}}\nsimulation: {end: 1, step: 1e-3, scheme: moreau-jean, options: {impact_law: moreau}}\n"), OptionError);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball, ground]}}\nsimulation: {end: 1, tolerance: 1e-3}\n").find("take fixed steps"), std::string::npos);
  EXPECT_NE(refused(space + "bodies: {a: " + ball + "position: [0, 0, 0]}, b: " + ball + "position: [0, 0, 0.15]}}\ncontacts: {c: {among: [a, b]}}\n" + end).find("overlap by 0.05"),
            std::string::npos);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball, ground]}}\nmaterials: {steel-rubber: {friction: 1}}\n" + end).find("no shape is of the material 'steel'"), std::string::npos);
}

}  // namespace
}  // namespace escapement
