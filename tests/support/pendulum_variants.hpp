// Variants of constraints that every scheme must survive: redundant rows, rows that are off, rows without a position
// level.
#pragma once

#include <cmath>

#include "support/hand_system.hpp"

namespace escapement::testing {

// the pendulum of pendulum.hpp with its rod said three times, the last one switched off (a zero row)
class RedundantPendulum : public HandSystem {
 public:
  RedundantPendulum() : HandSystem(2, 2, 3) {}
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense().setIdentity();
    if (has(need, Need::force)) T.f << 0, -9.81;
    const double g = 0.5 * (s.q.squaredNorm() - 1), kappa = s.v.squaredNorm();
    if (has(need, Need::gap)) T.g << g, 2 * g, 0.7;
    if (has(need, Need::jacobian)) T.G.dense() << s.q[0], s.q[1], 2 * s.q[0], 2 * s.q[1], 0, 0;
    if (has(need, Need::curvature)) T.kappa << kappa, 2 * kappa, 0;
  }
  void tangent(const State& s, const Vec&, const Vec& mu, Parts parts, Tangent& D) const override {
    const Vec& v = s.v;
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::constraint)) D.K.dense() = -(mu[0] + 2 * mu[1]) * Mat::Identity(2, 2);
    if (has(parts, Parts::velocity_rows)) D.V_q.dense() << v[0], v[1], 2 * v[0], 2 * v[1], 0, 0;
    if (has(parts, Parts::curvature_rows)) {
      D.kappa_q.set_zero();
      D.kappa_v.dense() << 2 * v[0], 2 * v[1], 4 * v[0], 4 * v[1], 0, 0;
    }
  }
};

// a skate: x, y, angle; it cannot slip sideways, a row that exists at velocity level only. Free of forces it runs in a
// circle.
class Skate : public HandSystem {
 public:
  Skate() : HandSystem(3, 3, 1) {}
  Level level(int) const override { return Level::velocity; }
  State exact(double t) const {
    const double angle = angle0 + turn * t, s = std::sin(angle), c = std::cos(angle);
    State state = make_state(dim());
    state.t = t;
    state.q << speed / turn * (s - std::sin(angle0)), -speed / turn * (c - std::cos(angle0)), angle;
    state.v << speed * c, speed * s, turn;
    state.vdot << -speed * turn * s, speed * turn * c, 0;
    state.lambda << mass * speed * turn;
    return state;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    const double sine = std::sin(s.q[2]), cosine = std::cos(s.q[2]);
    if (has(need, Need::mass)) T.M.dense() << mass, 0, 0, 0, mass, 0, 0, 0, 0.3;
    if (has(need, Need::force)) T.f.setZero();
    if (has(need, Need::gap)) T.g.setZero();
    if (has(need, Need::jacobian)) T.G.dense() << -sine, cosine, 0;
    if (has(need, Need::curvature)) T.kappa << s.v[2] * (-cosine * s.v[0] - sine * s.v[1]);
  }
  void tangent(const State& s, const Vec&, const Vec& mu, Parts parts, Tangent& D) const override {
    const double sine = std::sin(s.q[2]), cosine = std::cos(s.q[2]);
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::constraint)) {
      D.K.dense()(0, 2) = mu[0] * cosine;
      D.K.dense()(1, 2) = mu[0] * sine;
    }
    if (has(parts, Parts::velocity_rows)) D.V_q.dense() << 0, 0, -cosine * s.v[0] - sine * s.v[1];
    if (has(parts, Parts::curvature_rows)) {
      D.kappa_q.dense() << 0, 0, s.v[2] * (sine * s.v[0] - cosine * s.v[1]);
      D.kappa_v.dense() << -cosine * s.v[2], -sine * s.v[2], -cosine * s.v[0] - sine * s.v[1];
    }
  }

 private:
  static constexpr double mass = 2, speed = 1.5, turn = 0.8, angle0 = 0.4;
};

}  // namespace escapement::testing
