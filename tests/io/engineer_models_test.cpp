// Machines an engineer would write, each in under 40 lines without a generator: they run, are sound, and do what such a machine does.
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

}  // namespace
}  // namespace escapement
