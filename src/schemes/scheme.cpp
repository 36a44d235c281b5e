#include "schemes/scheme.hpp"

#include <cmath>
#include <limits>

namespace escapement::inline schemes {

namespace {

// What positions add to a cubic in velocities: their mean rate, less the cubic's. In short steps it is lost in the
// rounding of the positions, which are then asked for nothing
double beyond_cubic(const State& s, const State& s1, double h, int i) {
  constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double D = (s1.q[i] - s.q[i]) / h - 0.5 * (s.v[i] + s1.v[i]) - h / 12 * (s.vdot[i] - s1.vdot[i]);
  return std::abs(D) * h > rounding * std::max(std::abs(s.q[i]), std::abs(s1.q[i])) ? D : 0;
}

}  // namespace

void Scheme::interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const {
  // quintic Hermite in q: p(x) on [0,1] with p, p', p'' given at both ends (times h, h^2); its derivative gives v,
  // which is a cubic from v and vdot and a quartic bump
  const double h = s1.t - s.t, x = theta, x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
  const double a1 = 10 * x3 - 15 * x4 + 6 * x5, a0 = 1 - a1;
  const double b0 = x - 6 * x3 + 8 * x4 - 3 * x5, b1 = -4 * x3 + 7 * x4 - 3 * x5;
  const double c0 = 0.5 * x2 - 1.5 * x3 + 1.5 * x4 - 0.5 * x5, c1 = 0.5 * x3 - x4 + 0.5 * x5;
  const double va1 = 3 * x2 - 2 * x3, va0 = 1 - va1, vb0 = x - 2 * x2 + x3, vb1 = x3 - x2;
  const double dva = 6 * x - 6 * x2, dvb0 = 1 - 4 * x + 3 * x2, dvb1 = 3 * x2 - 2 * x;

  // number by number: the vectors of small systems cost more than what is done with them
  const auto each = [](const Vec& like, Vec& result, auto&& value) {
    result.resize(like.size());
    for (int i = 0; i < like.size(); ++i) result[i] = value(i);
  };
  out.t = s.t + theta * h;
  if (s.q.size() == s.v.size()) {
    out.q.resize(s.q.size());
    out.v.resize(s.v.size());
    out.vdot.resize(s.v.size());
    const double bump = 30 * x2 - 60 * x3 + 30 * x4, bump_rate = (60 * x - 180 * x2 + 120 * x3) / h;
    for (int i = 0; i < s.v.size(); ++i) {
      const double q = s.q[i], q1 = s1.q[i], v = s.v[i], v1 = s1.v[i], a = s.vdot[i], b = s1.vdot[i], D = beyond_cubic(s, s1, h, i);
      out.q[i] = a0 * q + a1 * q1 + h * (b0 * v + b1 * v1) + h * h * (c0 * a + c1 * b);
      out.v[i] = va0 * v + va1 * v1 + h * (vb0 * a + vb1 * b) + bump * D;
      out.vdot[i] = dva / h * (v1 - v) + dvb0 * a + dvb1 * b + bump_rate * D;
    }
  } else {
    each(s.v, out.v, [&](int i) { return va0 * s.v[i] + va1 * s1.v[i] + h * (vb0 * s.vdot[i] + vb1 * s1.vdot[i]); });
    each(s.v, out.vdot, [&](int i) { return dva / h * (s1.v[i] - s.v[i]) + dvb0 * s.vdot[i] + dvb1 * s1.vdot[i]; });
    // q' and q'' pass through out.q, so that nothing is allocated
    out.q = a0 * s.q + a1 * s1.q;
    thread_local Vec qdot;
    sys.rate(s.q, s.v, qdot);
    out.q += h * b0 * qdot;
    sys.rate(s1.q, s1.v, qdot);
    out.q += h * b1 * qdot;
    sys.rate2(s.q, s.v, s.vdot, qdot);
    out.q += h * h * c0 * qdot;
    sys.rate2(s1.q, s1.v, s1.vdot, qdot);
    out.q += h * h * c1 * qdot;
    sys.normalize(out.q);
  }
  each(s.lambda, out.lambda, [&](int i) { return (1 - theta) * s.lambda[i] + theta * s1.lambda[i]; });
  each(s.z, out.z, [&](int i) { return (1 - theta) * s.z[i] + theta * s1.z[i]; });
}

double error_norm(const Vec& error_q, const Vec& error_v, const State& s1, const Scale& one,
                  std::span<const double> error_states) {
  double sum = 0;
  for (std::size_t i = 0; i < error_states.size(); ++i) {
    const double e = error_states[i] / (1 + std::abs(s1.z[static_cast<int>(i)]));
    sum += e * e;
  }
  for (int i = 0; i < error_q.size(); ++i) {
    const double e = error_q[i] / (one.q(i) + std::abs(s1.q[i]));
    sum += e * e;
  }
  for (int i = 0; i < error_v.size(); ++i) {
    const double e = error_v[i] / (one.v(i) + std::abs(s1.v[i]));
    sum += e * e;
  }
  const double size = static_cast<double>(error_q.size() + error_v.size()) + static_cast<double>(error_states.size());
  return std::sqrt(sum / std::max(1.0, size));
}

void note_residual(StepReport& report, RowResidual::Kind kind, int index, double value) {
  // a row stands there once, with its largest value; the others move down
  auto same = [&](const RowResidual& r) { return r.kind == kind && r.index == index; };
  for (const RowResidual& slot : report.worst)
    if (same(slot) && std::abs(slot.value) >= std::abs(value)) return;
  RowResidual entry{kind, index, value};
  for (RowResidual& slot : report.worst) {
    if (slot.kind != RowResidual::Kind::none && std::abs(entry.value) <= std::abs(slot.value)) continue;
    std::swap(slot, entry);
    if (entry.kind == RowResidual::Kind::none || same(entry)) return;
  }
}

}  // namespace escapement
