#include "schemes/index3_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement {

namespace {

// takes this much off each rate, times the size of its row
void discount(double noise, const Vec& size, Vec& rates) {
  for (int i = 0; i < rates.size(); ++i) rates[i] = std::copysign(std::max(0.0, std::abs(rates[i]) - noise * size[i]), rates[i]);
}

}  // namespace

void Index3Errors::resize(const Dim& dim) {
  for (Vec* x : {&rates_, &size_}) x->setZero(dim.rows());
}

double Index3Errors::position_noise(const System& sys, const State& s, Terms& T) {
  double noise = 30 * std::numeric_limits<double>::epsilon();
  if (sys.dim().rows() == 0) return noise;
  sys.evaluate(s, Need::gap | Need::jacobian, T);
  sys.position_scale(s, size_);
  for (int i = 0; i < sys.dim().rows(); ++i) {
    bool on = false;  // rows that are switched off have gaps all the same
    T.G.for_each_in_row(i, [&](int, double x) { on = on || x != 0; });
    if (on && sys.level(i) == Level::position) noise = std::max(noise, std::abs(T.g[i]) / size_[i]);
  }
  return noise;
}

// row by row: together, rows that almost depend on one another would make velocities without bound of them, as would a row
// that vanishes for an instant
void Index3Errors::add(const System& sys, const State& s1, double ripple, Vec& largest, Terms& T, Vec& error_v) {
  sys.evaluate(s1, Need::jacobian, T);
  velocity_rows(T, s1.v, rates_);
  sys.position_scale(s1, size_);
  discount(ripple, size_, rates_);
  const Scale& one = sys.scale();
  for (int i = 0; i < rates_.size(); ++i) {
    double square = 0;
    T.G.for_each_in_row(i, [&](int j, double x) { square += x * one.v(j) * x * one.v(j); });
    largest[i] = std::max(largest[i], square);
    if (square <= little::vanishing_row * largest[i]) continue;
    T.G.for_each_in_row(i, [&](int j, double x) { error_v[j] += rates_[i] / square * x * one.v(j) * one.v(j); });
  }
}

}  // namespace escapement
