#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/reference.hpp"
#include "support/slider_crank.hpp"

namespace escapement {
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

// other implementations of HEM5 and RKF45 at the same fixed steps, at t = 1: the errors agree to their printed digits
TEST(Hem5, AgreesWithAnotherImplementation) {
  const SliderCrank system;
  const State exact = at_time(read_grid(read_json("000_slider_crank.json").at("uniform_rods").at("grid")), 1);
  for (const auto& row : read_json("000_slider_crank_fixed_step.json").at("runs")) {
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
