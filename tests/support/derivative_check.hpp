// Compares everything a System says about derivatives with central differences, at any state.
#pragma once

#include <gtest/gtest.h>

#include "system/system.hpp"

namespace escapement::testing {

class DerivativeCheck {
 public:
  DerivativeCheck(const System& system, const State& state, double bound = 2e-7)
      : sys_(system), s_(state), bound_(bound) {
    sys_.prepare(T_);
    sys_.prepare(plus_);
    sys_.prepare(minus_);
    sys_.prepare(D_);
    const Dim& dim = sys_.dim();
    w_ = Vec::Random(dim.v);
    mu_ = Vec::Random(dim.multipliers());
  }

  void run() {
    sys_.evaluate(s_, everything, T_);
    sys_.tangent(s_, w_, mu_, Parts::all | Parts::velocity_rows | Parts::curvature_rows, D_);
    kinematics();
    by_position();
    by_velocity();
    by_state();
    by_time();
  }

 private:
  static constexpr Need everything =
      Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature | Need::slip | Need::slip_rate;
  static constexpr double e = 1e-5;

  State moved(const Vec& dx, double dt = 0) const {
    State s = s_;
    sys_.retract(s_.q, dx, s.q);
    s.t += dt;
    return s;
  }

  void expect(double numeric, double exact, const std::string& what) const {
    EXPECT_NEAR(numeric, exact, bound_ * (1 + std::abs(exact) + size_)) << what;
  }

  Vec motion_residual(const Terms& T) const {
    const int rows = sys_.dim().rows();
    Vec r = -T.f;
    T.M.add_product(1, w_, r);
    T.G.add_transposed_product(-1, mu_.head(rows), r);
    T.T.add_transposed_product(-1, mu_.tail(sys_.dim().slip), r);
    return r;
  }
  Vec rows_at(const Terms& T, const State& s) const {
    Vec out(sys_.dim().multipliers());
    Vec rows = T.g_t, slip = T.t0;
    T.G.add_product(1, s.v, rows);
    T.T.add_product(1, s.v, slip);
    out << rows, slip;
    return out;
  }

  void kinematics() {
    Vec plus, minus, qdot, qddot, back;
    sys_.rate(s_.q, s_.v, qdot);
    sys_.retract(s_.q, e * s_.v, plus);
    sys_.retract(s_.q, -e * s_.v, minus);
    EXPECT_LT(((plus - minus) / (2 * e) - qdot).norm(), 1e-8 * (1 + qdot.norm()));
    sys_.difference(s_.q, plus, back);
    EXPECT_LT((back - e * s_.v).norm(), 1e-13 * (1 + s_.v.norm()));
    // second rate with vdot = w
    Vec v_plus = s_.v + e * w_, v_minus = s_.v - e * w_, rate_plus, rate_minus;
    sys_.retract(s_.q, e * s_.v, plus);
    sys_.rate(plus, v_plus, rate_plus);
    sys_.rate(minus, v_minus, rate_minus);
    sys_.rate2(s_.q, s_.v, w_, qddot);
    EXPECT_LT(((rate_plus - rate_minus) / (2 * e) - qddot).norm(), 1e-8 * (1 + qddot.norm()));
  }

  void by_position() {
    const Dim& dim = sys_.dim();
    for (int j = 0; j < dim.v; ++j) {
      const Vec step = e * Vec::Unit(dim.v, j);
      const State p = moved(step), m = moved(-step);
      sys_.evaluate(p, everything, plus_);
      sys_.evaluate(m, everything, minus_);
      size_ = 0;
      for (int i = 0; i < dim.rows(); ++i) {
        expect((plus_.g[i] - minus_.g[i]) / (2 * e), T_.G(i, j), "G " + row(i) + by(j));
        size_ = 1e-2 * std::abs(T_.kappa[i]);
        expect((plus_.kappa[i] - minus_.kappa[i]) / (2 * e), D_.kappa_q(i, j), "kappa_q " + row(i) + by(j));
        size_ = 0;
      }
      const Vec V = (rows_at(plus_, p) - rows_at(minus_, m)) / (2 * e);
      for (int i = 0; i < dim.multipliers(); ++i) expect(V[i], D_.V_q(i, j), "V_q " + row(i) + by(j));
      const Vec r = (motion_residual(plus_) - motion_residual(minus_)) / (2 * e);
      size_ = 1e-3 * motion_residual(T_).cwiseAbs().maxCoeff();
      for (int i = 0; i < dim.v; ++i) expect(r[i], D_.K(i, j), "K " + sys_.names().v[i] + by(j));
      size_ = 0;
      for (int i = 0; i < dim.z; ++i)
        expect((plus_.zdot[i] - minus_.zdot[i]) / (2 * e), D_.zdot_q(i, j), "zdot_q" + by(j));
    }
  }

  void by_velocity() {
    const Dim& dim = sys_.dim();
    for (int j = 0; j < dim.v; ++j) {
      State p = s_, m = s_;
      p.v[j] += e;
      m.v[j] -= e;
      sys_.evaluate(p, everything, plus_);
      sys_.evaluate(m, everything, minus_);
      size_ = 1e-3 * T_.f.cwiseAbs().maxCoeff();
      for (int i = 0; i < dim.v; ++i)
        expect(-(plus_.f[i] - minus_.f[i]) / (2 * e), D_.D(i, j), "D " + sys_.names().v[i] + by(j));
      size_ = 0;
      for (int i = 0; i < dim.rows(); ++i)
        expect((plus_.kappa[i] - minus_.kappa[i]) / (2 * e), D_.kappa_v(i, j), "kappa_v " + row(i) + by(j));
      for (int i = 0; i < dim.z; ++i)
        expect((plus_.zdot[i] - minus_.zdot[i]) / (2 * e), D_.zdot_v(i, j), "zdot_v" + by(j));
      for (int i = 0; i < dim.slip; ++i) EXPECT_EQ(plus_.T(i, j), minus_.T(i, j)) << "slip must be affine in v";
    }
  }

  void by_state() {
    const Dim& dim = sys_.dim();
    for (int j = 0; j < dim.z; ++j) {
      State p = s_, m = s_;
      p.z[j] += e;
      m.z[j] -= e;
      sys_.evaluate(p, everything, plus_);
      sys_.evaluate(m, everything, minus_);
      size_ = 1e-3 * T_.f.cwiseAbs().maxCoeff();
      for (int i = 0; i < dim.v; ++i) expect((plus_.f[i] - minus_.f[i]) / (2 * e), D_.f_z(i, j), "f_z " + sys_.names().v[i]);
      size_ = 0;
      for (int i = 0; i < dim.z; ++i) expect((plus_.zdot[i] - minus_.zdot[i]) / (2 * e), D_.zdot_z(i, j), "zdot_z");
    }
  }

  // g_t; and along the motion with v constant: kappa and kappa_T
  void by_time() {
    const Dim& dim = sys_.dim();
    State p = s_, m = s_;
    p.t += e;
    m.t -= e;
    sys_.evaluate(p, everything, plus_);
    sys_.evaluate(m, everything, minus_);
    for (int i = 0; i < dim.rows(); ++i) expect((plus_.g[i] - minus_.g[i]) / (2 * e), T_.g_t[i], "g_t " + row(i));
    p = moved(e * s_.v, e);
    m = moved(-e * s_.v, -e);
    sys_.evaluate(p, everything, plus_);
    sys_.evaluate(m, everything, minus_);
    const Vec rates = (rows_at(plus_, p) - rows_at(minus_, m)) / (2 * e);
    for (int i = 0; i < dim.rows(); ++i) expect(rates[i], T_.kappa[i], "kappa " + row(i));
    for (int i = 0; i < dim.slip; ++i) expect(rates[dim.rows() + i], T_.kappa_T[i], "kappa_T " + row(dim.rows() + i));
  }

  std::string row(int i) const { return sys_.names().multipliers[i]; }
  std::string by(int j) const { return " by " + sys_.names().v[j]; }

  const System& sys_;
  State s_;
  double bound_, size_ = 0;
  Terms T_, plus_, minus_;
  Tangent D_;
  Vec w_, mu_;
};

// a state with everything moving, not on the constraints
inline State random_state(const System& system, const State& start, double position, double velocity) {
  State s = start;
  system.retract(start.q, position * Vec::Random(system.dim().v), s.q);
  s.v = velocity * Vec::Random(system.dim().v);
  s.t = 0.3;
  return s;
}

}  // namespace escapement::testing
