// Rotations as unit quaternions (w, x, y, z) with increments in the body frame: R(p * exp(d)) = R(p) exp(d^).
//
// Everything here only needs the direction of p: a quaternion that a Runge-Kutta stage left slightly off the unit
// sphere stands for the rotation of its normalised value, and p' = p * w / 2 keeps its norm.
#pragma once

#include "math/types.hpp"

namespace escapement::inline math {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Vec4 = Eigen::Vector4d;
using Mat2 = Eigen::Matrix2d;
using Mat3 = Eigen::Matrix3d;

Mat3 skew(const Vec3& a);                         // skew(a) b = a x b
Mat3 rotation_matrix(const Vec4& p);              // body to world
Vec4 quaternion(const Mat3& R);                   // unit, with w >= 0
Vec4 quaternion(const Vec3& axis, double angle);  // axis of any length but 0
Vec4 product(const Vec4& a, const Vec4& b);
Vec4 conjugate(const Vec4& p);
Vec4 rotation_exp(const Vec3& d);                    // rotation vector to quaternion
Vec3 rotation_log(const Vec4& p);                    // quaternion to the shortest rotation vector
Vec4 quaternion_rate(const Vec4& p, const Vec3& w);  // p' for the angular velocity w in the body frame
// the body-frame increment at exp(d) per increment of d
Mat3 rotation_tangent(const Vec3& d);

}  // namespace escapement
