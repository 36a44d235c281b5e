#include "io/mjcf.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "io/run.hpp"
#include "math/rotation.hpp"

namespace escapement {
namespace {

std::string mjcf(const std::string& inside, const std::string& more = "") {
  return "<mujoco model=\"m\">" + more + "<worldbody>" + inside + "</worldbody></mujoco>";
}

Model model_of(const std::string& text, const Overrides& overrides = {}) { return read_model("m.yaml", import_mjcf("m.xml", text).yaml, overrides); }

std::string refused(const std::string& text) {
  try {
    import_mjcf("m.xml", text);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "taken";
}

// small swings of a rod of length 1 about its end: omega^2 = 3 g/(2 l), of a thin capsule nearly
TEST(Mjcf, ARodSwingsAboutItsHinge) {
  const std::string text = mjcf("<body name=\"rod\" pos=\"0 0 2\"><joint type=\"hinge\" axis=\"0 1 0\"/><geom type=\"capsule\" fromto=\"0 0 0 0.0998 0 -0.995\" size=\"0.001\" mass=\"2\"/></body>");
  Model model = model_of(text);
  EXPECT_EQ(model.system->dim().v, 6);
  EXPECT_EQ(model.system->dim().bilateral, 5);
  EXPECT_NEAR(model.start.q[0], 0.0499, 1e-12);
  EXPECT_NEAR(model.start.q[2], 2 - 0.4975, 1e-12);
  model.settings.end = 2 * M_PI / std::sqrt(1.5 * 9.81);  // a period, but for its amplitude of 0.1
  const RunReport report = run_model(model);
  EXPECT_NEAR(value_of(report.summary.final.q, "rod.x"), 0.0499, 2e-4);
}

// masses and inertias of shapes of density 1000, against closed forms; the hull of a cube's corners is a box
TEST(Mjcf, ShapesWeighWhatTheyDo) {
  struct Case {
    const char* geom;
    double mass;
    Vec3 inertia;
  };
  const double ball = 4.0 / 3 * M_PI * 1e-3 * 1000;
  const Case all[] = {{"type=\"sphere\" size=\"0.1\"", ball, Vec3::Constant(0.4 * ball * 0.01)},
                      {"type=\"box\" size=\"0.1 0.2 0.3\"", 48, 48.0 / 3 * Vec3(0.13, 0.10, 0.05)},
                      {"type=\"cylinder\" size=\"0.1 0.2\"", 4 * M_PI, 4 * M_PI * Vec3(0.01 / 4 + 0.04 / 3, 0.01 / 4 + 0.04 / 3, 0.01 / 2)},
                      {"mesh=\"cube\"", 48, 48.0 / 3 * Vec3(0.13, 0.10, 0.05)}};
  const std::string cube = "<asset><mesh name=\"cube\" scale=\"0.1 0.2 0.3\" vertex=\"1 1 1 -1 1 1 1 -1 1 -1 -1 1 1 1 -1 -1 1 -1 1 -1 -1 -1 -1 -1 0 0 0\"/></asset>";
  for (const Case& one : all) {
    SCOPED_TRACE(one.geom);
    const Model model = model_of(mjcf("<body name=\"b\"><freejoint/><geom " + std::string(one.geom) + "/></body>", cube));
    Terms T;
    model.system->prepare(T);
    model.system->evaluate(model.start, Need::mass, T);
    EXPECT_NEAR(T.M(0, 0), one.mass, 1e-9 * one.mass);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(T.M(3 + i, 3 + i), one.inertia[i], 1e-9);
    const Picture::Shape& shape = model.scene.bodies[0].shapes[0];
    EXPECT_EQ(shape.kind == Picture::Shape::Kind::hull, std::string(one.geom).starts_with("mesh"));
    EXPECT_EQ(shape.points.size(), shape.kind == Picture::Shape::Kind::hull ? 8u : 0u);
  }
}

// classes inherit, childclass reaches below, angles are degrees unless said
TEST(Mjcf, DefaultsAndUnitsOfAngles) {
  const std::string defaults =
      "<compiler angle=\"degree\"/><default><geom density=\"500\"/><default class=\"heavy\"><geom density=\"2000\"/><default class=\"big\"><geom size=\"0.2\"/></default></default></default>";
  const Model model = model_of(mjcf("<body name=\"a\"><freejoint/><geom size=\"0.1\"/></body>"
                                    "<body name=\"b\" childclass=\"heavy\" pos=\"1 0 0\" euler=\"0 0 90\"><freejoint/><geom size=\"0.1\"/>"
                                    "<body name=\"c\" pos=\"1 0 0\"><joint type=\"slide\" axis=\"1 0 0\"/><geom class=\"big\"/></body></body>",
                                    defaults));
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::mass, T);
  const double ball = 4.0 / 3 * M_PI * 1e-3;
  EXPECT_NEAR(T.M(0, 0), 500 * ball, 1e-9);
  EXPECT_NEAR(T.M(6, 6), 2000 * ball, 1e-9);
  EXPECT_NEAR(T.M(12, 12), 2000 * 8 * ball, 1e-9);
  EXPECT_LT((model.start.q.segment<3>(14) - Vec3(1, 1, 0)).norm(), 1e-12);  // turned by a quarter
}

TEST(Mjcf, ABallFallsOnThePlaneAndStays) {
  Model model = model_of(mjcf("<geom type=\"plane\" size=\"5 5 1\" friction=\"0.5\"/><body name=\"ball\" pos=\"0 0 0.3\"><freejoint/><geom size=\"0.1\" friction=\"0.8\"/></body>"));
  model.settings.end = 1;
  const RunReport report = run_model(model);
  EXPECT_NEAR(value_of(report.summary.final.q, "ball.z"), 0.1, 1e-9);
  EXPECT_TRUE(report.summary.sound);
}

// a motor's input is a parameter; its torque acts along the joint
TEST(Mjcf, MotorsPushAlongTheirJoints) {
  const std::string text = "<mujoco><option gravity=\"0 0 0\"/><worldbody><body name=\"rotor\"><joint name=\"shaft\" axis=\"0 0 1\"/>"
                           "<inertial pos=\"0 0 0\" mass=\"1\" diaginertia=\"0.1 0.1 0.2\"/></body></worldbody>"
                           "<actuator><motor name=\"m\" joint=\"shaft\" gear=\"3\"/><muscle joint=\"shaft\"/></actuator><sensor/></mujoco>";
  const Import import = import_mjcf("m.xml", text);
  ASSERT_EQ(import.warnings.size(), 2u);
  EXPECT_NE(import.warnings[0].find("m.xml:1:"), std::string::npos);
  EXPECT_NE(import.warnings[0].find("<muscle>"), std::string::npos) << import.warnings[0];
  EXPECT_NE(import.warnings[1].find("<sensor> is left out"), std::string::npos);
  Overrides overrides;
  overrides.parameters = {{"u_m", "2"}};
  Model model = read_model("m.yaml", import.yaml, overrides);
  model.settings.end = 0.5;
  EXPECT_NEAR(value_of(run_model(model).summary.final.v, "rotor.wz"), 3 * 2 / 0.2 * 0.5, 1e-6);
}

// a limited hinge holds an arm on which a ball lands: limits and contacts that are found go together
TEST(Mjcf, LimitsHoldWhatLandsOnThem) {
  const std::string text = mjcf("<body name=\"arm\"><joint name=\"j\" axis=\"0 -1 0\" range=\"0 60\"/><geom type=\"box\" pos=\"0.5 0 0\" size=\"0.5 0.1 0.02\"/></body>"
                                "<body name=\"ball\" pos=\"0.4 0 0.2\"><freejoint/><geom size=\"0.1\"/></body>");
  EXPECT_TRUE(import_mjcf("m.xml", text).warnings.empty());
  Model model = model_of(text);
  model.settings.end = 1;
  const RunReport report = run_model(model);
  EXPECT_TRUE(report.summary.sound);
  EXPECT_NEAR(value_of(report.summary.final.q, "arm.z"), 0, 1e-8);
  EXPECT_NEAR(value_of(report.summary.final.q, "ball.z"), 0.12, 1e-8);
}

TEST(Mjcf, LoopsAreClosedByConnectAndWeld) {
  const std::string bodies = "<body name=\"a\"><joint axis=\"0 1 0\"/><geom size=\"0.1\"/></body><body name=\"b\" pos=\"1 0 0\"><freejoint/><geom size=\"0.1\"/></body>";
  const auto closed = [&](const std::string& how) {
    return model_of("<mujoco><worldbody>" + bodies + "</worldbody><equality>" + how + "</equality></mujoco>").system->dim().bilateral;
  };
  EXPECT_EQ(closed("<connect body1=\"a\" body2=\"b\" anchor=\"0.5 0 0\"/>"), 8);
  EXPECT_EQ(closed("<weld body1=\"a\" body2=\"b\"/>"), 11);
  EXPECT_EQ(closed("<tendon tendon1=\"x\"/>"), 5);
}

TEST(Mjcf, SeveralJointsOfABodyBecomeOne) {
  const auto rows = [](const std::string& joints) { return model_of(mjcf("<body name=\"b\">" + joints + "<geom size=\"0.1\"/></body>")).system->dim().bilateral; };
  EXPECT_EQ(rows("<joint type=\"slide\" axis=\"1 0 0\"/><joint type=\"slide\" axis=\"0 0 1\"/><joint type=\"hinge\" axis=\"0 1 0\"/>"), 3);
  EXPECT_EQ(rows("<joint axis=\"1 0 0\"/><joint axis=\"0 1 0\"/>"), 4);
  EXPECT_EQ(rows("<joint axis=\"1 0 0\"/><joint axis=\"0 1 0\"/><joint axis=\"0 0 1\"/>"), 3);
  EXPECT_EQ(rows("<joint type=\"ball\"/>"), 3);
}

TEST(Mjcf, WhatCannotBeTakenIsRefusedWithItsPlace) {
  EXPECT_NE(refused("<robot/>").find("has a <mujoco> element"), std::string::npos);
  EXPECT_NE(refused("<mujoco>\n<worldbody>\n<geom size=\"1\"/></worldbody></mujoco>").find("m.xml:2:"), std::string::npos);
  EXPECT_NE(refused(mjcf("<body><joint/></body>")).find("moves and has no mass"), std::string::npos);
  EXPECT_NE(refused(mjcf("<body><joint axis=\"0 0 0\"/><geom/></body>")).find("axis of this joint is zero"), std::string::npos);
  EXPECT_NE(refused(mjcf("<body><joint/><geom size=\"a\"/></body>")).find("which is no number"), std::string::npos);
  EXPECT_NE(refused(mjcf("<body><joint class=\"smal\"/><geom/></body>", "<default><default class=\"small\"/></default>")).find("did you mean 'small'"), std::string::npos);
  const auto shape = [](const std::string& geom) { return refused(mjcf("<body><joint/>\n" + geom + "</body>")); };
  EXPECT_EQ(shape("<geom type=\"spher\" size=\"1\"/>"), "m.xml:2:1: there is no <geom> of the type 'spher'; did you mean 'sphere'?");
  EXPECT_NE(shape("<geom size=\"-1\"/>").find("m.xml:2:1: a <geom> of the type sphere has one number in its 'size', greater than 0"), std::string::npos);
  EXPECT_NE(shape("<geom type=\"box\" size=\"1 1\"/>").find("has 3 numbers"), std::string::npos);
  EXPECT_NE(shape("<geom type=\"capsule\" fromto=\"0 0 0 1 0 0\"/>").find("has 2 numbers"), std::string::npos);
  EXPECT_NE(shape("<geom type=\"mesh\" mesh=\"gone\"/>").find("there is no <mesh> 'gone'"), std::string::npos);
  EXPECT_NE(refused("<mujoco><worldbody><body><joint name=\"elbow\"/><geom size=\"1\"/></body></worldbody><actuator><motor joint=\"elbov\"/></actuator></mujoco>")
                .find("there is no joint 'elbov'; did you mean 'elbow'?"), std::string::npos);
  EXPECT_NE(refused("<mujoco><include file=\"x\"/></mujoco>").find("<include> is not read"), std::string::npos);
}

}  // namespace
}  // namespace escapement
