// Intervals of numbers and what functions make of them. Enclosures are not rounded outward: what reads them compares ranges
// with parts of themselves, far above rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace escapement::inline math {

struct Interval {
  double low = 0, high = 0;

  double width() const { return high - low; }
  double centre() const { return 0.5 * (low + high); }
  double largest() const { return std::max(std::abs(low), std::abs(high)); }
  bool contains(double x) const { return low <= x && x <= high; }
  bool is_point() const { return low == high; }
  static Interval everything() {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  }
};

inline Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
inline Interval operator+(Interval a, Interval b) { return {a.low + b.low, a.high + b.high}; }
inline Interval operator-(Interval a, Interval b) { return {a.low - b.high, a.high - b.low}; }
inline Interval operator-(Interval a) { return {-a.high, -a.low}; }

Interval operator*(Interval a, Interval b);
Interval operator/(Interval a, Interval b);  // everything where b contains 0
Interval square(Interval a);
Interval square_root(Interval a);
Interval sine(Interval a);
Interval cosine(Interval a);
Interval power(Interval a, double exponent);  // of a number to a constant exponent
// of a function that does not fall
template <class F>
Interval rising(Interval a, F f) {
  return {f(a.low), f(a.high)};
}

// a quantity along a piece of a motion: its values and its rates of change
struct Enclosure {
  Interval value, rate;
};

}  // namespace escapement
