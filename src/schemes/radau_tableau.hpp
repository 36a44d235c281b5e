// Coefficients of the Radau IIA method with three stages (Hairer and Wanner, Solving Ordinary Differential Equations II, table IV.5.6
// and section IV.8), proven at compile time.
#pragma once

#include <array>

namespace escapement::inline schemes::radau_tableau {

constexpr int stages = 3;
using Square = std::array<std::array<double, stages>, stages>;

constexpr double root_6 = 2.449489742783178098197;
constexpr std::array<double, stages> c{(4 - root_6) / 10, (4 + root_6) / 10, 1};
constexpr Square a{{{(88 - 7 * root_6) / 360, (296 - 169 * root_6) / 1800, (-2 + 3 * root_6) / 225},
                    {(296 + 169 * root_6) / 1800, (88 + 7 * root_6) / 360, (-2 - 3 * root_6) / 225},
                    {(16 - root_6) / 36, (16 + root_6) / 36, 1.0 / 9}}};

// A = L U with ones on U's diagonal
constexpr Square l = [] {
  Square L{}, U{};
  for (int j = 0; j < stages; ++j) {
    for (int i = j; i < stages; ++i) {
      L[i][j] = a[i][j];
      for (int k = 0; k < j; ++k) L[i][j] -= L[i][k] * U[k][j];
    }
    for (int i = j + 1; i < stages; ++i) {
      U[j][i] = a[j][i];
      for (int k = 0; k < j; ++k) U[j][i] -= L[j][k] * U[k][i];
      U[j][i] /= L[j][j];
    }
  }
  return L;
}();

// of the embedded method: the real eigenvalue of A, (6 + 81^(1/3) - 9^(1/3))/30, and weights with which it has order 3
constexpr double gamma_0 = 0.2748888295956773677478;
constexpr std::array<double, stages> d{(-13 - 7 * root_6) / 3, (-13 + 7 * root_6) / 3, -1.0 / 3};

namespace proof {
constexpr bool is(double x, double y) { return x - y < 0x1p-46 && y - x < 0x1p-46; }
constexpr double power(double x, int k) { return k == 0 ? 1 : x * power(x, k - 1); }
// sum_j a_ij c_j^(k-1) = c_i^k/k for k = 1, 2, 3, of the last row, which holds the weights, up to 5
constexpr bool holds() {
  for (int i = 0; i < stages; ++i)
    for (int k = 1; k <= (i + 1 < stages ? 3 : 5); ++k) {
      double sum = 0;
      for (int j = 0; j < stages; ++j) sum += a[i][j] * power(c[j], k - 1);
      if (!is(sum, power(c[i], k) / k)) return false;
    }
  return true;
}
// h y' + sum_i d_i (Y_i - y) vanishes for polynomials of degree 1 to 3
constexpr bool estimates() {
  for (int k = 1; k <= 3; ++k) {
    double sum = k == 1 ? 1 : 0;
    for (int i = 0; i < stages; ++i) sum += d[i] * power(c[i], k);
    if (!is(sum, 0)) return false;
  }
  return true;
}
static_assert(holds() && estimates());
}  // namespace proof

}  // namespace escapement::radau_tableau
