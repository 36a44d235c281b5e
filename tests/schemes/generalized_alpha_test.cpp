#include <gtest/gtest.h>

#include <cmath>

#include "math/condition_number.hpp"
#include "schemes/newton.hpp"
#include "support/convergence.hpp"
#include "support/linear_systems.hpp"
#include "support/newton_convergence.hpp"
#include "support/pendulum.hpp"
#include "support/reference.hpp"
#include "support/rheonomic_pendulum.hpp"
#include "support/slider_crank.hpp"
#include "support/smooth_oscillator.hpp"
#include "support/spatial_top.hpp"
#include "system/counting_system.hpp"

namespace escapement::generalized_alpha_test {
namespace {

using namespace testing;
using Given = std::map<std::string, OptionValue>;

Given with_level(const char* level) { return {{"level", std::string(level)}}; }

State crank_at(double t) {
  static const std::vector<State> grid = read_grid(read_json("000_slider_crank.json").at("uniform_rods").at("grid"));
  return at_time(grid, t);
}

double largest(const Vec& x) { return x.lpNorm<Eigen::Infinity>(); }

// a run with what is seen on the way
struct Watched {
  State s;
  double position = 0, velocity = 0;  // largest drift
  bool ok = true;

  Watched(Scheme& scheme, const System& system, const State& start, const std::vector<double>& steps) : s(start) {
    scheme.start(system, s);
    State s1 = s;
    Terms T;
    system.prepare(T);
    Vec rows = Vec::Zero(system.dim().rows());
    for (double h : steps) {
      ok = ok && scheme.step(system, s, h, s1).ok();
      if (!ok) return;
      std::swap(s, s1);
      system.evaluate(s, Need::gap | Need::jacobian, T);
      velocity_rows(T, s.v, rows);
      position = std::max(position, largest(T.g));
      velocity = std::max(velocity, largest(rows));
    }
  }
};

std::vector<double> equal_steps(double end, double h) { return std::vector<double>(std::lround(end / h), h); }

// the same runs made independently, tests/data/000_slider_crank_fixed_step.json
TEST(GeneralizedAlpha, ReproducesTheReferenceRunsOnTheSliderCrank) {
  const SliderCrank system;
  const State exact = crank_at(1);
  int runs = 0;
  const auto data = read_json("000_slider_crank_fixed_step.json");
  for (const auto& reference : data.at("runs")) {
    if (reference.at("method").get<std::string>() != "ga0.8") continue;
    ++runs;
    const double h = reference.at("h");
    auto scheme = make_scheme("generalized-alpha");
    const Watched run(*scheme, system, crank_at(0), equal_steps(1, h));
    ASSERT_TRUE(run.ok);
    auto expect = [&](double ours, const char* name) {
      const double theirs = reference.at(name);
      EXPECT_NEAR(ours, theirs, 1e-3 * theirs) << name << " at h = " << h;
    };
    expect(largest(run.s.q - exact.q), "err_q");
    expect(largest(run.s.v - exact.v), "err_v");
    expect(largest(run.s.lambda - exact.lambda), "err_lambda");
    // the printed digits of a maximum that falls as h^2
    EXPECT_NEAR(run.velocity, reference.at("gdot_max").get<double>(), 3e-3 * run.velocity);
    EXPECT_LT(run.position, 2e-15);
  }
  EXPECT_EQ(runs, 5);
}

// every level has order 2 in everything; the default level is measured by the conformance suite
TEST(GeneralizedAlpha, HasOrderTwoAtEveryLevel) {
  for (const char* level : {"velocity", "acceleration", "ggl"}) {
    for (const char* id : {"generalized-alpha", "hht"}) {
      auto scheme = make_scheme(id, with_level(level));
      scheme->estimate_errors(false);
      const SpatialTop top;
      const RheonomicPendulum rheonomic;
      const Convergence on_top(*scheme, {top, top.exact(0), {top.exact(0.4), top.exact(0.8)}, 10});
      const Convergence on_rheonomic(*scheme, {rheonomic, rheonomic.exact(0), {rheonomic.exact(1)}, 20});
      for (const Convergence& measured : {on_top, on_rheonomic}) {
        EXPECT_NEAR(measured.order(&Errors::q), 2, 0.1) << id << ' ' << level;
        EXPECT_NEAR(measured.order(&Errors::v), 2, 0.1) << id << ' ' << level;
        EXPECT_NEAR(measured.order(&Errors::lambda), 2, 0.1) << id << ' ' << level;
      }
    }
  }
}

// of one large step, down to rounding
bool converges_quadratically(const System& system, State s, double h, const Given& options) {
  auto scheme = make_scheme("generalized-alpha", options);
  NewtonTrace trace;
  EXPECT_TRUE(scheme->trace_newton(&trace));
  scheme->estimate_errors(false);
  scheme->start(system, s);
  State s1 = s;
  EXPECT_TRUE(scheme->step(system, s, h, s1).ok());
  EXPECT_TRUE(trace.converged);
  EXPECT_LT(trace.corrections.back().norm, 1e-14);
  return corrections_square(trace);
}

// a tangent that is off by a tenth in the stiffness
class WrongTangent : public SliderCrank {
 public:
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const override {
    SliderCrank::tangent(s, w, mu, parts, D);
    D.K.dense() *= 0.9;
  }
};

TEST(GeneralizedAlpha, NewtonConvergesQuadratically) {
  const SliderCrank crank;
  const SpatialTop top;
  const RheonomicPendulum rheonomic;
  for (const char* level : {"position", "velocity", "acceleration", "ggl"}) {
    SCOPED_TRACE(level);
    EXPECT_TRUE(converges_quadratically(crank, crank_at(0), 0.05, with_level(level)));
    EXPECT_TRUE(converges_quadratically(top, top.exact(0), 0.1, with_level(level)));
    EXPECT_TRUE(converges_quadratically(rheonomic, rheonomic.exact(0), 0.1, with_level(level)));
    EXPECT_FALSE(converges_quadratically(WrongTangent(), crank_at(0), 0.05, with_level(level)));
  }
}

// [004] section 2: what each level leaves of the others, on a pendulum that turns over and over
TEST(GeneralizedAlpha, DriftOfTheFourLevels) {
  const Pendulum system;
  State start = make_state(system.dim());
  start.q << 0, -1;
  start.v << 8, 0;
  auto drift = [&](const char* level, double end, double h = 1e-3) {
    auto scheme = make_scheme("generalized-alpha", with_level(level));
    scheme->estimate_errors(false);
    return Watched(*scheme, system, start, equal_steps(end, h));
  };
  const Watched ggl = drift("ggl", 8), position = drift("position", 8);
  EXPECT_LT(ggl.position, 1e-15);
  EXPECT_LT(ggl.velocity, 2e-14);
  EXPECT_LT(position.position, 1e-15);
  EXPECT_GT(position.velocity, 1e-6);  // of size h^2, and it does not grow:
  EXPECT_LT(position.velocity, 1.01 * drift("position", 4).velocity);
  EXPECT_NEAR(std::log2(drift("position", 4, 2e-3).velocity / position.velocity), 2, 0.1);

  const Watched velocity = drift("velocity", 8);
  EXPECT_LT(velocity.velocity, 2e-14);
  EXPECT_GT(velocity.position, 1e-6);  // nothing holds it, but on a periodic motion it does not grow, either
  EXPECT_NEAR(std::log2(drift("velocity", 4, 2e-3).position / velocity.position), 2, 0.1);

  const Watched a1 = drift("acceleration", 8), a2 = drift("acceleration", 16);
  EXPECT_GT(a2.velocity / a1.velocity, 1.5);       // linear in time
  EXPECT_NEAR(a2.position / a1.position, 4, 0.4);  // quadratic in time
  EXPECT_GT(a1.position, 10 * velocity.position);
}

TEST(Newmark, ItsMultipliersOscillateAtIndexThree) {
  const SliderCrank system;
  const State exact = crank_at(1);
  auto error_of = [&](const char* level, double h) {
    auto scheme = make_scheme("newmark", with_level(level));
    scheme->estimate_errors(false);
    return largest(Watched(*scheme, system, crank_at(0), equal_steps(1, h)).s.lambda - exact.lambda);
  };
  // at position level the error does not fall with the step, and successive values lie on both sides
  EXPECT_GT(error_of("position", 0.00125), 0.9 * error_of("position", 0.0025));
  auto scheme = make_scheme("newmark");
  State s = crank_at(0), s1 = s;
  scheme->start(system, s);
  Vec last = s.lambda, change = Vec::Zero(2);
  int turns = 0;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(scheme->step(system, s, 0.005, s1).ok());
    std::swap(s, s1);
    turns += (s.lambda - last)[0] * change[0] < 0;
    change = s.lambda - last;
    last = s.lambda;
  }
  EXPECT_GT(turns, 190);
  // damping, or another level, removes it
  EXPECT_NEAR(std::log2(error_of("ggl", 0.0025) / error_of("ggl", 0.00125)), 2, 0.1);
  EXPECT_NEAR(std::log2(error_of("velocity", 0.0025) / error_of("velocity", 0.00125)), 2, 0.1);
}

// on a pendulum the ripples also grow, and the run ends with a word about it; the constraint holds to the last step
TEST(Newmark, ItsRipplesGrowUntilTheRunStops) {
  const Pendulum system;
  State s = make_state(system.dim());
  s.q << 1, 0;
  auto scheme = make_scheme("newmark");
  scheme->estimate_errors(false);
  scheme->start(system, s);
  State s1 = s;
  StepReport report;
  while (report.ok() && s.t < 20) {
    report = scheme->step(system, s, 0.01, s1);
    if (!report.ok()) break;
    std::swap(s, s1);
    ASSERT_LT(std::abs(s.q.squaredNorm() - 1), 2e-14);
  }
  EXPECT_EQ(report.status, Status::across_constraints);
  EXPECT_GT(s.t, 4);
  EXPECT_GT(std::abs(s.lambda[0]), 1000);  // at most 3 g = 29.43 in truth
}

TEST(Newmark, HasOrderOneWithDamping) {
  const RheonomicPendulum system;
  auto scheme = make_scheme("newmark", {{"gamma", 0.6}, {"beta", 0.3025}});
  scheme->estimate_errors(false);
  const Convergence measured(*scheme, {system, system.exact(0), {system.exact(1)}, 40});
  EXPECT_NEAR(measured.order(&Errors::q), 1, 0.1);
  EXPECT_NEAR(measured.order(&Errors::lambda), 1, 0.1);
}

// a step ratio of 3 and back, again and again: a_n and the velocity residual go over to every new step
TEST(GeneralizedAlpha, KeepsItsOrderWhenStepsChange) {
  const SliderCrank system;
  const State exact = crank_at(1);
  struct Errors3 {
    double q, lambda, gdot;
  };
  auto errors = [&](int n, bool estimate) {
    std::vector<double> steps;
    for (int i = 0; i < n; ++i) steps.push_back((i % 2 ? 1.5 : 0.5) / n);
    auto scheme = make_scheme("generalized-alpha");
    scheme->estimate_errors(estimate);
    const Watched run(*scheme, system, crank_at(0), steps);
    EXPECT_TRUE(run.ok);
    return Errors3{largest(run.s.q - exact.q), largest(run.s.lambda - exact.lambda), run.velocity};
  };
  for (const bool estimate : {false, true}) {
    const Errors3 coarse = errors(400, estimate), fine = errors(800, estimate);
    EXPECT_NEAR(std::log2(coarse.q / fine.q), 2, 0.2);
    EXPECT_NEAR(std::log2(coarse.lambda / fine.lambda), 2, 0.2);
    EXPECT_GT(std::log2(coarse.gdot / fine.gdot), 1.7);
  }
}

// the part of the velocity that changes with the step is known from the step before, where that was estimated
TEST(GeneralizedAlpha, AChangeOfStepCostsNoEvaluation) {
  const SliderCrank crank;
  const CountingSystem system(crank);
  auto scheme = make_scheme("generalized-alpha");
  State s = crank_at(0);
  scheme->start(system, s);
  State s1 = s;
  const Counts before = system.counts();
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(scheme->step(system, s, i % 2 ? 1e-3 : 2e-3, s1).ok());
    std::swap(s, s1);
  }
  EXPECT_EQ(system.counts().mass - before.mass, system.counts().force - before.force);  // those of Newton's iterations alone
}

// end of a run of 400 steps, and its iterations; to_stagnation: every one of them is made until nothing changes any more
State run_of_steps(const System& system, State s, double h, bool to_stagnation, int& iterations) {
  auto scheme = make_scheme("generalized-alpha");
  scheme->estimate_errors(false);
  NewtonTrace trace;
  if (to_stagnation) scheme->trace_newton(&trace);
  scheme->start(system, s);
  State s1 = s;
  iterations = 0;
  for (int i = 0; i < 400; ++i) {
    const StepReport report = scheme->step(system, s, h, s1);
    EXPECT_TRUE(report.ok());
    iterations += report.newton_iterations;
    std::swap(s, s1);
  }
  return s;
}

TEST(GeneralizedAlpha, OneCorrectionIsEnoughWhereItLeavesNothing) {
  const SliderCrank system;
  int few = 0, all = 0;
  const State s = run_of_steps(system, crank_at(0), 1e-3, false, few), to_the_end = run_of_steps(system, crank_at(0), 1e-3, true, all);
  EXPECT_LT(few, 1.25 * 400);
  EXPECT_GT(all, 2.5 * 400);
  EXPECT_LT(largest(s.q - to_the_end.q), 1e-12);
  EXPECT_LT(largest(s.v - to_the_end.v), 1e-11);
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap, T);
  EXPECT_LT(largest(T.g), 1e-15);
}

// a spring that is met in full flight: nothing before tells of it
class SpringBehindNothing : public HandSystem {
 public:
  SpringBehindNothing() : HandSystem(1, 1, 0) {}
  State start() const {
    State s = make_state(dim());
    s.q << -0.2001;
    s.v << 1;
    return s;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense()(0, 0) = 1;
    if (has(need, Need::force)) T.f << (s.q[0] > 0 ? -stiffness * s.q[0] : 0) - 0.1 * std::sin(s.q[0]);
  }
  void tangent(const State& s, const Vec&, const Vec&, Parts, Tangent& D) const override {
    D.D.set_zero();
    D.K.dense()(0, 0) = (s.q[0] > 0 ? stiffness : 0) + 0.1 * std::cos(s.q[0]);
  }

 private:
  static constexpr double stiffness = 1e5;
};

TEST(GeneralizedAlpha, OneCorrectionMissesNoSpring) {
  const SpringBehindNothing system;
  int few = 0, all = 0;
  const State s = run_of_steps(system, system.start(), 1e-3, false, few), to_the_end = run_of_steps(system, system.start(), 1e-3, true, all);
  EXPECT_LT(s.v[0], -0.5);
  EXPECT_LT(largest(s.q - to_the_end.q), 1e-11);
  EXPECT_LT(largest(s.v - to_the_end.v), 1e-9);
}

// a mode far above the step's resolution shrinks by rho_infinity per step
TEST(GeneralizedAlpha, DampsFastModesAsAsked) {
  class Stiff : public HandSystem {
   public:
    Stiff() : HandSystem(1, 1, 0) {}
    void evaluate(const State& s, Need need, Terms& T) const override {
      if (has(need, Need::mass)) T.M.dense()(0, 0) = 1;
      if (has(need, Need::force)) T.f << -1e12 * s.q[0];
    }
    void tangent(const State&, const Vec&, const Vec&, Parts, Tangent& D) const override {
      D.K.dense()(0, 0) = 1e12;
      D.D.set_zero();
    }
  };
  const Stiff system;
  auto shrink = [&](const char* id, const Given& options) {
    auto scheme = make_scheme(id, options);
    State s = make_state(system.dim()), s1 = s;
    s.q << 1;
    scheme->start(system, s);
    s1 = s;
    for (int i = 0; i < 60; ++i) {
      EXPECT_TRUE(scheme->step(system, s, 1, s1).ok());
      std::swap(s, s1);
    }
    const double before = std::abs(s.q[0]);
    EXPECT_TRUE(run_steps(*scheme, system, 10, 1, s));
    return std::pow(std::abs(s.q[0]) / before, 0.1);
  };
  // a threefold root: n^2 rho^n after n steps
  const double growth = std::pow(70.0 / 60, 0.2);
  EXPECT_NEAR(shrink("generalized-alpha", {{"rho_infinity", 0.8}}), 0.8 * growth, 0.01);
  EXPECT_NEAR(shrink("generalized-alpha", {{"rho_infinity", 0.5}}), 0.5 * growth, 0.01);
  EXPECT_NEAR(shrink("newmark", {}), 1, 0.01);
  EXPECT_LT(shrink("hht", {}), 0.95);
}

// [000] (11); at levels without ripples in the velocity the whole of it counts
TEST(GeneralizedAlpha, TheEstimateIsTheDistanceFromAStepOfNewmark) {
  const SmoothOscillator oscillator;
  const SliderCrank crank;
  struct Case {
    const System& system;
    State start;
    const char* level;
  };
  for (const Case& c : {Case{oscillator, oscillator.exact(0), "position"}, Case{crank, crank_at(0), "velocity"},
                        Case{crank, crank_at(0), "ggl"}}) {
    const Given level = with_level(c.level),
                first_order{{"gamma", 0.6}, {"beta", 0.3025}, {"level", std::string(c.level)}};
    auto scheme = make_scheme("generalized-alpha", level), newmark = make_scheme("newmark", first_order);
    State s = c.start, other = c.start;
    scheme->start(c.system, s);
    newmark->start(c.system, other);
    State s1 = s, other1 = other;
    const StepReport report = scheme->step(c.system, s, 0.01, s1);
    ASSERT_TRUE(report.ok() && newmark->step(c.system, other, 0.01, other1).ok());
    const double distance = error_norm(s1.q - other1.q, s1.v - other1.v, s1);
    EXPECT_GT(distance, 1e-6);
    EXPECT_NEAR(report.error, distance, 1e-9 * distance) << c.level;
  }
}

TEST(GeneralizedAlpha, TheEstimateFallsAsTheSquareOfTheStep) {
  const SliderCrank system;
  auto scheme = make_scheme("generalized-alpha");
  State s = crank_at(0);
  scheme->start(system, s);
  ASSERT_TRUE(run_steps(*scheme, system, 50, 2e-3, s));
  State s1 = s;
  const double coarse = scheme->step(system, s, 2e-3, s1).error, fine = scheme->step(system, s, 1e-3, s1).error;
  EXPECT_NEAR(std::log2(coarse / fine), 2, 0.15);
  scheme->estimate_errors(false);
  EXPECT_EQ(scheme->step(system, s, 1e-3, s1).error, 0);
}

// [003] for this scheme: with scaling Newton's method reaches rounding at any step, without it says that it cannot
TEST(GeneralizedAlpha, ScalingMakesTinyStepsPossible) {
  const Pendulum system(1);
  State start = make_state(system.dim());
  const double t = 0.5, angle = -0.1248698;  // somewhere on the way down
  start.t = t;
  start.q << std::cos(angle), std::sin(angle);
  const double speed = -std::sqrt(-2 * start.q[1]);
  start.v << -speed * start.q[1], speed * start.q[0];
  for (double h : {1e-4, 1e-6, 1e-8}) {
    auto scheme = make_scheme("generalized-alpha");
    const Watched run(*scheme, system, start, std::vector<double>(500, h));
    EXPECT_TRUE(run.ok) << h;
    EXPECT_LT(run.position, 1e-15) << h;
  }
  for (const char* scaling : {"none", "left"}) {
    auto scheme = make_scheme("generalized-alpha", {{"scaling", std::string(scaling)}});
    State s = start, s1 = s;
    scheme->start(system, s);
    s1 = s;
    StepReport report;
    for (int i = 0; i < 500 && report.ok(); ++i) {
      report = scheme->step(system, s, 1e-8, s1);
      std::swap(s, s1);
    }
    EXPECT_EQ(report.status, Status::ill_conditioned) << scaling;
    EXPECT_NE(report.worst[0].kind, RowResidual::Kind::none);
  }
}

// [003] (43), (47), (52): the matrix of (10) is that of the two-field form but for its coefficients
TEST(GeneralizedAlpha, ConditionOfTheMatrixByScaling) {
  const Pendulum system(1);
  const std::pair<const char*, int> exponents[] = {{"none", 4}, {"left", 3}, {"multipliers", 0}, {"full", 0}};
  for (const auto& [scaling, exponent] : exponents) {
    auto scheme = make_scheme("generalized-alpha", {{"scaling", std::string(scaling)}});
    scheme->estimate_errors(false);
    NewtonTrace trace;
    scheme->trace_newton(&trace);
    double first = 0;
    for (const double h : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8}) {
      State s = make_state(system.dim()), s1 = s;
      s.q << 0.6, -0.8;
      scheme->start(system, s);
      s1 = s;
      scheme->step(system, s, h, s1);
      const double constant = condition_number(trace.matrix) * std::pow(h, exponent);
      if (first == 0) first = constant;
      EXPECT_NEAR(constant / first, 1, 1e-3) << scaling << " at h = " << h;
    }
    EXPECT_GT(first, 1);
    EXPECT_LT(first, 20);
  }
}

TEST(GeneralizedAlpha, ALooserNewtonToleranceSavesIterations) {
  const SliderCrank system;
  auto iterations = [&](double tolerance, double& position) {
    auto scheme = make_scheme("generalized-alpha", {{"newton_tolerance", tolerance}});
    scheme->estimate_errors(false);
    State s = crank_at(0), s1 = s;
    scheme->start(system, s);
    s1 = s;
    int sum = 0;
    position = 0;
    Terms T;
    system.prepare(T);
    for (int i = 0; i < 50; ++i) {
      sum += scheme->step(system, s, 0.01, s1).newton_iterations;
      std::swap(s, s1);
      system.evaluate(s, Need::gap, T);
      position = std::max(position, largest(T.g));
    }
    return sum;
  };
  double tight = 0, loose = 0;
  EXPECT_GT(iterations(0, tight), iterations(1e-2, loose));
  EXPECT_LT(tight, 1e-15);
  EXPECT_GT(loose, 1e-12);
}

}  // namespace
}  // namespace escapement
