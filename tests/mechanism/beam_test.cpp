// Beams read from model files against exact solutions: large bends, frequencies, motions; and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "io/model_file.hpp"
#include "io/run.hpp"
#include "math/rotation.hpp"
#include "schemes/newton.hpp"
#include "simulate/statics.hpp"

namespace escapement::beam_test {
namespace {

using std::numbers::pi;

Model read(const std::string& text) { return read_model("m.yaml", "escapement: 1\n" + text); }

const std::string end = "simulation: {end: 1, scheme: generalized-alpha, step: 0.01}\n";

double coordinate(const Model& model, const State& s, const std::string& name) {
  const auto& names = model.system->names().q;
  const auto it = std::find(names.begin(), names.end(), name);
  EXPECT_NE(it, names.end()) << name;
  return s.q[static_cast<int>(it - names.begin())];
}

// distance of the last node from where it should be, at rest
double tip_error(const Model& model, int elements, const std::vector<double>& tip) {
  const Equilibrium found = find_equilibrium(*model.system, model.start);
  EXPECT_TRUE(found.found) << elements;
  double square = 0;
  for (std::size_t i = 0; i < tip.size(); ++i) {
    const double x = coordinate(model, found.state, "arm." + std::to_string(elements) + "." + "xyz"[i]);
    square += (x - tip[i]) * (x - tip[i]);
  }
  return std::sqrt(square);
}

Model cantilever(int elements, double stiffness, const std::string& load) {
  return read("dimension: 2\nbeams:\n  arm: {from: [0, 0], to: [1, 0], elements: " + std::to_string(elements) +
              ", section: {EA: " + std::to_string(stiffness) + ", GA: " + std::to_string(stiffness) +
              ", EI: 1, mass: 1, inertia: 1e-4}}\n" +
              "joints: {clamp: {fixed: [ground, arm.start]}}\nforces:\n  tip: {" + load + "}\n" + end);
}

// a moment bends a beam into a circle: exact with any number of elements, and half a circle hides nothing
TEST(BeamStatics, RollsUpExactly) {
  for (int n : {2, 4, 8, 16, 32})
    EXPECT_LT(tip_error(cantilever(n, 1e5, "torque: arm.end, value: pi"), n, {0, 2 / pi}), 1e-13) << n;
  for (int n : {4, 8, 16, 32})
    EXPECT_LT(tip_error(cantilever(n, 1e5, "torque: arm.end, value: 2*pi"), n, {0, 0}), 1e-12) << n;
}

// a force P across the tip; with EA = GA = k the tip goes P/k farther along the force
TEST(BeamStatics, ElasticaConverges) {
  const double x = 0.44500440224625, y = 0.81060902488030;
  const auto error = [&](int n, double k) {
    return tip_error(cantilever(n, k, "force: arm.end, value: [0, 10]"), n, {x, y + 10 / k});
  };
  const double stiff[] = {error(8, 1e5), error(16, 1e5), error(32, 1e5)}, most[] = {1.8e-5, 1.1e-6, 7.3e-8};
  for (int i = 0; i < 3; ++i) EXPECT_LT(stiff[i], 1.5 * most[i]) << i;
  EXPECT_NEAR(std::log2(stiff[0] / stiff[1]), 4, 0.3);  // order 4 while strains are small
  const double soft[] = {error(8, 1e3), error(16, 1e3), error(32, 1e3)}, most_soft[] = {6.4e-5, 1.6e-5, 4.2e-6};
  for (int i = 0; i < 3; ++i) EXPECT_LT(soft[i], 1.5 * most_soft[i]) << i;
  EXPECT_NEAR(std::log2(soft[1] / soft[2]), 2, 0.1);
}

TEST(BeamStatics, MoreElasticas) {
  const struct {
    double P, x, y;
  } exact[] = {{1, 0.94356676371662, 0.30172077379981},
               {2, 0.83935827917483, 0.49345748039671},
               {5, 0.61237163927557, 0.71379152361191}};
  for (const auto& [P, x, y] : exact)
    EXPECT_LT(
        tip_error(cantilever(16, 1e6, "force: arm.end, value: [0, " + std::to_string(P) + "]"), 16, {x, y + P / 1e6}),
        2e-6)
        << P;
}

Model bend(int elements, double force) {
  return read(
      "dimension: 3\nbeams:\n  arm: {from: [0, 0, 0], arc: {centre: [0, 100, 0], axis: [0, 0, 1], angle: pi/4}, "
      "elements: " +
      std::to_string(elements) +
      ", section: {EA: 1e7, GA: 5e6, GJ: 1e7/12, EI: 1e7/12, mass: 1, inertia: [2, 1, 1]}}\n"
      "joints: {clamp: {fixed: [ground, arm.start]}}\nforces:\n  tip: {force: arm.end, value: [0, 0, " +
      std::to_string(force) + "]}\n" + end);
}

// an arc of 45 degrees loaded across its plane; the references are those of a shooting method
TEST(BeamStatics, BendOf45DegreesConverges) {
  const std::vector<double> at_600{47.15043857, 15.68480053, 53.47485879}, at_300{58.7791225, 22.2447809, 40.1918917};
  const double most[] = {8.3e-3, 2.0e-3, 4.9e-4};
  double error[3];
  for (int i = 0; i < 3; ++i) {
    const int n = 8 << i;
    error[i] = tip_error(bend(n, 600), n, at_600);
    EXPECT_LT(error[i], 1.5 * most[i]) << n;
    EXPECT_LT(tip_error(bend(n, 300), n, at_300), error[i]) << n;
  }
  EXPECT_NEAR(std::log2(error[1] / error[2]), 2, 0.1);
}

// a strip of 12.77 x 3.2024 mm loaded across at an angle to its broad side: bending about both axes twists it
TEST(BeamStatics, PrincetonBeam) {
  const struct {
    double P, degrees, x, chord, flap, twist;
  } loads[] = {{4.448, 45, 0.504478926, 0.003612565, 0.054363174, -0.406318},
               {8.896, 45, 0.494443887, 0.008115637, 0.105932565, -1.556328},
               {13.345, 45, 0.479289183, 0.014062214, 0.152512316, -3.271202},
               {13.345, 30, 0.491880955, 0.015320579, 0.114472669, -3.109255},
               {13.345, 0, 0.507747233, 0.014630107, 0, 0},
               {13.345, 90, 0.459941358, 0, 0.196234183, 0}};
  const auto model = [](double P, double degrees, const std::string& section) {
    return read("parameters: {P: " + std::to_string(P) + ", a: " + std::to_string(degrees) +
                "*pi/180}\ndimension: 3\nbeams:\n  arm: {from: [0, 0, 0], to: [0.508, 0, 0], normal: [0, 1, 0], "
                "elements: 32, section: {" +
                section +
                "}}\njoints: {clamp: {fixed: [ground, arm.start]}}\nforces:\n  tip: {force: arm.end, value: [0, "
                "P*cos(a), P*sin(a)]}\n" +
                end);
  };
  for (const auto& load : loads) {
    const Model one =
        model(load.P, load.degrees,
              "EA: 2.93215e6, GA: 932616, GJ: 3.22151, EI: [2.50585, 39.8461], mass: 0.1, inertia: [1e-5, 1e-5, 1e-5]");
    const Equilibrium found = find_equilibrium(*one.system, one.start);
    ASSERT_TRUE(found.found);
    EXPECT_NEAR(coordinate(one, found.state, "arm.32.x"), load.x, 1e-5);
    EXPECT_NEAR(coordinate(one, found.state, "arm.32.y"), load.chord, 1e-5);
    EXPECT_NEAR(coordinate(one, found.state, "arm.32.z"), load.flap, 1e-5);
    Vec4 p;
    for (int i = 0; i < 4; ++i) p[i] = coordinate(one, found.state, std::string("arm.32.q") + "wxyz"[i]);
    const Mat3 R = rotation_matrix(p);
    EXPECT_NEAR(std::atan2(R(2, 1), R(1, 1)) * 180 / pi, load.twist, 2e-3);
  }
  // the same from the material and the sides
  const Model made = model(13.345, 45, "E: 71.7e9, G: 71.7e9/2/1.31, density: 2700, rectangle: [0.01277, 0.0032024]");
  const Equilibrium found = find_equilibrium(*made.system, made.start);
  EXPECT_NEAR(coordinate(made, found.state, "arm.32.z"), 0.152512316, 1e-5);
  EXPECT_NEAR(coordinate(made, found.state, "arm.32.y"), 0.014062214, 1e-5);
}

// Euler and Bernoulli's cantilever; half of each element's mass stands at its nodes
TEST(BeamModes, FrequenciesOfACantilever) {
  const double exact[] = {3.516015268500, 22.03449156467, 61.69721441355};
  const double table[3][3] = {{-7.1e-3, -2.4e-2, -3.9e-2}, {-1.8e-3, -6.2e-3, -1.0e-2}, {-1.1e-4, -4.1e-4, -6.8e-4}};
  const int elements[] = {8, 16, 64};
  for (int i = 0; i < 3; ++i) {
    const Model model =
        read("dimension: 2\nbeams:\n  arm: {from: [0, 0], to: [1, 0], elements: " + std::to_string(elements[i]) +
             ", section: {EA: 1e6, GA: 1e6, EI: 1, mass: 1, inertia: 1e-9}}\njoints: {clamp: {fixed: [ground, "
             "arm.start]}}\n" +
             end);
    const Modes modes = find_modes(*model.system, find_equilibrium(*model.system, model.start));
    for (int k = 0; k < 3; ++k) {
      const double error = std::sqrt(modes.modes[static_cast<std::size_t>(k)].square) / exact[k] - 1;
      EXPECT_NEAR(error, table[i][k], 0.05 * std::abs(table[i][k])) << elements[i] << " " << k;
    }
  }
}

// the outputs at every saved sample
class Outputs : public Observer {
 public:
  explicit Outputs(const Model& model) : function_(model.outputs), row_(model.output_names.size()) {}
  void sample(const State& s) override {
    if (row_.empty()) return;
    function_.evaluate(s, row_.data());
    time.push_back(s.t);
    rows.push_back(row_);
  }
  std::vector<double> time;
  std::vector<std::vector<double>> rows;

 private:
  StateFunction function_;
  std::vector<double> row_;
};

State run(Model& model, Outputs* outputs = nullptr) {
  RunHooks hooks;
  if (outputs) hooks.observers.push_back(outputs);
  const RunReport report = run_model(model, hooks);
  EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
  return report.outcome.final;
}

// thrown by a force and a torque at one end for 2.5 s: momentum is theirs, angular momentum too
TEST(BeamMotion, FlyingBeamKeepsItsMomentum) {
  Model model = read(R"yaml(dimension: 2
beams:
  arm: {from: [6, 0], to: [0, 8], elements: 16, section: {EA: 1e4, GA: 1e4, EI: 500, mass: 1, inertia: 10}}
forces:
  push: {force: arm.start, value: ["if(t < 2.5, 8, 0)", 0]}
  turn: {torque: arm.start, value: "if(t < 2.5, -80, 0)"}
simulation: {end: 8, scheme: generalized-alpha, step: 0.01, options: {rho_infinity: 1}}
)yaml");
  const State s = run(model);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(s, Need::mass, T);
  // momentum along x and y, angular momentum about the origin
  const auto momentum = [&](const State& at) {
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k <= 16; ++k) {
      const double m = T.M(3 * k, 3 * k), x = at.q[3 * k], y = at.q[3 * k + 1], u = at.v[3 * k], w = at.v[3 * k + 1];
      sum += Vec3(m * u, m * w, m * (x * w - y * u) + T.M(3 * k + 2, 3 * k + 2) * at.v[3 * k + 2]);
    }
    return sum;
  };
  // the limit of fine meshes with this step, which the mesh of 16 misses by its own error
  EXPECT_NEAR(coordinate(model, s, "arm.0.x"), 18.2594, 0.15);
  EXPECT_NEAR(coordinate(model, s, "arm.16.y"), -0.8359, 0.15);
  Overrides until;
  until.end = "3";
  Model shorter = read_model("m.yaml", model.text, until);
  const Vec3 before = momentum(run(shorter)), after = momentum(s);
  EXPECT_NEAR(after[0], 20, 0.5 * 8 * 0.01 * 1.01);  // the push ends within a step
  EXPECT_NEAR(after[0], before[0], 1e-11);
  EXPECT_NEAR(after[1], 0, 1e-11);
  EXPECT_NEAR(after[2], before[2], 1e-5 * std::abs(before[2]));  // to the order of the scheme
}

// a beam that a motor turns up to 6 rad/s within 15 s: how far its tip lags at most, and the stretch at the end
TEST(BeamMotion, SpinUp) {
  const auto lag = [](int n, double& stretch) {
    Model model = read("dimension: 2\nbeams:\n  arm: {from: [0, 0], to: [10, 0], elements: " + std::to_string(n) +
                       ", section: {EA: 2.8e7, GA: 1e7, EI: 1.4e4, mass: 1.2, inertia: 6e-4}}\n"
                       "joints:\n  hub: {revolute: [ground, arm.start], at: [0, 0], angle: \"if(t < 15, 6/15*(t^2/2 + "
                       "(15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)\"}\n"
                       "outputs:\n  stretch: cos(hub.angle)*arm.end.x + sin(hub.angle)*arm.end.y - 10\n"
                       "  lag: -sin(hub.angle)*arm.end.x + cos(hub.angle)*arm.end.y\n"
                       "simulation: {end: 20, scheme: generalized-alpha, step: 0.0025, save_every: 0.01}\n");
    Outputs outputs(model);
    run(model, &outputs);
    double least = 0;
    int count = 0;
    stretch = 0;
    for (std::size_t i = 0; i < outputs.time.size(); ++i) {
      least = std::min(least, outputs.rows[i][1]);
      if (outputs.time[i] < 18) continue;
      stretch += outputs.rows[i][0];
      ++count;
    }
    stretch /= count;
    return least;
  };
  double stretch = 0;
  const double coarse = lag(16, stretch), fine = lag(32, stretch);
  EXPECT_NEAR(fine, -0.5738, 6e-4);
  EXPECT_NEAR(fine + (fine - coarse) / 3, -0.5738, 2e-4);
  EXPECT_NEAR(stretch, 5.143175e-4, 0.01 * 5.143175e-4);
}

// A steel strip that falls, clamped at one end. Rounding in forces of its stiff elements is far more in a correction than the rounding
// of its coordinates, however short it is: what two corrections leave is little beside it, and a third one only shows it
TEST(BeamMotion, AShortBeamTakesNoMoreCorrectionsThanALongOne) {
  const auto fall = [](int nodes, bool to_stagnation, int& iterations) {
    const std::string n = std::to_string(nodes - 1);
    const Model model = read("dimension: 2\ngravity: [0, -9.81]\nbeams:\n  strip: {from: [0, 0], to: [0.025*" + n + ", 0], elements: " + n +
                             ", section: {EA: 2.1e7, GA: 6.7e6, EI: 43.75, mass: 0.785}}\n"
                             "joints: {clamp: {fixed: [ground, strip.start]}}\n" + end);
    auto scheme = make_scheme("generalized-alpha");
    scheme->estimate_errors(false);
    NewtonTrace trace;
    if (to_stagnation) scheme->trace_newton(&trace);
    State s = model.start, s1 = s;
    scheme->start(*model.system, s);
    iterations = 0;
    for (int k = 0; k < 100; ++k) {
      const StepReport report = scheme->step(*model.system, s, 1e-3, s1);
      EXPECT_TRUE(report.ok());
      iterations += report.newton_iterations;
      std::swap(s, s1);
    }
    return s;
  };
  int few = 0, all = 0, of_long = 0;
  const State s = fall(30, false, few), to_the_end = fall(30, true, all);
  fall(500, false, of_long);
  EXPECT_LT(few, 1.1 * of_long);
  EXPECT_GT(all, 2.7 * 100);
  EXPECT_LT((s.q - to_the_end.q).lpNorm<Eigen::Infinity>(), 1e-9);
}

// a beam of two elements that a torque winds up, each by more than half a turn
TEST(BeamMotion, ElementsTurnedTooFarAreNamed) {
  Model model = read(R"yaml(dimension: 2
beams:
  arm: {from: [0, 0], to: [1, 0], elements: 2, section: {EA: 1e3, GA: 1e3, EI: 1, mass: 1, inertia: 1e-2}}
joints: {clamp: {fixed: [ground, arm.start]}}
forces: {twist: {torque: arm.end, value: 20*t}}
simulation: {end: 2, scheme: generalized-alpha, tolerance: 1e-5}
)yaml");
  const RunReport report = run_model(model);
  ASSERT_EQ(report.outcome.status, Outcome::Status::failed);
  EXPECT_NE(report.outcome.message.find("The element between arm."), std::string::npos) << report.outcome.message;
  EXPECT_NE(report.summary.message.find("its limit is 3.14: take more elements."), std::string::npos);
}

// a weight on a cable falls, is caught and thrown up again: the cable pulls or hangs slack, and takes no energy but by damping
TEST(BeamMotion, CablesPullOnly) {
  Model model = read(R"yaml(dimension: 2
gravity: [0, -9.81]
bodies: {weight: {mass: 1, inertia: 0.01, position: [0, -1.1]}}
beams:
  rope: {from: [0, 0], to: [0, -1], elements: 8, section: {EA: 2e3, GA: 1e3, EI: 1e-2, mass: 0.05, inertia: 1e-6},
         damping: 1e-3, tension_only: true}
joints:
  top: {revolute: [ground, rope.start], at: [0, 0]}
  hook: {fixed: [rope.end, weight]}
  rail: {prismatic: [ground, weight], at: [0, 0], axis: [0, 1]}
forces: {lift: {force: weight, value: [0, "if(t < 0.2, 15, 0)"]}}
outputs: {low: rope.tension(0.1), high: rope.tension(0.9)}
simulation: {end: 1.5, scheme: generalized-alpha, tolerance: 1e-6}
)yaml");
  Outputs outputs(model);
  run(model, &outputs);
  double most = 0;
  int slack = 0;
  for (const auto& row : outputs.rows)
    for (double tension : row) {
      EXPECT_GE(tension, 0);
      most = std::max(most, tension);
      slack += tension < 0.05 * 9.81;  // less than the rope weighs
    }
  EXPECT_GT(most, 2 * 9.81);
  EXPECT_GT(slack, 100);
}

// One ball that strikes a soft wall, alone and beside a long beam at rest: in a root mean square over all coordinates the
// ball's errors count the less the more nodes there are, the largest error is the ball's
TEST(BeamMotion, TheMaximumNormDilutesNoContact) {
  const auto steps = [](int elements, const std::string& norm) {
    Model model = read("dimension: 2\nbodies: {ball: {mass: 1, inertia: 1, position: [0, 0], velocity: [1, 0]}}\nbeams:\n  arm: "
                       "{from: [0, 5], to: [4, 5], elements: " + std::to_string(elements) +
                       ", section: {EA: 1e4, GA: 1e4, EI: 100, mass: 1}}\njoints: {clamp: {fixed: [ground, arm.start]}}\n"
                       "contacts: {wall: {gap: 0.1 - ball.x, stiffness: 1e5}}\n"
                       "simulation: {end: 0.3, scheme: generalized-alpha, tolerance: 1e-6, options: {error_norm: " + norm + "}}\n");
    const RunReport report = run_model(model);
    EXPECT_EQ(report.outcome.status, Outcome::Status::completed);
    return static_cast<double>(report.summary.steps);
  };
  EXPECT_NEAR(steps(256, "maximum") / steps(1, "maximum"), 1, 0.02);
  EXPECT_LT(steps(256, "rms") / steps(1, "rms"), 0.7);  // what the maximum is for
}

// what stands in the file

TEST(BeamFile, NodesAreBodies) {
  const Model model = read(R"(dimension: 3
gravity: [0, 0, -9.81]
bodies: {tool: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}}
beams:
  arm: {from: [0, 0, 0], to: [2, 0, 0], elements: 4, section: {E: 210e9, G: 80e9, density: 7850, tube: [0.02, 0.015]}}
joints:
  clamp: {fixed: [ground, arm.start]}
  grip: {fixed: [arm.end, tool]}
forces:
  pull: {force: arm.at(0.6), value: [0, 0, -arm.node(2).z]}
  more: {force: arm.node(4 - 1), value: [0, 0, arm.end.z']}
contacts:
  floor: {gap: arm.at(0.5).z + 1}
outputs: {a: arm.at(0.5).x, b: arm.2.x, c: arm.start.x, d: arm.end.x, e: arm.4.wx}
)" + end);
  ASSERT_EQ(model.system->dim().v, 6 * 6);
  StateFunction outputs = model.outputs;
  double value[5];
  outputs.evaluate(model.start, value);
  EXPECT_EQ(value[0], 1);
  EXPECT_EQ(value[1], 1);
  EXPECT_EQ(value[2], 0);
  EXPECT_EQ(value[3], 2);
  // density times area, half of an element at the ends
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::mass, T);
  const double mass = 7850 * pi * (4e-4 - 2.25e-4) * 2;
  EXPECT_NEAR(T.M(6, 6), mass / 8, 1e-12);
  EXPECT_NEAR(T.M(12, 12), mass / 4, 1e-12);
}

TEST(BeamFile, SectionForcesAreThoseOfTheLoads) {
  const auto outputs = [](const Model& model) {
    const Equilibrium found = find_equilibrium(*model.system, model.start);
    EXPECT_TRUE(found.found);
    std::vector<double> values(model.output_names.size());
    StateFunction function = model.outputs;
    function.evaluate(found.state, values.data());
    return values;
  };
  const std::string beam =
      "beams:\n  arm: {from: [0, 0], to: [2, 0], elements: 8, section: {EA: 1e6, GA: 1e6, EI: 1e4, mass: 1}";
  const std::string clamp = "joints: {clamp: {fixed: [ground, arm.start]}}\n";
  const auto tip = outputs(read("dimension: 2\n" + beam + "}\n" + clamp +
                                "forces: {tip: {force: arm.end, value: [30, 2]}}\noutputs: {N: arm.tension(0.3), M: "
                                "arm.moment(0), M1: arm.moment(0.5), "
                                "V: arm.shear(0.5), k: arm.curvature(0.5), s: arm.stretch(0.5)}\n" +
                                end));
  EXPECT_NEAR(tip[0], 30, 1e-3);
  EXPECT_NEAR(tip[1], 4 - 30 * 5.333e-4, 1e-3);  // 2 N on 2 m, and 30 N straighten the deflection of 0.53 mm
  EXPECT_NEAR(tip[2], 2 - 30 * 3.667e-4, 1e-3);
  EXPECT_NEAR(tip[3], 2, 1e-2);
  EXPECT_NEAR(tip[4], tip[2] / 1e4, 1e-12);
  EXPECT_NEAR(tip[5], 30 / 1e6, 1e-8);
  const auto load = outputs(read("dimension: 2\n" + beam + ", loads: [{force: [0, -3]}]}\n" + clamp +
                                 "outputs: {M: arm.moment(0), V: arm.shear(0)}\n" + end));
  EXPECT_NEAR(load[0], -6, 0.06);  // q L^2/2, the trapezoidal rule
  EXPECT_NEAR(load[1], -6, 1e-3);
  const auto part = outputs(read("dimension: 2\n" + beam + ", loads: [{force: [0, -3*s], from: 0.5}]}\n" + clamp +
                                 "outputs: {V: arm.shear(0)}\n" + end));
  EXPECT_NEAR(part[0], -3 * (2 * 2 - 1) / 2.0, 0.05);
}

TEST(BeamFile, CurvesGoThroughTheirPoints) {
  const Model model = read(R"(dimension: 2
beams:
  arch: {along: [[0, 0], [1, 1], [3, 0]], elements: 7, section: {EA: 1, GA: 1, EI: 1, mass: 2}}
  ring: {from: [1, 0], arc: {centre: [0, 0], angle: 2*pi}, elements: 8, section: {EA: 1, GA: 1, EI: 1, mass: 2}}
)" + end);
  const auto at = [&](const std::string& name) { return coordinate(model, model.start, name); };
  EXPECT_EQ(at("arch.0.x"), 0);
  bool through = false;
  for (int k = 0; k <= 7; ++k)
    through |= at("arch." + std::to_string(k) + ".x") == 1 && at("arch." + std::to_string(k) + ".y") == 1;
  EXPECT_TRUE(through);
  EXPECT_EQ(at("arch.7.x"), 3);
  EXPECT_NEAR(at("ring.8.x"), 1, 1e-15);
  EXPECT_NEAR(at("ring.2.y"), 1, 1e-15);
  EXPECT_NEAR(at("ring.8.angle") - at("ring.0.angle"), 2 * pi, 1e-14);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::mass | Need::force, T);
  EXPECT_LT(T.f.norm(), 1e-14);  // relaxed
  double mass = 0;
  for (int k = 8; k < 17; ++k) mass += T.M(3 * k, 3 * k);
  EXPECT_NEAR(mass, 2 * 2 * pi, 1e-13);
}

TEST(BeamFile, HelixIsRelaxedAndAsLongAsItIs) {
  const Model model = read(R"(dimension: 3
beams:
  spring: {from: [1, 0, 0], arc: {centre: [0, 0, 0], axis: [0, 0, 1], angle: 4*pi, rise: 0.5}, elements: 40, section: {E: 2e11, G: 8e10, density: 7850, circle: 0.01}}
)" + end);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(model.start, Need::mass | Need::force, T);
  EXPECT_LT(T.f.norm(), 1e-3);  // of 6e7 N of stiffness
  double mass = 0;
  for (int k = 0; k <= 40; ++k) mass += T.M(6 * k, 6 * k);
  EXPECT_NEAR(mass, 7850 * pi * 1e-4 * std::hypot(4 * pi, 0.5), 1e-9);
  EXPECT_NEAR(coordinate(model, model.start, "spring.40.z"), 0.5, 1e-14);
}

TEST(BeamFile, TellsMistakes) {
  const auto expect = [](const std::string& text, const std::string& part) {
    try {
      read(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what() << "\n expected: " << part;
    }
  };
  const auto plane = [](const std::string& keys, const std::string& rest = "") {
    return "dimension: 2\nbeams: {arm: {" + keys + "}}\n" + rest + end;
  };
  const std::string numbers = "section: {EA: 1, GA: 1, EI: 1, mass: 1}",
                    line = "from: [0, 0], to: [1, 0], elements: 4, ";
  expect(plane(""), "m.yaml:3:9: the key 'section' is missing");
  expect(plane("from: [0, 0], to: [1, 0], " + numbers), "the key 'elements' is missing");
  expect(plane("from: [0, 0], to: [1, 0], elements: 2.5, " + numbers), "must be a whole number");
  expect(plane("from: [0, 0], to: [1, 0], elements: 0, " + numbers), "elements is 0 but must be at least 1");
  expect(plane("from: [0, 0], to: [0, 0], elements: 4, " + numbers), "has no length; move its end");
  expect(plane("elements: 4, " + numbers), "needs 'from' and 'to', or 'along'");
  expect(plane("from: [0, 0], elements: 4, " + numbers), "has no end; add 'to' or 'arc'");
  expect(plane("from: [0, 0], along: [[0, 0], [1, 0]], elements: 4, " + numbers), "remove one of them");
  expect(plane("along: [[0, 0], [1, 0], [1, 0]], elements: 4, " + numbers), "coincide");
  expect(plane("along: [[0, 0], [1, 0], [2, 1]], elements: 1, " + numbers), "take at least 2");
  expect(plane("from: [1, 0], arc: {centre: [0, 0], angle: 4*pi}, elements: 3, " + numbers), "take more elements");
  expect(plane("from: [1, 0], arc: {centre: [1, 0], angle: pi}, elements: 3, " + numbers),
         "the arc of beam 'arm' has no length");
  expect(plane(line + "normal: [0, 1], " + numbers), "remove 'normal'");
  expect(plane(line + numbers, "joints: {c: {fixed: [ground, arm.9]}}\n"),
         "joint 'c' needs a node of the beam 'arm' here, but 'arm.9' is none; its nodes are arm.0 to arm.4, arm.start and arm.end");
  expect(plane(line + "section: {EA: 1, GA: 1, EI: 1}"), "the key 'mass' is missing");
  expect(plane(line + "section: {EA: 1, GA: 1, EI: [1, 2], mass: 1}"), "in the plane 'EI' is one number");
  expect(plane(line + "section: {EA: 1, GA: 1, EI: 1, GJ: 1, mass: 1}"), "remove 'GJ'");
  expect(plane(line + "section: {EA: 1, GA: -1, EI: 1, mass: 1}"), "GA is -1 but must be greater than 0");
  expect(plane(line + "section: {EA: 1, GA: 1, EI: 1, mass: 1, inertia: 0}"),
         "inertia is 0 but must be greater than 0");
  expect(plane(line + "section: {E: 1, EI: 1, mass: 1}"), "remove one of both");
  expect(plane(line + "section: {E: 1, G: 1, density: 1}"), "add 'rectangle', 'circle' or 'tube'");
  expect(plane(line + "section: {E: 1, G: 1, density: 1, circle: 1, tube: [2, 1]}"), "is a circle already");
  expect(plane(line + "section: {E: 1, G: 1, density: 1, tube: [1, 2]}"), "must be smaller than the outer one");
  expect(plane(line + numbers, "joints: {pin: {revolute: [ground, arm.node(5)], at: [0, 0]}}\n"),
         "has the nodes 0 to 4, but this is 5");
  expect(plane(line + numbers, "joints: {pin: {revolute: [ground, arm.at(2)], at: [0, 0]}}\n"),
         "from 0 to 1, but this is 2");
  expect(plane(line + numbers, "joints: {pin: {revolute: [ground, arm.ende], at: [0, 0]}}\n"),
         "did you mean 'arm.end'?");
  expect(plane(line + numbers, "forces: {f: {force: arm.end, value: [arm.moment(0), 0]}}\n"),
         "are for outputs and 'stop' alone");
  expect(plane(line + numbers, "outputs: {a: arm.moment(2)}\n"), "from 0 to 1, but this is 2");
  expect(plane(line + numbers, "outputs: {a: arm.at(0.5)}\n"), "write which of its coordinates is meant");
  expect(plane(line + numbers, "outputs: {a: arm.at(0.5).z}\n"), "is not known here");
  expect(plane(line + numbers + ", loads: [{from: 0.5}]"), "has a 'force' or a 'torque'");
  expect(plane(line + numbers + ", loads: [{force: 1}]"), "takes a list of 2 expressions");
  expect(plane(line + numbers + ", loads: [{force: [1, 0], from: 0.5, to: 0.5}]"), "has no length");
  const std::string space = "dimension: 3\nbeams: {arm: {from: [0, 0, 0], to: [1, 0, 0], elements: 4, ";
  expect(space + "section: {EA: 1, GA: 1, GJ: 1, EI: [1, 2], mass: 1}}}\n" + end, "needs 'normal'");
  expect(space + "normal: [1, 0, 0], section: {EA: 1, GA: 1, GJ: 1, EI: [1, 2], mass: 1}}}\n" + end, "lies along it");
  expect(space + "section: {EA: 1, GA: 1, EI: 1, mass: 1}}}\n" + end, "the key 'GJ' is missing");
  expect("dimension: 2\n" + end, "needs at least one body or beam");
}

}  // namespace
}  // namespace escapement
