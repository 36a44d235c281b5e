#include "model/polygon.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline model {

void ConvexPolygon::turn_counter_clockwise() {
  double area = 0;
  for (std::size_t k = 0; k < corners.size(); ++k) area += corners[k][0] * corners[next(k)][1] - corners[k][1] * corners[next(k)][0];
  if (area < 0) std::reverse(corners.begin(), corners.end());
}

bool ConvexPolygon::is_convex() const {
  for (std::size_t k = 0; corners.size() > 2 && k < corners.size(); ++k)
    if (!(normal(k).dot(along(next(k))) < 0)) return false;
  return true;
}

PolygonPlace ConvexPolygon::nearest(const Vector<2>& p) const {
  PolygonPlace inside{0, Vector<2>::Zero(), -INFINITY};
  bool outside = false;
  std::size_t corner = 0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const double d = distance(k, p);
    if (d > inside.distance) inside = {static_cast<int>(k), normal(k), d};
    const Vector<2>&from = corners[k], &to = corners[next(k)];
    outside = outside || d > 0;
    if (d > 0 && (p - from).dot(to - from) >= 0 && (p - to).dot(from - to) >= 0) return {static_cast<int>(k), normal(k), d};
    if ((p - from).squaredNorm() < (p - corners[corner]).squaredNorm()) corner = k;
  }
  if (!outside) return inside;
  const Vector<2> way = p - corners[corner];
  return {static_cast<int>(corners.size() + corner), way / way.norm(), way.norm()};
}

PolygonPlace ConvexPolygon::in_front(const Vector<2>& p, const ConvexPolygon& other) const {
  double most = -INFINITY, size = 0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    most = std::max(most, distance(k, p));
    size = std::max(size, (corners[k] - corners[0]).norm());
  }
  PolygonPlace best{0, Vector<2>::Zero(), 0};
  double widest = -INFINITY;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const double d = distance(k, p);
    if (d < most - little::flush * size) continue;
    double between = INFINITY;  // the polygons, in the direction of this face
    for (const Vector<2>& one : other.corners) between = std::min(between, distance(k, one));
    if (between > widest) widest = between, best = {static_cast<int>(k), normal(k), d};
  }
  return best;
}

}  // namespace escapement
