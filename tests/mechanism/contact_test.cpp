// Contacts of mechanisms: gaps written with the names of bodies, and limits of joints, with every scheme that takes
// them.
#include <gtest/gtest.h>

#include <cmath>

#include "io/model_file.hpp"
#include "simulate/simulation.hpp"

namespace escapement {
namespace {

// a block falls 1 m along a guide and bounces with restitution 0.5 on a floor or on the guide's end
std::string block(int dimension, bool limit) {
  const bool plane = dimension == 2;
  std::string text = "escapement: 1\ndimension: " + std::to_string(dimension);
  text += plane ? "\ngravity: [0, -9.81]\n" : "\ngravity: [0, -9.81, 0]\n";
  text += std::string("bodies: {block: {mass: 2, inertia: ") + (plane ? "0.1" : "[0.1, 0.2, 0.3]") + "}}\n";
  text += std::string("joints:\n  guide: {prismatic: [ground, block], at: ") +
          (plane ? "[0, 0], axis: [0, 1]" : "[0, 0, 0], axis: [0, 1, 0]");
  text += limit ? ", length_limits: [-1, 5], restitution: 0.5}\n"
                : "}\ncontacts: {floor: {gap: block.y + 1, restitution: 0.5}}\n";
  return text + "simulation: {end: 1}\n";
}

double height_after(double t) {
  double v = std::sqrt(2 * 9.81), at = v / 9.81;  // the first impact
  for (; t > at + 2 * 0.5 * v / 9.81; at += 2 * v / 9.81) v *= 0.5;
  v *= 0.5;
  return -1 + v * (t - at) - 0.5 * 9.81 * (t - at) * (t - at);
}

class BouncingBlock : public ::testing::TestWithParam<std::string> {};

TEST_P(BouncingBlock, FollowsTheClosedForm) {
  const bool located = find_scheme(GetParam())->info.time_stepping == false;
  for (int dimension : {2, 3})
    for (bool limit : {false, true}) {
      const Model model = read_model("block.yaml", block(dimension, limit));
      Settings settings = model.settings;
      settings.scheme = GetParam();
      settings.tolerance.reset();
      settings.step = 5e-4;
      const RunOptions options = check_options(settings);
      auto scheme = make_scheme(GetParam(), settings.options);
      Simulation simulation(*model.system, *scheme, settings, options.loop);
      const Outcome outcome = simulation.run(model.start);
      ASSERT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
      // a time-stepping scheme meets an impact up to a step late, at 4.43 m/s
      EXPECT_NEAR(outcome.final.q[1], height_after(1), located ? 1e-9 : 5e-4 * 4.43) << dimension << limit;
    }
}

INSTANTIATE_TEST_SUITE_P(Schemes, BouncingBlock,
                         ::testing::Values("hem5", "rk4", "moreau-jean", "moreau-midpoint",
                                           "moreau-midpoint-ggl-decoupled", "moreau-midpoint-ggl",
                                           "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"));

}  // namespace
}  // namespace escapement
