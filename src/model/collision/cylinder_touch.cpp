#include "model/collision/cylinder_touch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "model/collision/polytope.hpp"
#include "model/joint.hpp"

namespace escapement::inline model {

namespace {

// directions with a larger cosine between them (two degrees) are the same, with a smaller one than the second across each other
constexpr double one_direction = 0.9994, across_each_other = 0.035;
constexpr int looks_around = 32, halvings = 60, most_climbs = 300;

// a cylinder, capsule, box or hull in the world
struct Standing {
  const Solid<3>& is;
  const SolidPlace<3>& at;

  bool has_caps() const { return is.kind == Solid<3>::Kind::cylinder; }
  bool has_corners() const { return is.kind == Solid<3>::Kind::box || is.kind == Solid<3>::Kind::hull; }
  Vector<3> axis() const { return at.R.col(2); }
  Vector<3> across(const Vector<3>& n) const { return n.dot(at.R.col(0)) * at.R.col(0) + n.dot(at.R.col(1)) * at.R.col(1); }
  Vector<3> end(double side) const { return at.x + side * is.half_length * axis(); }
  Vector<3> corner(int k) const { return at.x + at.R * is.polytope().corners[static_cast<std::size_t>(k)]; }

  // a point that reaches farthest along n
  Vector<3> farthest(const Vector<3>& n) const {
    if (has_corners()) {
      const Vector<3> local = at.R.transpose() * n;
      const std::vector<Vector<3>>& all = is.polytope().corners;
      return at.x + at.R * *std::max_element(all.begin(), all.end(), [&](const Vector<3>& p, const Vector<3>& q) { return local.dot(p) < local.dot(q); });
    }
    const Vector<3> middle = end(n.dot(axis()) < 0 ? -1 : 1);
    if (!has_caps()) return middle + is.radius * n;
    const Vector<3> out = across(n);
    const double length = out.norm();
    return length > 0 ? Vector<3>(middle + is.radius / length * out) : middle;
  }
  // edges and axes, as ends
  template <class F>
  void for_each_line(F&& f) const {
    if (!has_corners()) return f(end(-1), end(1));
    for (const Polytope::Edge& edge : is.polytope().edges) f(corner(edge.from), corner(edge.to));
  }
  // corners, and the ends of a capsule
  template <class F>
  void for_each_corner(F&& f) const {
    for (int k = 0; has_corners() && k < static_cast<int>(is.polytope().corners.size()); ++k) f(corner(k));
    for (double side : {-1.0, 1.0})
      if (!has_corners() && !has_caps()) f(end(side));
  }
};

// directions from a to b, and by how much each separates them: that which does most is their distance, or how they overlap least
class Separation {
 public:
  struct Way {
    double apart = -INFINITY;
    Vector<3> n = Vector<3>::Zero();
  };
  Way flat, other;      // across faces and caps; all others
  bool of_second = false;  // the face or cap of the first way is the second solid's

  Separation(const Standing& a, const Standing& b, double margin) : a_(a), b_(b), margin_(margin) {
    look_at_faces(a, 1);
    const Way first = other;
    other = {};
    look_at_faces(b, -1);
    of_second = other.apart > first.apart + little::flush * size();
    flat = of_second ? other : first;
    other = {};
    if (flat.apart > margin) return;
    a.for_each_line([&](const Vector<3>& p, const Vector<3>& q) {
      if (!is_near(p, q, b)) return;
      b.for_each_line([&](const Vector<3>& r, const Vector<3>& s) { look_both_ways(Vector<3>(q - p).cross(Vector<3>(s - r))); });
    });
    look_around(a);
    look_around(b);
    look_at_rims(a, b, 1);
    look_at_rims(b, a, -1);
  }

 private:
  double size() const { return a_.is.extent() + b_.is.extent(); }
  double value(const Vector<3>& n) const { return n.dot(b_.farthest(-n) - a_.farthest(n)); }
  void look(const Vector<3>& n) {
    const double apart = value(n);
    if (apart > other.apart) other = {apart, n};
  }
  void look_both_ways(const Vector<3>& way) {
    const double length = way.norm();
    if (!(length > little::upright * size() * size())) return;
    look(way / length);
    look(-way / length);
  }
  void look_at_faces(const Standing& of, double sign) {
    for (double side : {-1.0, 1.0})
      if (of.has_caps()) look(side * of.axis());
    if (of.has_corners())
      for (const Polytope::Face& face : of.is.polytope().faces) look(sign * Vector<3>(of.at.R * face.normal));
  }
  // may a line touch that solid at all?
  bool is_near(const Vector<3>& p, const Vector<3>& q, const Standing& of) const {
    const Vector<3> d = q - p;
    const double s = d.squaredNorm() > 0 ? std::clamp(d.dot(of.at.x - p) / d.squaredNorm(), 0.0, 1.0) : 0;
    return Vector<3>(p + s * d - of.at.x).norm() <= of.is.extent() + margin_ + size() * across_each_other;
  }
  // The best is across two lines, or across one of them, or nowhere special: there a rim meets a corner or another rim
  void look_around(const Standing& of) {
    if (!of.has_corners()) return look_on_circle(of.axis());
    for (const Vector<3>& one : of.is.polytope().directions) look_on_circle(of.at.R * one);
  }
  // across a line: the best of some directions, and what is best between its neighbours
  void look_on_circle(const Vector<3>& along) {
    const auto across = perpendicular(along);
    const Vector<3>&x = across.first, &y = across.second;
    const auto at = [&](double angle) { return Vector<3>(std::cos(angle) * x + std::sin(angle) * y); };
    constexpr double step = 2 * M_PI / looks_around;
    std::array<double, looks_around> apart;
    for (int k = 0; k < looks_around; ++k) apart[static_cast<std::size_t>(k)] = value(at(k * step));
    for (int k = 0; k < looks_around; ++k) {
      const auto here = [&](int i) { return apart[static_cast<std::size_t>((i + looks_around) % looks_around)]; };
      if (here(k) < here(k - 1) || here(k) < here(k + 1)) continue;
      double low = (k - 1) * step, high = (k + 1) * step;
      for (int i = 0; i < halvings; ++i) {
        const double middle = 0.5 * (low + high);
        const Vector<3> n = at(middle), uphill = std::cos(middle) * y - std::sin(middle) * x;
        (uphill.dot(b_.farthest(-n) - a_.farthest(n)) > 0 ? low : high) = middle;
      }
      look(at(low));
      look(at(high));
    }
  }
  void look_at_rims(const Standing& of, const Standing& partner, double sign) {
    if (!of.has_caps()) return;
    partner.for_each_corner([&](const Vector<3>& p) {
      const Vector<3> way = p - of.at.x, out = of.across(way);
      const double beside = out.norm() - of.is.radius, along = way.dot(of.axis()), above = std::abs(along) - of.is.half_length;
      if (beside > 0) look(sign * Vector<3>(out / out.norm() * beside + (above > 0 ? std::copysign(above, along) : 0) * of.axis()).normalized());
    });
    const Vector<3> way = partner.at.x - of.at.x, out = of.across(way);
    if (out.norm() > 0) look(sign / out.norm() * out);
    for (double side : {-1.0, 1.0})
      if (out.norm() > 0) climb((sign * out / out.norm() + side * of.axis()).normalized());
    climb(other.n);
  }
  // Uphill: along what the way between the farthest points has across the direction, as far as the discs alone would have it
  void climb(Vector<3> n) {
    double part = 1;
    const double rounding = 4 * std::numeric_limits<double>::epsilon() * size();
    const auto slope_at = [&](const Vector<3>& at) {
      const Vector<3> way = b_.farthest(-at) - a_.farthest(at);
      return Vector<3>(way - at.dot(way) * at);
    };
    for (int i = 0; i < most_climbs; ++i) {
      const double apart = value(n);
      if (apart > other.apart - rounding) other = {std::max(apart, other.apart), n};
      const Vector<3> slope = slope_at(n);
      if (!(slope.norm() > little::flush * little::flush * size())) return;
      double bend = std::abs(apart);
      for (const Standing* one : {&a_, &b_})
        if (one->has_caps()) bend += one->is.radius / std::max(one->across(n).norm(), across_each_other);
      while (true) {
        const Vector<3> next = (n + part / bend * slope).normalized();
        // near the top heights are equal to rounding, slopes tell more
        if (value(next) > apart || (value(next) > apart - rounding && slope_at(next).norm() < slope.norm())) {
          n = next;
          break;
        }
        if ((part *= 0.5) < little::flush) return;
      }
      part = std::min(1.0, 2 * part);
    }
  }

  const Standing &a_, &b_;
  double margin_;
};

// what of a solid lies on the plane that touches it from outside, whose normal is n: a face or cap, an edge or a line along the side, or
// a point
struct Patch {
  std::vector<Vector<3>> points;           // of a cap: its middle
  Vector<3> normal = Vector<3>::Zero();    // of a face or cap
  Vector<3> first = Vector<3>::Zero();     // a direction in a cap that stays in the body
  double radius = 0;

  bool is_cap() const { return radius > 0; }
  bool is_flat() const { return is_cap() || points.size() > 2; }
  double above(const Vector<3>& p) const { return normal.dot(p - points[0]); }

  bool covers(const Vector<3>& p) const {
    if (is_cap()) return Vector<3>(p - points[0] - above(p) * normal).norm() <= radius;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (Vector<3>(points[(i + 1) % points.size()] - points[i]).cross(normal).dot(p - points[i]) > 0) return false;
    return true;
  }
  // the part of p + s (q - p) over it; false: none
  bool clip(const Vector<3>& p, const Vector<3>& q, double& s0, double& s1) const {
    const Vector<3> d = q - p;
    s0 = 0;
    s1 = 1;
    if (is_cap()) {
      const Vector<3> way = p - points[0] - above(p) * normal, along = d - d.dot(normal) * normal;
      const double a = along.squaredNorm(), b = way.dot(along), root = b * b - a * (way.squaredNorm() - radius * radius);
      if (!(root > 0 && a > 0)) return false;
      s0 = std::max(0.0, (-b - std::sqrt(root)) / a);
      s1 = std::min(1.0, (-b + std::sqrt(root)) / a);
      return s0 < s1;
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vector<3> side = Vector<3>(points[(i + 1) % points.size()] - points[i]).cross(normal);
      const double out = side.dot(p - points[i]), slope = side.dot(d);
      if (slope == 0 && out > 0) return false;
      if (slope > 0) s1 = std::min(s1, -out / slope);
      if (slope < 0) s0 = std::max(s0, -out / slope);
    }
    return s0 < s1;
  }
};

void find_patch(const Standing& of, const Vector<3>& n, Patch& patch) {
  patch.points.clear();
  patch.radius = 0;
  if (of.has_corners()) {
    for (const Polytope::Face& face : of.is.polytope().faces) {
      patch.normal = of.at.R * face.normal;
      if (patch.normal.dot(n) < one_direction) continue;
      for (const int k : face.corners) patch.points.push_back(of.corner(k));
      return;
    }
    const Vector<3> top = of.farthest(n);
    double best = across_each_other;
    for (const Polytope::Edge& edge : of.is.polytope().edges) {
      const Vector<3> from = of.corner(edge.from), to = of.corner(edge.to);
      const double rise = std::abs(n.dot(to - from)) / Vector<3>(to - from).norm();
      if (std::max(n.dot(from), n.dot(to)) < n.dot(top) || !(rise < best)) continue;
      best = rise;
      patch.points = {from, to};
    }
    if (patch.points.empty()) patch.points.push_back(top);
    return;
  }
  const double along = n.dot(of.axis());
  if (of.has_caps() && std::abs(along) > one_direction) {
    patch.normal = (along < 0 ? -1.0 : 1.0) * of.axis();
    patch.radius = of.is.radius;
    patch.first = of.at.R.col(0);
    patch.points.push_back(of.at.x + of.is.half_length * patch.normal);
  } else if (std::abs(along) < across_each_other) {
    const Vector<3> out = of.has_caps() ? Vector<3>(of.across(n).normalized()) : n;
    for (double side : {-1.0, 1.0}) patch.points.push_back(of.end(side) + of.is.radius * out);
  } else {
    patch.points.push_back(of.farthest(n));
  }
}

// what lies over a face or cap; heights above it are gaps
class OverFlat {
 public:
  OverFlat(const Patch& flat, const Patch& other, bool exchanged, double margin, std::vector<TouchPoint<3>>& points)
      : flat_(flat), other_(other), exchanged_(exchanged), margin_(margin), points_(points) {}

  bool find() {  // false: nothing does
    if (other_.is_flat()) {
      add_outline(other_, flat_);
      add_outline(flat_, other_);
      add_crossings();
    } else if (other_.points.size() == 2) {
      double s0, s1;
      const Vector<3> d = other_.points[1] - other_.points[0];
      if (!flat_.clip(other_.points[0], other_.points[1], s0, s1)) return false;
      add(other_.points[0] + s0 * d);
      add(other_.points[0] + s1 * d);
    }
    return any_;
  }
  void add_nearest(const Vector<3>& p) { add(p); }

 private:
  // seen along the normal of the flat part, at this place
  void add(const Vector<3>& p) {
    const Vector<3>& n = flat_.normal;
    any_ = true;
    const double gap = other_.is_flat() ? -other_.above(p - flat_.above(p) * n) / other_.normal.dot(n) : flat_.above(p);
    const std::uint32_t feature = (exchanged_ ? most_features / 2 : 0) + number_++;
    if (gap <= margin_) points_.push_back({feature, p + (0.5 * gap - flat_.above(p)) * n, exchanged_ ? Vector<3>(-n) : n, gap});
  }
  // corners, and of a rim the lowest and highest point and those between: where all of it is as low, they stay where they are in the body
  void add_outline(const Patch& of, const Patch& over) {
    const auto add_covered = [&](const Vector<3>& p) { over.covers(p) ? add(p) : void(++number_); };
    if (!of.is_cap()) {
      for (const Vector<3>& p : of.points) add_covered(p);
      return;
    }
    Vector<3> down = of.normal.dot(over.normal) * of.normal - over.normal;
    const double tilt = down.norm();
    down = tilt > little::upright ? Vector<3>(down / tilt) : of.first;
    const Vector<3> side = of.normal.cross(down);
    for (const Vector<3>& way : {down, side, Vector<3>(-down), Vector<3>(-side)}) add_covered(of.points[0] + of.radius * way);
  }
  // of a rim with the sides of a face, or with another rim
  void add_crossings() {
    const Patch &rim = flat_.is_cap() ? flat_ : other_, &partner = flat_.is_cap() ? other_ : flat_;
    if (!partner.is_cap()) {
      for (std::size_t i = 0; i < partner.points.size(); ++i) {
        const Vector<3>&p = partner.points[i], d = partner.points[(i + 1) % partner.points.size()] - p;
        double s0 = 0, s1 = 1;
        const bool any = rim.clip(p, Vector<3>(p + d), s0, s1);
        any && s0 > 0 ? add(p + s0 * d) : void(++number_);
        any && s1 < 1 ? add(p + s1 * d) : void(++number_);
      }
      return;
    }
    const Vector<3> way = partner.points[0] - rim.points[0], flat = way - way.dot(rim.normal) * rim.normal;
    const double d = flat.norm(), r = rim.radius, s = partner.radius;
    if (!(d > std::abs(r - s) && d < r + s)) return;
    const double along = (d * d + r * r - s * s) / (2 * d), out = std::sqrt(std::max(0.0, r * r - along * along));
    const Vector<3> e = flat / d, across = rim.normal.cross(e);
    for (double side : {-1.0, 1.0}) add(rim.points[0] + along * e + side * out * across);
  }

  const Patch &flat_, &other_;
  bool exchanged_;
  double margin_;
  std::vector<TouchPoint<3>>& points_;
  std::uint32_t number_ = 0;
  bool any_ = false;
};

// two lines that are parallel touch along both; else what is nearest does
void touch_lines(const Patch& a, const Patch& b, const Separation::Way& way, const Vector<3>& on_a, double margin, std::vector<TouchPoint<3>>& points) {
  const std::uint32_t first = most_features - 8;
  if (a.points.size() == 2 && b.points.size() == 2) {
    const Vector<3> u = a.points[1] - a.points[0], v = b.points[1] - b.points[0], c = u.cross(v);
    if (c.norm() < across_each_other * u.norm() * v.norm()) {
      // over both, along the first
      const auto part = [&](const Vector<3>& p) { return u.dot(p - a.points[0]) / u.squaredNorm(); };
      const double s0 = std::max(0.0, std::min(part(b.points[0]), part(b.points[1]))), s1 = std::min(1.0, std::max(part(b.points[0]), part(b.points[1])));
      for (int k = 0; k < 2 && s0 < s1; ++k) {
        const Vector<3> p = a.points[0] + (k == 0 ? s0 : s1) * u, q = b.points[0] + v.dot(p - b.points[0]) / v.squaredNorm() * v;
        const double gap = way.n.dot(q - p);
        if (gap <= margin) points.push_back({first + static_cast<std::uint32_t>(k), 0.5 * (p + q), way.n, gap});
      }
      if (s0 < s1) return;
    } else {
      const Vector<3> side = v.cross(way.n);
      const double s = side.dot(b.points[0] - a.points[0]) / side.dot(u);
      points.push_back({first + 2, a.points[0] + s * u + 0.5 * way.apart * way.n, way.n, way.apart});
      return;
    }
  }
  points.push_back({first + 2, on_a + 0.5 * way.apart * way.n, way.n, way.apart});
}

}  // namespace

void touch_cylinder(const Solid<3>& a, const SolidPlace<3>& at_a, const Solid<3>& b, const SolidPlace<3>& at_b, double margin,
                    std::vector<TouchPoint<3>>& points) {
  const Standing one{a, at_a}, second{b, at_b};
  const Separation separation(one, second, margin);
  const Separation::Way &flat = separation.flat, &other = separation.other;
  if (std::max(flat.apart, other.apart) > margin) return;
  thread_local Patch patch_a, patch_b;
  const double equal = little::flush * (a.extent() + b.extent());
  const bool better = other.apart > flat.apart + equal;
  if (!better || other.n.dot(flat.n) > one_direction) {
    const bool exchanged = separation.of_second;
    find_patch(one, flat.n, patch_a);
    find_patch(second, -flat.n, patch_b);
    OverFlat over(exchanged ? patch_b : patch_a, exchanged ? patch_a : patch_b, exchanged, margin, points);
    if (over.find()) return;
    if (!better) return over.add_nearest(exchanged ? one.farthest(flat.n) : second.farthest(-flat.n));
  }
  find_patch(one, other.n, patch_a);
  find_patch(second, -other.n, patch_b);
  // of a point the other one's nearest place is across from it
  const bool at_point = patch_b.points.size() == 1 && !patch_b.is_cap();
  const Vector<3> on_a = at_point ? Vector<3>(second.farthest(-other.n) - other.apart * other.n) : one.farthest(other.n);
  touch_lines(patch_a, patch_b, other, on_a, margin, points);
}

}  // namespace escapement
