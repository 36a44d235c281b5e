// A freely rotating rigid body in space: q = (position, unit quaternion w x y z), v = (velocity, angular velocity in
// the body frame), no forces but the gyroscopic one and a weak spring that pulls the centre of mass to the origin.
#pragma once

#include <array>
#include <cmath>

#include "math/rotation.hpp"
#include "support/hand_system.hpp"

namespace escapement::testing {

class FreeBody : public HandSystem {
 public:
  FreeBody() : HandSystem(7, 6, 0) {}
  using HandSystem::prepare;
  void prepare(Tangent& D) const override {
    HandSystem::prepare(D);
    D.retraction.resize(6, 6);
  }

  State exact(double end) const {
    // the spring moves the centre as cos t; Euler's equations by RK4 with small steps in extended precision
    std::array<long double, 7> y{1, 0, 0, 0, 0.6L, 1.7L, -0.9L};
    const int n = 20000;
    const long double h = static_cast<long double>(end) / n;
    for (int i = 0; i < n && end > 0; ++i) {
      const auto k1 = slope(y), k2 = slope(plus(y, h / 2, k1)), k3 = slope(plus(y, h / 2, k2)),
                 k4 = slope(plus(y, h, k3));
      for (int j = 0; j < 7; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    State s = make_state(dim());
    s.t = end;
    const Vec3 r(0.3, -0.2, 0.5), u(0.1, 0.4, -0.3);
    s.q.head(3) = r * std::cos(end) + u * std::sin(end);
    s.v.head(3) = u * std::cos(end) - r * std::sin(end);
    for (int j = 0; j < 4; ++j) s.q[3 + j] = double(y[j]);
    for (int j = 0; j < 3; ++j) s.v[3 + j] = double(y[4 + j]);
    return s;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) {
      T.M.dense().setIdentity();
      T.M.dense().diagonal().tail(3) << J[0], J[1], J[2];
    }
    if (has(need, Need::force)) {
      const Vec3 w = s.v.tail(3), L(J[0] * w[0], J[1] * w[1], J[2] * w[2]);
      T.f.head(3) = -s.q.head(3);
      T.f.tail(3) = -w.cross(L);
    }
  }
  void tangent(const State& s, const Vec&, const Vec&, Parts parts, Tangent& D) const override {
    D.K.set_zero();
    D.D.set_zero();
    if (!has(parts, Parts::force)) return;
    const Vec3 w = s.v.tail(3), L(J[0] * w[0], J[1] * w[1], J[2] * w[2]);
    D.K.dense().topLeftCorner(3, 3).setIdentity();
    Mat3 inertia = Mat3::Zero();
    inertia.diagonal() << J[0], J[1], J[2];
    D.D.dense().bottomRightCorner(3, 3) = skew(w) * inertia - skew(L);
  }
  Energy energy(const State& s, Terms&) const override {
    const Vec3 w = s.v.tail(3);
    return {0.5 * (s.v.head(3).squaredNorm() + J[0] * w[0] * w[0] + J[1] * w[1] * w[1] + J[2] * w[2] * w[2]),
            0.5 * s.q.head(3).squaredNorm(), 0};
  }

  void rate(const Vec& q, const Vec& v, Vec& qdot) const override {
    qdot.head(3) = v.head(3);
    qdot.tail(4) = quaternion_rate(q.tail(4), v.tail(3));
  }
  void rate2(const Vec& q, const Vec& v, const Vec& vdot, Vec& qddot) const override {
    qddot.head(3) = vdot.head(3);
    qddot.tail(4) =
        quaternion_rate(q.tail(4), vdot.tail(3)) + quaternion_rate(quaternion_rate(q.tail(4), v.tail(3)), v.tail(3));
  }
  void normalize(Vec& q) const override { q.tail(4).normalize(); }
  void retract(const Vec& q, const Vec& dx, Vec& q1) const override {
    q1.head(3) = q.head(3) + dx.head(3);
    q1.tail(4) = product(q.tail(4), rotation_exp(dx.tail(3)));
    q1.tail(4).normalize();
  }
  void difference(const Vec& q, const Vec& q1, Vec& dx) const override {
    dx.head(3) = q1.head(3) - q.head(3);
    dx.tail(3) = rotation_log(product(conjugate(q.tail(4)), q1.tail(4)));
  }
  bool retract_tangent(const Vec& dx, Matrix& T) const override {
    T.dense().setIdentity();
    T.dense().bottomRightCorner(3, 3) = rotation_tangent(dx.tail(3));
    return true;
  }

 protected:
  using Vec7 = std::array<long double, 7>;  // quaternion, angular velocity
  static constexpr double J[3] = {0.5, 1.1, 1.4};

  static Vec7 plus(const Vec7& y, long double a, const Vec7& k) {
    Vec7 sum;
    for (int j = 0; j < 7; ++j) sum[j] = y[j] + a * k[j];
    return sum;
  }
  static Vec7 slope(const Vec7& y) {
    const long double p = y[4], q = y[5], r = y[6];
    return {(-y[1] * p - y[2] * q - y[3] * r) / 2,
            (y[0] * p + y[2] * r - y[3] * q) / 2,
            (y[0] * q + y[3] * p - y[1] * r) / 2,
            (y[0] * r + y[1] * q - y[2] * p) / 2,
            (J[1] - J[2]) * q * r / static_cast<long double>(J[0]),
            (J[2] - J[0]) * r * p / static_cast<long double>(J[1]),
            (J[0] - J[1]) * p * q / static_cast<long double>(J[2])};
  }
};

}  // namespace escapement::testing
