// Backward differentiation formulas whose order follows the tolerance.
#include "schemes/bdf_order.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "simulate/simulation.hpp"
#include "support/pendulum.hpp"
#include "support/slider_crank.hpp"

namespace escapement::bdf_order_test {
namespace {

using namespace testing;

struct Measured {
  Outcome outcome;
  long evaluations = 0;
  double error = 0, drift = 0;  // error: rms over q and v at the end of error/(1 + |x|)
};

// the slider-crank of paper 000 to 2 s, from quadrature of its energy with 40,000 steps of Runge and Kutta's method
constexpr std::array<double, 6> at_2s{9.927291196797, 0.2432052665213, 1.064767290451, 8.060493590186, 3.639101874911, 2.129473097999};

Measured run_slider_crank(std::map<std::string, OptionValue> options, double tolerance) {
  const SliderCrank system;
  Settings settings;
  settings.end = 2;
  settings.scheme = "bdf";
  settings.tolerance = tolerance;
  settings.options = std::move(options);
  const RunOptions checked = check_options(settings);
  const auto scheme = find_scheme(settings.scheme)->make(checked.scheme);
  Simulation simulation(system, *scheme, settings, checked.loop);
  Measured run;
  run.outcome = simulation.run(system.consistent_start());
  run.evaluations = simulation.counts().force;
  const State& s = run.outcome.final;
  for (int i = 0; i < 6; ++i) {
    const double x = i < 3 ? s.q[i] : s.v[i - 3], exact = at_2s[static_cast<std::size_t>(i)];
    run.error += std::pow((x - exact) / (1 + std::abs(exact)), 2) / 6;
  }
  run.error = std::sqrt(run.error);
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap | Need::jacobian, T);
  run.drift = std::max(T.g.lpNorm<Eigen::Infinity>(), (T.G.dense() * s.v).lpNorm<Eigen::Infinity>());
  return run;
}

// residuals of IDA (SUNDIALS 6.4.1) on the same mechanism, by the error that it makes: benchmarks/sundials/slider_crank.cpp
double evaluations_of_ida(double error) {
  constexpr std::array<std::pair<double, double>, 5> measured{{{1.45e-2, 585}, {9.92e-4, 866}, {4.49e-5, 1114}, {4.00e-6, 1502}, {1.17e-6, 2111}}};
  std::size_t k = 1;
  while (k + 1 < measured.size() && error < measured[k].first) ++k;
  const auto& [a, x] = measured[k - 1];
  const auto& [b, y] = measured[k];
  return x * std::pow(y / x, std::log(error / a) / std::log(b / a));
}

TEST(BdfOrder, TakesAtMostThreeTimesTheEvaluationsOfIdaAtTheSameError) {
  double last = 1;
  for (double tolerance : {1e-5, 1e-6, 1e-7}) {
    const Measured run = run_slider_crank({{"order", std::string("variable")}}, tolerance);
    ASSERT_EQ(run.outcome.status, Outcome::Status::completed) << run.outcome.message;
    EXPECT_LT(run.error, 0.5 * last) << tolerance;
    EXPECT_LT(run.evaluations, 3 * evaluations_of_ida(run.error)) << tolerance << ": error " << run.error;
    last = run.error;
  }
}

TEST(BdfOrder, KeepsBothLevels) {
  const Measured run = run_slider_crank({{"order", std::string("variable")}}, 1e-6);
  EXPECT_LT(run.drift, 1e-8);
}

TEST(BdfOrder, RisesWithTheAccuracyAskedFor) {
  const long coarse = run_slider_crank({{"order", std::string("variable")}}, 1e-5).outcome.steps;
  const long fine = run_slider_crank({{"order", std::string("variable")}}, 1e-8).outcome.steps;
  // order 2 alone would need ten times as many
  EXPECT_LT(static_cast<double>(fine), 6.0 * static_cast<double>(coarse));
}

TEST(BdfOrder, IsTheOneThatAllowsTheLongestStep) {
  const auto errors = [](double below, double here, double above) {
    return [=](int order) { return order < 3 ? below : order == 3 ? here : above; };
  };
  EXPECT_EQ(choose_bdf_order(3, true, errors(1, 0.1, 1e-3)).order, 4);
  EXPECT_EQ(choose_bdf_order(3, false, errors(1, 0.1, 1e-3)).order, 3);
  EXPECT_EQ(choose_bdf_order(3, true, errors(1e-3, 0.5, 1)).order, 2);
  EXPECT_LT(choose_bdf_order(3, true, errors(9, 4, 9)).growth, 1);
  EXPECT_LE(choose_bdf_order(1, true, errors(0, 0, 0)).growth, 2);
  EXPECT_EQ(choose_bdf_order(5, true, errors(1, 1, 0)).order, 5);
}

TEST(BdfOrder, RefusesWhatDoesNotGoWithIt) {
  const auto refusal = [](std::map<std::string, OptionValue> options, bool fixed) -> std::string {
    try {
      const Pendulum system(1);
      const auto scheme = make_scheme("bdf", options);
      State s = make_state(system.dim());
      s.q << 1, 0;
      if (!fixed) scheme->set_tolerance(1e-6, false);
      scheme->start(system, s);
    } catch (const OptionError& error) {
      return error.option + ": " + error.what();
    }
    return "";
  };
  const OptionValue variable = std::string("variable");
  EXPECT_EQ(refusal({{"order", variable}}, false), "");
  EXPECT_NE(refusal({{"order", variable}}, true).find("needs a tolerance"), std::string::npos);
  EXPECT_EQ(refusal({{"order", variable}, {"form", std::string("two-field")}}, false).rfind("form: ", 0), 0u);
  EXPECT_NE(refusal({{"order", std::string("free")}}, false).find("choose one of: variable"), std::string::npos);
  EXPECT_NE(refusal({{"order", 6.0}}, false), "");
}

}  // namespace
}  // namespace escapement
