#include "schemes/stage_rates.hpp"

#include "math/copy_numbers.hpp"

namespace escapement::inline schemes {

void StageRates::resize(int stages, const Dim& dim) {
  q.assign(stages, Vec::Zero(dim.q));
  v.assign(stages, Vec::Zero(dim.v));
  z.assign(stages, Vec::Zero(dim.z));
}

namespace {
// y += a x, without what vectors of a few numbers cost more than these
inline void add(double a, const Vec& x, Vec& y) {
  const double* const from = x.data();
  double* const to = y.data();
  const int n = static_cast<int>(x.size());
  for (int i = 0; i < n; ++i) to[i] += a * from[i];
}

inline void copy(const Vec& from, Vec& to) {
  if (to.size() != from.size()) to.resize(from.size());
  copy_numbers(from.data(), static_cast<std::size_t>(from.size()), to.data());
}
}  // namespace

void StageRates::lead(const State& s, double h, double c, std::span<const double> weights, State& x) const {
  copy_point(s, x);
  x.t += c * h;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    const double a = h * weights[j];
    add(a, q[j], x.q);
    add(a, v[j], x.v);
    add(a, z[j], x.z);
  }
}

void StageRates::sum(double h, std::span<const double> weights, Vec& sum_q, Vec& sum_v, Vec& sum_z) const {
  sum_q.setZero();
  sum_v.setZero();
  sum_z.setZero();
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    const double a = h * weights[j];
    add(a, q[j], sum_q);
    add(a, v[j], sum_v);
    add(a, z[j], sum_z);
  }
}

void copy_point(const State& from, State& to) {
  to.t = from.t;
  copy(from.q, to.q);
  copy(from.v, to.v);
  copy(from.z, to.z);
}

}  // namespace escapement
