// Members over lanes: the same bits for every width, functions within a unit in the last place, samples where a single run has them.
#include "ensemble/lanes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "ensemble/members.hpp"

namespace escapement::lanes_test {
namespace {

using testing::MemberFormulas;

EnsembleResult run(const Ensemble& ensemble, const LaneEngine& engine, const std::vector<double>& parameters, int threads = 1) {
  EnsembleResult result;
  run_lanes(ensemble, engine, parameters, threads, {}, result);
  EXPECT_TRUE(result.complete);
  return result;
}

TEST(Lanes, EveryWidthAndNumberOfThreadsGivesTheSameBits) {
  for (const EnsembleScheme scheme : {EnsembleScheme::moreau_midpoint, EnsembleScheme::moreau_midpoint_ggl, EnsembleScheme::moreau_jean}) {
    SCOPED_TRACE(static_cast<int>(scheme));
    MemberFormulas m({"e", "c"});
    testing::add_slider_crank(m, "e", "c", "150");
    m.sample(Reduction::final, "th1'");
    m.sample(Reduction::max, "g1.force");
    m.sample(Reduction::mean, "sy");
    const Ensemble ensemble = m.make({.scheme = scheme, .start = 0, .end = 0.02, .step = 1e-5, .save_every = 1e-4});
    std::vector<double> parameters;
    for (int k = 0; k < 13; ++k) parameters.insert(parameters.end(), {0.05 + 0.07 * k, 5e-4 + 1e-4 * k});
    const EnsembleResult first = run(ensemble, lane_engines().front(), parameters);
    for (const LaneEngine& engine : lane_engines()) {
      const EnsembleResult other = run(ensemble, engine, parameters, 2);
      for (std::size_t i = 0; i < first.value.size(); ++i) EXPECT_EQ(std::bit_cast<long>(first.value[i]), std::bit_cast<long>(other.value[i])) << engine.name;
      EXPECT_EQ(first.impacts, other.impacts);
    }
    for (const double impacts : first.impacts) EXPECT_GT(impacts, 1);
  }
}

// one coordinate at rest: what is sampled is a function of its start
EnsembleResult at_rest(const std::vector<std::string>& functions, const std::vector<double>& values, const LaneEngine& engine) {
  MemberFormulas m({"x0"});
  m.coordinate("x", "x0", "0");
  m.formulas.formulas.kinetic = m("x'^2/2");
  for (const std::string& f : functions) m.sample(Reduction::final, f);
  return run(m.make({.start = 0, .end = 1, .step = 1, .save_every = 1}), engine, values);
}

TEST(Lanes, SineAndCosineAreRightToTheLastPlace) {
  std::vector<double> angles{0, -0.0, 1e-300, 1e-9, 0.5, 1, M_PI / 2, M_PI, 3 * M_PI / 2, 2 * M_PI, 1e5 * M_PI, 1e4, 99999.5, 1e6, 1e15, 1e300, -3, -1e4};
  std::mt19937 random(1);
  for (const double size : {1.0, 10.0, 1e3, 9e4})
    for (int i = 0; i < 2000; ++i) angles.push_back(std::uniform_real_distribution(-size, size)(random));
  const auto places = [](double a, double b) { return std::abs(a - b) / (std::nextafter(std::abs(b), 2) - std::abs(b)); };
  for (const LaneEngine& engine : lane_engines()) {
    const EnsembleResult r = at_rest({"sin(x)", "cos(x)", "sin(x) + cos(x)"}, angles, engine);
    for (std::size_t i = 0; i < angles.size(); ++i) {
      EXPECT_LE(places(r.value[3 * i], std::sin(angles[i])), 1) << engine.name << " " << angles[i];
      EXPECT_LE(places(r.value[3 * i + 1], std::cos(angles[i])), 1) << engine.name << " " << angles[i];
      EXPECT_NEAR(r.value[3 * i + 2], std::sin(angles[i]) + std::cos(angles[i]), 1e-15);
    }
  }
}

TEST(Lanes, OtherFunctionsAreThoseOfTheLibrary) {
  const std::vector<double> values{-2, -0.7, 0, 0.3, 1, 2.5};
  for (const LaneEngine& engine : lane_engines()) {
    const EnsembleResult r = at_rest({"exp(x)", "tan(x)", "atan2(x, 2)", "abs(x)", "sign(x)", "min(x, 0.5)", "max(x, 0.5)", "if(x > 0.5, 3, x)", "sqrt(x + 3)", "x^2.5", "tanh(x)", "x <= 0.3"}, values, engine);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double x = values[i], *v = &r.value[12 * i];
      const double want[] = {std::exp(x), std::tan(x), std::atan2(x, 2.0), std::abs(x), double(x > 0) - double(x < 0), std::min(x, 0.5), std::max(x, 0.5), x > 0.5 ? 3 : x, std::sqrt(x + 3), std::pow(x, 2.5), std::tanh(x), double(x <= 0.3)};
      for (int k = 0; k < 12; ++k)
        if (std::isnan(want[k])) EXPECT_TRUE(std::isnan(v[k]));
        else EXPECT_DOUBLE_EQ(v[k], want[k]) << engine.name << " " << k << " at " << x;
    }
  }
}

TEST(Lanes, ABallBouncesAsTheSchemeSays) {
  MemberFormulas m({"e", "drop"});
  m.coordinate("x", "drop", "0");
  m.formulas.formulas.kinetic = m("x'^2/2");
  m.formulas.formulas.potential = m("9.81*x");
  m.contact("floor", "x", "e");
  m.sample(Reduction::final, "x");
  m.sample(Reduction::first, "x < drop/2");
  m.sample(Reduction::count, "x < drop/10");
  const double h = 1e-3;
  const Ensemble ensemble = m.make({.start = 0, .end = 3, .step = h, .save_every = 0});
  const std::vector<double> parameters{0, 1, 0.5, 1, 0.9, 0.3, 1, 2, 0.8, 5};
  const EnsembleResult r = run(ensemble, lane_engines().back(), parameters);
  for (std::size_t k = 0; k < 5; ++k) {
    const double e = parameters[2 * k], drop = parameters[2 * k + 1];
    double x = drop, v = 0, first = NAN, count = 0;
    bool closed = false, below = false;
    int impacts = 0;
    for (int n = 0; n < 3000; ++n) {  // [004] (8)-(13)
      const double free = v - h * 9.81, bound = -e * v;
      const bool touches = x + 0.5 * h * v <= 30 * 2.2e-16 * (1 + std::abs(x + 0.5 * h * v)), pushed = touches && free < bound;
      const double v1 = pushed ? bound : free;
      impacts += pushed && !closed && v < 0;
      closed = pushed;
      x += 0.5 * h * (v + v1);
      v = v1;
      if (std::isnan(first) && x < drop / 2) first = (n + 1) * h;
      count += x < drop / 10 && !below;
      below = x < drop / 10;
    }
    EXPECT_NEAR(r.value[3 * k], x, 1e-12);
    EXPECT_NEAR(r.value[3 * k + 1], first, 1e-12);
    EXPECT_EQ(r.value[3 * k + 2], count);
    EXPECT_EQ(r.impacts[k], impacts) << k;
    EXPECT_EQ(r.failure[k], 0);
  }
}

TEST(Lanes, AMemberThatFailsLeavesTheOthersAlone) {
  MemberFormulas m({"mass", "start"});
  m.coordinate("x", "start", "-1");
  m.formulas.formulas.kinetic = m("mass*x'^2/2");
  m.formulas.formulas.forces[0] = m("1/x");
  m.contact("floor", "x + 2", "0.5");
  m.sample(Reduction::final, "x'");
  const Ensemble ensemble = m.make({.start = 0, .end = 1, .step = 0.25, .save_every = 0.25});
  const std::vector<double> good{1, 10}, mixed{1, 10, 0, 10, -1, 10, 1, -3, 1, 0.125, 1, 10};
  const double alone = run(ensemble, lane_engines().back(), good).value[0];
  const EnsembleResult r = run(ensemble, lane_engines().back(), mixed);
  EXPECT_EQ(r.value[0], alone);
  EXPECT_EQ(r.value[5], alone);
  EXPECT_STREQ(failure_text(static_cast<int>(r.failure[1])), "the mass matrix is not positive definite");
  EXPECT_STREQ(failure_text(static_cast<int>(r.failure[2])), "the mass matrix is not positive definite");
  EXPECT_TRUE(is_refusal(static_cast<int>(r.failure[3])));  // below the floor
  EXPECT_STREQ(failure_text(static_cast<int>(r.failure[4])), "the motion is no longer finite");  // 1/0 at the first midpoint
  EXPECT_EQ(r.failed_at[4], 0);
}

TEST(EnsembleTimes, StepsAndSamplesAreThoseOfARun) {
  EnsembleTimes t = make_times({.start = 0, .end = 1, .step = 0.3, .save_every = 0.5});
  EXPECT_EQ(t.steps, 4);
  ASSERT_EQ(t.sample_step.size(), 2u);
  EXPECT_EQ(t.sample_step[0], 1);
  EXPECT_NEAR(t.sample_part[0], 2.0 / 3, 1e-12);
  EXPECT_EQ(t.sample_part[1], 1);
  EXPECT_EQ(t.sample_time[1], 1);
  t = make_times({.start = 0, .end = 0.1, .step = 1e-5, .save_every = 1e-4});
  EXPECT_EQ(t.steps, 10000);
  EXPECT_EQ(t.sample_step.size(), 1000u);
  for (const double part : t.sample_part) EXPECT_EQ(part, 1);
  t = make_times({.start = 1, .end = 2, .step = 0.4, .save_every = 0});
  EXPECT_EQ(t.steps, 3);
  EXPECT_EQ(t.sample_time, (std::vector<double>{1.4, 1.8, 2}));
  t = make_times({.start = 0, .end = 1, .step = 0.5, .save_every = 0.7});  // the end is always sampled
  EXPECT_EQ(t.sample_time.back(), 1);
  EXPECT_EQ(t.sample_step.size(), 2u);
}

}  // namespace
}  // namespace escapement
