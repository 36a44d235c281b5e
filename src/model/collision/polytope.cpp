#include "model/collision/polytope.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "math/tolerances.hpp"

namespace escapement::inline model {

namespace {

// A hull of triangles, one point after the other: those it sees are replaced by what joins their border to it
class HullBuilder {
 public:
  explicit HullBuilder(const std::vector<Vector<3>>& points) : p_(points) {
    for (const Vector<3>& one : p_) size_ = std::max(size_, (one - p_[0]).norm());
    start();
    for (int k = 0; k < static_cast<int>(p_.size()); ++k) add(k);
  }

  struct Triangle {
    int a, b, c;
    Vector<3> normal;
  };
  const std::vector<Triangle>& triangles() const { return triangles_; }
  double tolerance() const { return little::flush * size_; }

 private:
  Triangle triangle(int a, int b, int c) const {
    const Vector<3> n = Vector<3>(p_[b] - p_[a]).cross(Vector<3>(p_[c] - p_[a]));
    return {a, b, c, n / n.norm()};
  }
  double height(const Triangle& t, int k) const { return t.normal.dot(p_[static_cast<std::size_t>(k)] - p_[static_cast<std::size_t>(t.a)]); }

  int farthest(const auto& distance) const {
    int best = 0;
    for (int k = 1; k < static_cast<int>(p_.size()); ++k)
      if (distance(k) > distance(best)) best = k;
    return best;
  }

  // a tetrahedron of points far from each other
  void start() {
    const int a = 0, b = farthest([&](int k) { return (p_[k] - p_[a]).norm(); });
    const Vector<3> ab = p_[b] - p_[a];
    const auto from_line = [&](int k) { return ab.cross(Vector<3>(p_[k] - p_[a])).norm(); };
    const int c = farthest(from_line);
    if (!(size_ > 0) || from_line(c) <= little::flush * size_ * size_) throw std::invalid_argument("its points lie on a line");
    Triangle base = triangle(a, b, c);
    const int d = farthest([&](int k) { return std::abs(height(base, k)); });
    if (std::abs(height(base, d)) <= tolerance()) throw std::invalid_argument("its points lie in a plane");
    if (height(base, d) > 0) base = triangle(a, c, b);
    triangles_ = {base, triangle(base.b, base.a, d), triangle(base.c, base.b, d), triangle(base.a, base.c, d)};
  }

  void add(int k) {
    std::set<std::pair<int, int>> border;
    std::vector<Triangle> kept;
    for (const Triangle& t : triangles_) {
      if (height(t, k) <= tolerance()) {
        kept.push_back(t);
        continue;
      }
      for (const auto& [from, to] : {std::pair{t.a, t.b}, {t.b, t.c}, {t.c, t.a}})
        if (!border.erase({to, from})) border.insert({from, to});
    }
    for (const auto& [from, to] : border) kept.push_back(triangle(from, to, k));
    triangles_ = std::move(kept);
  }

  const std::vector<Vector<3>>& p_;
  double size_ = 0;
  std::vector<Triangle> triangles_;
};

void add_edges(Polytope& hull) {
  for (const Polytope::Face& face : hull.faces)
    for (std::size_t i = 0; i < face.corners.size(); ++i) {
      const int from = face.corners[i], to = face.corners[(i + 1) % face.corners.size()];
      if (from > to) continue;
      hull.edges.push_back({from, to});
      const Vector<3> along = (hull.corners[static_cast<std::size_t>(to)] - hull.corners[static_cast<std::size_t>(from)]).normalized();
      const bool known = std::any_of(hull.directions.begin(), hull.directions.end(),
                                     [&](const Vector<3>& d) { return d.cross(along).norm() <= little::flush; });
      if (!known) hull.directions.push_back(along);
    }
}

bool is_beside(const Polytope& hull, const Polytope::Face& face, const Vector<3>& p) {
  for (std::size_t i = 0; i < face.corners.size(); ++i) {
    const Vector<3>& from = hull.corners[static_cast<std::size_t>(face.corners[i])];
    const Vector<3>& to = hull.corners[static_cast<std::size_t>(face.corners[(i + 1) % face.corners.size()])];
    if (Vector<3>(to - from).cross(face.normal).dot(p - from) > 0) return false;
  }
  return true;
}

}  // namespace

Polytope::Place Polytope::nearest(const Vector<3>& p) const {
  Place best{0, Vector<3>::Zero(), Vector<3>::Zero(), -INFINITY};
  for (std::size_t k = 0; k < faces.size(); ++k) {
    const double height = faces[k].normal.dot(p - corners[static_cast<std::size_t>(faces[k].corners[0])]);
    const bool above = height > 0 && is_beside(*this, faces[k], p);
    if (above || height > best.distance) best = {static_cast<int>(k), p - height * faces[k].normal, faces[k].normal, height};
    if (above) return best;
  }
  if (best.distance <= 0) return best;
  best.distance = INFINITY;
  const int first = static_cast<int>(faces.size()), last = first + static_cast<int>(edges.size());
  for (std::size_t k = 0; k < edges.size(); ++k) {
    const Vector<3>&from = corners[static_cast<std::size_t>(edges[k].from)], &to = corners[static_cast<std::size_t>(edges[k].to)];
    const double s = std::clamp((to - from).dot(p - from) / (to - from).squaredNorm(), 0.0, 1.0);
    const Vector<3> at = from + s * (to - from);
    const double distance = (p - at).norm();
    if (!(distance < best.distance)) continue;
    const int feature = s <= 0 ? last + edges[k].from : s >= 1 ? last + edges[k].to : first + static_cast<int>(k);
    best = {feature, at, (p - at) / distance, distance};
  }
  return best;
}

Polytope convex_hull(const std::vector<Vector<3>>& points) {
  if (points.size() < 4) throw std::invalid_argument("it has fewer than four points");
  const HullBuilder builder(points);
  Polytope hull;
  // triangles of one plane make a face; its corners in their order around the middle
  std::vector<std::pair<Vector<3>, std::set<int>>> planes;
  for (const auto& t : builder.triangles()) {
    const auto same = [&](const auto& plane) {
      const int one = *plane.second.begin();
      return plane.first.dot(t.normal) > 0 && std::abs(plane.first.dot(points[static_cast<std::size_t>(t.a)] - points[static_cast<std::size_t>(one)])) <= 2 * builder.tolerance() &&
             plane.first.cross(t.normal).norm() <= 1e3 * little::flush;
    };
    auto found = std::find_if(planes.begin(), planes.end(), same);
    if (found == planes.end()) found = planes.insert(planes.end(), {t.normal, {}});
    found->second.insert({t.a, t.b, t.c});
  }
  std::map<int, int> number;
  for (const auto& [normal, corners] : planes) {
    Vector<3> middle = Vector<3>::Zero();
    for (int k : corners) middle += points[static_cast<std::size_t>(k)] / static_cast<double>(corners.size());
    const Vector<3> x = (points[static_cast<std::size_t>(*corners.begin())] - middle).normalized(), y = normal.cross(x);
    std::vector<std::pair<double, int>> around;
    for (int k : corners) {
      const Vector<3> d = points[static_cast<std::size_t>(k)] - middle;
      around.emplace_back(std::atan2(d.dot(y), d.dot(x)), k);
    }
    std::sort(around.begin(), around.end());
    Polytope::Face& face = hull.faces.emplace_back();
    face.normal = normal;
    for (const auto& [angle, k] : around) {
      const auto [place, fresh] = number.emplace(k, static_cast<int>(hull.corners.size()));
      if (fresh) hull.corners.push_back(points[static_cast<std::size_t>(k)]);
      face.corners.push_back(place->second);
    }
  }
  add_edges(hull);
  return hull;
}

Polytope box_polytope(const Vector<3>& half) {
  Polytope box;
  for (int k = 0; k < 8; ++k) {
    Vector<3> corner = half;
    for (int i = 0; i < 3; ++i)
      if (!(k >> i & 1)) corner[i] = -corner[i];
    box.corners.push_back(corner);
  }
  for (int i = 0; i < 3; ++i)
    for (int side : {0, 1}) {
      // the corners with this side of axis i, around it in the order of the other axes
      const int j = (i + 1) % 3, k = (i + 2) % 3, base = side << i;
      Polytope::Face& face = box.faces.emplace_back();
      face.normal = (side ? 1.0 : -1.0) * Vector<3>::Unit(i);
      face.corners = {base, base | 1 << j, base | 1 << j | 1 << k, base | 1 << k};
      if (!side) std::reverse(face.corners.begin(), face.corners.end());
    }
  add_edges(box);
  return box;
}

}  // namespace escapement
