// Coefficients of PHEM56, the partitioned half-explicit Runge-Kutta method of order 5 of A. Murua (1995).
//
// The stages (Q_i, V_i) are those of Dormand and Prince's method, a_ij; the constraints are met at points of their own,
// (QQ_i, VV_i) with the coefficients aa_ij, whose last is the result.
#pragma once

#include "schemes/tableau.hpp"

namespace escapement::inline schemes::phem56_tableau {

using F = Fraction;

constexpr int stages = 6;

// clang-format off
// the seventh stage is the result itself and serves the embedded method of order 4
constexpr Tableau<7> tableau{
    .c = {0, F(1, 5), F(3, 10), F(4, 5), F(8, 9), 1, 1},
    .a = {{{0, 0, 0, 0, 0, 0, 0},
           {F(1, 5), 0, 0, 0, 0, 0, 0},
           {F(3, 40), F(9, 40), 0, 0, 0, 0, 0},
           {F(44, 45), F(-56, 15), F(32, 9), 0, 0, 0, 0},
           {F(19372, 6561), F(-25360, 2187), F(64448, 6561), F(-212, 729), 0, 0, 0},
           {F(9017, 3168), F(-355, 33), F(46732, 5247), F(49, 176), F(-5103, 18656), 0, 0},
           {F(35, 384), 0, F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84), 0}}},
    .b     = {F(35, 384), 0, F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84), 0},
    .b_hat = {F(5179, 57600), 0, F(7571, 16695), F(393, 640), F(-92097, 339200), F(187, 2100), F(1, 40)}};

constexpr Weights<Fraction, stages> cc{0, F(3, 10), F(3, 8), F(5, 7), 1, 1};
constexpr Coefficients<Fraction, stages> aa{{
    {0, 0, 0, 0, 0, 0},
    {F(3, 40), F(9, 40), 0, 0, 0, 0},
    {F(21, 256), F(45, 256), F(15, 128), 0, 0, 0},
    {F(19235, 98784), F(-225, 392), F(6235, 6174), F(2755, 32928), 0, 0},
    {F(-293, 1152), F(85, 48), F(-2275, 1908), F(35, 32), F(-2835, 6784), 0},
    {F(35, 384), 0, F(500, 1113), F(125, 192), F(-2187, 6784), F(11, 84)}}};
// clang-format on

static_assert(order_conditions_hold(tableau, tableau.b, 5));
static_assert(order_conditions_hold(tableau, tableau.b_hat, 4) && !order_conditions_hold(tableau, tableau.b_hat, 5));

// sum_j aa_ij c_j^k = cc_i^(k+1)/(k+1) for every row from `first`
constexpr bool points_match(int first, int k) {
  for (int i = first; i < stages; ++i) {
    Fraction sum = 0, power = cc[i];
    for (int n = 0; n < k; ++n) power = power * cc[i];
    for (int j = 0; j <= i; ++j) {
      Fraction term = aa[i][j];
      for (int n = 0; n < k; ++n) term = term * tableau.c[j];
      sum = sum + term;
    }
    if (!(sum == power * Fraction(1, k + 1))) return false;
  }
  return true;
}
// the points of the constraints lie on the motion to third order, from the second row on
static_assert(points_match(0, 0) && points_match(1, 1) && points_match(2, 2));

}  // namespace escapement::phem56_tableau
