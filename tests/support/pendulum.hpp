// Hand-written test systems: independent of the formula machinery, so that schemes can be tested on their own.
#pragma once

#include <cmath>

#include "support/hand_system.hpp"

namespace escapement::testing {

// point mass on a rod, Cartesian, m = l = 1: g = (x^2 + y^2 - 1)/2, gravity along -y
class Pendulum : public HandSystem {
 public:
  explicit Pendulum(double gravity = 9.81) : HandSystem(2, 2, 1), gravity_(gravity) {
    names_ = {{"x", "y"}, {"x", "y"}, {}, {"rod"}};
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense().setIdentity();
    if (has(need, Need::force)) T.f << 0, -gravity_;
    if (has(need, Need::gap)) T.g << 0.5 * (s.q.squaredNorm() - 1);
    if (has(need, Need::jacobian)) T.G.dense() = s.q.transpose();
    if (has(need, Need::curvature)) T.kappa << s.v.squaredNorm();
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
  Energy energy(const State& s, Terms&) const override { return {0.5 * s.v.squaredNorm(), gravity_ * s.q[1], 0}; }

 private:
  double gravity_;
};

}  // namespace escapement::testing
