// RK4: the classical Runge-Kutta method of order 4 on the index-1 form, the yardstick of [002].
#include "schemes/explicit_runge_kutta.hpp"
#include "schemes/registry.hpp"

namespace escapement::inline schemes {

namespace {

using F = Fraction;

// clang-format off
constexpr Tableau<4> classical{
    .c = {0, F(1, 2), F(1, 2), 1},
    .a = {{{0, 0, 0, 0},
           {F(1, 2), 0, 0, 0},
           {0, F(1, 2), 0, 0},
           {0, 0, 1, 0}}},
    .b = {F(1, 6), F(1, 3), F(1, 3), F(1, 6)}};
// clang-format on
static_assert(order_conditions_hold(classical, classical.b, 4));

SchemeInfo rk4_info() {
  SchemeInfo info;
  info.id = "rk4";
  info.description = "classical Runge-Kutta method, index 1";
  info.paper = "002";
  info.equations = "tables 1 and 2";
  info.order = 4;
  info.index = 1;
  info.keeps_position = info.keeps_velocity = true;
  info.options = ExplicitRungeKutta::options();
  return info;
}

}  // namespace

SchemeEntry rk4_scheme() {
  return {rk4_info(), [](const Options& options) -> std::unique_ptr<Scheme> {
            return std::make_unique<ExplicitRungeKutta>(rk4_info(), classical, options);
          }};
}

}  // namespace escapement
