#include "model/collision/curve_touch.hpp"

#include <algorithm>
#include <cmath>

#include "model/collision/polygon_touch.hpp"
#include "model/polygon.hpp"

namespace escapement::inline model {

namespace {

std::vector<CurveFoot> feet_on(const std::shared_ptr<const Curve>& curve, double radius, CurveFoot::Of of) {
  std::vector<CurveFoot> feet;
  for (const Curve::Arc& arc : curve->arcs(radius)) feet.emplace_back(curve, arc, of);
  return feet;
}

double* scratch_of(const CurveFoot& foot) {
  thread_local std::vector<double> scratch;
  if (scratch.size() < foot.scratch_size()) scratch.resize(foot.scratch_size());
  return scratch.data();
}

// where a curve is nearest to a point, in its own frame
struct NearPoint {
  Vector<2> n;  // out of the solid, of length 1
  double distance;
};

NearPoint near_point(const CurveFoot& foot, const Vector<2>& p) {
  double* scratch = scratch_of(foot);
  const CurveFoot::Place place = foot.find(p, scratch);
  double* c = scratch;
  foot.curve().evaluate(place.phi, c, scratch + 6);
  const Vector<2> way = p - Vector<2>(c[0], c[1]), n = Vector<2>(c[3], -c[2]).normalized();
  if (place.side == CurveFoot::Side::inside || !(way.norm() > 0)) return {n, way.dot(n)};
  return {way.normalized(), way.norm()};
}

// the point of a curve that is lowest in a direction, in its own frame
Vector<2> lowest(const CurveFoot& foot, const Vector<2>& direction) {
  double* scratch = scratch_of(foot);
  const double phi = foot.find(direction, scratch).phi;
  foot.curve().evaluate(phi, scratch, scratch + 6);
  return {scratch[0], scratch[1]};
}

// a rounded point at p, n out of the curve, both in the world. What lies behind an open curve by more than its own size is on its
// other side
void add_point(const Curve& curve, const Vector<2>& p, const Vector<2>& n, double distance, double radius, std::uint32_t feature, double margin,
               std::vector<TouchPoint<2>>& points) {
  const double gap = distance - radius;
  if (gap > margin || (!curve.closed() && radius > 0 && distance < -radius)) return;
  points.push_back({feature, p - (radius + 0.5 * gap) * n, n, gap});
}

}  // namespace

TouchingCurve::TouchingCurve(std::shared_ptr<const Curve> curve)
    : curve_(std::move(curve)), flat_(feet_on(curve_, INFINITY, CurveFoot::Of::direction)), corners_(feet_on(curve_, INFINITY, CurveFoot::Of::point)) {
  // between samples an arc of a tenth of a radian leaves its chord by less than a hundredth
  for (const Vector<2>& p : curve_->outline()) extent_ = std::max(extent_, 1.01 * p.norm());
  if (!curve_->closed()) ends_ = {curve_->at(curve_->formula().from), curve_->at(curve_->formula().to)};
}

void TouchingCurve::expect(double radius) {
  if (!round_.contains(radius)) round_.emplace(radius, feet_on(curve_, radius > 0 ? radius : INFINITY, CurveFoot::Of::point));
}

void TouchingCurve::expect(const TouchingCurve& other) {
  if (curve_->convex() && other.curve_->convex()) curves_.emplace(&other, CurvePair(curve_, other.curve_));
}

void touch_curve_ball(const Solid<2>& curve, const SolidPlace<2>& at_curve, const Solid<2>& ball, const SolidPlace<2>& at_ball, double margin,
                      std::vector<TouchPoint<2>>& points) {
  const Vector<2> p = at_curve.R.transpose() * (at_ball.x - at_curve.x);
  std::uint32_t feature = 0;
  for (const CurveFoot& foot : curve.curve->to_points(ball.radius)) {
    const NearPoint near = near_point(foot, p);
    add_point(curve.curve->curve(), at_ball.x, at_curve.R * near.n, near.distance, ball.radius, feature++, margin, points);
  }
}

void touch_plane_curve(const Solid<2>& plane, const SolidPlace<2>& at_plane, const Solid<2>& curve, const SolidPlace<2>& at_curve, double margin,
                       std::vector<TouchPoint<2>>& points) {
  const Vector<2> n = at_plane.R * plane.normal, direction = at_curve.R.transpose() * n;
  std::uint32_t feature = 0;
  for (const CurveFoot& foot : curve.curve->to_faces()) {
    const Vector<2> c = at_curve.x + at_curve.R * lowest(foot, direction);
    const double gap = n.dot(c - at_plane.x);
    if (gap <= margin) points.push_back({feature, c - 0.5 * gap * n, n, gap});
    ++feature;
  }
}

void touch_curves(const Solid<2>& a, const SolidPlace<2>& at_a, const Solid<2>& b, const SolidPlace<2>& at_b, double margin,
                  std::vector<TouchPoint<2>>& points) {
  const CurvePair& pair = a.curve->to_curve(*b.curve);
  thread_local std::vector<double> scratch;
  if (scratch.size() < pair.scratch_size()) scratch.resize(pair.scratch_size());
  const CurvePair::Place place = pair.find({at_a.R.transpose() * (at_b.x - at_a.x), at_a.R.transpose() * at_b.R}, scratch.data());
  if (place.inside) {
    double* c = scratch.data();
    a.curve->curve().evaluate(place.phi, c, c + 6);
    const Vector<2> n = at_a.R * Vector<2>(c[3], -c[2]).normalized();
    if (place.height <= margin) points.push_back({0, at_a.x + at_a.R * Vector<2>(c[0], c[1]) + 0.5 * place.height * n, n, place.height});
    return;
  }
  TouchPoint<2> best;
  best.gap = INFINITY;
  std::uint32_t feature = 1;
  for (const bool second : {false, true}) {
    const Solid<2>&of = second ? b : a, &on = second ? a : b;
    const SolidPlace<2>&at_of = second ? at_b : at_a, &at_on = second ? at_a : at_b;
    for (const Vector<2>& end : of.curve->ends()) {
      const Vector<2> p = at_of.x + at_of.R * end;
      const NearPoint near = near_point(on.curve->to_corners()[0], at_on.R.transpose() * (p - at_on.x));
      const Vector<2> n = at_on.R * near.n;
      if (near.distance < best.gap) best = {feature, p - 0.5 * near.distance * n, second ? n : Vector<2>(-n), near.distance};
      ++feature;
    }
  }
  if (best.gap <= margin) points.push_back(best);
}

void touch_curve_polygon(const Solid<2>& curve, const SolidPlace<2>& at_curve, const Solid<2>& other, const SolidPlace<2>& at_other, double margin,
                         std::vector<TouchPoint<2>>& points) {
  // in the curve's frame
  thread_local ConvexPolygon polygon;
  place_corners(other, {at_curve.R.transpose() * (at_other.x - at_curve.x), at_curve.R.transpose() * at_other.R}, polygon);
  const std::size_t count = polygon.corners.size();
  for (std::size_t arc = 0; arc < curve.curve->to_faces().size(); ++arc) {
    // the feature of the polygon that separates both most: a face above the curve's lowest point, a corner in the directions between
    // those of its two faces
    double most = -INFINITY;
    Vector<2> n = Vector<2>::Zero(), at = n;  // n: out of the curve
    const auto take = [&](const Vector<2>& way, double distance, const Vector<2>& p) {
      if (distance > most) most = distance, n = way, at = p;
    };
    const CurveFoot &flat = curve.curve->to_faces()[arc], &round = curve.curve->to_corners()[arc];
    for (std::size_t k = 0; k < count; ++k) {
      const Vector<2>&p = polygon.corners[k], &q = polygon.corners[polygon.next(k)], normal = polygon.normal(k);
      const Vector<2> c = lowest(flat, normal);
      const double distance = normal.dot(c - p);
      if ((c - p).dot(q - p) >= 0 && (c - q).dot(p - q) >= 0) take(-normal, distance, c - distance * normal);
    }
    for (std::size_t k = 0; k < count; ++k) {
      const NearPoint near = near_point(round, polygon.corners[k]);
      const std::size_t before = (k + count - 1) % count;
      if (-near.n.dot(polygon.along(k)) <= 0 && -near.n.dot(polygon.along(before)) >= 0) take(near.n, near.distance, polygon.corners[k]);
    }
    if (std::isinf(most)) continue;
    add_point(curve.curve->curve(), at_curve.x + at_curve.R * at, at_curve.R * n, most, polygon.radius, static_cast<std::uint32_t>(arc), margin, points);
  }
}

void touch_hollow_polygon(const Solid<2>& curve, const SolidPlace<2>& at_curve, const Solid<2>& other, const SolidPlace<2>& at_other, double margin,
                          std::vector<TouchPoint<2>>& points) {
  thread_local ConvexPolygon polygon;
  place_corners(other, at_other, polygon);
  std::uint32_t feature = 0;
  for (const Vector<2>& corner : polygon.corners)
    for (const CurveFoot& foot : curve.curve->to_points(polygon.radius)) {
      const NearPoint near = near_point(foot, at_curve.R.transpose() * (corner - at_curve.x));
      add_point(curve.curve->curve(), corner, at_curve.R * near.n, near.distance, polygon.radius, feature++, margin, points);
    }
}

}  // namespace escapement
