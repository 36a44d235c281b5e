#include "math/rotation.hpp"

#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline math {

Mat3 skew(const Vec3& a) {
  Mat3 s;
  s << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return s;
}

Mat3 rotation_matrix(const Vec4& p) {
  const double s = 2 / p.squaredNorm();
  const double xx = s * p[1] * p[1], yy = s * p[2] * p[2], zz = s * p[3] * p[3];
  const double xy = s * p[1] * p[2], xz = s * p[1] * p[3], yz = s * p[2] * p[3];
  const double wx = s * p[0] * p[1], wy = s * p[0] * p[2], wz = s * p[0] * p[3];
  Mat3 R;
  R << 1 - yy - zz, xy - wz, xz + wy, xy + wz, 1 - xx - zz, yz - wx, xz - wy, yz + wx, 1 - xx - yy;
  return R;
}

Vec4 quaternion(const Mat3& R) {
  const Eigen::Quaterniond q(R);
  const double sign = q.w() < 0 ? -1 : 1;
  return Vec4(sign * q.w(), sign * q.x(), sign * q.y(), sign * q.z()).normalized();
}

Vec4 quaternion(const Vec3& axis, double angle) { return rotation_exp(angle * axis.normalized()); }

Vec4 product(const Vec4& a, const Vec4& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

Vec4 conjugate(const Vec4& p) { return {p[0], -p[1], -p[2], -p[3]}; }

Vec4 rotation_exp(const Vec3& d) {
  const double angle = d.norm(), half = 0.5 * angle;
  // sin(x/2)/x by its series where the quotient loses digits
  const double s = angle < little::angle ? 0.5 - angle * angle / 48 : std::sin(half) / angle;
  return {std::cos(half), s * d[0], s * d[1], s * d[2]};
}

Vec3 rotation_log(const Vec4& p) {
  const Vec3 axis = p.tail<3>();
  const double sine = axis.norm(), cosine = p[0];
  const double angle = 2 * std::atan2(sine, std::abs(cosine));
  const double factor = sine < little::sine * std::abs(cosine) ? 2 / std::abs(cosine) : angle / sine;
  return (cosine < 0 ? -factor : factor) * axis;
}

Vec4 quaternion_rate(const Vec4& p, const Vec3& w) { return 0.5 * product(p, Vec4(0, w[0], w[1], w[2])); }

Mat3 rotation_tangent(const Vec3& d) {
  const double x2 = d.squaredNorm(), x = std::sqrt(x2);
  double a, b;  // (1 - cos x)/x^2 and (x - sin x)/x^3
  if (x < 0.02) {
    a = 0.5 - x2 / 24 * (1 - x2 / 30);
    b = 1.0 / 6 - x2 / 120 * (1 - x2 / 42);
  } else {
    const double half_sine = std::sin(0.5 * x) / x;
    a = 2 * half_sine * half_sine;
    b = (x - std::sin(x)) / (x2 * x);
  }
  const Mat3 s = skew(d);
  return Mat3::Identity() - a * s + b * s * s;
}

}  // namespace escapement
