#include "model/plane_beam_strain.hpp"

#include <cmath>

namespace escapement::inline model {

namespace {

// a polynomial with its first two derivatives
template <std::size_t N>
void horner(const double (&coefficient)[N], double x, double& p, double& p1, double& p2) {
  p = p1 = p2 = 0;
  for (std::size_t k = N; k-- > 0;) {
    p2 = p2 * x + p1;
    p1 = p1 * x + p;
    p = p * x + coefficient[k];
  }
  p2 *= 2;
}

// c(s) = (1 - (1 + s) atan(r)/r)/s, r = sqrt(s): (-1)^(k+1) 2/((2k + 1)(2k + 3)) s^k
constexpr struct ArcSeries {
  double of[16];
  constexpr ArcSeries() : of{} {
    for (int k = 0; k < 16; ++k) of[k] = (k % 2 == 0 ? -2.0 : 2.0) / ((2 * k + 1) * (2 * k + 3));
  }
} arc_series;

Mat3 outer(const Vec3& a, const Vec3& b) { return a * b.transpose(); }

// B of dg = B theta_b - B^T theta_a
Mat3 turn_map(const Vec3& g, double s) { return 0.25 * ((1 - s) * Mat3::Identity() + 2 * skew(g) + 2 * outer(g, g)); }
// d(B w)/dg and d(B^T w)/dg
Mat3 turn_map_slope(const Vec3& g, const Vec3& w, double sign) {
  return 0.5 * (outer(g, w) - outer(w, g) + g.dot(w) * Mat3::Identity() - sign * skew(w));
}

}  // namespace

// the plane

// w = (psi, y)
template <>
BeamStrain<2>::Square BeamStrain<2>::slope() const {
  Square m;
  m << f1 * y[0], f, 0, f1 * y[1], 0, f, 1, 0, 0;
  return m;
}

template <>
BeamStrain<2>::Square BeamStrain<2>::sway(const Strain& w) const {
  Square m;
  const double by_turn = bent() * w[0];
  m << by_turn * y[0] + f1 * w[1], f1 * w[0], 0, by_turn * y[1] + f1 * w[2], 0, f1 * w[0], 0, 0, 0;
  return m;
}

template <>
BeamStrain<2>::Wide BeamStrain<2>::gradient() const {
  Wide m;
  m << 0, 0, -1, 1, 1, 0, 0.5 * y[1], 0.5 * y[1], 0, 1, -0.5 * y[0], -0.5 * y[0];
  return m;
}

template <>
BeamStrain<2>::Strain BeamStrain<2>::rate(const Frame<2>& a, const Frame<2>& b) const {
  const Vec2 u = R.transpose() * (b.v - a.v);
  const double middle = 0.5 * (a.w[0] + b.w[0]);
  return {b.w[0] - a.w[0], u[0] + y[1] * middle, u[1] - y[0] * middle};
}

template <>
BeamStrain<2>::Wide BeamStrain<2>::drift(const Frame<2>& a, const Frame<2>& b) const {
  const Vec2 u = R.transpose() * (b.v - a.v);
  const double middle = 0.5 * (a.w[0] + b.w[0]);
  Wide m = Wide::Zero();
  m.row(1) = middle * gradient().row(2);
  m.row(2) = -middle * gradient().row(1);
  m(1, 2) += 0.5 * u[1];
  m(1, 3) += 0.5 * u[1];
  m(2, 2) -= 0.5 * u[0];
  m(2, 3) -= 0.5 * u[0];
  return m;
}

// space

template <>
BeamStrain<3>::BeamStrain(const Frame<3>& a, const Frame<3>& b) {
  const Vec4 p = Vec4(a.orientation).normalized();
  Vec4 r = Vec4(b.orientation).normalized();
  if (p.dot(r) < 0) r = -r;
  R = rotation_matrix(Vec4(p + r).normalized());
  r = product(conjugate(p), r);
  g = r.tail<3>() / (1 + r[0]);
  y = R.transpose() * Vec3(b.x - a.x);
  s = g.squaredNorm();
  if (s < 0.05) {
    horner(arc_series.of, s, c, c1, c2);
    f = 1 - c * s;
    A = f / (1 + s);
  } else {
    const double root = std::sqrt(s);
    A = std::atan(root) / root;
    f = (1 + s) * A;
    c = (1 - f) / s;
    c1 = -(A + 1.5 * c) / s;
  }
  A1 = 0.5 * c / (1 + s);
  A2 = 0.5 * (c1 - c / (1 + s)) / (1 + s);
  f1 = A + 0.5 * c;
  f2 = A1 + 0.5 * c1;
  if (s >= 0.05) c2 = -(f2 + 2 * c1) / s;
}

template <>
double BeamStrain<3>::turn() const {
  return 4 * A * std::sqrt(s);
}

template <>
BeamStrain<3>::Strain BeamStrain<3>::strain(double length) const {
  Strain out;
  out << f * y + c * g.dot(y) * g, 4 * A * g;
  return out / length;
}

// w = (g, y); strain = (f y + c g (g.y), 4 A g)
template <>
BeamStrain<3>::Square BeamStrain<3>::slope() const {
  const double along = g.dot(y);
  Square m;
  m.topLeftCorner<3, 3>() = outer(2 * f1 * y + (2 * c1 * along) * g, g) + c * (along * Mat3::Identity() + outer(g, y));
  m.topRightCorner<3, 3>() = f * Mat3::Identity() + c * outer(g, g);
  m.bottomLeftCorner<3, 3>() = 4 * A * Mat3::Identity() + 8 * A1 * outer(g, g);
  m.bottomRightCorner<3, 3>().setZero();
  return m;
}

template <>
BeamStrain<3>::Square BeamStrain<3>::bend(const Strain& e) const {
  const Vec3 N = e.head<3>(), M = e.tail<3>();
  const double yN = y.dot(N), gy = g.dot(y), gN = g.dot(N), gM = g.dot(M);
  const Vec3 cross_terms = 2 * c1 * (gN * y + gy * N) + 8 * A1 * M;
  Square m;
  m.topLeftCorner<3, 3>() = (2 * f1 * yN + 2 * c1 * gy * gN + 8 * A1 * gM) * Mat3::Identity() +
                            (4 * f2 * yN + 4 * c2 * gy * gN + 16 * A2 * gM) * outer(g, g) + outer(g, cross_terms) +
                            outer(cross_terms, g) + c * (outer(N, y) + outer(y, N));
  m.bottomLeftCorner<3, 3>() = outer(2 * f1 * N + (2 * c1 * gN) * g, g) + c * (gN * Mat3::Identity() + outer(g, N));
  m.topRightCorner<3, 3>() = m.bottomLeftCorner<3, 3>().transpose();
  m.bottomRightCorner<3, 3>().setZero();
  return m;
}

template <>
BeamStrain<3>::Square BeamStrain<3>::sway(const Strain& w) const {
  const Vec3 gd = w.head<3>(), yd = w.tail<3>();
  const double ggd = g.dot(gd), gy = g.dot(y), gdy = gd.dot(y), gyd = g.dot(yd);
  Square m;
  m.topLeftCorner<3, 3>() = outer(y, 4 * f2 * ggd * g + 2 * f1 * gd) + outer(yd, 2 * f1 * g) +
                            outer(g, 4 * c2 * ggd * gy * g + 2 * c1 * gy * gd + 2 * c1 * ggd * y) +
                            2 * c1 * ggd * gy * Mat3::Identity() + outer(gy * gd + (gdy + gyd) * g, 2 * c1 * g) +
                            c * (outer(gd, y) + (gdy + gyd) * Mat3::Identity() + outer(g, yd));
  m.topRightCorner<3, 3>() =
      2 * f1 * ggd * Mat3::Identity() + 2 * c1 * ggd * outer(g, g) + c * (outer(gd, g) + outer(g, gd));
  m.bottomLeftCorner<3, 3>() =
      8 * A1 * ggd * Mat3::Identity() + outer(g, 16 * A2 * ggd * g + 8 * A1 * gd) + outer(gd, 8 * A1 * g);
  m.bottomRightCorner<3, 3>().setZero();
  return m;
}

template <>
BeamStrain<3>::Wide BeamStrain<3>::gradient() const {
  const Mat3 B = turn_map(g, s), Y = skew(y), twisted = 0.5 * Y * skew(g);
  Wide m;
  m << Mat3::Zero(), -B.transpose(), B, Mat3::Identity(), 0.5 * Y - twisted, 0.5 * Y + twisted;
  return m;
}

template <>
BeamStrain<3>::Tall BeamStrain<3>::turning(const Strain& e) const {
  const Vec3 e_g = e.head<3>(), e_y = e.tail<3>();
  const Mat3 t = 0.5 * skew(e_y.cross(y)), E = 0.5 * skew(e_y), GE = skew(g) * E;
  Tall m;
  m << Mat3::Zero(), Mat3::Zero(),             //
      -turn_map_slope(g, e_g, 1) - t, E + GE,  //
      turn_map_slope(g, e_g, -1) + t, E - GE;
  return m;
}

template <>
Eigen::Matrix<double, 3, 6> BeamStrain<3>::lift(const Strain& e) const {
  const Mat3 E = -0.5 * skew(Vec3(e.tail<3>())), EG = E * skew(g);
  Eigen::Matrix<double, 3, 6> m;
  m << E - EG, E + EG;
  return m;
}

template <>
BeamStrain<3>::Strain BeamStrain<3>::rate(const Frame<3>& a, const Frame<3>& b) const {
  const Mat3 B = turn_map(g, s);
  const Vec3 wa = a.w, wb = b.w, middle = 0.5 * (wa + wb) + 0.5 * g.cross(wb - wa);
  Strain out;
  out << B * wb - B.transpose() * wa, R.transpose() * Vec3(b.v - a.v) + y.cross(middle);
  return out;
}

template <>
BeamStrain<3>::Wide BeamStrain<3>::drift(const Frame<3>& a, const Frame<3>& b) const {
  const Vec3 wa = a.w, wb = b.w, middle = 0.5 * (wa + wb) + 0.5 * g.cross(wb - wa);
  const Mat3 U = 0.5 * skew(R.transpose() * Vec3(b.v - a.v)), UG = U * skew(g);
  Square by_w = Square::Zero();
  by_w.topLeftCorner<3, 3>() = turn_map_slope(g, wb, 1) - turn_map_slope(g, wa, -1);
  by_w.bottomLeftCorner<3, 3>() = -0.5 * skew(y) * skew(wb - wa);
  by_w.bottomRightCorner<3, 3>() = -skew(middle);
  Wide m = by_w * gradient();
  m.block<3, 3>(3, 3) += U - UG;
  m.block<3, 3>(3, 6) += U + UG;
  return m;
}

template <>
BeamStrain<3>::Increment BeamStrain<3>::pull(const Strain& sigma) const {
  const Strain e = slope().transpose() * sigma;
  return gradient().transpose() * e;
}

template <>
BeamStrain<3>::Full BeamStrain<3>::stiffness(const Strain& sigma, const Strain& C) const {
  const Square S = slope();
  const Wide J = gradient();
  const Strain e = S.transpose() * sigma;
  const Square E = bend(sigma) + S.transpose() * C.asDiagonal() * S;
  const Tall left = turning(e) + J.transpose() * E;
  Full k = left * J;
  k.topRightCorner<3, 6>() += lift(e);
  return k;
}

template struct BeamStrain<2>;
template struct BeamStrain<3>;

}  // namespace escapement
