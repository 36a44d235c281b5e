// The slider-crank of [000] section 3.1.1: q = (alpha1, alpha2, x), l1 = 1, l2 = 2, unit masses, gravity along -y.
#pragma once

#include <cmath>

#include "support/hand_system.hpp"

namespace escapement::testing {

class SliderCrank : public HandSystem {
 public:
  // inertias about the rods' centres; uniform rods by default
  explicit SliderCrank(double J1 = 1.0 / 12, double J2 = 1.0 / 3) : HandSystem(3, 3, 2) {
    m11_ = J1 + l1 * l1 / 4 + l1 * l1;
    m22_ = J2 + l2 * l2 / 4;
  }
  State consistent_start() const {
    State s = make_state(dim());
    s.q << 0, 0, 3;
    s.v << 8, -4, 0;
    return s;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    const double s1 = std::sin(s.q[0]), c1 = std::cos(s.q[0]), s2 = std::sin(s.q[1]), c2 = std::cos(s.q[1]);
    const double w1 = s.v[0], w2 = s.v[1], sd = std::sin(s.q[0] - s.q[1]), cd = std::cos(s.q[0] - s.q[1]);
    if (has(need, Need::mass)) T.M.dense() << m11_, b * cd, 0, b * cd, m22_, 0, 0, 0, 1;
    if (has(need, Need::force)) T.f << -b * sd * w2 * w2 - g1 * c1, b * sd * w1 * w1 - g2 * c2, 0;
    if (has(need, Need::gap)) T.g << l1 * s1 + l2 * s2, s.q[2] - l1 * c1 - l2 * c2;
    if (has(need, Need::jacobian)) T.G.dense() << l1 * c1, l2 * c2, 0, l1 * s1, l2 * s2, 1;
    if (has(need, Need::curvature))
      T.kappa << -l1 * s1 * w1 * w1 - l2 * s2 * w2 * w2, l1 * c1 * w1 * w1 + l2 * c2 * w2 * w2;
  }
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const override {
    const double s1 = std::sin(s.q[0]), c1 = std::cos(s.q[0]), s2 = std::sin(s.q[1]), c2 = std::cos(s.q[1]);
    const double w1 = s.v[0], w2 = s.v[1], sd = std::sin(s.q[0] - s.q[1]), cd = std::cos(s.q[0] - s.q[1]);
    Mat& K = D.K.dense();
    K.setZero();
    D.D.set_zero();
    if (has(parts, Parts::mass)) {
      // rows: d(b cos(a1 - a2) w_2), d(b cos(a1 - a2) w_1)
      K(0, 0) += -b * sd * w[1];
      K(0, 1) += b * sd * w[1];
      K(1, 0) += -b * sd * w[0];
      K(1, 1) += b * sd * w[0];
    }
    if (has(parts, Parts::force)) {
      K(0, 0) += b * cd * w2 * w2 - g1 * s1;
      K(0, 1) += -b * cd * w2 * w2;
      K(1, 0) += -b * cd * w1 * w1;
      K(1, 1) += b * cd * w1 * w1 - g2 * s2;
      D.D.dense() << 0, 2 * b * sd * w2, 0, -2 * b * sd * w1, 0, 0, 0, 0, 0;
    }
    if (has(parts, Parts::constraint)) {
      K(0, 0) -= -l1 * s1 * mu[0] + l1 * c1 * mu[1];
      K(1, 1) -= -l2 * s2 * mu[0] + l2 * c2 * mu[1];
    }
    if (has(parts, Parts::velocity_rows))
      D.V_q.dense() << -l1 * s1 * w1, -l2 * s2 * w2, 0, l1 * c1 * w1, l2 * c2 * w2, 0;
    if (has(parts, Parts::curvature_rows)) {
      D.kappa_q.dense() << -l1 * c1 * w1 * w1, -l2 * c2 * w2 * w2, 0, -l1 * s1 * w1 * w1, -l2 * s2 * w2 * w2, 0;
      D.kappa_v.dense() << -2 * l1 * s1 * w1, -2 * l2 * s2 * w2, 0, 2 * l1 * c1 * w1, 2 * l2 * c2 * w2, 0;
    }
  }
  Energy energy(const State& s, Terms&) const override {
    const double w1 = s.v[0], w2 = s.v[1];
    return {0.5 * (m11_ * w1 * w1 + m22_ * w2 * w2 + s.v[2] * s.v[2]) + b * std::cos(s.q[0] - s.q[1]) * w1 * w2,
            g1 * std::sin(s.q[0]) + g2 * std::sin(s.q[1]), 0};
  }

 private:
  static constexpr double l1 = 1, l2 = 2, gravity = 9.81;
  static constexpr double b = l1 * l2 / 2;                                      // m2 l1 l2 / 2
  static constexpr double g1 = gravity * (l1 / 2 + l1), g2 = gravity * l2 / 2;  // moments of the weights
  double m11_, m22_;
};

}  // namespace escapement::testing
