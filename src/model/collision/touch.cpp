#include "model/collision/touch.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/collision/curve_touch.hpp"
#include "model/collision/cylinder_touch.hpp"
#include "model/collision/polygon_touch.hpp"
#include "model/collision/polytope_touch.hpp"
#include "model/collision/rounded_touch.hpp"
#include "model/collision/simple_touch.hpp"

namespace escapement::inline model {

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
    case Kind::curve:
    case Kind::hollow:
    case Kind::wavy:
      return curve->extent();
    case Kind::hull:
      break;
  }
  double farthest = 0;
  for (const Vector<D>& corner : corners) farthest = std::max(farthest, corner.norm());
  return farthest;
}

template <int D>
void Solid<D>::make_polytope() requires(D == 3) {
  if constexpr (D == 3)
    if (kind == Kind::box || kind == Kind::hull) polytope_ = std::make_shared<Polytope>(kind == Kind::box ? box_polytope(half) : convex_hull(corners));
}

template <int D>
SolidPlace<D> place_of(const Solid<D>& solid, const Frame<D>& body) {
  return {body.x + body.R * solid.at, body.R * solid.turned};
}

namespace {

// the same pair the other way round
template <int D, TouchFunction<D> touch>
void exchanged(const Solid<D>& a, const SolidPlace<D>& at_a, const Solid<D>& b, const SolidPlace<D>& at_b, double margin,
               std::vector<TouchPoint<D>>& points) {
  const std::size_t first = points.size();
  touch(b, at_b, a, at_a, margin, points);
  for (std::size_t k = first; k < points.size(); ++k) points[k].normal = -points[k].normal;
}

template <int D>
struct Pair {
  typename Solid<D>::Kind a, b;
  TouchFunction<D> touch, back;
};

template <int D, TouchFunction<D> touch>
constexpr Pair<D> pair(typename Solid<D>::Kind a, typename Solid<D>::Kind b) {
  return {a, b, touch, exchanged<D, touch>};
}

using Kind2 = Solid<2>::Kind;
using Kind3 = Solid<3>::Kind;

constexpr Pair<2> pairs_in_plane[] = {
    pair<2, touch_balls<2>>(Kind2::ball, Kind2::ball),
    pair<2, touch_plane_ball<2>>(Kind2::plane, Kind2::ball),
    pair<2, touch_plane_box<2>>(Kind2::plane, Kind2::box),
    pair<2, touch_plane_capsule<2>>(Kind2::plane, Kind2::capsule),
    pair<2, touch_plane_hull<2>>(Kind2::plane, Kind2::hull),
    pair<2, touch_ball_polygon>(Kind2::ball, Kind2::box),
    pair<2, touch_ball_polygon>(Kind2::ball, Kind2::capsule),
    pair<2, touch_ball_polygon>(Kind2::ball, Kind2::hull),
    pair<2, touch_polygons>(Kind2::box, Kind2::box),
    pair<2, touch_polygons>(Kind2::box, Kind2::capsule),
    pair<2, touch_polygons>(Kind2::box, Kind2::hull),
    pair<2, touch_polygons>(Kind2::capsule, Kind2::capsule),
    pair<2, touch_polygons>(Kind2::capsule, Kind2::hull),
    pair<2, touch_polygons>(Kind2::hull, Kind2::hull),
    pair<2, touch_curve_ball>(Kind2::curve, Kind2::ball),
    pair<2, touch_curve_ball>(Kind2::hollow, Kind2::ball),
    pair<2, touch_curve_ball>(Kind2::wavy, Kind2::ball),
    pair<2, touch_plane_curve>(Kind2::plane, Kind2::curve),
    pair<2, touch_plane_curve>(Kind2::plane, Kind2::wavy),
    pair<2, touch_curves>(Kind2::curve, Kind2::curve),
    pair<2, touch_curve_polygon>(Kind2::curve, Kind2::box),
    pair<2, touch_curve_polygon>(Kind2::curve, Kind2::capsule),
    pair<2, touch_curve_polygon>(Kind2::curve, Kind2::hull),
    pair<2, touch_hollow_polygon>(Kind2::hollow, Kind2::box),
    pair<2, touch_hollow_polygon>(Kind2::hollow, Kind2::capsule),
    pair<2, touch_hollow_polygon>(Kind2::hollow, Kind2::hull),
};

constexpr Pair<3> pairs_in_space[] = {
    pair<3, touch_balls<3>>(Kind3::ball, Kind3::ball),
    pair<3, touch_plane_ball<3>>(Kind3::plane, Kind3::ball),
    pair<3, touch_plane_box<3>>(Kind3::plane, Kind3::box),
    pair<3, touch_plane_capsule<3>>(Kind3::plane, Kind3::capsule),
    pair<3, touch_plane_hull<3>>(Kind3::plane, Kind3::hull),
    pair<3, touch_plane_cylinder>(Kind3::plane, Kind3::cylinder),
    pair<3, touch_ball_capsule>(Kind3::ball, Kind3::capsule),
    pair<3, touch_ball_cylinder>(Kind3::ball, Kind3::cylinder),
    pair<3, touch_ball_polytope>(Kind3::ball, Kind3::box),
    pair<3, touch_ball_polytope>(Kind3::ball, Kind3::hull),
    pair<3, touch_cylinder>(Kind3::capsule, Kind3::cylinder),
    pair<3, touch_cylinder>(Kind3::box, Kind3::cylinder),
    pair<3, touch_cylinder>(Kind3::hull, Kind3::cylinder),
    pair<3, touch_cylinder>(Kind3::cylinder, Kind3::cylinder),
    pair<3, touch_capsules>(Kind3::capsule, Kind3::capsule),
    pair<3, touch_capsule_polytope>(Kind3::capsule, Kind3::box),
    pair<3, touch_capsule_polytope>(Kind3::capsule, Kind3::hull),
    pair<3, touch_polytopes>(Kind3::box, Kind3::box),
    pair<3, touch_polytopes>(Kind3::box, Kind3::hull),
    pair<3, touch_polytopes>(Kind3::hull, Kind3::hull),
};

template <int D>
std::span<const Pair<D>> all_pairs() {
  if constexpr (D == 2) return pairs_in_plane;
  else return pairs_in_space;
}

}  // namespace

template <int D>
TouchFunction<D> touch_function(typename Solid<D>::Kind a, typename Solid<D>::Kind b) {
  for (const Pair<D>& pair : all_pairs<D>()) {
    if (pair.a == a && pair.b == b) return pair.touch;
    if (pair.a == b && pair.b == a) return pair.back;
  }
  return nullptr;
}

template struct Solid<2>;
template struct Solid<3>;
template SolidPlace<2> place_of(const Solid<2>&, const Frame<2>&);
template SolidPlace<3> place_of(const Solid<3>&, const Frame<3>&);
template TouchFunction<2> touch_function<2>(Solid<2>::Kind, Solid<2>::Kind);
template TouchFunction<3> touch_function<3>(Solid<3>::Kind, Solid<3>::Kind);

}  // namespace escapement
