// Machines an engineer would write, each in under 40 lines without a generator: they run, are sound, and do what such a machine does.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "io/model_file.hpp"
#include "io/run.hpp"
#include "support/source_folder.hpp"

namespace escapement::engineer_models_test {
namespace {

using std::numbers::pi;

struct Machine {
  explicit Machine(const std::string& name)
      : path(escapement::testing::source_folder() + "/examples/" + name + ".yaml"), model(load_model(path)), report(run_model(model)) {
    EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
    EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
    std::ifstream in(path);
    EXPECT_LT(std::count(std::istreambuf_iterator<char>(in), {}, '\n'), 40);
  }
  Column output(const std::string& name) const {
    const Column column = report.result.outputs[name];
    if (column.empty()) throw std::out_of_range(name);
    return column;
  }
  double output_at(const std::string& name, double t) const {
    const auto& time = report.result.time;
    return output(name)[static_cast<std::size_t>(std::lower_bound(time.begin(), time.end(), t - 1e-9) - time.begin())];
  }
  double final_q(const char* name) const { return value_of(report.summary.final.q, name); }
  double final_v(const char* name) const { return value_of(report.summary.final.v, name); }
  long impacts() const { return report.summary.impacts; }

  std::string path;
  Model model;
  RunReport report;
};

double largest(const Column values) { return *std::max_element(values.begin(), values.end()); }
double smallest(const Column values) { return *std::min_element(values.begin(), values.end()); }

// the rocker's pin is where two circles meet
TEST(EngineerModels, FourBarLinkageFollowsItsGeometry) {
  const Machine machine("four_bar_linkage");
  const double a = 0.1, b = 0.4, c = 0.3, d = 0.4;
  const auto& swing = machine.output("swing");
  for (std::size_t i = 0; i < swing.size(); i += 50) {
    const double phi = 4 * pi * machine.report.result.time[i];
    const double x = a * std::cos(phi) - d, y = a * std::sin(phi), r = std::hypot(x, y);
    const double inner = std::acos((c * c + r * r - b * b) / (2 * c * r));
    const double angle = std::atan2(y, x) - inner;
    EXPECT_NEAR(std::remainder(swing[i] * pi / 180 - angle, 2 * pi), 0, 1e-6) << i;
  }
}

TEST(EngineerModels, ValveLiftsAndBounces) {
  const Machine machine("valve_train");
  EXPECT_NEAR(largest(machine.output("valve")), 7.8, 0.3);  // the cam's 8 mm less the lash, with a little float
  EXPECT_GE(smallest(machine.output("valve")), -1e-9);
  EXPECT_GT(machine.impacts(), 10);
}

TEST(EngineerModels, LegStrikesTheGround) {
  const Machine machine("biped_leg");
  EXPECT_GT(machine.impacts(), 0);
  EXPECT_GE(smallest(machine.output("clearance")), -1e-6);
  const auto &load = machine.output("load"), &grip = machine.output("grip");
  EXPECT_GT(largest(load), 10);
  for (std::size_t i = 0; i < load.size(); ++i) EXPECT_LE(std::abs(grip[i]), 0.6 * load[i] + 1e-9);
}

TEST(EngineerModels, GripperLiftsTheBox) {
  const Machine machine("gripper");
  const double raised = 40 + 500 * std::sin(40 * pi / 180);  // in mm, where nothing slips
  EXPECT_NEAR(machine.output("height").back(), raised, 0.02 * raised);
  EXPECT_NEAR(machine.output_at("height", 0.7), 40, 1e-6);  // still on the table
}

TEST(EngineerModels, RopesGoSlackAndTight) {
  const Machine machine("bar_on_ropes");
  EXPECT_GT(largest(machine.output("slack_left")), 1);
  EXPECT_GE(smallest(machine.output("slack_left")), -1e-6);
  EXPECT_GE(smallest(machine.output("slack_right")), -1e-6);
  EXPECT_GT(machine.impacts(), 1);
}

// the pad's force has corners: every phase has a closed form
TEST(EngineerModels, BrakeStopsHoldsAndLetsGo) {
  const Machine machine("drum_brake");
  const double J = 0.8, rub = 0.45 * 0.3, load = 12;
  const double free = (load - rub) / J;
  double omega = 25 + free + (load * 0.5 - rub * (0.5 + 45)) / J;
  const double stops = 1.5 - omega / ((load - rub * 181) / J);
  ASSERT_LT(stops, 5);
  const double slides = 5 + (181 - load / rub) / 450, ramp = rub * 450 / J;
  omega = ramp * (5.4 - slides) * (5.4 - slides) / 2 + 2.6 * free;
  EXPECT_NEAR(machine.final_v("angle"), omega, 1e-7 * omega);
}

TEST(EngineerModels, GenevaWheelTurnsAQuarterPerRevolution) {
  const Machine machine("geneva_drive");
  EXPECT_NEAR(machine.final_q("wheel"), -pi, 1.01e-3);
  EXPECT_NEAR(machine.output_at("wheel_angle", 0.3), 0, 0.06);     // locked, the pin is still outside
  EXPECT_NEAR(machine.output_at("wheel_angle", 0.5), -45, 1);      // the pin is halfway
  EXPECT_NEAR(machine.output_at("wheel_angle", 0.7), -90, 0.1);    // and outside again
}

// a rolling solid ball goes round twice for seven turns of the table
TEST(EngineerModels, BallOnATurntableGoesRoundInSevenSeconds) {
  const Machine machine("turntable");
  const auto& q = machine.report.result.q;
  const auto& time = machine.report.result.time;
  const auto at = [&](double t) { return static_cast<std::size_t>(std::lower_bound(time.begin(), time.end(), t - 1e-9) - time.begin()); };
  for (double t : {2.0, 3.5, 5.0})
    for (const char* name : {"x", "y"}) EXPECT_NEAR(q[name][at(t)], q[name][at(t + 7)], 1e-8) << name << " at " << t;
  EXPECT_GT(std::abs(q["x"][at(2)] - q["x"][at(5.5)]), 0.05);
}

// the integral leaves no error of the speed; the current then balances load and drag
TEST(EngineerModels, MotorHoldsItsSpeedUnderLoad) {
  const Machine machine("motor_pi");
  EXPECT_NEAR(machine.output("speed").back(), 1500, 0.01);
  EXPECT_LT(machine.output_at("speed", 1.1), 1450);  // the load is felt
  const double omega = 50 * pi;
  EXPECT_NEAR(machine.report.result.states["current"].back(), (0.5 + 2e-4 * omega) / 0.08, 1e-3);
  EXPECT_LE(largest(machine.output("voltage")), 24);
}

TEST(EngineerModels, PendulumRestsInItsDryBearing) {
  const Machine machine("journal_bearing");
  EXPECT_EQ(machine.final_v("arm.angle"), 0);
  EXPECT_GT(std::abs(std::remainder(machine.output("swing").back() + 90, 360)), 0.01);  // held beside its lowest place
  EXPECT_NEAR(machine.output("carried").back(), 2 * 9.81, 1e-6);
}

// the impulse is shared by the drive, the contact and the brake: three forces on two motions, whose shares only the scheme knows
TEST(EngineerModels, DrivenRamStrikesAPartThatIsBraked) {
  const std::string text = R"(
escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {mass: 0.3, inertia: 1e-3, position: [0.05, 0]}
  rod: {mass: 0.2, inertia: 2e-3, position: [0.25, 0]}
  ram: {mass: 1, inertia: 1e-2, position: [0.4, 0], shapes: [{box: [0.04, 0.04]}]}
  part: {mass: 0.5, inertia: 1e-3, position: [0.45, 0], velocity: [-3, 0], shapes: [{box: [0.02, 0.05]}]}
joints:
  shaft: {revolute: [ground, crank], at: [0, 0], angle: 10*t}
  big: {revolute: [crank, rod], at: [0.1, 0]}
  wrist: {revolute: [rod, ram], at: [0.4, 0]}
  guide: {prismatic: [ground, ram], at: [0.4, 0], axis: [1, 0]}
  slide: {prismatic: [ground, part], at: [0.45, 0], axis: [1, 0]}
contacts:
  hit: {between: [ram, part], friction: 0.1, restitution: 0.3}
forces:
  pad: {friction: slide, size: 20, law: coulomb}
assemble: true
)";
  // (x, v) after the blow, from the crank's geometry alone: the part starts at 3 m/s and is braked by 40 m/s^2
  const auto ram = [](double t) { return 0.1 * std::cos(10 * t) + std::sqrt(0.09 - std::pow(0.1 * std::sin(10 * t), 2)); };
  double hit = 0.007;
  const auto distance = [&](double t) { return 0.45 - 3 * t + 20 * t * t - 0.01 - (ram(t) + 0.02); };
  for (int i = 0; i < 50; ++i) hit -= distance(hit) / ((distance(hit + 1e-7) - distance(hit - 1e-7)) / 2e-7);
  const double speed = (ram(hit + 1e-6) - ram(hit - 1e-6)) / 2e-6, before = -3 + 40 * hit, after = speed - 0.3 * (before - speed);
  const double rest = 0.45 - 3 * hit + 20 * hit * hit + after * after / 80;
  for (const char* settings : {"{end: 0.1, scheme: hem5, tolerance: 1e-6}", "{end: 0.1, scheme: moreau-midpoint-ggl, tolerance: 1e-6}",
                               "{end: 0.1, scheme: moreau-midpoint-ggl, step: 1e-4}", "{end: 0.1, scheme: nonsmooth-generalized-alpha, step: 1e-4}",
                               "{end: 0.1, scheme: nonsmooth-generalized-alpha-ggl, tolerance: 1e-6}", "{end: 0.1, scheme: moreau-jean, step: 1e-4}"}) {
    Model model = read_model("ram.yaml", text + "simulation: " + settings);
    const RunReport report = run_model(model);
    EXPECT_EQ(report.summary.verdict(), "sound") << settings << to_text(report.summary);
    EXPECT_EQ(report.summary.impacts, 1) << settings;
    const bool coarse = std::string(settings).find("step") != std::string::npos;
    EXPECT_NEAR(value_of(report.summary.final.q, "part.x"), rest, coarse ? 1e-4 : 1e-5) << settings;
    EXPECT_LT(report.summary.energy.max_error, 0.01) << settings;  // of 2.4 J; with the wrong shares it was 0.15
  }
}

// what the puck takes from the table is no work of the drive, whatever the scheme knows of contacts that are found anew
TEST(EngineerModels, APuckSlidesOnAShakenTable) {
  const std::string text = R"(
escapement: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  table: {mass: 10, inertia: [1, 1, 1], position: [0, 0, -0.05], velocity: [0.4, 0, 0], shapes: [{box: [2, 2, 0.1]}]}
  puck: {mass: 0.3, inertia: [1e-3, 1e-3, 2e-3], position: [0.1, 0, 0.02], shapes: [{cylinder: [0.04, 0.1]}]}
joints:
  drive: {prismatic: [ground, table], at: [0, 0, -0.05], axis: [1, 0, 0], length: 0.02*sin(20*t)}
contacts:
  on: {between: [puck, table], friction: 0.3}
simulation: {end: 2)";
  // friction brings the puck to the table's speed as fast as it can
  double x = 0.1, v = 0;
  for (int k = 0; k < 2000000; ++k) {
    const double most = 0.3 * 9.81e-6;
    v += std::clamp(0.4 * std::cos(20 * (k + 0.5) * 1e-6) - v, -most, most);
    x += 1e-6 * v;
  }
  double coarse = 0;
  for (const double step : {4e-3, 1e-3}) {
    Model model = read_model("puck.yaml", fmt::format("{}, step: {}}}\n", text, step));
    const RunReport report = run_model(model);
    EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
    EXPECT_LT(report.summary.energy.max_error, 1e-9);
    const double error = std::abs(value_of(report.summary.final.q, "puck.x") - x);
    EXPECT_LT(error, step);
    if (coarse > 0) {  // first order
      EXPECT_LT(error, 0.5 * coarse);
    }
    coarse = error;
  }
}

}  // namespace
}  // namespace escapement
