// Truncated Taylor arithmetic: polynomials of n coefficients, each operation by its exact recurrence.
#pragma once

#include <span>

namespace escapement::inline math::taylor {

// results never overlap operands; n is the number of coefficients
void multiply(int n, const double* a, const double* b, double* y);
void divide(int n, const double* a, const double* b, double* y);
void square_root(int n, const double* a, double* y);
void sine_cosine(int n, const double* a, double* s, double* c);
void hyperbolic_sine_cosine(int n, const double* a, double* s, double* c);
void tangent(int n, const double* a, double* y, double* w, double sign);  // y' = (1 + sign y^2) a': tan, tanh
void exponential(int n, const double* a, double* y);
void logarithm(int n, const double* a, double* y);
void power(int n, const double* a, double exponent, double* y);
void arc_tangent(int n, const double* a, double* y, double* w);
void arc_sine(int n, const double* a, double* y, double* w, double* w2);
void arc_tangent2(int n, const double* y, const double* x, double* angle, double* w);
void compose(int n, std::span<const double> derivatives, const double* a, double* y, double* w, double* w2);  // f(a)

}  // namespace escapement::taylor
