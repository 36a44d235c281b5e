#include "math/taylor.hpp"

#include <algorithm>
#include <cmath>

#include "math/sine_cosine.hpp"

namespace escapement::inline math::taylor {
namespace {

// coefficient k of a product without the terms j < from and j > to
double convolution(const double* a, const double* b, int k, int from, int to) {
  double sum = 0;
  for (int j = from; j <= to; ++j) sum += a[j] * b[k - j];
  return sum;
}

// coefficient k of the integral of a' b, times k
double integral(const double* a, const double* b, int k) {
  double sum = 0;
  for (int j = 1; j <= k; ++j) sum += j * a[j] * b[k - j];
  return sum;
}

// 0 all along, as where max(a, 0) is 0: its powers are constant, though their recurrences divide by a[0]
bool is_zero(int n, const double* a) {
  return std::all_of(a, a + n, [](double x) { return x == 0; });
}

// y with y' w = a', given y[0]
void integrate_quotient(int n, const double* a, const double* w, double* y) {
  for (int k = 1; k < n; ++k) {
    double sum = 0;
    for (int j = 1; j < k; ++j) sum += j * y[j] * w[k - j];
    y[k] = (a[k] - sum / k) / w[0];
  }
}

}  // namespace

void multiply(int n, const double* a, const double* b, double* y) {
  for (int k = 0; k < n; ++k) y[k] = convolution(a, b, k, 0, k);
}

void divide(int n, const double* a, const double* b, double* y) {
  for (int k = 0; k < n; ++k) y[k] = (a[k] - convolution(b, y, k, 1, k)) / b[0];
}

void square_root(int n, const double* a, double* y) {
  if (is_zero(n, a)) return std::fill(y, y + n, 0.0);
  y[0] = std::sqrt(a[0]);
  for (int k = 1; k < n; ++k) y[k] = (a[k] - convolution(y, y, k, 1, k - 1)) / (2 * y[0]);
}

void sine_cosine(int n, const double* a, double* s, double* c) {
  const SineCosine start = escapement::sine_cosine(a[0]);
  s[0] = start.sine, c[0] = start.cosine;
  for (int k = 1; k < n; ++k) s[k] = integral(a, c, k) / k, c[k] = -integral(a, s, k) / k;
}

void hyperbolic_sine_cosine(int n, const double* a, double* s, double* c) {
  s[0] = std::sinh(a[0]), c[0] = std::cosh(a[0]);
  for (int k = 1; k < n; ++k) s[k] = integral(a, c, k) / k, c[k] = integral(a, s, k) / k;
}

void tangent(int n, const double* a, double* y, double* w, double sign) {
  y[0] = sign > 0 ? std::tan(a[0]) : std::tanh(a[0]);
  w[0] = 1 + sign * y[0] * y[0];
  for (int k = 1; k < n; ++k) {
    y[k] = integral(a, w, k) / k;
    w[k] = sign * convolution(y, y, k, 0, k);
  }
}

void exponential(int n, const double* a, double* y) {
  y[0] = std::exp(a[0]);
  for (int k = 1; k < n; ++k) y[k] = integral(a, y, k) / k;
}

void logarithm(int n, const double* a, double* y) {
  y[0] = std::log(a[0]);
  integrate_quotient(n, a, a, y);
}

// y' a = exponent y a'
void power(int n, const double* a, double exponent, double* y) {
  y[0] = std::pow(a[0], exponent);
  if (exponent > 0 && is_zero(n, a)) return std::fill(y + 1, y + n, 0.0);
  for (int k = 1; k < n; ++k) {
    double sum = 0;
    for (int j = 1; j <= k; ++j) sum += (exponent * j - (k - j)) * a[j] * y[k - j];
    y[k] = sum / (k * a[0]);
  }
}

void arc_tangent(int n, const double* a, double* y, double* w) {
  y[0] = std::atan(a[0]);
  multiply(n, a, a, w);
  w[0] += 1;
  integrate_quotient(n, a, w, y);
}

void arc_sine(int n, const double* a, double* y, double* w, double* w2) {
  y[0] = std::asin(a[0]);
  multiply(n, a, a, w2);
  for (int k = 0; k < n; ++k) w2[k] = double(k == 0) - w2[k];
  square_root(n, w2, w);
  integrate_quotient(n, a, w, y);
}

// angle' (x^2 + y^2) = x y' - y x'
void arc_tangent2(int n, const double* y, const double* x, double* angle, double* w) {
  angle[0] = std::atan2(y[0], x[0]);
  for (int k = 0; k < n; ++k) w[k] = convolution(x, x, k, 0, k) + convolution(y, y, k, 0, k);
  for (int k = 1; k < n; ++k) {
    double sum = integral(y, x, k) - integral(x, y, k);
    for (int j = 1; j < k; ++j) sum -= j * angle[j] * w[k - j];
    angle[k] = sum / (k * w[0]);
  }
}

// sum of derivatives[m] / m! (a - a[0])^m by Horner's rule
void compose(int n, std::span<const double> derivatives, const double* a, double* y, double* w, double* w2) {
  std::copy(a, a + n, w);
  w[0] = 0;
  std::fill(y, y + n, 0.0);
  for (std::size_t m = derivatives.size(); m-- > 0;) {
    for (int k = 0; k < n; ++k) w2[k] = convolution(y, w, k, 0, k) / double(m + 1);
    std::copy(w2, w2 + n, y);
    y[0] += derivatives[m];
  }
}

}  // namespace escapement::taylor
