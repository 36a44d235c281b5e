#include "schemes/bdf_formula.hpp"

namespace escapement::inline schemes {

BdfFormula make_bdf_formula(int order, double h, std::span<const double> steps) {
  BdfFormula formula;
  formula.order = order;
  // distances t1 - t_{n-i}
  std::array<double, max_bdf_order + 1> distance{1};
  for (int i = 1; i <= order; ++i) distance[i] = distance[i - 1] + steps[i - 1] / h;

  // derivatives at t1 of the Lagrange polynomials on t1, t_n, .., t_{n-k+1}
  for (int i = 0; i < order; ++i) {
    double product = -1 / distance[i];
    for (int j = 0; j < order; ++j)
      if (j != i) product *= distance[j] / (distance[j] - distance[i]);
    formula.alpha[i + 1] = product;
    formula.alpha[0] += 1 / distance[i];
  }
  // values at t1 of the Lagrange polynomials on t_n, .., t_{n-k}
  for (int i = 0; i <= order; ++i) {
    double product = 1;
    for (int j = 0; j <= order; ++j)
      if (j != i) product *= distance[j] / (distance[j] - distance[i]);
    formula.extrapolation[i] = product;
  }
  // both errors are multiples of the divided difference of order k + 1
  formula.error_constant = 1 / (formula.alpha[0] * distance[order]);
  return formula;
}

}  // namespace escapement
