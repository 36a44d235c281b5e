// A pendulum whose rod changes its length in time: g = (x^2 + y^2 - l(t)^2)/2, l = 1 + 0.1 sin 3t, gravity along -y.
#pragma once

#include <cmath>

#include "support/hand_system.hpp"

namespace escapement::testing {

class RheonomicPendulum : public HandSystem {
 public:
  RheonomicPendulum() : HandSystem(2, 2, 1) {}
  template <class Real>
  static Real l(Real t) {
    return 1 + std::sin(3 * t) / 10;
  }
  template <class Real>
  static Real l1(Real t) {
    return 3 * std::cos(3 * t) / 10;
  }
  template <class Real>
  static Real l2(Real t) {
    return -9 * std::sin(3 * t) / 10;
  }

  // in the minimal coordinate theta (from the downward vertical), by RK4 with small steps in extended precision
  State exact(double end) const {
    long double theta = 1, omega = 0.5L;
    const int n = 20000;
    const long double h = static_cast<long double>(end) / n;
    auto f = [](long double t, long double x, long double w) {
      return (-2 * l1(t) * w - gravity * std::sin(x)) / l(t);
    };
    for (int i = 0; i < n && end > 0; ++i) {
      const long double t = i * h;
      const long double x1 = omega, w1 = f(t, theta, omega);
      const long double x2 = omega + h / 2 * w1, w2 = f(t + h / 2, theta + h / 2 * x1, x2);
      const long double x3 = omega + h / 2 * w2, w3 = f(t + h / 2, theta + h / 2 * x2, x3);
      const long double x4 = omega + h * w3, w4 = f(t + h, theta + h * x3, x4);
      theta += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4);
      omega += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
    const long double t = end, r = l(t), s = std::sin(theta), c = std::cos(theta);
    State state = make_state(dim());
    state.t = end;
    state.q << double(r * s), double(-r * c);
    state.v << double(l1(t) * s + r * omega * c), double(-l1(t) * c + r * omega * s);
    // the radial equation l'' - l omega^2 = g cos(theta) + lambda l
    state.lambda << double((l2(t) - r * omega * omega - gravity * c) / r);
    state.vdot << state.lambda[0] * state.q[0], state.lambda[0] * state.q[1] - double(gravity);
    return state;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    const double r = l(s.t), r1 = l1(s.t), r2 = l2(s.t);
    if (has(need, Need::mass)) T.M.dense().setIdentity();
    if (has(need, Need::force)) T.f << 0, -double(gravity);
    if (has(need, Need::gap)) T.g << 0.5 * (s.q.squaredNorm() - r * r);
    if (has(need, Need::jacobian)) {
      T.G.dense() = s.q.transpose();
      T.g_t << -r * r1;
    }
    if (has(need, Need::curvature)) T.kappa << s.v.squaredNorm() - r1 * r1 - r * r2;
  }
  void tangent(const State& s, const Vec&, const Vec& mu, Parts parts, Tangent& D) const override {
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::constraint)) D.K.dense() = -mu[0] * Mat::Identity(2, 2);
    if (has(parts, Parts::velocity_rows)) D.V_q.dense() = s.v.transpose();
    if (has(parts, Parts::curvature_rows)) {
      D.kappa_q.set_zero();
      D.kappa_v.dense() = 2 * s.v.transpose();
    }
  }

 private:
  static constexpr long double gravity = 9.81L;
};

}  // namespace escapement::testing
