// The heavy top of paper 002 in Euler angles z-x-z (precession phi, nutation theta, spin psi). The inertias (0, 0,
// 2e-4) are about the centre of mass, so about the pivot (m d^2, m d^2, 2e-4).
#pragma once

#include <cmath>

#include "support/hand_system.hpp"

namespace escapement::testing {

class SpinningTop : public HandSystem {
 public:
  SpinningTop() : HandSystem(3, 3, 0) {}

  State start() const {
    const double pi = std::acos(-1.0);
    State s = make_state(dim());
    s.q << 0, pi / 6, 0;
    s.v << 0, 0, 4 * pi;
    return s;
  }
  // kinetic energy I1/2 (theta'^2 + phi'^2 sin^2) + I3/2 (psi' + phi' cos)^2
  void evaluate(const State& s, Need need, Terms& T) const override {
    const double sine = std::sin(s.q[1]), cosine = std::cos(s.q[1]);
    if (has(need, Need::mass)) {
      T.M.dense() << I1 * sine * sine + I3 * cosine * cosine, 0, I3 * cosine,  //
          0, I1, 0,                                                            //
          I3 * cosine, 0, I3;
    }
    if (has(need, Need::force)) {
      const double phi = s.v[0], theta = s.v[1], psi = s.v[2];
      T.f << 2 * (I3 - I1) * sine * cosine * theta * phi + I3 * sine * theta * psi,
          (I1 - I3) * sine * cosine * phi * phi - I3 * sine * phi * psi + m * g * d * sine,  //
          I3 * sine * theta * phi;
    }
  }
  void tangent(const State& s, const Vec& w, const Vec&, Parts parts, Tangent& D) const override {
    const double sine = std::sin(s.q[1]), cosine = std::cos(s.q[1]), twice = std::cos(2 * s.q[1]);
    const double phi = s.v[0], theta = s.v[1], psi = s.v[2];
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::mass)) {
      D.K.dense()(0, 1) += 2 * (I1 - I3) * sine * cosine * w[0] - I3 * sine * w[2];
      D.K.dense()(2, 1) -= I3 * sine * w[0];
    }
    if (has(parts, Parts::force)) {
      D.K.dense()(0, 1) -= 2 * (I3 - I1) * twice * theta * phi + I3 * cosine * theta * psi;
      D.K.dense()(1, 1) -= (I1 - I3) * twice * phi * phi - I3 * cosine * phi * psi + m * g * d * cosine;
      D.K.dense()(2, 1) -= I3 * cosine * theta * phi;
      D.D.dense() << -2 * (I3 - I1) * sine * cosine * theta, -2 * (I3 - I1) * sine * cosine * phi - I3 * sine * psi,
          -I3 * sine * theta,                                                          //
          -2 * (I1 - I3) * sine * cosine * phi + I3 * sine * psi, 0, I3 * sine * phi,  //
          -I3 * sine * theta, -I3 * sine * phi, 0;
    }
  }
  Energy energy(const State& s, Terms&) const override {
    const double sine = std::sin(s.q[1]), cosine = std::cos(s.q[1]);
    const double precession = s.v[0] * sine, spin = s.v[2] + s.v[0] * cosine;
    return {0.5 * (I1 * (s.v[1] * s.v[1] + precession * precession) + I3 * spin * spin), m * g * d * cosine, 0};
  }

 private:
  static constexpr double m = 0.02, d = 0.05, g = 9.81, I1 = m * d * d, I3 = 2e-4;
};

}  // namespace escapement::testing
