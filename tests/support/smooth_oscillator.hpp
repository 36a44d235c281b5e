// A smooth nonlinear oscillator with a known motion: x'' = -1.3 sin x - 0.2 v - 0.1 v^3 + f(t), x = sin t + 0.3 cos 2t.
#pragma once

#include <cmath>

#include "support/hand_system.hpp"

namespace escapement::testing {

class SmoothOscillator : public HandSystem {
 public:
  SmoothOscillator() : HandSystem(1, 1, 0) {}
  static double x(double t) { return std::sin(t) + 0.3 * std::cos(2 * t); }
  static double v(double t) { return std::cos(t) - 0.6 * std::sin(2 * t); }
  static double a(double t) { return -std::sin(t) - 1.2 * std::cos(2 * t); }

  State exact(double t) const {
    State s = make_state(dim());
    s.t = t;
    s.q << x(t);
    s.v << v(t);
    s.vdot << a(t);
    return s;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense()(0, 0) = 1;
    if (has(need, Need::force)) T.f << internal(s.q[0], s.v[0]) + a(s.t) - internal(x(s.t), v(s.t));
  }
  void tangent(const State& s, const Vec&, const Vec&, Parts parts, Tangent& D) const override {
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::force)) {
      D.K.dense()(0, 0) = 1.3 * std::cos(s.q[0]);
      D.D.dense()(0, 0) = 0.2 + 0.3 * s.v[0] * s.v[0];
    }
  }

 private:
  static double internal(double q, double w) { return -1.3 * std::sin(q) - 0.2 * w - 0.1 * w * w * w; }
};

}  // namespace escapement::testing
