// A heavy rigid body hung on a fixed point: 7 coordinates, 6 velocities and the 3 rows r + R a = 0 of a spherical
// joint.
#pragma once

#include "support/free_body.hpp"

namespace escapement::testing {

class SpatialTop : public FreeBody {
 public:
  SpatialTop() { dim_.bilateral = 3, names_.multipliers = {"pivot.x", "pivot.y", "pivot.z"}; }

  // Euler's equations about the pivot, by RK4 with small steps in extended precision
  State exact(double end) const {
    const long double w0[3] = {1.5L, -0.4L, 4};
    Vec7 y{0.9L, 0.3L, -0.1L, 0.3L, w0[0], w0[1], w0[2]};
    make_unit(y);
    const int n = 8000;
    const long double h = static_cast<long double>(end) / n;
    for (int i = 0; i < n && end > 0; ++i) {
      const Vec7 k1 = slope(y), k2 = slope(plus(y, h / 2, k1)), k3 = slope(plus(y, h / 2, k2)),
                 k4 = slope(plus(y, h, k3));
      for (int j = 0; j < 7; ++j) y[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
    }
    const Vec7 ydot = slope(y);
    State s = make_state(dim());
    s.t = end;
    for (int j = 0; j < 4; ++j) s.q[3 + j] = double(y[j]);
    for (int j = 0; j < 3; ++j) {
      s.v[3 + j] = double(y[4 + j]);
      s.vdot[3 + j] = double(ydot[4 + j]);
    }
    const Mat3 R = rotation_matrix(s.q.tail(4));
    const Vec3 w = s.v.tail(3), wdot = s.vdot.tail(3);
    s.q.head(3) = -R * a();
    s.v.head(3) = -R * w.cross(a());
    s.vdot.head(3) = -R * (wdot.cross(a()) + w.cross(w.cross(a())));
    s.lambda = s.vdot.head(3) + Vec3(0, 0, gravity);
    return s;
  }

  void evaluate(const State& s, Need need, Terms& T) const override {
    FreeBody::evaluate(s, need, T);
    const Mat3 R = rotation_matrix(s.q.tail(4));
    const Vec3 w = s.v.tail(3);
    if (has(need, Need::force)) T.f.head(3) << 0, 0, -gravity;
    if (has(need, Need::gap)) T.g = Vec3(Vec3(s.q.head(3)) + R * a());
    if (has(need, Need::jacobian)) {
      T.G.dense().leftCols(3).setIdentity();
      T.G.dense().rightCols(3) = -R * skew(a());
    }
    if (has(need, Need::curvature)) T.kappa = R * w.cross(w.cross(a()));
  }
  void tangent(const State& s, const Vec& w_, const Vec& mu, Parts parts, Tangent& D) const override {
    FreeBody::tangent(s, w_, mu, parts, D);
    D.K.dense().topLeftCorner(3, 3).setZero();
    const Mat3 R = rotation_matrix(s.q.tail(4));
    const Vec3 w = s.v.tail(3);
    if (has(parts, Parts::constraint)) {
      const Vec3 force = mu.head(3), local = R.transpose() * force;
      D.K.dense().bottomRightCorner(3, 3) -= skew(a()) * skew(local);
    }
    if (has(parts, Parts::velocity_rows)) {
      D.V_q.set_zero();
      D.V_q.dense().rightCols(3) = R * skew(a().cross(w));
    }
    if (has(parts, Parts::curvature_rows)) {
      D.kappa_q.set_zero();
      D.kappa_v.set_zero();
      D.kappa_q.dense().rightCols(3) = -R * skew(w.cross(w.cross(a())));
      D.kappa_v.dense().rightCols(3) = -R * (skew(w.cross(a())) + skew(w) * skew(a()));
    }
  }
  Energy energy(const State& s, Terms& work) const override {
    Energy e = FreeBody::energy(s, work);
    e.potential = gravity * s.q[2];
    return e;
  }

 private:
  static constexpr double gravity = 9.81;
  static Vec3 a() { return {0.1, -0.05, -0.6}; }  // from the centre of mass to the pivot, in the body frame

  static void make_unit(Vec7& y) {
    const long double norm = std::sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2] + y[3] * y[3]);
    for (int j = 0; j < 4; ++j) y[j] /= norm;
  }
  // J_p w' = -w x J_p w + (-a) x R^T (0, 0, -g), J_p: about the pivot, unit mass
  static Vec7 slope(const Vec7& y) {
    using Real3 = Eigen::Matrix<long double, 3, 1>;
    const Real3 w(y[4], y[5], y[6]), arm = -a().cast<long double>();
    Eigen::Matrix<long double, 3, 3> Jp = Real3(J[0], J[1], J[2]).asDiagonal();
    Jp += arm.squaredNorm() * Eigen::Matrix<long double, 3, 3>::Identity() - arm * arm.transpose();
    const long double ww = y[0], x = y[1], yy = y[2], z = y[3];
    const long double norm2 = ww * ww + x * x + yy * yy + z * z;
    // third row of R: R^T e_z
    const Real3 up(2 * (x * z - ww * yy) / norm2, 2 * (yy * z + ww * x) / norm2, 1 - 2 * (x * x + yy * yy) / norm2);
    const Real3 torque = arm.cross(-static_cast<long double>(gravity) * up);
    const Real3 L = Jp * w, rhs = torque - w.cross(L);
    const Real3 wdot = Jp.inverse() * rhs;
    const Vec7 kinematics = FreeBody::slope(y);
    return {kinematics[0], kinematics[1], kinematics[2], kinematics[3], wdot[0], wdot[1], wdot[2]};
  }
};

}  // namespace escapement::testing
