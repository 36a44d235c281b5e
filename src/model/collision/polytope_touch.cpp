#include "model/collision/polytope_touch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline model {

namespace {

// axes with a larger cosine between them (two degrees) are the same: the first solid's faces come first, then the second's, then
// those across two edges. Nearly parallel faces keep all their points that way, exact where they touch
constexpr double same_axis = 0.9994;

// a polytope in the world
struct Placed {
  const Polytope& is;
  const SolidPlace<3>& at;
  Vector<3> corner(int k) const { return at.x + at.R * is.corners[static_cast<std::size_t>(k)]; }
  Vector<3> normal(std::size_t face) const { return at.R * is.faces[face].normal; }
  // the least of n.x over its corners
  double lowest(const Vector<3>& n) const {
    const Vector<3> local = at.R.transpose() * n;
    double least = INFINITY;
    for (const Vector<3>& one : is.corners) least = std::min(least, local.dot(one));
    return least + n.dot(at.x);
  }
};

struct Axis {
  double apart = -INFINITY;
  std::size_t face = 0;
  Vector<3> normal = Vector<3>::Zero();  // outwards of the solid whose face it is; from a to b for edges
};

Axis best_face(const Placed& a, const Placed& b) {
  Axis best;
  for (std::size_t k = 0; k < a.is.faces.size(); ++k) {
    const Vector<3> n = a.normal(k);
    const double apart = b.lowest(n) - n.dot(a.corner(a.is.faces[k].corners[0]));
    if (apart > best.apart) best = {apart, k, n};
  }
  return best;
}

Axis best_edges(const Placed& a, const Placed& b) {
  Axis best;
  for (const Vector<3>& da : a.is.directions)
    for (const Vector<3>& db : b.is.directions) {
      Vector<3> n = Vector<3>(a.at.R * da).cross(Vector<3>(b.at.R * db));
      const double length = n.norm();
      if (length < std::sqrt(1 - same_axis * same_axis)) continue;  // nearly parallel: a face's axis is no worse
      n /= length;
      for (const Vector<3>& way : {n, Vector<3>(-n)}) {
        const double apart = b.lowest(way) + a.lowest(-way);
        if (apart > best.apart) best = {apart, 0, way};
      }
    }
  return best;
}

struct ClipPoint {
  Vector<3> x;
  std::uint32_t id;
};

// what of a polygon lies behind a plane; crossings get numbers from `first` on
void clip(const Vector<3>& n, double offset, std::uint32_t first, std::vector<ClipPoint>& polygon, std::vector<ClipPoint>& out) {
  out.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const ClipPoint &from = polygon[i], &to = polygon[(i + 1) % polygon.size()];
    const double d0 = n.dot(from.x) - offset, d1 = n.dot(to.x) - offset;
    if (d0 <= 0) out.push_back(from);
    if ((d0 <= 0) != (d1 <= 0)) out.push_back({from.x + d0 / (d0 - d1) * (to.x - from.x), first + static_cast<std::uint32_t>(d0 <= 0)});
  }
  std::swap(polygon, out);
}

std::uint32_t mixed(std::uint32_t which, std::uint32_t face, std::uint32_t point) {
  return (which * 32749u + face * 251u + point) % most_features;
}

// the face of the other solid that looks most against this one, clipped to what is in front of this one
void face_points(const Placed& a, const Axis& axis, const Placed& b, bool exchanged, double margin, std::vector<TouchPoint<3>>& points) {
  std::size_t facing = 0;
  for (std::size_t k = 1; k < b.is.faces.size(); ++k)
    if (b.normal(k).dot(axis.normal) < b.normal(facing).dot(axis.normal)) facing = k;
  thread_local std::vector<ClipPoint> polygon, work;
  polygon.clear();
  for (int k : b.is.faces[facing].corners) polygon.push_back({b.corner(k), static_cast<std::uint32_t>(k)});
  const std::vector<int>& loop = a.is.faces[axis.face].corners;
  std::uint32_t number = static_cast<std::uint32_t>(b.is.corners.size());
  for (std::size_t i = 0; i < loop.size() && !polygon.empty(); ++i, number += 2) {
    const Vector<3> from = a.corner(loop[i]), to = a.corner(loop[(i + 1) % loop.size()]);
    const Vector<3> side = Vector<3>(to - from).cross(axis.normal).normalized();
    clip(side, side.dot(from), number, polygon, work);
  }
  const double offset = axis.normal.dot(a.corner(loop[0]));
  for (const ClipPoint& one : polygon) {
    const double gap = axis.normal.dot(one.x) - offset;
    if (gap > margin) continue;
    points.push_back({mixed(exchanged, static_cast<std::uint32_t>(axis.face), one.id), one.x - 0.5 * gap * axis.normal,
                      exchanged ? Vector<3>(-axis.normal) : axis.normal, gap});
  }
}

// the edge that reaches farthest along n
std::pair<std::size_t, double> farthest_edge(const Placed& a, const Vector<3>& n) {
  std::pair<std::size_t, double> best{0, -INFINITY};
  for (std::size_t k = 0; k < a.is.edges.size(); ++k) {
    const double reach = n.dot(a.corner(a.is.edges[k].from) + a.corner(a.is.edges[k].to));
    if (reach > best.second) best = {k, reach};
  }
  return best;
}

void edge_point(const Placed& a, const Placed& b, const Axis& axis, std::vector<TouchPoint<3>>& points) {
  const std::size_t i = farthest_edge(a, axis.normal).first, j = farthest_edge(b, -axis.normal).first;
  const Vector<3> p = a.corner(a.is.edges[i].from), q = b.corner(b.is.edges[j].from);
  const Vector<3> u = a.corner(a.is.edges[i].to) - p, v = b.corner(b.is.edges[j].to) - q;
  const Vector<3> across = v.cross(axis.normal);
  const Vector<3> on_a = p + across.dot(q - p) / across.dot(u) * u;
  points.push_back({mixed(2, static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j)), on_a + 0.5 * axis.apart * axis.normal, axis.normal, axis.apart});
}

}  // namespace

void touch_polytopes(const Solid<3>& a, const SolidPlace<3>& at_a, const Solid<3>& b, const SolidPlace<3>& at_b, double margin,
                     std::vector<TouchPoint<3>>& points) {
  const Placed one{a.polytope(), at_a}, other{b.polytope(), at_b};
  const Axis of_a = best_face(one, other);
  if (of_a.apart > margin) return;
  const Axis of_b = best_face(other, one);
  if (of_b.apart > margin) return;
  const Axis edges = best_edges(one, other);
  if (edges.apart > margin) return;
  const double equal = little::flush * (a.extent() + b.extent());
  const bool second = of_b.apart > of_a.apart + equal && -of_a.normal.dot(of_b.normal) < same_axis;
  const Axis& face = second ? of_b : of_a;
  const std::size_t first = points.size();
  const double along = (second ? -1.0 : 1.0) * face.normal.dot(edges.normal);
  if (edges.apart > face.apart + equal && along < same_axis) {
    edge_point(one, other, edges, points);
  } else if (second) {
    face_points(other, face, one, true, margin, points);
  } else {
    face_points(one, face, other, false, margin, points);
  }
  std::sort(points.begin() + static_cast<std::ptrdiff_t>(first), points.end(),
            [](const TouchPoint<3>& x, const TouchPoint<3>& y) { return x.feature < y.feature; });
}

}  // namespace escapement
