#include "model/collision/touch.hpp"

#include <algorithm>
#include <cmath>

#include "model/collision/simple_touch.hpp"

namespace escapement {

template <int D>
double Solid<D>::extent() const {
  switch (kind) {
    case Kind::ball:
      return radius;
    case Kind::plane:
      return std::numeric_limits<double>::infinity();
    case Kind::box:
      return half.norm();
    case Kind::capsule:
      return half_length + radius;
    case Kind::cylinder:
      return std::hypot(half_length, radius);
    case Kind::hull:
      break;
  }
  double farthest = 0;
  for (const Vector<D>& corner : corners) farthest = std::max(farthest, corner.norm());
  return farthest;
}

template <int D>
SolidPlace<D> place_of(const Solid<D>& solid, const Frame<D>& body) {
  return {body.x + body.R * solid.at, body.R * solid.turned};
}

namespace {

template <int D>
struct Pair {
  typename Solid<D>::Kind a, b;
  TouchFunction<D> touch;
};

// the same pair the other way round
template <int D, TouchFunction<D> touch>
void exchanged(const Solid<D>& a, const SolidPlace<D>& at_a, const Solid<D>& b, const SolidPlace<D>& at_b, double margin,
               std::vector<TouchPoint<D>>& points) {
  const std::size_t first = points.size();
  touch(b, at_b, a, at_a, margin, points);
  for (std::size_t k = first; k < points.size(); ++k) points[k].normal = -points[k].normal;
}

}  // namespace

template <int D>
TouchFunction<D> touch_function(typename Solid<D>::Kind a, typename Solid<D>::Kind b) {
  using Kind = typename Solid<D>::Kind;
  static constexpr Pair<D> pairs[] = {
      {Kind::ball, Kind::ball, touch_balls<D>},
      {Kind::plane, Kind::ball, touch_plane_ball<D>},
      {Kind::ball, Kind::plane, exchanged<D, touch_plane_ball<D>>},
      {Kind::plane, Kind::box, touch_plane_box<D>},
      {Kind::box, Kind::plane, exchanged<D, touch_plane_box<D>>},
  };
  for (const Pair<D>& pair : pairs)
    if (pair.a == a && pair.b == b) return pair.touch;
  return nullptr;
}

template struct Solid<2>;
template struct Solid<3>;
template SolidPlace<2> place_of(const Solid<2>&, const Frame<2>&);
template SolidPlace<3> place_of(const Solid<3>&, const Frame<3>&);
template TouchFunction<2> touch_function<2>(Solid<2>::Kind, Solid<2>::Kind);
template TouchFunction<3> touch_function<3>(Solid<3>::Kind, Solid<3>::Kind);

}  // namespace escapement
