#include "schemes/index3_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/rows.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline schemes {

namespace {

// a rate less this much times the size of its row
double less(double rate, double noise, double size) { return std::copysign(std::max(0.0, std::abs(rate) - noise * size), rate); }

}  // namespace

void Index3Errors::start(const System& sys, State& s, Terms& T) {
  for (Vec* x : {&rates_, &size_}) x->setZero(sys.dim().rows());
  velocities_.setZero(sys.dim().v);
  largest_ = s.memory.vectors.size();
  s.memory.vectors.push_back(rates_);
  noise_ = s.memory.numbers.size();
  ripple_ = noise_ + 1;
  s.memory.numbers.insert(s.memory.numbers.end(), {position_noise(sys, s, T), 0});
}

// the first step turns the positions' noise into a ripple of the velocities, which hardly decays
void Index3Errors::remember(const State& s, bool first, double h, State& s1) const {
  s1.memory.vectors[largest_] = s.memory.vectors[largest_];
  s1.memory.numbers[noise_] = s.memory.numbers[noise_];
  s1.memory.numbers[ripple_] = first ? 4 * s.memory.numbers[noise_] / h : s.memory.numbers[ripple_];
}

Status Index3Errors::take_along(const System& sys, const State& s, ImplicitSolver& solver, Index1& at_start, Terms& T, Vec& error_q,
                                Vec& error_v) const {
  if (rates_.size() == 0) return Status::ok;
  solver.make_tangential(error_v);
  // in a dead point the rows leave a direction free for an instant; the step's start still knows it
  if (!solver.redundant()) return Status::ok;
  sys.evaluate(s, Need::mass | Need::jacobian, T);
  if (!at_start.kkt().factor(T.M, T.G)) return failure_of(at_start.kkt());
  at_start.make_tangential(sys, s, T, error_q, error_v);
  return Status::ok;
}

double Index3Errors::position_noise(const System& sys, const State& s, Terms& T) {
  double noise = 30 * std::numeric_limits<double>::epsilon();
  if (sys.dim().rows() == 0) return noise;
  sys.evaluate(s, Need::gap | Need::jacobian, T);
  sys.position_scale(s, size_);
  for (int i = 0; i < sys.dim().rows(); ++i)  // rows that are switched off have gaps all the same
    if (!T.G.is_row_zero(i) && sys.level(i) == Level::position) noise = std::max(noise, std::abs(T.g[i]) / size_[i]);
  return noise;
}

// row by row: together, rows that almost depend on one another would make velocities without bound of them, as would a row
// that vanishes for an instant
void Index3Errors::look(const System& sys, State& s1, Terms& T) {
  if (rates_.size() == 0) return;
  Vec& largest = s1.memory.vectors[largest_];
  sys.evaluate(s1, Need::jacobian, T);
  velocity_rows(T, s1.v, rates_);
  sys.position_scale(s1, size_);
  velocities_.setZero();
  const Scale& one = sys.scale();
  for (int i = 0; i < rates_.size(); ++i) {
    double square = 0;
    for_each_of_row(T.G, i, [&](int j, double x) { square += x * one.v(j) * x * one.v(j); });
    largest[i] = std::max(largest[i], square);
    if (square <= little::vanishing_row * largest[i]) continue;
    const double rate = less(rates_[i], s1.memory.numbers[ripple_], size_[i]);
    for_each_of_row(T.G, i, [&](int j, double x) { velocities_[j] += rate / square * x * one.v(j) * one.v(j); });
  }
}

}  // namespace escapement
