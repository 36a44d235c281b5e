#include <gtest/gtest.h>

#include "schemes/error_norm.hpp"
#include "support/convergence.hpp"
#include "support/reference.hpp"
#include "support/slider_crank.hpp"

namespace escapement::hem5_test {
namespace {

using namespace testing;

TEST(Hem5, ProjectsThePositionWhenAsked) {
  const SliderCrank system;
  auto scheme = make_scheme("hem5", {{"projection", "both"}});
  EXPECT_TRUE(scheme->info().keeps_position && scheme->info().keeps_velocity);
  State s = system.consistent_start();
  scheme->start(system, s);
  ASSERT_TRUE(run_steps(*scheme, system, 100, 0.02, s));
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap | Need::jacobian, T);
  EXPECT_LT(T.g.norm(), 2e-15);
  EXPECT_LT((T.G.dense() * s.v).norm(), 1e-14);
}

// with steps so large that the factors of the last stage do not serve to the end
TEST(Hem5, HalfExplicitSchemesMeetBothLevelsWithLargeSteps) {
  const SliderCrank system;
  for (const char* id : {"hem5", "phem56"}) {
    auto scheme = make_scheme(id, {{"projection", "both"}});
    State s = system.consistent_start();
    scheme->start(system, s);
    ASSERT_TRUE(run_steps(*scheme, system, 40, 0.05, s)) << id;
    Terms T;
    system.prepare(T);
    system.evaluate(s, Need::gap | Need::jacobian, T);
    EXPECT_LT(T.g.lpNorm<Eigen::Infinity>(), 2e-15) << id;
    EXPECT_LT((T.G.dense() * s.v).lpNorm<Eigen::Infinity>(), 1e-14) << id;
  }
}

// [000] (16) with the stages in place of their derivatives: err2 is of order 1 and the estimate of order 7
TEST(Hem5, TheEstimateAsPrintedIsOfOrderSeven) {
  const SliderCrank system;
  auto power = [&](const char* formula) {
    auto scheme = make_scheme("hem5", {{"estimate", std::string(formula)}, {"error_of", std::string("positions")}});
    State s = system.consistent_start();
    scheme->start(system, s);
    EXPECT_TRUE(run_steps(*scheme, system, 10, 0.01, s));
    State s1 = s;
    return std::log2(scheme->step(system, s, 0.004, s1).error / scheme->step(system, s, 0.002, s1).error);
  };
  EXPECT_NEAR(power("printed"), 7, 0.3);
  EXPECT_NEAR(power("corrected"), 4.7, 0.4);  // 4 to 5, as err1 or 0.01 err2 is the larger one
}

TEST(ErrorNorm, TakesTheNormItIsTold) {
  State s = make_state({.q = 2, .v = 2});
  s.q << 1, -3;
  s.v << 0, 7;
  const Vec q = (Vec(2) << 0.2, -0.4).finished(), v = (Vec(2) << 0.3, -1.6).finished();
  auto norm = [&](const char* kind, const char* scale, const char* of) {
    SchemeInfo info;
    info.options = ErrorNorm::options();
    return ErrorNorm(Options(
        info, {{"error_norm", std::string(kind)}, {"error_scale", std::string(scale)}, {"error_of", std::string(of)}}))(
        q, v, s);
  };
  EXPECT_DOUBLE_EQ(norm("rms", "mixed", "state"), error_norm(q, v, s));
  EXPECT_DOUBLE_EQ(ErrorNorm()(q, v, s), error_norm(q, v, s));
  EXPECT_DOUBLE_EQ(norm("maximum", "mixed", "state"), 0.3);
  EXPECT_DOUBLE_EQ(norm("maximum", "absolute", "state"), 1.6);
  EXPECT_DOUBLE_EQ(norm("euclidean", "absolute", "positions"), std::sqrt(0.04 + 0.16));
  EXPECT_DOUBLE_EQ(norm("rms", "absolute", "positions"), std::sqrt(0.1));
}

// other implementations of HEM5 and RKF45 at the same fixed steps, at t = 1: the errors agree to their printed digits
TEST(Hem5, AgreesWithAnotherImplementation) {
  const SliderCrank system;
  const State exact = at_time(read_grid(read_json("000_slider_crank.json").at("uniform_rods").at("grid")), 1);
  const nlohmann::json runs = read_json("000_slider_crank_fixed_step.json").at("runs");
  for (const auto& row : runs) {
    const std::string method = row.at("method");
    if (method != "hem5" && method != "rkf45") continue;
    const double h = row.at("h");
    auto scheme = make_scheme(method, {{"projection", "none"}});
    State s = system.consistent_start();
    scheme->start(system, s);
    ASSERT_TRUE(run_steps(*scheme, system, static_cast<int>(std::lround(1 / h)), h, s));
    auto expect_digits = [&](const Vec& error, const char* name) {
      const double printed = row.at(name);
      if (printed < 1e-10) return;  // rounding
      EXPECT_NEAR(error.lpNorm<Eigen::Infinity>() / printed, 1, 0.01) << method << " " << h << " " << name;
    };
    expect_digits(s.q - exact.q, "err_q");
    expect_digits(s.v - exact.v, "err_v");
    expect_digits(s.lambda - exact.lambda, "err_lambda");
  }
}

}  // namespace
}  // namespace escapement
