// A function that falls at one place and rises at another lies above its tangents there, as far as it is convex. Does it come
// below zero in between? Asked where the tangents cross, until they say so or the function does.
#pragma once

#include <algorithm>

namespace escapement::inline math {

struct Tangents {
  double from, to;  // places
  double f0, f1;    // values and slopes there
  double slope0, slope1;

  double crossing() const { return (f1 - f0 + slope0 * from - slope1 * to) / (slope0 - slope1); }
  bool is_below(double level) const { return std::min(f0, f1) < level; }
  bool may_fall(double level) const {
    return slope0 < 0 && slope1 > 0 && (is_below(level) || f0 + slope0 * (crossing() - from) < level);
  }
  void cut(double at, double f, double slope) {
    (slope < 0 ? from : to) = at;
    (slope < 0 ? f0 : f1) = f;
    (slope < 0 ? slope0 : slope1) = slope;
  }
};

struct ValueAndSlope {
  double value, slope;
};

// look(place) gives the function and its slope
template <class Look>
bool falls_between(Tangents tangents, double level, Look look) {
  constexpr int most_looks = 6;  // the tangents of a smooth function close in on it quadratically
  for (int k = 0; k < most_looks && tangents.may_fall(level); ++k) {
    if (tangents.is_below(level)) return true;
    const double place = tangents.crossing();
    const ValueAndSlope found = look(place);
    tangents.cut(place, found.value, found.slope);
  }
  return tangents.may_fall(level) && tangents.is_below(level);
}

}  // namespace escapement::inline math
