#include "schemes/extrapolated_output.hpp"

#include <algorithm>

#include "schemes/error_norm.hpp"

namespace escapement::inline schemes {

ExtrapolatedOutput::ExtrapolatedOutput(std::span<const int> substeps) : substeps_(substeps), derivatives_(most_columns) {}

void ExtrapolatedOutput::start(const Dim& dim, State& s) {
  dim_ = dim;
  vdot_ = dim.q, lambda_ = vdot_ + dim.v, zdot_ = lambda_ + dim.rows(), size_ = zdot_ + dim.z;
  samples_.setZero(size_, most_derivatives + 1);
  for (Mat& d : derivatives_) d.setZero(size_, most_derivatives + 1);
  for (Vec* x : {&no_position_, &rate0_, &rate1_}) x->setZero(dim.q);
  velocity_.setZero(dim.v);
  s.memory.vectors.resize(slots);
  s.memory.vectors[middle].setZero(dim.q + dim.v + dim.z);
  s.memory.vectors[derivatives].setZero(size_ * (most_derivatives + 1));
  s.memory.vectors[zdot_begin].setZero(dim.z);
  s.memory.vectors[zdot_end].setZero(dim.z);
}

void ExtrapolatedOutput::sample(int i, const Vec& qdot, const Vec& vdot, const Vec& lambda, const Vec& zdot) {
  auto point = samples_.col(i);
  point.head(dim_.q) = qdot;
  point.segment(vdot_, dim_.v) = vdot;
  point.segment(lambda_, dim_.rows()) = lambda;
  point.segment(zdot_, dim_.z) = zdot;
}

// central differences of the samples, as derivatives with respect to half the step
void ExtrapolatedOutput::difference(int k) {
  Mat& d = derivatives_[k];
  const double points = 0.25 * substeps_[k];  // distances of odd points in half the step
  double scale = 1;
  d.col(0) = samples_.col(k);
  for (int order = 1; order <= 2 * k; ++order) {
    for (int j = 0; j <= 2 * k - order; ++j) samples_.col(j) = samples_.col(j + 1) - samples_.col(j);
    scale *= points;
    const int left = k - (order + 1) / 2;  // of the middle
    if (order % 2 == 0)
      d.col(order) = scale * samples_.col(left);
    else
      d.col(order) = (0.5 * scale) * (samples_.col(left) + samples_.col(left + 1));
  }
}

// the best of derivative i stands with the first column that has it
void ExtrapolatedOutput::extrapolate(int j, double part) {
  const int known = 2 * j + 1;
  auto fine = derivatives_[j + 1].leftCols(known);
  derivatives_[j].leftCols(known) = fine + part * (fine - derivatives_[j].leftCols(known));
}

void ExtrapolatedOutput::remember(int columns, const Eigen::Ref<const Vec>& in_middle, const Vec& zdot, State& s1) const {
  s1.memory.vectors[middle] = in_middle;
  s1.memory.vectors[zdot_begin] = zdot;
  Vec& d = s1.memory.vectors[derivatives];
  for (int i = 0; i <= last(columns); ++i) d.segment(i * size_, size_) = derivatives_[(i + 1) / 2].col(i);
}

double ExtrapolatedOutput::error(const System& sys, const State& s, const State& s1, int columns) {
  const Vec& mid = s1.memory.vectors[middle];
  const Vec& d = s1.memory.vectors[derivatives];
  const double half = 0.5 * (s1.t - s.t);
  Polynomial p;
  auto value = [&](int i, int order, double x) {
    p.clear();
    p.add_derivative(mid[dim_.q + i]);
    for (int j = 0; j <= order; ++j) p.add_derivative(half * d[j * size_ + vdot_ + i]);
    p.match_ends({s.v[i], half * s.vdot[i]}, {s1.v[i], half * s1.vdot[i]});
    return p.value(x);
  };
  double largest = 0;
  for (const double x : {-0.85, 0.85}) {
    for (int i = 0; i < dim_.v; ++i) velocity_[i] = value(i, last(columns), x) - value(i, last(columns) - 1, x);
    largest = std::max(largest, error_norm(no_position_, velocity_, s1, sys.scale()));
  }
  return largest;
}

void ExtrapolatedOutput::interpolate(const System& sys, const State& s, const State& s1, int columns, double theta, State& out) const {
  const Vec& mid = s1.memory.vectors[middle];
  const Vec& d = s1.memory.vectors[derivatives];
  const Vec& zdot0 = s1.memory.vectors[zdot_begin];
  const Vec& zdot1 = s1.memory.vectors[zdot_end];
  const double half = 0.5 * (s1.t - s.t), x = 2 * theta - 1;
  sys.rate(s.q, s.v, rate0_);
  sys.rate(s1.q, s1.v, rate1_);
  out = s1;
  Polynomial p;

  // a state from its middle, the derivatives of its rate there, and both ends
  auto fit = [&](double y0, double rate0, double centre, int place, double y1, double rate1) {
    p.clear();
    p.add_derivative(centre);
    for (int i = 0; i <= last(columns); ++i) p.add_derivative(half * d[i * size_ + place]);
    p.match_ends({y0, half * rate0}, {y1, half * rate1});
  };
  for (int i = 0; i < dim_.q; ++i) {
    fit(s.q[i], rate0_[i], mid[i], i, s1.q[i], rate1_[i]);
    out.q[i] = p.value(x);
  }
  for (int i = 0; i < dim_.v; ++i) {
    fit(s.v[i], s.vdot[i], mid[dim_.q + i], vdot_ + i, s1.v[i], s1.vdot[i]);
    out.v[i] = p.value(x);
    out.vdot[i] = p.slope(x) / half;
  }
  for (int i = 0; i < dim_.z; ++i) {
    fit(s.z[i], zdot0[i], mid[dim_.q + dim_.v + i], zdot_ + i, s1.z[i], zdot1[i]);
    out.z[i] = p.value(x);
  }
  // states of the whole system, of which a view was integrated, have other multipliers
  const bool own = s.lambda.size() == dim_.rows();
  if (!own) out.lambda = (1 - theta) * s.lambda + theta * s1.lambda;
  for (int i = 0; own && i < dim_.rows(); ++i) {
    p.clear();
    for (int j = 0; j <= last(columns); ++j) p.add_derivative(d[j * size_ + lambda_ + i]);
    p.match_ends(s.lambda[i], s1.lambda[i]);
    out.lambda[i] = p.value(x);
  }
  out.t = s.t + theta * (s1.t - s.t);
  sys.normalize(out.q);
}

}  // namespace escapement
