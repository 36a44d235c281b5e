// Contacts of mechanisms: gaps written with the names of bodies, and limits of joints, with every scheme that takes
// them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "io/model_file.hpp"
#include "model/mechanism.hpp"
#include "simulate/simulation.hpp"
#include "support/rough_chain.hpp"

namespace escapement::contact_test {
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

// Coulomb friction of constant size in a joint, as a set-valued law
std::string braked(int dimension, const std::string& more) {
  const bool plane = dimension == 2;
  std::string text = "escapement: 1\nparameters: {size: 0.25, load: 0.1}\ndimension: " + std::to_string(dimension);
  text += plane ? "\ngravity: [0.4, -9.81]\n" : "\ngravity: [0.4, -9.81, 0]\n";
  text += std::string("bodies: {rotor: {mass: 1, inertia: ") + (plane ? "0.5, angular_velocity: 3" : "[0.3, 0.4, 0.5], angular_velocity: [0, 0, 3]") + "}}\n";
  text += std::string("joints: {pin: {revolute: [ground, rotor], at: ") + (plane ? "[0, 0]" : "[0, 0, 0], axis: [0, 0, 1]") + "}}\n";
  text += std::string("forces:\n  brake: {friction: pin, size: size, law: coulomb}\n  motor: {torque: rotor, value: ") + (plane ? "load" : "[0, 0, load]") + "}\n";
  return text + "outputs: {angle: pin.angle, rate: pin.angle'}\n" + more;
}

class Brake : public ::testing::TestWithParam<std::string> {
 protected:
  struct Seen : Observer {
    const Model& model;
    StateFunction outputs;
    std::vector<std::array<double, 3>> rows;  // t, angle, rate
    explicit Seen(const Model& m) : model(m), outputs(m.outputs) {}
    void sample(const State& s) override {
      double values[2];
      outputs.evaluate(s, values);
      rows.push_back({s.t, values[0], values[1]});
    }
  };
  static Seen run(const Model& model, double step) {
    Settings settings = model.settings;
    settings.scheme = GetParam();
    settings.tolerance.reset();
    settings.step = step;
    const RunOptions options = check_options(settings);
    auto scheme = make_scheme(GetParam(), settings.options);
    Simulation simulation(*model.system, *scheme, settings, options.loop);
    Seen seen(model);
    simulation.observe(seen);
    const Outcome outcome = simulation.run(model.start);
    EXPECT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
    return seen;
  }
  static bool located() { return !find_scheme(GetParam())->info.time_stepping; }
};

// 0.5 w' = 0.1 - 0.25 while it turns: it stops after 10 s and 15 rad, and stays because 0.1 < 0.25
TEST_P(Brake, StopsARotorInFiniteTimeAndHoldsIt) {
  for (int dimension : {2, 3}) {
    const Model model = read_model("brake.yaml", braked(dimension, "simulation: {end: 14, save_every: 0.5}\n"));
    double last = 0;
    for (double step : {0.07, 0.035}) {
      const Seen seen = run(model, step);
      double worst = 0, held = 0, moved = 0;
      for (const auto& [t, angle, rate] : seen.rows) {
        worst = std::max(worst, std::abs(angle - (t < 10 ? 3 * t - 0.15 * t * t : 15)));
        if (t < 10.5) continue;
        held = std::max(held, std::abs(rate));
        moved = std::max(moved, std::abs(angle - seen.rows.back()[1]));
      }
      EXPECT_LT(held, 1e-15) << step;
      EXPECT_LT(moved, 1e-14) << step;
      // the step that stops is the only one with an error, which is below h times the rate it takes away; samples between
      // steps of time-stepping schemes lie on a chord, and quaternions that add up slopes are of order 4 with rk4
      EXPECT_LT(worst, !located() ? 0.3 * step * step : dimension == 2 ? 1e-8 : 0.3 * std::pow(step, 4)) << step;
      if (last > 0 && !located()) {
        EXPECT_LT(worst, 0.6 * last);
      }
      last = worst;
    }
  }
}

// with a load above the bound it does not stop
TEST_P(Brake, DoesNotHoldMoreThanItsBound) {
  Overrides overrides;
  overrides.parameters = {{"load", "0.3"}};
  const Model model = read_model("brake.yaml", braked(2, "simulation: {end: 2, save_every: 0.5}\n"), overrides);
  const Seen seen = run(model, 0.01);
  EXPECT_NEAR(seen.rows.back()[2], 3 + 2 * (0.3 - 0.25) / 0.5, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Schemes, Brake,
                         ::testing::Values("hem5", "rk4", "generalized-alpha", "bdf", "structural-implicit", "moreau-jean", "moreau-midpoint",
                                           "moreau-midpoint-ggl-decoupled", "moreau-midpoint-ggl", "nonsmooth-generalized-alpha",
                                           "nonsmooth-generalized-alpha-ggl"));

// a chain falls on a rough floor: its links touch one after the other, its first hinge meets a stop
std::string falling_chain(int dimension, int links) {
  const bool plane = dimension == 2;
  std::string bodies, joints, contacts;
  for (int k = 1; k <= links; ++k) {
    const std::string name = "l" + std::to_string(k), x = std::to_string(0.2 * k - 0.1), pin = std::to_string(0.2 * k - 0.2);
    bodies += "  " + name + (plane ? ": {mass: 0.2, inertia: 7e-4, position: [" + x + ", 0]}\n"
                                   : ": {mass: 0.2, inertia: [1e-4, 7e-4, 7e-4], position: [" + x + ", 0, 0]}\n");
    joints += "  p" + std::to_string(k) + ": {revolute: [" + (k == 1 ? "ground" : "l" + std::to_string(k - 1)) + ", " + name + "], at: [" + pin +
              (plane ? ", 0]" : k % 2 == 0 ? ", 0, 0], axis: [0, 0.2, 1]" : ", 0, 0], axis: [0, 0, 1]") +
              (k == 1 ? ", angle_limits: [-0.9, 1]" : "") + "}\n";
    contacts += "  f" + std::to_string(k) + ": {gap: " + name + ".y + 0.3, restitution: 0.2, friction: 0.3, slip: " + name + ".x'}\n";
  }
  return "escapement: 1\ndimension: " + std::to_string(dimension) + (plane ? "\ngravity: [0, -9.81]" : "\ngravity: [0, -9.81, 0]") +
         "\nbodies:\n" + bodies + "joints:\n" + joints + "contacts:\n" + contacts + "simulation: {end: 0.5, step: 1e-3}\n";
}

class LargeSystem : public ::testing::TestWithParam<std::string> {};

// from some size on storage is sparse and closed contacts are a border: the motion is that of the dense system
template <int D>
void expect_same_motion(const std::string& id, int links) {
  Outcome outcomes[2];
  for (Storage storage : {Storage::dense, Storage::sparse}) {
    const Model model = read_model("chain.yaml", falling_chain(D, links));
    auto* mechanism = dynamic_cast<Mechanism<D>*>(model.system.get());
    ASSERT_TRUE(mechanism);
    mechanism->finish(storage);
    ASSERT_EQ(mechanism->is_sparse(), storage == Storage::sparse);
    auto scheme = make_scheme(id);
    Simulation simulation(*model.system, *scheme, model.settings, check_options(model.settings).loop);
    Outcome& outcome = outcomes[storage == Storage::sparse];
    outcome = simulation.run(model.start);
    ASSERT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
  }
  const State &dense = outcomes[0].final, &sparse = outcomes[1].final;
  EXPECT_GT(dense.lambda.tail(dense.lambda.size() - (D == 2 ? 2 : 5) * links).cwiseAbs().maxCoeff(), 0) << "something touches at the end";
  EXPECT_LT((dense.q - sparse.q).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((dense.v - sparse.v).cwiseAbs().maxCoeff(), 1e-7);
}

TEST_P(LargeSystem, MovesLikeADenseOne) {
  expect_same_motion<2>(GetParam(), 5);
  expect_same_motion<3>(GetParam(), 4);
}

// contacts that stick, slide and open all at once: sets that come back are left by changing one row at a time
TEST_P(LargeSystem, ManyRoughContactsAreSolvedInEveryStep) {
  const Model model = testing::rough_chain(20, "l{k}.y + l/2*sin(l{k}.angle) + 0.3", 0.6);
  auto scheme = make_scheme(GetParam());
  Simulation simulation(*model.system, *scheme, model.settings, check_options(model.settings).loop);
  const Outcome outcome = simulation.run(model.start);
  ASSERT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
  EXPECT_EQ(outcome.rejected_steps, 0);
}

INSTANTIATE_TEST_SUITE_P(Schemes, LargeSystem,
                         ::testing::Values("moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl-decoupled", "moreau-midpoint-ggl",
                                           "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"));

// where many stick that hardly can move against one another, their sets come back; that is noticed soon
TEST(LargeSystemSlow, SetsThatComeBackAreLeftSoon) {
  const Model model = testing::rough_chain(30, "l{k}.y + l/2*sin(l{k}.angle) + 0.3", 0.6);
  auto scheme = make_scheme("nonsmooth-generalized-alpha");
  Simulation simulation(*model.system, *scheme, model.settings, check_options(model.settings).loop);
  const Outcome outcome = simulation.run(model.start);
  ASSERT_EQ(outcome.status, Outcome::Status::completed) << outcome.message;
  EXPECT_EQ(outcome.rejected_steps, 0);
  EXPECT_LE(outcome.newton_iterations, 7 * outcome.steps);
}

// Rows that depend on one another disagree in rounding: at rest two stops hold one motion that a brake holds as well
constexpr const char* braked_linkage = R"(escapement: 1
parameters: {a: 0.45}
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  left: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [0.5*cos(a), 0, 0.5*sin(a)], orientation: {axis: [0, 1, 0], angle: -a}}
  right: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [1 + 0.5*cos(a), 0, 0.5*sin(a)], orientation: {axis: [0, 1, 0], angle: -a}}
  bar: {mass: 1, inertia: [0.001, 1/12, 1/12], position: [0.5 + cos(a), 0, sin(a)]}
joints:
  base0: {revolute: [ground, left], at: [0, 0, 0], axis: [0, 1, 0]}
  base1: {revolute: [ground, right], at: [1, 0, 0], axis: [0, 1, 0]}
  top0: {revolute: [left, bar], at: [cos(a), 0, sin(a)], axis: [0, 1, 0]}
  top1: {revolute: [bar, right], at: [1 + cos(a), 0, sin(a)], axis: [0, 1, 0]}
forces:
  brake: {friction: base0, size: 2, law: coulomb}
contacts:
  stop0: {gap: left.z - 0.2, restitution: 0.5}
  stop1: {gap: right.z - 0.2, restitution: 0.5}
simulation: {end: 1, step: 1e-3}
)";

// hinged blocks on two feet each; their hinge's brake and their impact laws ask for different velocities while they settle
constexpr const char* hinged_blocks = R"(escapement: 1
dimension: 2
gravity: [0, -9.81]
bodies:
  A: {mass: 1, inertia: 0.1, position: [-0.5, 0.45]}
  B: {mass: 1.3, inertia: 0.13, position: [0.5, 0.45]}
joints:
  pin: {revolute: [A, B], at: [0, 0.45]}
forces:
  brake: {friction: pin, size: 2, law: coulomb}
contacts:
  a1: {gap: A.y - 0.25*cos(A.angle) - 0.4*sin(A.angle), restitution: 0.5}
  a2: {gap: A.y - 0.25*cos(A.angle) + 0.4*sin(A.angle), restitution: 0.5}
  b1: {gap: B.y - 0.25*cos(B.angle) - 0.4*sin(B.angle), restitution: 0.5}
  b2: {gap: B.y - 0.25*cos(B.angle) + 0.4*sin(B.angle), restitution: 0.5}
simulation: {end: 1, step: 5e-3}
)";

class DependentRows : public ::testing::TestWithParam<std::string> {};

TEST_P(DependentRows, TakeFewIterationsAtRest) {
  for (const char* text : {braked_linkage, hinged_blocks}) {
    const Model model = read_model("rest.yaml", text);
    auto scheme = make_scheme(GetParam());
    State s = model.start, s1;
    scheme->start(*model.system, s);
    s1 = s;
    const int steps = text == braked_linkage ? 600 : 300, resting = 100;
    int impacts = 0, iterations = 0, most = 0;
    for (int i = 0; i < steps; ++i) {
      const StepReport report = scheme->step(*model.system, s, *model.settings.step, s1);
      ASSERT_TRUE(report.ok()) << i;
      std::swap(s, s1);
      if (i < steps - resting) continue;
      impacts += static_cast<int>(scheme->impacts().size());
      iterations += report.newton_iterations;
      most = std::max(most, report.newton_iterations);
    }
    EXPECT_LT(s.v.cwiseAbs().maxCoeff(), 1e-9) << "at rest";
    EXPECT_EQ(impacts, 0);
    // those of the step without contacts, which decides what may close, included
    EXPECT_LE(iterations, 5 * resting) << s.t;
    EXPECT_LE(most, 8);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, DependentRows,
                         ::testing::Values("moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"));

}  // namespace
}  // namespace escapement
