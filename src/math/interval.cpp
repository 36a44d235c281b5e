#include "math/interval.hpp"

#include <numbers>

namespace escapement::inline math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// the limit of a product of which one factor may be infinite
double product(double x, double y) { return x == 0 || y == 0 ? 0 : x * y; }

}  // namespace

Interval operator*(Interval a, Interval b) {
  const double p[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)};
  return {std::min(std::min(p[0], p[1]), std::min(p[2], p[3])), std::max(std::max(p[0], p[1]), std::max(p[2], p[3]))};
}

Interval operator/(Interval a, Interval b) {
  if (b.low > 0 || b.high < 0) return a * Interval{1 / b.high, 1 / b.low};
  // one end at zero: a pole on one side
  if (b.low == 0 && b.high > 0) return a * Interval{1 / b.high, infinity};
  if (b.high == 0 && b.low < 0) return a * Interval{-infinity, 1 / b.low};
  return Interval::everything();
}

Interval square(Interval a) {
  const double low = product(a.low, a.low), high = product(a.high, a.high);
  return {a.contains(0) ? 0 : std::min(low, high), std::max(low, high)};
}

Interval square_root(Interval a) { return {std::sqrt(std::max(a.low, 0.0)), std::sqrt(std::max(a.high, 0.0))}; }

Interval sine(Interval a) {
  constexpr double pi = std::numbers::pi;
  if (!(a.width() < 2 * pi)) return {-1, 1};
  Interval out{std::sin(a.low), std::sin(a.high)};
  if (out.low > out.high) std::swap(out.low, out.high);
  // is there an odd multiple of pi/2 inside?
  const double top = std::ceil((a.low - pi / 2) / (2 * pi)) * 2 * pi + pi / 2;
  const double bottom = std::ceil((a.low + pi / 2) / (2 * pi)) * 2 * pi - pi / 2;
  if (top <= a.high) out.high = 1;
  if (bottom <= a.high) out.low = -1;
  return out;
}

Interval cosine(Interval a) { return sine({a.low + std::numbers::pi / 2, a.high + std::numbers::pi / 2}); }

Interval power(Interval a, double exponent) {
  if (exponent < 0) return Interval{1, 1} / power(a, -exponent);
  const bool even = std::fmod(exponent, 2) == 0, whole = exponent == std::floor(exponent);
  if (!whole) a.low = std::max(a.low, 0.0), a.high = std::max(a.high, 0.0);
  Interval out{std::pow(a.low, exponent), std::pow(a.high, exponent)};
  if (even) {
    if (out.low > out.high) std::swap(out.low, out.high);
    if (a.contains(0)) out.low = 0;
  }
  return out;
}

}  // namespace escapement
