#include "model/collision/rounded_touch.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline model {

namespace {

struct Segment {
  Vector<3> from, to;
  Vector<3> at(double s) const { return from + s * (to - from); }
};

Segment core(const Solid<3>& capsule, const SolidPlace<3>& at) {
  const Vector<3> half = capsule.half_length * at.R.col(2);
  return {at.x - half, at.x + half};
}

double nearest_part(const Segment& segment, const Vector<3>& p) {
  const Vector<3> along = segment.to - segment.from;
  return std::clamp(along.dot(p - segment.from) / along.squaredNorm(), 0.0, 1.0);
}

// where two segments are nearest to each other within both; false: at an end of one, or they are parallel
bool within_both(const Segment& a, const Segment& b, double& s, double& t) {
  const Vector<3> u = a.to - a.from, v = b.to - b.from, w = b.from - a.from;
  const double uu = u.squaredNorm(), vv = v.squaredNorm(), uv = u.dot(v), det = uu * vv - uv * uv;
  if (!(det > little::parallel * uu * vv)) return false;
  s = (u.dot(w) * vv - v.dot(w) * uv) / det;
  t = (u.dot(w) * uv - v.dot(w) * uu) / det;
  return s > 0 && s < 1 && t > 0 && t < 1;
}

// two rounded points: from a of radius r to b of radius s
void add_points(const Vector<3>& a, double r, const Vector<3>& b, double s, std::uint32_t feature, double margin,
                std::vector<TouchPoint<3>>& points) {
  const Vector<3> d = b - a;
  const double length = d.norm(), gap = length - r - s;
  if (gap > margin) return;
  const Vector<3> n = length > 0 ? Vector<3>(d / length) : Vector<3>(Vector<3>::UnitZ());
  points.push_back({feature, a + (r + 0.5 * gap) * n, n, gap});
}

// the nearest point of a solid's surface: where, its normal there towards the point that is asked for, and the distance,
// negative inside
struct Nearest {
  Vector<3> at, normal;
  double distance;
};

Nearest nearest_on(const Polytope& is, const Vector<3>& p) {
  const Polytope::Place place = is.nearest(p);
  return {place.at, place.normal, place.distance};
}

void add_nearest(const Vector<3>& p, double r, const Nearest& local, const SolidPlace<3>& at, std::uint32_t feature, double margin,
                 std::vector<TouchPoint<3>>& points) {
  const double gap = local.distance - r;
  if (gap > margin) return;
  const Vector<3> n = -(at.R * local.normal);  // from the rounded point to the solid
  points.push_back({feature, p + (r + 0.5 * gap) * n, n, gap});
}

// in the cylinder's frame
Nearest nearest_on_cylinder(const Solid<3>& is, const Vector<3>& p) {
  const double out = std::hypot(p[0], p[1]), beside = out - is.radius, above = std::abs(p[2]) - is.half_length;
  const Vector<3> radial = out > 0 ? Vector<3>(p[0] / out, p[1] / out, 0) : Vector<3>(Vector<3>::UnitX());
  const Vector<3> axial(0, 0, p[2] < 0 ? -1 : 1);
  if (beside <= 0 || above <= 0) {
    const Vector<3>& n = beside > above ? radial : axial;
    const double distance = std::max(beside, above);
    return {p - distance * n, n, distance};
  }
  const double distance = std::hypot(beside, above);
  const Vector<3> n = (beside * radial + above * axial) / distance;
  return {p - distance * n, n, distance};
}

Vector<3> seen_from(const SolidPlace<3>& at, const Vector<3>& p) { return at.R.transpose() * (p - at.x); }

}  // namespace

void touch_ball_capsule(const Solid<3>& ball, const SolidPlace<3>& at_ball, const Solid<3>& capsule, const SolidPlace<3>& at_capsule,
                        double margin, std::vector<TouchPoint<3>>& points) {
  const Segment segment = core(capsule, at_capsule);
  add_points(at_ball.x, ball.radius, segment.at(nearest_part(segment, at_ball.x)), capsule.radius, 0, margin, points);
}

void touch_ball_cylinder(const Solid<3>& ball, const SolidPlace<3>& at_ball, const Solid<3>& cylinder, const SolidPlace<3>& at_cylinder,
                         double margin, std::vector<TouchPoint<3>>& points) {
  add_nearest(at_ball.x, ball.radius, nearest_on_cylinder(cylinder, seen_from(at_cylinder, at_ball.x)), at_cylinder, 0, margin, points);
}

void touch_ball_polytope(const Solid<3>& ball, const SolidPlace<3>& at_ball, const Solid<3>& other, const SolidPlace<3>& at_other,
                         double margin, std::vector<TouchPoint<3>>& points) {
  add_nearest(at_ball.x, ball.radius, nearest_on(other.polytope(), seen_from(at_other, at_ball.x)), at_other, 0, margin, points);
}

void touch_capsules(const Solid<3>& a, const SolidPlace<3>& at_a, const Solid<3>& b, const SolidPlace<3>& at_b, double margin,
                    std::vector<TouchPoint<3>>& points) {
  const Segment one = core(a, at_a), other = core(b, at_b);
  const Vector<3> ends_a[] = {one.from, one.to}, ends_b[] = {other.from, other.to};
  const double on_b[] = {nearest_part(other, one.from), nearest_part(other, one.to)};
  const double on_a[] = {nearest_part(one, other.from), nearest_part(one, other.to)};
  const auto within = [](double s) { return s > 0 && s < 1; };
  const auto add = [&](const Vector<3>& p, const Vector<3>& q, int feature) {
    add_points(p, a.radius, q, b.radius, static_cast<std::uint32_t>(feature), margin, points);
  };
  for (int i = 0; i < 2; ++i)
    if (within(on_b[i])) add(ends_a[i], other.at(on_b[i]), i);
  for (int j = 0; j < 2; ++j)
    if (within(on_a[j])) add(one.at(on_a[j]), ends_b[j], 2 + j);
  if (double s = 0, t = 0; within_both(one, other, s, t)) add(one.at(s), other.at(t), 4);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      if (on_b[i] == j && on_a[j] == i) add(ends_a[i], ends_b[j], 5 + 2 * i + j);
}

void touch_capsule_polytope(const Solid<3>& capsule, const SolidPlace<3>& at_capsule, const Solid<3>& other, const SolidPlace<3>& at_other,
                            double margin, std::vector<TouchPoint<3>>& points) {
  const Segment segment = core(capsule, at_capsule);
  const Polytope& is = other.polytope();
  std::uint32_t feature = 0;
  for (const Vector<3>& end : {segment.from, segment.to})
    add_nearest(end, capsule.radius, nearest_on(is, seen_from(at_other, end)), at_other, feature++, margin, points);
  // its inside against an edge or a corner, which is nearest where the whole solid is behind the plane through it
  const Segment local{seen_from(at_other, segment.from), seen_from(at_other, segment.to)};
  const auto add = [&](double s, const Vector<3>& q) {
    const Vector<3> n = local.at(s) - q;
    const double limit = n.dot(q) + little::parallel * n.norm() * other.extent();
    const bool nearest = std::all_of(is.corners.begin(), is.corners.end(), [&](const Vector<3>& one) { return n.dot(one) <= limit; });
    if (nearest && n.norm() > 0) add_nearest(segment.at(s), capsule.radius, {q, n / n.norm(), n.norm()}, at_other, feature, margin, points);
  };
  for (const Polytope::Edge& edge : is.edges) {
    const Segment side{is.corners[static_cast<std::size_t>(edge.from)], is.corners[static_cast<std::size_t>(edge.to)]};
    if (double s = 0, t = 0; within_both(local, side, s, t)) add(s, side.at(t));
    ++feature;
  }
  for (const Vector<3>& corner : is.corners) {
    if (const double s = nearest_part(local, corner); s > 0 && s < 1) add(s, corner);
    ++feature;
  }
}

}  // namespace escapement
