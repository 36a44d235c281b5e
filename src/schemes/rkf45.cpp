// RKF45: Fehlberg's method on the index-1 form, [000] section 2.3: the result of order 4 is propagated, the embedded
// one of order 5 estimates its error.
#include "schemes/explicit_runge_kutta.hpp"
#include "schemes/registry.hpp"

namespace escapement::inline schemes {

namespace {

using F = Fraction;

// clang-format off
constexpr Tableau<6> fehlberg{
    .c = {0, F(1, 4), F(3, 8), F(12, 13), 1, F(1, 2)},
    .a = {{{0, 0, 0, 0, 0, 0},
           {F(1, 4), 0, 0, 0, 0, 0},
           {F(3, 32), F(9, 32), 0, 0, 0, 0},
           {F(1932, 2197), F(-7200, 2197), F(7296, 2197), 0, 0, 0},
           {F(439, 216), -8, F(3680, 513), F(-845, 4104), 0, 0},
           {F(-8, 27), 2, F(-3544, 2565), F(1859, 4104), F(-11, 40), 0}}},
    .b     = {F(25, 216), 0, F(1408, 2565), F(2197, 4104), F(-1, 5), 0},
    .b_hat = {F(16, 135), 0, F(6656, 12825), F(28561, 56430), F(-9, 50), F(2, 55)}};
// clang-format on
static_assert(order_conditions_hold(fehlberg, fehlberg.b, 4) && !order_conditions_hold(fehlberg, fehlberg.b, 5));
static_assert(order_conditions_hold(fehlberg, fehlberg.b_hat, 5));

SchemeInfo rkf45_info() {
  SchemeInfo info;
  info.id = "rkf45";
  info.description = "Runge-Kutta-Fehlberg method with 6 stages, index 1";
  info.paper = "000";
  info.equations = "section 2.3";
  info.order = 4;
  info.index = 1;
  info.keeps_position = info.keeps_velocity = true;
  info.error_power = 5;
  info.options = ExplicitRungeKutta::options();
  for (const OptionInfo& option : ErrorNorm::options()) info.options.push_back(option);
  return info;
}

}  // namespace

SchemeEntry rkf45_scheme() {
  return {rkf45_info(), [](const Options& options) -> std::unique_ptr<Scheme> {
            return std::make_unique<ExplicitRungeKutta>(rkf45_info(), fehlberg, options);
          }};
}

}  // namespace escapement
