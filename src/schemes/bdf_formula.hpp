// Backward differentiation formulas for steps of any size, from the polynomial through the points that a step uses.
#pragma once

#include <array>
#include <span>

namespace escapement::inline schemes {

constexpr int max_bdf_order = 5;

// one step of order k to t1 = t_n + h; everything is in units of h
struct BdfFormula {
  int order = 0;
  // h x'(t1) = alpha_0 x_1 + alpha_1 x_n + alpha_2 x_{n-1} + ..., [003] (2)
  std::array<double, max_bdf_order + 1> alpha{};
  // x(t1) from the polynomial of degree k through x_n .. x_{n-k}: sum of weight_i x_{n-i}
  std::array<double, max_bdf_order + 1> extrapolation{};
  // local error of the formula per distance of its result from that extrapolation
  double error_constant = 0;
};

// steps: h_n = t_n - t_{n-1}, h_{n-1}, ..., at least `order` of them
BdfFormula make_bdf_formula(int order, double h, std::span<const double> steps);

}  // namespace escapement
