// Linkages that pass positions in which their constraints lose rank for an instant and two motions cross: every scheme
// goes on with the motion whose velocity is continuous, at its own accuracy.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/iftomm.hpp"
#include "support/source_folder.hpp"

namespace escapement::dead_point_test {
namespace {

using namespace testing;

// a parallelogram of revolute joints, its cranks at this angle; in its dead points all bars lie on one line
std::string parallelogram(double angle, double rate) {
  const double r = 0.2, l = 0.5, x = r * std::cos(angle), y = r * std::sin(angle);
  const auto crank = [&](double at) {
    return fmt::format(
        "{{mass: 0.4, inertia: 1.4e-3, position: [{}, {}], angle: {}, velocity: [{}, {}], angular_velocity: {}}}",
        at + x / 2, y / 2, angle, -rate * y / 2, rate * x / 2, rate);
  };
  return fmt::format(R"(
escapement: 1
name: parallelogram
dimension: 2
gravity: [0, -9.81]
bodies:
  crank: {}
  coupler: {{mass: 1, inertia: 2.1e-2, position: [{}, {}], velocity: [{}, {}]}}
  rocker: {}
joints:
  base1: {{revolute: [ground, crank], at: [0, 0]}}
  left: {{revolute: [crank, coupler], at: [{}, {}]}}
  right: {{revolute: [coupler, rocker], at: [{}, {}]}}
  base2: {{revolute: [rocker, ground], at: [{}, 0]}}
simulation: {{end: 2, tolerance: 1e-8}}
)",
                     crank(0), l / 2 + x, y, -rate * y, rate * x, crank(l), x, y, l + x, y, l);
}

// rods of equal length: where the slider passes the crank's bearing the height of their joint no longer holds them
// apart
std::string equal_arms(double angle, double rate) {
  return fmt::format(R"(
escapement: 1
name: slider-crank with equal arms
coordinates:
  alpha1: {{start: {0}, rate: {1}}}
  alpha2: {{start: {2}, rate: {3}}}
  x: {{start: {4}, rate: {5}}}
kinetic_energy: (1/12 + 1/4)/2*alpha1'^2 + (alpha1'^2 + cos(alpha1 - alpha2)*alpha1'*alpha2' + alpha2'^2/4)/2 + alpha2'^2/24 + x'^2/2
potential_energy: 9.81*(sin(alpha1)/2 + sin(alpha1) + sin(alpha2)/2)
constraints:
  height: sin(alpha1) + sin(alpha2)
  length: x - cos(alpha1) - cos(alpha2)
simulation: {{end: 3, tolerance: 1e-8}}
)",
                     angle, rate, -angle, -rate, 2 * std::cos(angle), -2 * std::sin(angle) * rate);
}

struct Linkage {
  std::string name;
  std::function<Model()> model;
  std::function<double(const State&)> off_branch;  // 0 on the smooth motion
  double end;
};

std::vector<Linkage> linkages() {
  const std::string examples = escapement::testing::source_folder() + "/examples/";
  const auto bars = [examples](int n) {
    return [examples, n] {
      Overrides overrides;
      overrides.parameters.emplace_back("N", std::to_string(n));
      return load_model(examples + "a02_four_bars.yaml", overrides);
    };
  };
  const auto coupler = [](const State& s) { return std::abs(s.q[5]); };  // of three bodies in the plane, its angle
  std::vector<Linkage> list;
  list.push_back({"four_bar_space", [examples] { return load_model(examples + "four_bar_space.yaml"); },
                  [](const State& s) { return 2 * std::abs(s.q[13]); }, 2});
  for (const auto& [angle, rate] : {std::pair{1.5708, 3.0}, {0.3, 6.0}, {1.0, -8.0}, {0.0, 6.0}})
    list.push_back({fmt::format("parallelogram {} {}", angle, rate),
                    [a = angle, w = rate] { return read_model("parallelogram.yaml", parallelogram(a, w)); }, coupler,
                    2});
  // uprights first, then bars
  for (int n : {1, 2, 3})
    list.push_back(
        {fmt::format("a02 {}", n), bars(n), [n](const State& s) { return std::abs(s.q[3 * (n + 1) + 2]); }, 3});
  for (const auto& [angle, rate] : {std::pair{0.0, 8.0}, {-1.0, 10.0}})
    list.push_back({fmt::format("equal arms {} {}", angle, rate),
                    [a = angle, w = rate] { return read_model("equal_arms.yaml", equal_arms(a, w)); },
                    [](const State& s) { return std::abs(s.q[0] + s.q[1]); }, 3});
  return list;
}

// a step's error is at most the tolerance; at the end they may have added up
void check(const Linkage& linkage, const How& how) {
  SCOPED_TRACE(linkage.name + " " + how.scheme + " " + fmt::format("{}", how.tolerance));
  const Model model = linkage.model();
  Watch watch(*model.system);
  double off = 0;
  watch.at_sample = [&](const State& s) { off = std::max(off, linkage.off_branch(s)); };
  const Outcome outcome = run_watched(*model.system, model.start, how, linkage.end, 0.01, watch);
  EXPECT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
  const double bound = std::max(1e3, 3.0 * static_cast<double>(outcome.steps)) * how.tolerance;
  EXPECT_LT(watch.energy.error, std::min(bound, 0.05) * watch.energy.kinetic);
  EXPECT_LT(off, std::min(bound, 0.05));
}

class DeadPoints : public ::testing::TestWithParam<const char*> {};
TEST_P(DeadPoints, AreTakenSmoothly) {
  for (const Linkage& linkage : linkages())
    for (double tolerance : {1e-4, 1e-6, 1e-8, 1e-9, 1e-10}) check(linkage, {GetParam(), 0, tolerance});
}
INSTANTIATE_TEST_SUITE_P(Schemes, DeadPoints, ::testing::Values("hem5", "phem56", "mexx", "rkf45", "auto"));

class DeadPointsOfSmallSteps : public ::testing::TestWithParam<const char*> {};
TEST_P(DeadPointsOfSmallSteps, AreTakenSmoothly) {
  for (const Linkage& linkage : linkages())
    for (double tolerance : {1e-4, 1e-6}) check(linkage, {GetParam(), 0, tolerance});
}
INSTANTIATE_TEST_SUITE_P(Schemes, DeadPointsOfSmallSteps, ::testing::Values("bdf", "generalized-alpha"));

// ten thousands of steps, some of which end so close to a dead point that its rows hold a direction by rounding only
TEST(DeadPointsSlow, OfTightTolerances) {
  for (const Linkage& linkage : linkages())
    if (linkage.name == "a02 1" || linkage.name.starts_with("equal arms"))
      check(linkage, {"generalized-alpha", 0, 1e-8});
  check(linkages()[0], {"bdf", 0, 1e-9});
}

// with fixed steps nothing can be refused. A step that ends in a dead point passes it or says so
TEST(DeadPoint, AtTheEndOfAFixedStep) {
  for (const char* scheme : {"hem5", "phem56", "mexx", "rk4", "rkf45"}) {
    SCOPED_TRACE(scheme);
    // no gravity: the cranks turn evenly, a quarter turn in 128 steps, and every second quarter ends in a dead point
    std::string text = parallelogram(std::numbers::pi / 2, std::numbers::pi / 2);
    text.replace(text.find("-9.81"), 5, "0");
    const Model model = read_model("parallelogram.yaml", text);
    Watch watch(*model.system);
    const Outcome outcome = run_watched(*model.system, model.start, {scheme, 1.0 / 128}, 8, 1, watch);
    EXPECT_LT(watch.energy.error, 1e-8 * watch.energy.kinetic);
    if (outcome.status != Outcome::Status::completed) {
      EXPECT_NE(outcome.message.find("dead point"), std::string::npos) << outcome.message;
      continue;
    }
    EXPECT_NEAR(outcome.final.q[2], 4.5 * std::numbers::pi, 1e-7);
    EXPECT_NEAR(outcome.final.q[5], 0, 1e-7);
  }
}

}  // namespace
}  // namespace escapement
