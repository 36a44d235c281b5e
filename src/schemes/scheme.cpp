#include "schemes/scheme.hpp"

#include <cmath>

namespace escapement {

void Scheme::interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const {
  // quintic Hermite in q: p(x) on [0,1] with p, p', p'' given at both ends (times h, h^2); its derivative gives v
  const double h = s1.t - s.t, x = theta, x2 = x * x, x3 = x2 * x, x4 = x3 * x, x5 = x4 * x;
  const double a1 = 10 * x3 - 15 * x4 + 6 * x5, a0 = 1 - a1;
  const double b0 = x - 6 * x3 + 8 * x4 - 3 * x5, b1 = -4 * x3 + 7 * x4 - 3 * x5;
  const double c0 = 0.5 * x2 - 1.5 * x3 + 1.5 * x4 - 0.5 * x5, c1 = 0.5 * x3 - x4 + 0.5 * x5;
  // cubic Hermite in v from v and vdot
  const double va1 = 3 * x2 - 2 * x3, va0 = 1 - va1, vb0 = x - 2 * x2 + x3, vb1 = x3 - x2;

  out = s1;
  out.t = s.t + theta * h;
  if (s.q.size() == s.v.size()) {
    out.q = a0 * s.q + a1 * s1.q + h * (b0 * s.v + b1 * s1.v) + h * h * (c0 * s.vdot + c1 * s1.vdot);
    const double da = 30 * x2 - 60 * x3 + 30 * x4;
    const double db0 = 1 - 18 * x2 + 32 * x3 - 15 * x4, db1 = -12 * x2 + 28 * x3 - 15 * x4;
    const double dc0 = x - 4.5 * x2 + 6 * x3 - 2.5 * x4, dc1 = 1.5 * x2 - 4 * x3 + 2.5 * x4;
    out.v = (da / h) * (s1.q - s.q) + db0 * s.v + db1 * s1.v + h * (dc0 * s.vdot + dc1 * s1.vdot);
    const double dda = 60 * x - 180 * x2 + 120 * x3;
    const double ddb0 = -36 * x + 96 * x2 - 60 * x3, ddb1 = -24 * x + 84 * x2 - 60 * x3;
    const double ddc0 = 1 - 9 * x + 18 * x2 - 10 * x3, ddc1 = 3 * x - 12 * x2 + 10 * x3;
    out.vdot = (dda / (h * h)) * (s1.q - s.q) + (ddb0 * s.v + ddb1 * s1.v) / h + ddc0 * s.vdot + ddc1 * s1.vdot;
  } else {
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
    out.v = va0 * s.v + va1 * s1.v + h * (vb0 * s.vdot + vb1 * s1.vdot);
    const double dva = 6 * x - 6 * x2, dvb0 = 1 - 4 * x + 3 * x2, dvb1 = 3 * x2 - 2 * x;
    out.vdot = (dva / h) * (s1.v - s.v) + dvb0 * s.vdot + dvb1 * s1.vdot;
  }
  out.lambda = (1 - theta) * s.lambda + theta * s1.lambda;
  out.z = (1 - theta) * s.z + theta * s1.z;
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
