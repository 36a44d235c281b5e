#include "schemes/stage_rates.hpp"

namespace escapement {

void StageRates::resize(int stages, const Dim& dim) {
  q.assign(stages, Vec::Zero(dim.q));
  v.assign(stages, Vec::Zero(dim.v));
  z.assign(stages, Vec::Zero(dim.z));
}

void StageRates::lead(const State& s, double h, double c, std::span<const double> weights, State& x) const {
  copy_point(s, x);
  x.t += c * h;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    x.q += (h * weights[j]) * q[j];
    x.v += (h * weights[j]) * v[j];
    x.z += (h * weights[j]) * z[j];
  }
}

void StageRates::sum(double h, std::span<const double> weights, Vec& sum_q, Vec& sum_v, Vec& sum_z) const {
  sum_q.setZero();
  sum_v.setZero();
  sum_z.setZero();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    sum_q += (h * weights[j]) * q[j];
    sum_v += (h * weights[j]) * v[j];
    sum_z += (h * weights[j]) * z[j];
  }
}

void copy_point(const State& from, State& to) {
  to.t = from.t;
  to.q = from.q;
  to.v = from.v;
  to.z = from.z;
}

}  // namespace escapement
