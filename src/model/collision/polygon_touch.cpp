#include "model/collision/polygon_touch.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"
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

// a segment has no faces at its ends: what lies beyond them is met by its corners alone
bool is_beyond(const ConvexPolygon& faces, const Vector<2>& p) {
  if (faces.corners.size() > 2) return false;
  const Vector<2> way = faces.corners[1] - faces.corners[0];
  const double along = way.dot(p - faces.corners[0]) / way.squaredNorm();
  return along < -little::flush || along > 1 + little::flush;
}

// is another point of the polygon farther in this direction than its corner?
bool goes_on(const ConvexPolygon& polygon, std::size_t corner, const Vector<2>& direction) {
  const std::size_t n = polygon.corners.size();
  for (const std::size_t other : {polygon.next(corner), (corner + n - 1) % n}) {
    const Vector<2> way = polygon.corners[other] - polygon.corners[corner];
    if (direction.dot(way) > little::flush * way.norm()) return true;
  }
  return false;
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
    for (std::size_t k = 0; k < corners.corners.size(); ++k, ++feature) {
      const Vector<2>& p = corners.corners[k];
      if (sharp && is_beyond(faces, p)) continue;
      const PolygonPlace place = sharp ? faces.in_front(p, corners) : faces.nearest(p);
      // two corners touch where each is the other's nearest
      const bool at_corner = place.feature >= static_cast<int>(faces.corners.size());
      if (at_corner && goes_on(corners, k, -place.normal)) continue;
      add_point(faces, place, p, corners.radius, feature, second, margin, points);
    }
  }
}

}  // namespace escapement
