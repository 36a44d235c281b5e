// Loops with more rows than hold them, which turn all the way around: which rows could be left out changes on the way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/check.hpp"
#include "io/run.hpp"
#include "simulate/constraint_keeper.hpp"
#include "support/shared_system.hpp"

namespace escapement::turning_loop_test {
namespace {

// a plate on three equal parallel cranks, their pivots at the corners of a triangle; every row loses its say twice a turn or oftener.
// `size`: of the whole, lengths and gravity, so that it turns as before
std::string plate_of(double size) {
  return fmt::format("escapement: 1\nparameters: {{size: {}", size) + R"(, w: 6, l: 0.25*size, start: pi/2, x: l*cos(start), y: l*sin(start)}
dimension: 2
gravity: [0, -9.81*size]
bodies:
  first: {mass: 0.4, inertia: 0.004*size^2, position: [x/2, y/2], velocity: [-w*y/2, w*x/2], angular_velocity: w}
  second: {mass: 0.5, inertia: 0.005*size^2, position: [1.1*size + x/2, 0.1*size + y/2], velocity: [-w*y/2, w*x/2], angular_velocity: w}
  third: {mass: 0.6, inertia: 0.006*size^2, position: [0.3*size + x/2, 0.9*size + y/2], velocity: [-w*y/2, w*x/2], angular_velocity: w}
  plate: {mass: 2, inertia: 0.3*size^2, position: [0.5*size + x, 0.3*size + y], velocity: [-w*y, w*x]}
joints:
  foot1: {revolute: [ground, first], at: [0, 0]}
  foot2: {revolute: [ground, second], at: [1.1*size, 0.1*size]}
  foot3: {revolute: [ground, third], at: [0.3*size, 0.9*size]}
  pin1: {revolute: [first, plate], at: [x, y]}
  pin2: {revolute: [second, plate], at: [1.1*size + x, 0.1*size + y]}
  pin3: {revolute: [third, plate], at: [0.3*size + x, 0.9*size + y]}
simulation: {end: 1.6}
)";
}
const std::string plate = plate_of(1);

// a loop of four bars whose hinges all point to the origin
const std::string spherical_loop = R"(escapement: 1
dimension: 3
gravity: [1, 2, -9.81]
bodies:
  bar0: {mass: 1, inertia: [0.05, 0.06, 0.07], position: [0.88, 0.21, 0.24]}
  bar1: {mass: 1, inertia: [0.05, 0.06, 0.07], position: [0.5, 0.5, 0.63]}
  bar2: {mass: 1, inertia: [0.05, 0.06, 0.07], position: [0.1, 0.79, 0.39]}
joints:
  hinge0: {revolute: [ground, bar0], at: [1, 0, 0], axis: [1, 0, 0]}
  hinge1: {revolute: [bar0, bar1], at: [0.77, 0.42, 0.48], axis: [0.77, 0.42, 0.48]}
  hinge2: {revolute: [bar1, bar2], at: [0.22, 0.58, 0.78], axis: [0.22, 0.58, 0.78]}
  hinge3: {revolute: [bar2, ground], at: [0, 1, 0], axis: [0, 1, 0]}
simulation: {end: 1.6}
)";

// Bennett's loop: four bars and hinges, opposite bars equal, lengths as the sines of their twists; moves with one degree of
// freedom where counting gives -2. `hinge`: more about the first joint
std::string skew_loop(const std::string& hinge = "") {
  const double length[] = {1, 1.5}, twist[] = {std::numbers::pi / 7, std::asin(1.5 * std::sin(std::numbers::pi / 7))};
  const double turn = 1.1, ratio = std::sin((twist[1] + twist[0]) / 2) / std::sin((twist[1] - twist[0]) / 2);
  const double other = 2 * std::atan(ratio / std::tan(turn / 2));
  const double angle[] = {turn, other, -turn, -other};
  Eigen::Vector3d at[5], axis[5];
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  at[0].setZero();
  axis[0] = R.col(2);
  for (int k = 0; k < 4; ++k) {
    const double c = std::cos(angle[k]), s = std::sin(angle[k]), ca = std::cos(twist[k % 2]), sa = std::sin(twist[k % 2]);
    Eigen::Matrix3d A;
    A << c, -s * ca, s * sa, s, c * ca, -c * sa, 0, sa, ca;
    at[k + 1] = at[k] + R * (length[k % 2] * Eigen::Vector3d(c, s, 0));
    R = R * A;
    axis[k + 1] = R.col(2);
  }
  EXPECT_LT(at[4].norm() + (axis[4] - axis[0]).norm(), 1e-14);
  const auto list = [](const Eigen::Vector3d& x) { return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x[0], x[1], x[2]); };
  std::string text = "escapement: 1\ndimension: 3\ngravity: [0.4, 1, -9.81]\nbodies:\n";
  for (int k = 0; k < 3; ++k)
    text += fmt::format("  bar{}: {{mass: 1, inertia: [0.1, 0.12, 0.15], position: {}, orientation: {{axis: [1, {}, 2], angle: {}}}}}\n",
                        k, list((at[k] + at[k + 1]) / 2), k, 0.4 + k);
  text += "joints:\n";
  for (int k = 0; k < 4; ++k)
    text += fmt::format("  hinge{}: {{revolute: [{}, {}], at: {}, axis: {}{}}}\n", k, k == 0 ? "ground" : fmt::format("bar{}", k - 1),
                        k == 3 ? "ground" : fmt::format("bar{}", k), list(at[k]), list(axis[k]), k == 0 ? hinge : "");
  return text + (hinge.empty() ? "" : "assemble: true\n") + "simulation: {end: 1.6}\n";
}

struct How {
  const char* scheme;
  double step, tolerance;            // one of them
  double energy, position, velocity;  // bounds: J, and drift of all rows, also those left out
  const char* level = nullptr;
};
std::ostream& operator<<(std::ostream& out, const How& how) { return out << how.scheme; }

const double exact = 1e-12;  // rounding alone
// clang-format off
const std::vector<How> schemes_here{
    {"auto", 0, 1e-9, 1e-8, exact, exact},
    {"hem5", 0, 1e-9, 1e-8, 1e-10, 1e-9},
    {"phem56", 0, 1e-9, 3e-7, 1e-8, 1e-7},
    {"mexx", 0, 1e-9, 3e-7, 1e-8, 2e-7},
    {"rkf45", 0, 1e-9, 2e-6, exact, exact},
    {"rk4", 1e-3, 0, 2e-8, exact, exact},
    {"bdf", 1e-3, 0, 2e-2, exact, 5e-4},
    {"radau", 0, 1e-9, 1e-7, exact, exact},
    {"newmark", 1e-3, 0, 5e-3, exact, exact, "ggl"},
    {"hht", 1e-3, 0, 2e-2, exact, 3e-4},
    {"generalized-alpha", 1e-3, 0, 1e-2, exact, 3e-4},
    {"structural-explicit", 1e-3, 0, 3e-5, exact, exact},
    {"structural-conditional", 1e-3, 0, 3e-6, exact, 1e-7},
    {"structural-implicit", 1e-3, 0, 1e-5, exact, exact},
    {"moreau-jean", 2e-4, 0, 1, 2e-3, 2e-2},      // of order 1, and nothing holds positions
    {"moreau-midpoint", 2e-4, 0, 1, 2e-3, 2e-2},  // the same
    {"moreau-midpoint-ggl-decoupled", 2e-4, 0, 1, exact, 1e-2},
    {"moreau-midpoint-ggl", 1e-3, 0, 2e-3, exact, exact},
    {"nonsmooth-generalized-alpha", 1e-3, 0, 1e-2, 1e-4, 1e-4},
    {"nonsmooth-generalized-alpha-ggl", 1e-3, 0, 1e-2, exact, exact},
};
// clang-format on

Model read(const std::string& text, const How& how) {
  Model model = read_model("m.yaml", text);
  model.settings.scheme = how.scheme;
  model.settings.step.reset();
  model.settings.tolerance.reset();
  if (how.step > 0) model.settings.step = how.step;
  if (how.tolerance > 0) model.settings.tolerance = how.tolerance;
  if (how.level) model.settings.options["level"] = std::string(how.level);
  return model;
}

class TurningLoop : public ::testing::TestWithParam<How> {};

TEST_P(TurningLoop, KeepsItsEnergyAndItsRows) {
  const How& how = GetParam();
  for (const std::string& text : {plate, skew_loop()}) {
    Model model = read(text, how);
    const RunReport report = run_model(model);
    ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
    EXPECT_LT(report.summary.energy.max_error, how.energy);
    EXPECT_LT(report.summary.max_drift.position, how.position);
    EXPECT_LT(report.summary.max_drift.velocity, how.velocity);
  }
}
INSTANTIATE_TEST_SUITE_P(Schemes, TurningLoop, ::testing::ValuesIn(schemes_here));

TEST(TurningLoops, RunWithEveryScheme) {
  for (const SchemeEntry& entry : all_schemes())
    EXPECT_TRUE(std::any_of(schemes_here.begin(), schemes_here.end(), [&](const How& how) { return entry.info.id == how.scheme; }))
        << entry.info.id;
}

// the plate starts where its cranks stand upright, and the rows along x would not tell that one of them is redundant
TEST(TurningLoops, HaveTheirDegreesOfFreedom) {
  const auto count = [](const std::string& text) {
    const auto report = check_model(read_model("m.yaml", text));
    return std::pair(report["degrees_of_freedom"].get<int>(), report["redundant_constraints"].size());
  };
  EXPECT_EQ(count(plate), std::pair(1, std::size_t(1)));
  EXPECT_EQ(count(skew_loop()), std::pair(1, std::size_t(3)));
  EXPECT_EQ(count(skew_loop(", angle: 3*t")), std::pair(0, std::size_t(3)));
}

// a drive leaves nothing free to move, and the rows depend on each other all the same
TEST(TurningLoops, AreDrivenByEveryKindOfScheme) {
  const std::string text = skew_loop(", angle: 3*t");
  Model reference = read(text, {"hem5", 0, 1e-9, 0, 0, 0});
  const Vec q = run_model(reference).outcome.final.q;
  for (const How& how : {How{"moreau-jean", 5e-4, 0, 0, 0, 0}, How{"moreau-midpoint", 5e-4, 0, 0, 0, 0}, How{"mexx", 0, 1e-9, 0, 0, 0}}) {
    Model model = read(text, how);
    const RunReport report = run_model(model);
    ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << how << ": " << report.outcome.message;
    EXPECT_LT((report.outcome.final.q - q).lpNorm<Eigen::Infinity>(), how.step > 0 ? 20 * how.step : 1e-7) << how;
  }
}

// which rows are left out follows from the position alone: a run that was broken off finds the same
TEST(TurningLoops, GoOnWithTheSameBits) {
  for (const How& how : {How{"hem5", 0, 1e-6, 0, 0, 0}, How{"generalized-alpha", 1e-2, 0, 0, 0, 0}, How{"bdf", 0, 1e-4, 0, 0, 0},
                         How{"phem56", 0, 1e-3, 0, 0, 0}, How{"generalized-alpha", 1e-2, 0, 0, 0, 0, "velocity"}}) {
    const std::string text = std::string(how.scheme) == "phem56" || how.level ? spherical_loop : plate;
    Model whole = read(text, how);
    Result kept;
    bool taken = false;
    RunHooks hooks;
    hooks.wants_result = [&](double now, const Result&) { return !taken && now >= 1.3; };
    hooks.take_result = [&](const Result& result) {
      kept = result;
      taken = true;
    };
    const Vec q = run_model(whole, hooks).outcome.final.q;
    ASSERT_TRUE(taken);
    Model rest = read(text, how);
    RunHooks resume;
    resume.resume = &kept;
    EXPECT_EQ(run_model(rest, resume).outcome.final.q, q) << how;
  }
}

struct KineticEnergy : Observer {
  const System& system;
  Terms terms;
  double most = 0;
  explicit KineticEnergy(const System& s) : system(s) { system.prepare(terms); }
  void sample(const State& s) override { most = std::max(most, system.energy(s, terms).kinetic); }
};

// positions that drift as far as the tolerance allows are off rows that then contradict each other: without a way back
// to all of them the mechanism would come apart
TEST(TurningLoops, HoldAtLooseTolerances) {
  for (const How& how : {How{"hem5", 0, 1e-3, 0, 0, 0}, How{"phem56", 0, 1e-3, 0, 0, 0}, How{"phem56", 0, 1e-4, 0, 0, 0},
                         How{"mexx", 0, 1e-3, 0, 0, 0}, How{"mexx", 0, 1e-4, 0, 0, 0}, How{"generalized-alpha", 0, 1e-3, 0, 0, 0, "velocity"},
                         How{"generalized-alpha", 0, 1e-3, 0, 0, 0, "acceleration"}, How{"nonsmooth-generalized-alpha", 0, 1e-3, 0, 0, 0}})
    for (const std::string& text : {plate, skew_loop(), skew_loop(", angle: 3*t"), spherical_loop}) {
      Model model = read(text, how);
      model.settings.end = 3;
      KineticEnergy kinetic(*model.system);
      RunHooks hooks;
      hooks.observers = {&kinetic};
      const RunReport report = run_model(model, hooks);
      ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << how << ": " << report.outcome.message;
      EXPECT_LE(report.summary.scaled_drift.position, 0.1 * how.tolerance) << how;
      EXPECT_LE(report.summary.scaled_drift.velocity, 0.1 * how.tolerance) << how;
      // the errors of the steps add up
      const double errors = static_cast<double>(report.outcome.steps) * how.tolerance;
      EXPECT_LT(report.summary.energy.max_error, 4 * errors * kinetic.most) << how;
    }
}

TEST(TurningLoops, HoldWithLargeSteps) {
  for (const How& how : {How{"generalized-alpha", 0.01, 0, 0, 0, 0, "velocity"}, How{"nonsmooth-generalized-alpha", 0.01, 0, 0, 0, 0},
                         How{"moreau-jean", 0.01, 0, 0, 0, 0}})
    for (const std::string& text : {skew_loop(", angle: 3*t"), spherical_loop}) {
      Model model = read(text, how);
      model.settings.end = 3;
      const RunReport report = run_model(model);
      EXPECT_EQ(report.outcome.status, Outcome::Status::completed) << how << ": " << report.outcome.message;
      EXPECT_LE(report.summary.scaled_drift.position, 0.1 * DriftMonitor::kept) << how;
    }
}

// a step that an event ends somewhere else
TEST(TurningLoops, HoldAtImpacts) {
  const std::string free = "hinge0: {revolute: [ground, bar0], at: [1, 0, 0], axis: [1, 0, 0]";
  std::string text = spherical_loop;
  text.replace(text.find(free), free.size(), free + ", angle_limits: [-1, 0.4], restitution: 0.5");
  Model reference = read(text, {"hem5", 0, 1e-9, 0, 0, 0});
  const RunReport exact_run = run_model(reference);
  EXPECT_GT(exact_run.summary.impacts, 3);
  for (const How& how : {How{"phem56", 0, 1e-3, 0, 0, 0}, How{"mexx", 0, 1e-3, 0, 0, 0}, How{"generalized-alpha", 0, 1e-3, 0, 0, 0, "velocity"}}) {
    Model model = read(text, how);
    const RunReport report = run_model(model);
    ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << how << ": " << report.outcome.message;
    EXPECT_LT(report.summary.max_penetration, how.tolerance) << how;
    EXPECT_LT((report.outcome.final.q - exact_run.outcome.final.q).lpNorm<Eigen::Infinity>(), how.tolerance) << how;  // all have come to rest
  }
}

// who wants to see the drift says so
TEST(TurningLoops, DriftWhereTheyAreTold) {
  Model model = read(spherical_loop, {"phem56", 0, 1e-3, 0, 0, 0});
  model.settings.options["max_drift"] = 0.0;
  EXPECT_GT(run_model(model).summary.scaled_drift.position, 1e-4);
}

TEST(TurningLoops, ComeBackToAllRows) {
  const Model model = read_model("m.yaml", skew_loop());
  constexpr double tolerance = 1e-3;
  const auto moved = [&](double far) {
    Vec dx = Vec::Zero(model.system->dim().v);
    dx[7] = far;  // a bar, across its hinges
    State s = model.start;
    model.system->retract(model.start.q, dx, s.q);
    return s;
  };
  const auto off = [&](const State& s) {
    DriftMonitor drift(*model.system);
    drift.look(s);
    return std::max(drift.max_position(), drift.max_velocity());
  };
  const auto drifting = make_scheme("hem5"), holding = make_scheme("bdf");
  const auto hold = [&](Scheme& by, State& end) {
    Settings settings;
    settings.scheme = by.info().id;
    settings.tolerance = tolerance;
    Course course(*model.system, by);
    ConstraintKeeper constraints(course, settings, check_options(settings).loop);
    constraints.start(model.start);
    course.s = model.start;
    course.s1 = end;
    const auto found = constraints.keep(tolerance);
    end = course.s1;
    return found == ConstraintKeeper::Finding::near;
  };

  State s = moved(tolerance);
  EXPECT_GT(off(s), 0.5 * tolerance);
  EXPECT_TRUE(hold(*drifting, s));
  EXPECT_LT(off(s), 1e-12);
  // errors that small count for nothing
  s = moved(0.01 * tolerance);
  const Vec q = s.q;
  EXPECT_TRUE(hold(*drifting, s));
  EXPECT_EQ(s.q, q);
  // one step is not to go that far, and a scheme that holds positions has found wrong ones
  s = moved(50 * tolerance);
  EXPECT_FALSE(hold(*drifting, s));
  s = moved(tolerance);
  EXPECT_FALSE(hold(*holding, s));
}

// which rows are left out is a run's own affair
TEST(TurningLoops, ShareOneSystemBetweenThreads) {
  for (const std::string& text : {plate, spherical_loop})
    testing::expect_shareable(read_model("m.yaml", text), 1.6, {"hem5", "bdf", "moreau-midpoint"});
}

// a step may turn a large mechanism as far as a small one
TEST(TurningLoops, TurnInAsManyStepsWhenTheyAreLarge) {
  for (const char* scheme : {"hem5", "mexx"}) {
    const auto run = [&](double size) {
      Model model = read(plate_of(size), {scheme, 0, 1e-6, 0, 0, 0});
      return run_model(model).outcome;
    };
    const Outcome small = run(1), large = run(100);
    ASSERT_EQ(large.status, Outcome::Status::completed) << large.message;
    EXPECT_LT(large.steps + large.rejected_steps, 1.5 * static_cast<double>(small.steps + small.rejected_steps)) << scheme;
    EXPECT_NEAR(large.final.q[2], small.final.q[2], 1e-4) << scheme;
  }
}

}  // namespace
}  // namespace escapement
