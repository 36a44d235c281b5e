// The examples whose mechanism is nothing but the shapes of its bodies do what such mechanisms do.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "io/run.hpp"
#include "support/source_folder.hpp"

namespace escapement::shape_examples_test {
namespace {

RunReport run(const std::string& name) {
  Model model = load_model(escapement::testing::source_folder() + "/examples/" + name + ".yaml");
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
  return report;
}

std::vector<double> column(const RunReport& report, int k) {
  std::vector<double> values;
  for (std::size_t i = 0; i < report.result.outputs[static_cast<std::size_t>(k)].size(); ++i)
    values.push_back(report.result.outputs[static_cast<std::size_t>(k)][i]);
  return values;
}

TEST(ShapeExamples, TheClockLetsOneToothPassForEachSwing) {
  const RunReport report = run("clock_escapement");
  const std::vector<double> swing = column(report, 0), teeth = column(report, 1);
  int swings = 0;
  for (std::size_t i = 1; i < swing.size(); ++i) swings += swing[i - 1] < 0 && swing[i] >= 0;
  EXPECT_GE(swings, 4);
  EXPECT_NEAR(teeth.back() - teeth.front(), swings, 1);
  // and its push keeps the pendulum going
  EXPECT_GT(*std::max_element(swing.end() - static_cast<std::ptrdiff_t>(swing.size() / 4), swing.end()), 2.5);
}

// two beats for each swing, a tooth for both; the lever lies against its bankings but for the moments of a beat
TEST(ShapeExamples, TheWatchLetsOneToothPassForTwoBeats) {
  const RunReport report = run("watch_escapement");
  EXPECT_TRUE(report.summary.sound);
  const std::vector<double> amplitude = column(report, 0), lever = column(report, 1), teeth = column(report, 2);
  int beats = 0;
  for (std::size_t i = 1; i < amplitude.size(); ++i) beats += (amplitude[i - 1] < 0) != (amplitude[i] < 0);
  EXPECT_EQ(beats, 10);
  EXPECT_NEAR(teeth.back() - teeth.front(), 0.5 * beats, 0.1);
  double banked = 0;
  for (std::size_t i = 1; i < lever.size(); ++i)
    if (std::abs(std::abs(lever[i]) - 6) < 0.01 && std::abs(lever[i - 1] - lever[i]) < 0.01) banked += report.result.time[i] - report.result.time[i - 1];
  EXPECT_GT(banked, 1.8);  // of 2 s
  EXPECT_LT(*std::max_element(lever.begin(), lever.end()), 6 + 1e-6);
  // the swing grows from 200 degrees towards where the push makes up for the losses
  EXPECT_GT(*std::max_element(amplitude.begin(), amplitude.end()), 205);
  EXPECT_LT(*std::max_element(amplitude.begin(), amplitude.end()), 250);
}

TEST(ShapeExamples, TheRatchetGoesOneWay) {
  const RunReport report = run("ratchet");
  const std::vector<double> teeth = column(report, 0);
  EXPECT_GT(teeth.back(), 8);
  double most = 0;
  for (double here : teeth) {
    most = std::max(most, here);
    EXPECT_LT(most - here, 1.1);  // back to the last tooth
  }
}

TEST(ShapeExamples, TheTippeTopTurnsOver) {
  const std::vector<double> inclination = column(run("tippe_top"), 0);
  EXPECT_LT(inclination.front(), 6);
  EXPECT_GT(inclination.back(), 150);
}

TEST(ShapeExamples, TheValveOpensAndCloses) {
  const std::vector<double> lift = column(run("rocker_valve_train"), 0);
  EXPECT_GT(*std::max_element(lift.begin(), lift.end()), 5);
  EXPECT_GT(*std::min_element(lift.begin(), lift.end()), -1e-6);  // in millimetres: never above its seat
}

// of the same size as the one by formulas, which sinks by 0.128 m in the second: angles are not taken for small here
TEST(ShapeExamples, TheWoodpeckerPecksItsWayDown) {
  const RunReport report = run("woodpecker_shapes");
  const std::vector<double> height = column(report, 0);
  EXPECT_LT(height.back(), -120);
  EXPECT_GT(height.back(), -160);
  int pecks = 0;
  for (std::size_t i = 0; i < report.result.events.time.size(); ++i)
    pecks += report.result.events.kind[i] == "impact" && report.result.events.contact[i] == "beak";
  EXPECT_GE(pecks, 5);
}

// also far from the origin, where rounding of a gap turns its light sleeve by 1e-12 rad and more. It jams, and rounding decides how its edges
// share their forces, so that heights differ a little
TEST(ShapeExamples, TheWoodpeckerPecksFarFromTheOrigin) {
  std::ifstream file(escapement::testing::source_folder() + "/examples/woodpecker_shapes.yaml");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto height = [&](const std::string& x) {
    std::string moved = text;
    const auto replace = [&](const std::string& from, const std::string& to) { moved.replace(moved.find(from), from.size(), to); };
    replace("at: [0, -0.07]", "at: [" + x + ", -0.07]");
    replace("    angle: tilt\n", "    position: [" + x + ", 0]\n    angle: tilt\n");
    replace("position: [lM*cos(tilt)", "position: [" + x + " + lM*cos(tilt)");
    replace("at: [0, 0], axis", "at: [" + x + ", 0], axis");
    replace("at: [lM*cos(tilt)", "at: [" + x + " + lM*cos(tilt)");
    replace("end: 1,", "end: 0.2,");
    Model model = read_model("woodpecker_shapes.yaml", moved);
    const RunReport report = run_model(model);
    EXPECT_EQ(report.summary.verdict(), "sound") << x << "\n" << to_text(report.summary);
    EXPECT_LT(report.outcome.rejected_steps, report.outcome.steps / 10) << x;
    return column(report, 0).back();
  };
  const double here = height("0");
  EXPECT_NEAR(here, -23.4, 0.3);
  for (const char* x : {"7", "-700"}) EXPECT_NEAR(height(x), here, 0.3) << x;
}

// Omega^2 sin(a) = 4 g/r while it sinks, and the inclination falls as the resistance says
TEST(ShapeExamples, TheSpinningDiscGoesAroundFasterAndFaster) {
  Model model = load_model(escapement::testing::source_folder() + "/examples/spinning_disc.yaml");
  const RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "stopped") << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
  const std::vector<double> inclination = column(report, 0), turns = column(report, 1), law = column(report, 2);
  EXPECT_NEAR(inclination.back(), 6, 0.1);
  EXPECT_GT(turns.back(), 1.7 * turns.front());
  for (double one : law) EXPECT_NEAR(one, 0.85, 0.25);  // it nods while it sinks
  EXPECT_NEAR(report.summary.t, std::log(5) / 0.6, 0.5);
}

}  // namespace
}  // namespace escapement
