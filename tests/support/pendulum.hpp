// Hand-written test systems: independent of the formula machinery, so that schemes can be tested on their own.
#pragma once

#include <cmath>

#include "system/system.hpp"

namespace escapement::testing {

// point mass on a rod, Cartesian, m = l = 1: g = (x^2 + y^2 - 1)/2, gravity along -y
class Pendulum : public System {
 public:
  explicit Pendulum(double gravity = 9.81) : gravity_(gravity) {
    dim_.q = dim_.v = 2;
    dim_.bilateral = 1;
    names_ = {{"x", "y"}, {"x", "y"}, {}, {"rod"}};
  }
  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }
  void prepare(Terms& T) const override {
    T.M.resize(2, 2);
    T.G.resize(1, 2);
    T.T.resize(0, 2);
    T.f.setZero(2);
    T.zdot.setZero(0);
    T.g.setZero(1);
    T.g_t.setZero(1);
    T.kappa.setZero(1);
  }
  void prepare(Tangent& D) const override {
    D.K.resize(2, 2);
    D.D.resize(2, 2);
    D.V_q.resize(1, 2);
    D.kappa_q.resize(1, 2);
    D.kappa_v.resize(1, 2);
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
  Dim dim_;
  Names names_;
};

}  // namespace escapement::testing
