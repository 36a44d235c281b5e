// Which order the next step of a backward differentiation formula takes, and how long it is: the longest step that one order more,
// the same, or one less allows. After C. W. Gear (1971) and Brenan, Campbell and Petzold, Numerical Solution of Initial-Value Problems
// in Differential-Algebraic Equations (1996), section 5.2.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "schemes/bdf_formula.hpp"

namespace escapement::inline schemes {

// steps may grow so much at a time that the formulas bear it for long, by order
constexpr std::array<double, max_bdf_order + 1> largest_bdf_growth{0, 2, 2, 1.5, 1.25, 1.1};

struct BdfChoice {
  int order;
  double growth;  // of the step
};

// error(j): of the step just made, had it been made with order j, over what is allowed. settled: as many steps as the order has been
// used for say what one more would do
template <class Error>
BdfChoice choose_bdf_order(int order, bool settled, const Error& error) {
  constexpr double half = 0.5;  // of what is allowed: the error aimed at
  const auto growth = [&](int j) { return std::pow(half / error(j), 1.0 / (j + 1)); };
  BdfChoice best{order, growth(order)};
  const auto take = [&](int j) {
    if (const double longer = growth(j); longer > best.growth) best = {j, longer};
  };
  if (order > 1) take(order - 1);
  if (order < max_bdf_order && settled) take(order + 1);
  best.growth = std::clamp(best.growth, half, largest_bdf_growth[best.order]);
  return best;
}

}  // namespace escapement
