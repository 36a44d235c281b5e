// The strains of a beam element in the plane: what forces and tangents need of them in every step, written out and inline.
#pragma once

#include <array>
#include <cmath>

#include "model/beam_strain.hpp"

namespace escapement::inline model {

// f(psi) = a/sin(a), a = psi/2, as long as a is small: f and f'' in powers of a^2, f' as a times such a sum
struct ArcOverChord {
  static constexpr double below = 0.25;
  static constexpr double few = 0.02;  // half the terms do here: those left out are below rounding
  std::array<double, 8> f{1,
                          1.0 / 6,
                          7.0 / 360,
                          31.0 / 15120,
                          127.0 / 604800,
                          73.0 / 3421440,
                          1414477.0 / 653837184000,
                          8191.0 / 37362124800};
  std::array<double, 7> f1{}, f2{};

  constexpr ArcOverChord() {
    for (unsigned k = 1; k < 8; ++k) {
      f1[k - 1] = k * f[k];
      f2[k - 1] = 0.5 * (2 * k - 1) * f1[k - 1];
    }
  }

  template <std::size_t count, std::size_t N>
  [[gnu::always_inline]] static double first(const std::array<double, N>& coefficient, double x) {
    double p = coefficient[count - 1];
#pragma GCC unroll 8
    for (int k = count - 2; k >= 0; --k) p = p * x + coefficient[static_cast<std::size_t>(k)];
    return p;
  }
  template <std::size_t N>
  [[gnu::always_inline]] static double sum(const std::array<double, N>& coefficient, double x) {
    return x < few * few ? first<4>(coefficient, x) : first<N>(coefficient, x);
  }
};
inline constexpr ArcOverChord arc_over_chord;

template <>
[[gnu::always_inline]] inline BeamStrain<2>::BeamStrain(const Frame<2>& a, const Frame<2>& b) {
  g = b.orientation - a.orientation;
  // the mean of both directions; the length of their sum is positive as long as the turn is below pi
  const double cosine = a.R(0, 0) + b.R(0, 0), sine = a.R(1, 0) + b.R(1, 0);
  const double to_one = 1 / std::sqrt(cosine * cosine + sine * sine);
  R(0, 0) = R(1, 1) = cosine * to_one;
  R(1, 0) = sine * to_one;
  R(0, 1) = -R(1, 0);
  const double dx = b.x[0] - a.x[0], dy = b.x[1] - a.x[1];
  y[0] = R(0, 0) * dx + R(1, 0) * dy;
  y[1] = R(0, 0) * dy - R(1, 0) * dx;
  const double half = 0.5 * g[0];
  if (std::abs(half) < ArcOverChord::below) {
    f = ArcOverChord::sum(arc_over_chord.f, half * half);
    f1 = half * ArcOverChord::sum(arc_over_chord.f1, half * half);
  } else {
    const double sin_half = std::sin(half);
    f = half / sin_half;
    f1 = 0.5 * (1 - f * std::cos(half)) / sin_half;
  }
}

template <>
[[gnu::always_inline]] inline double BeamStrain<2>::bent() const {
  const double half = 0.5 * g[0];
  if (std::abs(half) < ArcOverChord::below) return ArcOverChord::sum(arc_over_chord.f2, half * half);
  return 0.25 * f - f1 * std::cos(half) / std::sin(half);
}

template <>
[[gnu::always_inline]] inline double BeamStrain<2>::turn() const {
  return std::abs(g[0]);
}

template <>
[[gnu::always_inline]] inline BeamStrain<2>::Strain BeamStrain<2>::strain(double length) const {
  return Vec3(f * y[0], f * y[1], g[0]) / length;
}

template <>
[[gnu::always_inline]] inline BeamStrain<2>::Increment BeamStrain<2>::pull(const Strain& sigma) const {
  const double e0 = f * sigma[0], e1 = f * sigma[1], half = 0.5 * (e0 * y[1] - e1 * y[0]);
  const double bending = f1 * (y[0] * sigma[0] + y[1] * sigma[1]) + sigma[2];
  return {e0, e1, half - bending, half + bending};
}

// Where the strains change with the increments, e of them kept: over u, and over psi and m = (theta_a + theta_b)/2
struct PlaneStiffness {
  double u00, u11, u0a, u1a, u0b, u1b, aa, ab, bb;  // u0 and u1 do not go together

  [[gnu::always_inline]] PlaneStiffness(const BeamStrain<2>& at, double f, double f1, double f2, const Vec3& sigma, const Vec3& C) {
    const double e0 = f * sigma[0], e1 = f * sigma[1], y0 = at.y[0], y1 = at.y[1];
    u00 = f * f * C[0];
    u11 = f * f * C[1];
    const double u0p = f1 * (f * C[0] * y0 + sigma[0]), u1p = f1 * (f * C[1] * y1 + sigma[1]);
    const double pp = f1 * f1 * (C[0] * y0 * y0 + C[1] * y1 * y1) + C[2] + f2 * (sigma[0] * y0 + sigma[1] * y1);
    const double u0m = u00 * y1 - e1, u1m = e0 - u11 * y0, pm = u0p * y1 - u1p * y0;
    const double mm = 0.25 * (u0m * y1 - u1m * y0);
    u0a = 0.5 * u0m - u0p;
    u0b = 0.5 * u0m + u0p;
    u1a = 0.5 * u1m - u1p;
    u1b = 0.5 * u1m + u1p;
    aa = mm - pm + pp;
    ab = mm - pp;
    bb = mm + pm + pp;
  }
};

template <>
inline BeamStrain<2>::Full BeamStrain<2>::stiffness(const Strain& sigma, const Strain& C) const {
  const PlaneStiffness k(*this, f, f1, bent(), sigma, C);
  Full m;
  m << k.u00, 0, k.u0a, k.u0b, 0, k.u11, k.u1a, k.u1b, k.u0a, k.u1a, k.aa, k.ab, k.u0b, k.u1b, k.ab, k.bb;
  return m;
}

// the same over the columns of both nodes: u grows with x_b and falls with x_a
template <>
[[gnu::always_inline]] inline void BeamStrain<2>::put_stiffness(const Strain& sigma, const Strain& C, double* K) const {
  const PlaneStiffness k(*this, f, f1, bent(), sigma, C);
  const double along = R(0, 0), across = R(1, 0);
  const double xx = along * along * k.u00 + across * across * k.u11, yy = across * across * k.u00 + along * along * k.u11;
  const double xy = along * across * (k.u00 - k.u11);
  const double xa = along * k.u0a - across * k.u1a, ya = across * k.u0a + along * k.u1a;
  const double xb = along * k.u0b - across * k.u1b, yb = across * k.u0b + along * k.u1b;
  const auto put_row = [K](int row, double x0, double y0, double turn0, double x1, double y1, double turn1) {
    double* const to = K + 6 * row;
    to[0] = x0;
    to[1] = y0;
    to[2] = turn0;
    to[3] = x1;
    to[4] = y1;
    to[5] = turn1;
  };
  put_row(0, xx, xy, -xa, -xx, -xy, -xb);
  put_row(1, xy, yy, -ya, -xy, -yy, -yb);
  put_row(2, -xa, -ya, k.aa, xa, ya, k.ab);
  put_row(3, -xx, -xy, xa, xx, xy, xb);
  put_row(4, -xy, -yy, ya, xy, yy, yb);
  put_row(5, -xb, -yb, k.ab, xb, yb, k.bb);
}

}  // namespace escapement
