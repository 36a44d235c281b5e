// A rigid body at one instant, in the plane (D = 2) or in space (D = 3), and how body-fixed vectors turn with it.
//
// Velocities of a body: linear in the world frame, then angular in the body frame. Increments (for derivatives with
// respect to q) are of the same kind: R(d) = R exp(d^). A body-fixed vector u is R u in the world.
#pragma once

#include "math/rotation.hpp"
#include "system/state.hpp"

namespace escapement::inline model {

template <int D>
inline constexpr int angular = D == 2 ? 1 : 3;  // angular velocities of a body
template <int D>
inline constexpr int width = D + angular<D>;  // velocities of a body
template <int D>
inline constexpr int places = D == 2 ? 3 : 7;  // coordinates of a body

constexpr int ground = -1;  // the body that does not move

// unaligned, so that frames can lie in any workspace
template <int D>
using Vector = Eigen::Matrix<double, D, 1, Eigen::DontAlign>;
template <int D>
using Rotation = Eigen::Matrix<double, D, D, Eigen::DontAlign>;
template <int D>
using Angular = Eigen::Matrix<double, angular<D>, 1, Eigen::DontAlign>;
template <int D>
using Velocity = Eigen::Matrix<double, width<D>, 1, Eigen::DontAlign>;  // linear, angular
template <int D>
using Arm = Eigen::Matrix<double, D, angular<D>, Eigen::DontAlign>;
template <int D>
using Turn = Eigen::Matrix<double, angular<D>, angular<D>, Eigen::DontAlign>;

template <int D>
using Orientation = Eigen::Matrix<double, D == 2 ? 1 : 4, 1, Eigen::DontAlign>;

template <int D>
struct Frame {
  Vector<D> x = Vector<D>::Zero();          // centre of mass
  Rotation<D> R = Rotation<D>::Identity();  // body to world
  Vector<D> v = Vector<D>::Zero();
  Angular<D> w = Angular<D>::Zero();
  Orientation<D> orientation = Orientation<D>::Zero();  // the coordinates of R: an angle, not wrapped, or a quaternion
};

// w x u
inline Vector<2> cross(const Angular<2>& w, const Vector<2>& u) { return {-w[0] * u[1], w[0] * u[0]}; }
inline Vector<3> cross(const Angular<3>& w, const Vector<3>& u) {
  return {w[1] * u[2] - w[2] * u[1], w[2] * u[0] - w[0] * u[2], w[0] * u[1] - w[1] * u[0]};
}

// d(R u) = R arm(u) d
inline Arm<2> arm(const Vector<2>& u) { return {-u[1], u[0]}; }
inline Arm<3> arm(const Vector<3>& u) {
  Arm<3> m;
  m << 0, u[2], -u[1], -u[2], 0, u[0], u[1], -u[0], 0;
  return m;
}

// arm(u)^T c
inline Angular<2> moment(const Vector<2>& u, const Vector<2>& c) { return Angular<2>(u[0] * c[1] - u[1] * c[0]); }
inline Angular<3> moment(const Vector<3>& u, const Vector<3>& c) { return cross(u, c); }

// d(arm(u)^T R^T c) = turn(u, R^T c) d for a fixed vector c of the world
inline Turn<2> turn(const Vector<2>& u, const Vector<2>& c) { return Turn<2>(-u.dot(c)); }
inline Turn<3> turn(const Vector<3>& u, const Vector<3>& c) {
  return c * u.transpose() - u.dot(c) * Turn<3>::Identity();
}

// derivative of w x (w x u) with respect to w
inline Arm<2> spin_arm(const Angular<2>& w, const Vector<2>& u) { return -2 * w[0] * u; }
inline Arm<3> spin_arm(const Angular<3>& w, const Vector<3>& u) {
  // w x (w x u) = w (w.u) - u (w.w)
  return w.dot(u) * Arm<3>::Identity() + w * u.transpose() - 2 * u * w.transpose();
}

// frames[0]: the ground, then the bodies of a mechanism at this state
template <int D>
void set_frames(const State&, int bodies, Frame<D>* frames);

// all bodies at one instant; frames[0] is the ground
template <int D>
struct Motion {
  const Frame<D>* frames;
  double t;
  const double* z;
  double* scratch;  // for programs

  const Frame<D>& operator[](int body) const { return frames[body + 1]; }
};

}  // namespace escapement
