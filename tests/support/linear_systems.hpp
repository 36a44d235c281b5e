// Linear systems with a closed solution: a stiff one with K and D, and one with an extra first-order state.
#pragma once

#include "support/hand_system.hpp"

namespace escapement::testing {

Vec linear_motion(const Mat& A, const Vec& y0, double t);  // y' = A y from y0
double fastest_frequency(const Mat& M, const Mat& K);      // of M x'' + K x = 0, rad/s
Mat inverse_of(const Mat&);

// M x'' + D x' + K x = 0 with two degrees of freedom: a slow mode and a fast one, both damped
class StiffOscillator : public HandSystem {
 public:
  StiffOscillator() : HandSystem(2, 2, 0), M_(2, 2), D_(2, 2), K_(2, 2) {
    M_ << 2, 0.5, 0.5, 1;
    K_ << 3003, -2998, -2998, 3002;
    D_ << 3.1, -2.8, -2.8, 3.2;
  }
  State exact(double t) const {
    const Mat inverse = inverse_of(M_);
    Mat A = Mat::Zero(4, 4);
    A.topRightCorner(2, 2).setIdentity();
    A.bottomLeftCorner(2, 2) = -inverse * K_;
    A.bottomRightCorner(2, 2) = -inverse * D_;
    Vec y0(4);
    y0 << 1, 0.9, -0.5, 2;
    const Vec y = linear_motion(A, y0, t);
    State s = make_state(dim());
    s.t = t;
    s.q = y.head(2);
    s.v = y.tail(2);
    s.vdot = -inverse * (K_ * s.q + D_ * s.v);
    return s;
  }
  double fastest() const { return fastest_frequency(M_, K_); }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense() = M_;
    if (has(need, Need::force)) {
      T.f.noalias() = -(K_ * s.q);
      T.f.noalias() -= D_ * s.v;
    }
  }
  void tangent(const State&, const Vec&, const Vec&, Parts parts, Tangent& D) const override {
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::force)) {
      D.K.dense() = K_;
      D.D.dense() = D_;
    }
  }

 private:
  Mat M_, D_, K_;
};

// a mass on a spring and on a massless spring-damper in series, whose inner point z relaxes:
//   m x'' = -k x - k1 (x - z),   z' = k1 (x - z)/c
class MaxwellElement : public HandSystem {
 public:
  MaxwellElement() : HandSystem(1, 1, 0, 1) {}
  State exact(double t) const {
    Mat A(3, 3);
    A << 0, 1, 0, -(k + k1) / m, 0, k1 / m, k1 / c, 0, -k1 / c;
    Vec y0(3);
    y0 << 1, 0.5, -0.2;
    const Vec y = linear_motion(A, y0, t);
    State s = make_state(dim());
    s.t = t;
    s.q << y[0];
    s.v << y[1];
    s.z << y[2];
    s.vdot << A.row(1).dot(y);
    return s;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense()(0, 0) = m;
    if (has(need, Need::force)) {
      T.f << -k * s.q[0] - k1 * (s.q[0] - s.z[0]);
      T.zdot << k1 * (s.q[0] - s.z[0]) / c;
    }
  }
  void tangent(const State&, const Vec&, const Vec&, Parts parts, Tangent& D) const override {
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::force)) {
      D.K.dense()(0, 0) = k + k1;
      D.f_z(0, 0) = k1;
      D.zdot_q(0, 0) = k1 / c;
      D.zdot_v(0, 0) = 0;
      D.zdot_z(0, 0) = -k1 / c;
    }
  }

 private:
  static constexpr double m = 1.5, k = 2, k1 = 3, c = 1.2;
};

}  // namespace escapement::testing
