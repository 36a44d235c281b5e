#include <gtest/gtest.h>

#include "schemes/extrapolation_control.hpp"
#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/linear_systems.hpp"
#include "support/reference.hpp"
#include "support/slider_crank.hpp"

namespace escapement::mexx_test {
namespace {

using namespace testing;

std::vector<State> slider_crank_grid() {
  return read_grid(read_json("000_slider_crank.json").at("uniform_rods").at("grid"));
}

struct Controlled {
  int steps = 0, rejected = 0, solves = 0;
  double largest_step = 0;
  std::vector<double> orders;
  Errors errors, dense;
};

// the loop of a run with a tolerance, in short; looks at the dense output where the reference has a state
Controlled run_with_tolerance(double tolerance) {
  const SliderCrank system;
  const std::vector<State> grid = slider_crank_grid();
  auto scheme = make_scheme("mexx");
  scheme->set_tolerance(tolerance, false);
  State s = grid.front();
  scheme->start(system, s);
  State s1 = s, out = s;
  Controlled run;
  double h = 0.01;
  std::size_t next = 1;
  while (s.t < 2) {
    h = std::min(h, 2 - s.t);
    const StepReport report = scheme->step(system, s, h, s1);
    run.solves += report.linear_solves;
    EXPECT_TRUE(report.ok());
    EXPECT_GT(report.next_step, 0);
    if (report.error > tolerance) {
      ++run.rejected;
      EXPECT_LT(report.next_step, h);
      h = report.next_step;
      continue;
    }
    ++run.steps;
    run.orders.push_back(2 * s1.memory.numbers[1]);
    run.largest_step = std::max(run.largest_step, h);
    for (; next < grid.size() && grid[next].t <= s1.t + 1e-12; ++next) {
      scheme->interpolate(system, s, s1, (grid[next].t - s.t) / h, out);
      run.dense.look(system, out, grid[next]);
    }
    h = report.next_step;
    std::swap(s, s1);
  }
  run.errors.look(system, s, grid.back());
  return run;
}

TEST(Mexx, TheErrorFollowsTheTolerance) {
  double previous = 1;
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    const Controlled run = run_with_tolerance(tolerance);
    EXPECT_LT(run.errors.largest(), 300 * tolerance) << tolerance;
    EXPECT_LT(run.errors.largest(), 0.3 * previous) << tolerance;
    EXPECT_LT(run.rejected, 0.4 * run.steps) << tolerance;
    // between the steps nothing is lost, although the steps are long
    EXPECT_LT(run.dense.q, 300 * tolerance) << tolerance;
    EXPECT_LT(run.dense.v, 500 * tolerance) << tolerance;
    previous = run.errors.largest();
    if (std::getenv("ESCAPEMENT_SHOW_MEASUREMENTS"))
      fmt::print(
          "mexx, tolerance {:.0e}: {} steps ({} rejected), {} solves, longest {:.3f}, order {:.1f}, error {:.1e}, "
          "dense {:.1e} {:.1e} {:.1e}\n",
          tolerance, run.steps, run.rejected, run.solves, run.largest_step,
          Eigen::Map<const Vec>(run.orders.data(), run.orders.size()).mean(), run.errors.largest(), run.dense.q,
          run.dense.v, run.dense.lambda);
  }
}

TEST(Mexx, TighterTolerancesTakeHigherOrders) {
  const Controlled loose = run_with_tolerance(1e-3), tight = run_with_tolerance(1e-12);
  auto mean = [](const std::vector<double>& x) { return Eigen::Map<const Vec>(x.data(), x.size()).mean(); };
  EXPECT_LT(mean(loose.orders), 8);
  EXPECT_GT(mean(tight.orders), 9);
}

TEST(Mexx, RefusesOddOrders) {
  EXPECT_THROW(make_scheme("mexx", {{"order", 7.0}}), OptionError);
  EXPECT_EQ(make_scheme("mexx", {{"order", 12.0}})->info().order, 12);
}

TEST(Mexx, DenseOutputOfAFirstOrderState) {
  const MaxwellElement system;
  auto scheme = make_scheme("mexx", {{"order", 12.0}});
  State s = system.exact(0);
  scheme->start(system, s);
  State s1 = s, out = s;
  ASSERT_TRUE(scheme->step(system, s, 0.4, s1).ok());
  for (const double theta : {0.1, 0.4, 0.7}) {
    scheme->interpolate(system, s, s1, theta, out);
    const State exact = system.exact(0.4 * theta);
    EXPECT_NEAR(out.z[0], exact.z[0], 1e-11);
    EXPECT_NEAR(out.q[0], exact.q[0], 1e-11);
    EXPECT_NEAR(out.v[0], exact.v[0], 1e-11);
    EXPECT_NEAR(out.vdot[0], exact.vdot[0], 1e-10);
  }
}

}  // namespace
}  // namespace escapement
