// Sine and cosine with errors below one unit in the last place, the same bits everywhere: in single runs and over lanes
// (ensemble/lanes_engine.hpp), which have the numbers here in vectors of their own. Reduction by pi/2 in three parts of 33 bits, so
// that products with the number of quarter turns are exact, and the polynomials of fdlibm (Sun Microsystems, 1993).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "math/pairs.hpp"

namespace escapement::inline math {

struct SineCosine {
  double sine, cosine;

  static constexpr double most_quarters = 1e5;             // beyond, the C library
  static constexpr double rounder = 0x1.8p52;              // adding it rounds to whole numbers
  static constexpr double quarters = 0x1.45f306dc9c883p-1;  // of a radian
  static constexpr std::array<double, 3> quarter{0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2e037073p-69};
  static constexpr std::array<double, 6> S{-0x1.5555555555549p-3, 0x1.111111110f8a6p-7, -0x1.a01a019c161d5p-13,
                                           0x1.71de357b1fe7dp-19, -0x1.ae5e68a2b9cebp-26, 0x1.5d93a5acfd57cp-33};
  static constexpr std::array<double, 6> C{0x1.555555555554cp-5, -0x1.6c16c16c15177p-10, 0x1.a01a019cb159p-16,
                                           -0x1.27e4f809c52adp-22, 0x1.1ee9ebdb4b1c4p-29, -0x1.8fae9be8838d4p-37};
};

// an angle less its quarter turns, with what rounding has taken of it
struct ReducedAngle {
  double y, low, z;  // z: the square of y
  std::uint64_t turns;

  static bool may_be(double x) { return std::abs(x) < SineCosine::most_quarters; }
  [[gnu::always_inline]] explicit ReducedAngle(double x) {
    using K = SineCosine;
    const double shifted = x * K::quarters + K::rounder, n = shifted - K::rounder;
    const double r = x - n * K::quarter[0];
    // what the second part takes away, with its rounding
    const double second = n * K::quarter[1], r2 = r - second, third = n * K::quarter[2] - ((r - r2) - second);
    y = r2 - third;
    low = (r2 - y) - third;
    z = y * y;
    turns = std::bit_cast<std::uint64_t>(shifted);
  }
  [[gnu::always_inline]] double sine() const { return turned(turns & 1 ? cosine_of_rest() : sine_of_rest(), turns); }
  [[gnu::always_inline]] double cosine() const { return turned(turns & 1 ? sine_of_rest() : cosine_of_rest(), turns + 1); }

 private:
  [[gnu::always_inline]] double sine_of_rest() const {
    constexpr auto& S = SineCosine::S;
    const double v = z * y, s = S[1] + z * (S[2] + z * (S[3] + z * (S[4] + z * S[5])));
    return y - ((z * (0.5 * low - v * s) - low) - v * S[0]);
  }
  [[gnu::always_inline]] double cosine_of_rest() const {
    constexpr auto& C = SineCosine::C;
    const double c = z * (C[0] + z * (C[1] + z * (C[2] + z * (C[3] + z * (C[4] + z * C[5]))))), half_z = 0.5 * z, w = 1 - half_z;
    return w + (((1 - w) - half_z) + (z * c - y * low));
  }
  static double turned(double a, std::uint64_t sign) { return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) ^ ((sign & 2) << 62)); }
};

[[gnu::always_inline]] inline double sine(double x) { return ReducedAngle::may_be(x) ? ReducedAngle(x).sine() : std::sin(x); }
[[gnu::always_inline]] inline double cosine(double x) { return ReducedAngle::may_be(x) ? ReducedAngle(x).cosine() : std::cos(x); }

[[gnu::always_inline]] inline SineCosine sine_cosine(double x) {
  if (!ReducedAngle::may_be(x)) return {std::sin(x), std::cos(x)};
  const ReducedAngle angle(x);
  return {angle.sine(), angle.cosine()};
}

// of two angles at once
[[gnu::always_inline]] inline void sine_cosine(Pair x, Pair& sine, Pair& cosine) {
  using K = SineCosine;
  using Whole = long long __attribute__((vector_size(16)));
  if (!(ReducedAngle::may_be(x[0]) && ReducedAngle::may_be(x[1]))) [[unlikely]] {
    const SineCosine first = sine_cosine(x[0]), second = sine_cosine(x[1]);
    sine = Pair{first.sine, second.sine};
    cosine = Pair{first.cosine, second.cosine};
    return;
  }
  const auto all = [](double number) { return Pair{number, number}; };
  const Pair shifted = x * all(K::quarters) + all(K::rounder), n = shifted - all(K::rounder);
  const Pair r = x - n * all(K::quarter[0]);
  const Pair second = n * all(K::quarter[1]), r2 = r - second, third = n * all(K::quarter[2]) - ((r - r2) - second);
  const Pair y = r2 - third, low = (r2 - y) - third, z = y * y;
  const Pair s = all(K::S[1]) + z * (all(K::S[2]) + z * (all(K::S[3]) + z * (all(K::S[4]) + z * all(K::S[5]))));
  const Pair c = z * (all(K::C[0]) + z * (all(K::C[1]) + z * (all(K::C[2]) + z * (all(K::C[3]) + z * (all(K::C[4]) + z * all(K::C[5]))))));
  const Pair v = z * y, half_z = all(0.5) * z, w = all(1) - half_z;
  const Pair sin_y = y - ((z * (all(0.5) * low - v * s) - low) - v * all(K::S[0]));
  const Pair cos_y = w + (((all(1) - w) - half_z) + (z * c - y * low));
  const Whole turn = (Whole)shifted, odd = Whole{} - (turn & 1), exchanged = ((Whole)sin_y ^ (Whole)cos_y) & odd;
  sine = (Pair)((Whole)sin_y ^ exchanged ^ ((turn & 2) << 62));
  cosine = (Pair)((Whole)cos_y ^ exchanged ^ (((turn + 1) & 2) << 62));
}

}  // namespace escapement
