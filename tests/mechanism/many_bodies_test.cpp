// Contacts of shapes that are found anew in each step, from model files: rest, sliding, bounces, joints, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "io/model_error.hpp"
#include "io/model_file.hpp"
#include "io/run.hpp"

namespace escapement {
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

TEST(ManyBodies, WhatCannotBeTakenIsRefusedWithItsPlace) {
  const std::string bodies = space + "bodies: {ground: {shapes: [{half_space: [0, 0, 1]}]}, ball: " + ball + "position: [0, 0, 0.1]}, other: " + ball + "position: [0, 0, 0.31]}}\n";
  const std::string end = "simulation: {end: 1, step: 1e-3}\n";
  EXPECT_EQ(refused(bodies + "contacts: {c: {among: [\"ball*\", ground]}}\n" + end), "taken");
  EXPECT_EQ(refused(bodies + "contacts: {c: {among: [\"bal*\", grund]}}\n" + end).substr(0, 12), "m.yaml:5:32:");
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [\"box*\", ground]}}\n" + end).find("no body with shapes that touch has a name like"), std::string::npos);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball]}}\n" + end).find("one body alone"), std::string::npos);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball, ground]}}\nsimulation: {end: 1, step: 1e-3, scheme: hem5}\n").find("take moreau-jean or auto"), std::string::npos);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball, ground]}}\nsimulation: {end: 1, tolerance: 1e-3}\n").find("take fixed steps"), std::string::npos);
  EXPECT_NE(refused(space + "bodies: {a: " + ball + "position: [0, 0, 0]}, b: " + ball + "position: [0, 0, 0.15]}}\ncontacts: {c: {among: [a, b]}}\n" + end).find("overlap by 0.05"),
            std::string::npos);
  EXPECT_NE(refused(bodies + "contacts: {c: {among: [ball, ground]}}\nmaterials: {steel-rubber: {friction: 1}}\n" + end).find("no shape is of the material 'steel'"), std::string::npos);
}

}  // namespace
}  // namespace escapement
