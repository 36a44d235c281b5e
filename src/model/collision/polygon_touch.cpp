#include "model/collision/polygon_touch.hpp"

#include <algorithm>
#include <cmath>

#include "model/polygon.hpp"

namespace escapement::inline model {

void place_corners(const Solid<2>& solid, const SolidPlace<2>& at, ConvexPolygon& polygon) {
  polygon.corners.clear();
  polygon.radius = solid.kind == Solid<2>::Kind::capsule ? solid.radius : 0;
  const auto add = [&](double x, double y) { polygon.corners.push_back(at.x + at.R * Vector<2>(x, y)); };
  if (solid.kind == Solid<2>::Kind::capsule) {
    add(-solid.half_length, 0);
    add(solid.half_length, 0);
  } else if (solid.kind == Solid<2>::Kind::box) {
    const auto [w, h] = std::pair{solid.half[0], solid.half[1]};
    add(-w, -h), add(w, -h), add(w, h), add(-w, h);
  } else {
    for (const Vector<2>& corner : solid.corners) add(corner[0], corner[1]);
    polygon.turn_counter_clockwise();
  }
}

namespace {

// a rounded point against a polygon; n: out of the polygon
void add_point(const ConvexPolygon& polygon, const PolygonPlace& place, const Vector<2>& p, double radius, std::uint32_t feature, bool to_point,
               double margin, std::vector<TouchPoint<2>>& points) {
  const double gap = place.distance - polygon.radius - radius;
  if (gap > margin) return;
  const Vector<2> n = place.normal;
  points.push_back({feature, p - (radius + 0.5 * gap) * n, to_point ? n : Vector<2>(-n), gap});
}

}  // namespace

void touch_ball_polygon(const Solid<2>& ball, const SolidPlace<2>& at_ball, const Solid<2>& other, const SolidPlace<2>& at_other,
                        double margin, std::vector<TouchPoint<2>>& points) {
  thread_local ConvexPolygon polygon;
  place_corners(other, at_other, polygon);
  add_point(polygon, polygon.nearest(at_ball.x), at_ball.x, ball.radius, 0, false, margin, points);
}

void touch_polygons(const Solid<2>& a, const SolidPlace<2>& at_a, const Solid<2>& b, const SolidPlace<2>& at_b, double margin,
                    std::vector<TouchPoint<2>>& points) {
  thread_local ConvexPolygon one, other;
  place_corners(a, at_a, one);
  place_corners(b, at_b, other);
  const bool sharp = one.radius + other.radius == 0;
  std::uint32_t feature = 0;
  for (const bool second : {true, false}) {
    const ConvexPolygon &faces = second ? one : other, &corners = second ? other : one;
    for (const Vector<2>& p : corners.corners) {
      const PolygonPlace place = sharp ? faces.in_front(p, corners) : faces.nearest(p);
      add_point(faces, place, p, corners.radius, feature++, second, margin, points);
    }
  }
}

}  // namespace escapement
