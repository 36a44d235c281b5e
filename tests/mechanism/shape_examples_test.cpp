// The examples whose mechanism is nothing but the shapes of its bodies do what such mechanisms do.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/run.hpp"

namespace escapement {
namespace {

RunReport run(const std::string& name) {
  Model model = load_model(std::string(ESCAPEMENT_SOURCE_DIR) + "/examples/" + name + ".yaml");
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

}  // namespace
}  // namespace escapement
