#include "io/shape_pairs.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "math/tolerances.hpp"
#include "model/bar_contact.hpp"
#include "model/collision/curve_touch.hpp"
#include "model/curve_contact.hpp"

namespace escapement::inline io {

namespace {

using ShapeKind = Picture::Shape::Kind;

template <int D>
Vector<D> at(const Picture::Shape& shape) {
  return shape.at.empty() ? Vector<D>(Vector<D>::Zero()) : Vector<D>(Eigen::Map<const Vector<D>>(shape.at.data()));
}
template <int D>
Rotation<D> turned(const Picture::Shape& shape) {
  if constexpr (D == 2) return make_pose(Vector<2>(Vector<2>::Zero()), shape.angle).R;
  else return shape.orientation.empty() ? Rotation<3>(Rotation<3>::Identity()) : Rotation<3>(rotation_matrix(Vec4(shape.orientation.data())));
}

bool is_plane(const OwnedShape& one) { return one.is.shape.kind == ShapeKind::plane; }
bool is_ball(const OwnedShape& one) { return one.is.shape.kind == ShapeKind::circle || one.is.shape.kind == ShapeKind::sphere; }
bool is_capsule(const OwnedShape& one) { return one.is.shape.kind == ShapeKind::capsule; }
bool is_cylinder(const OwnedShape& one) { return one.is.shape.kind == ShapeKind::cylinder; }
bool is_box(const OwnedShape& one) { return one.is.shape.kind == ShapeKind::box; }

template <int D>
Plane<D> plane_of(const OwnedShape& one) {
  const Picture::Shape& shape = one.is.shape;
  return {one.body, at<D>(shape), turned<D>(shape) * Eigen::Map<const Vector<D>>(shape.size.data())};
}

// the balls and corners of a shape that a plane may touch; none: it is not made of them
template <int D>
std::vector<Ball<D>> balls_of(const OwnedShape& one) {
  const Picture::Shape& shape = one.is.shape;
  std::vector<Ball<D>> balls;
  const auto add = [&](const Vector<D>& p, double radius) { balls.push_back({one.body, at<D>(shape) + turned<D>(shape) * p, radius}); };
  switch (shape.kind) {
    case ShapeKind::circle:
    case ShapeKind::sphere:
      add(Vector<D>::Zero(), shape.size[0]);
      break;
    case ShapeKind::capsule:
      for (double end : {-0.5, 0.5}) add(Vector<D>(end * shape.size[0] * Vector<D>::Unit(D == 2 ? 0 : 2)), shape.size[1]);
      break;
    case ShapeKind::polygon:
    case ShapeKind::hull:
      for (const auto& corner : shape.points) add(Eigen::Map<const Vector<D>>(corner.data()), 0);
      break;
    case ShapeKind::box:
      for (int k = 0; k < (1 << D); ++k) {
        Vector<D> corner;
        for (int i = 0; i < D; ++i) corner[i] = (k >> i & 1 ? 0.5 : -0.5) * shape.size[static_cast<std::size_t>(i)];
        add(corner, 0);
      }
      break;
    default:
      break;
  }
  return balls;
}

[[noreturn]] void refuse(const char* remedy) { throw std::invalid_argument(remedy); }

// counter-clockwise; also a capsule's two ends and a segment's
PlacedPolygon polygon_of(const OwnedShape& one) {
  std::vector<Ball<2>> balls = balls_of<2>(one);
  if (one.is.shape.kind == ShapeKind::box) std::swap(balls[2], balls[3]);
  PlacedPolygon polygon{{{}, balls[0].radius}, one.body};
  for (const Ball<2>& ball : balls) polygon.corners.push_back(ball.centre);
  polygon.turn_counter_clockwise();
  if (!polygon.is_convex()) refuse("a polygon that touches is convex, without corners that are straight; divide it into convex ones");
  return polygon;
}

using Make = std::function<ShapeContacts<2>(std::size_t)>;

std::vector<ShapeContact<2>> curve_contacts(const OwnedShape& curve, const OwnedShape& other, const Make& make) {
  const auto place = [](const OwnedShape& one) { return PlacedCurve{one.body, at<2>(one.is.shape), turned<2>(one.is.shape), one.is.curve}; };
  const PlacedCurve placed = place(curve);
  std::vector<ShapeContact<2>> contacts;
  if (other.is.curve) {
    if (!curve.is.curve->convex() || !other.is.curve->convex())
      refuse("two curves touch where both are convex; divide a curve that is convex here and hollow there, and make one of the two of circles or a polygon where the other is hollow");
    contacts.push_back(curve_with_curve(make(0), placed, place(other)));
    return contacts;
  }
  const auto on_arcs = [&](double radius, const auto& partner) {
    for (const Curve::Arc& arc : curve.is.curve->arcs(radius)) contacts.push_back(curve_contact(make(contacts.size()), placed, arc, partner));
  };
  if (is_ball(other)) {
    const Ball<2> ball = balls_of<2>(other)[0];
    on_arcs(ball.radius, ball);
    return contacts;
  }
  const bool flat = is_plane(other);
  if (flat && curve.is.curve->hollow() && curve.is.curve->closed()) refuse("a hollow curve touches what lies inside it; give the other a circle or a polygon");
  if (flat) {
    on_arcs(INFINITY, plane_of<2>(other));
    return contacts;
  }
  const PlacedPolygon polygon = polygon_of(other);
  if (curve.is.curve->hollow()) {
    for (std::size_t k = 0; k < polygon.corners.size(); ++k) on_arcs(polygon.radius, polygon.corner(k));
  } else {
    if (!curve.is.curve->convex()) refuse("this curve is convex here and hollow there; divide it into curves that are one of both");
    on_arcs(INFINITY, polygon);
  }
  return contacts;
}

std::vector<ShapeContact<2>> other_contacts(const OwnedShape& a, const OwnedShape& b, const Make& make) {
  std::vector<ShapeContact<2>> contacts;
  if (a.is.curve || b.is.curve) return a.is.curve ? curve_contacts(a, b, make) : curve_contacts(b, a, make);
  if (is_ball(a) || is_ball(b)) {
    contacts.push_back(polygon_with_ball(make(0), polygon_of(is_ball(a) ? b : a), balls_of<2>(is_ball(a) ? a : b)[0]));
    return contacts;
  }
  const PlacedPolygon first = polygon_of(a), second = polygon_of(b);
  if (first.radius + second.radius == 0 && (first.corners.size() == 2 || second.corners.size() == 2))
    refuse("corners pass through a segment, which has no thickness; take a capsule or a thin box for it");
  for (std::size_t k = 0; k < second.corners.size(); ++k) contacts.push_back(polygon_with_corner(make(contacts.size()), first, second, k));
  for (std::size_t k = 0; k < first.corners.size(); ++k) contacts.push_back(polygon_with_corner(make(contacts.size()), second, first, k));
  return contacts;
}

PlacedFrame frame_of(const OwnedShape& one) { return {one.body, at<3>(one.is.shape), turned<3>(one.is.shape)}; }
RoundBar bar_of(const OwnedShape& one) { return {one.is.shape.size[0] / 2, one.is.shape.size[1]}; }

std::vector<Vector<3>> corners_of(const OwnedShape& hull) {
  std::vector<Vector<3>> corners;
  for (const auto& corner : hull.is.shape.points) corners.push_back(Eigen::Map<const Vector<3>>(corner.data()));
  return corners;
}

std::shared_ptr<const Polytope> box_of(const OwnedShape& box) {
  return std::make_shared<Polytope>(box_polytope(0.5 * Eigen::Map<const Vector<3>>(box.is.shape.size.data())));
}

std::vector<ShapeContact<3>> ball_contacts(const OwnedShape& ball, const OwnedShape& other, const ShapeContacts<3>& make) {
  const Ball<3> is = balls_of<3>(ball)[0];
  std::vector<ShapeContact<3>> contacts;
  switch (other.is.shape.kind) {
    case ShapeKind::box:
      contacts.push_back(polytope_with_ball(make, frame_of(other), box_of(other), is));
      break;
    case ShapeKind::hull:
      contacts.push_back(polytope_with_ball(make, frame_of(other), std::make_shared<Polytope>(convex_hull(corners_of(other))), is));
      break;
    case ShapeKind::capsule:
      contacts.push_back(capsule_with_ball(make, frame_of(other), bar_of(other), is));
      break;
    default:
      contacts.push_back(cylinder_with_ball(make, frame_of(other), bar_of(other), is));
  }
  return contacts;
}

// ends with the other one, and what lies between them: two capsules on each other touch at two ends, crossed ones between theirs
std::vector<ShapeContact<3>> capsule_contacts(const OwnedShape& capsule, const OwnedShape& other, const std::function<ShapeContacts<3>(std::size_t)>& make) {
  std::vector<ShapeContact<3>> contacts;
  const auto next = [&] { return make(contacts.size()); };
  const PlacedBar bar{frame_of(capsule), bar_of(capsule)};
  if (is_box(other)) {
    const std::shared_ptr<const Polytope> box = box_of(other);
    for (double side : {-1.0, 1.0}) contacts.push_back(polytope_with_ball(next(), frame_of(other), box, bar.end(side)));
    for (const PlacedBar& edge : edges_of(frame_of(other), *box)) contacts.push_back(bar_with_bar(next(), bar, edge));
    return contacts;
  }
  const PlacedBar second{frame_of(other), bar_of(other)};
  for (double side : {-1.0, 1.0}) contacts.push_back(capsule_with_ball(next(), second.frame, second.bar, bar.end(side)));
  for (double side : {-1.0, 1.0}) contacts.push_back(capsule_with_ball(next(), bar.frame, bar.bar, second.end(side)));
  contacts.push_back(bar_with_bar(next(), bar, second));
  return contacts;
}

std::vector<ShapeContact<3>> other_contacts(const OwnedShape& a, const OwnedShape& b, const std::function<ShapeContacts<3>(std::size_t)>& make) {
  std::vector<ShapeContact<3>> contacts;
  if (is_ball(a) || is_ball(b)) return is_ball(a) ? ball_contacts(a, b, make(0)) : ball_contacts(b, a, make(0));
  if (is_plane(a) || is_plane(b)) {  // a cylinder: all others are made of balls
    const OwnedShape& bar = is_plane(a) ? b : a;
    for (double end : {-1.0, 1.0})
      contacts.push_back(rim_over_plane(make(contacts.size()), plane_of<3>(is_plane(a) ? a : b), frame_of(bar), bar_of(bar), end));
    return contacts;
  }
  if (is_capsule(a) && (is_capsule(b) || is_box(b))) return capsule_contacts(a, b, make);
  if (is_capsule(b) && is_box(a)) return capsule_contacts(b, a, make);
  refuse("in space the points of such a pair are not known beforehand; make one of them of spheres");
}

}  // namespace

template <int D>
std::string why_no_rows(const OwnedShape& a, const Pose<D>& at_a, const OwnedShape& b, const Pose<D>& at_b) {
  if constexpr (D == 3) {
    const auto is_along = [&](const Vector<3>& one, const Vector<3>& other) {
      return Vector<3>(at_a.R * one).cross(Vector<3>(at_b.R * other)).norm() <= little::upright;
    };
    const auto axis = [](const OwnedShape& one) { return is_plane(one) ? plane_of<3>(one).normal : Vector<3>(turned<3>(one.is.shape).col(2)); };
    const bool flat = is_plane(a) || is_plane(b);
    if (is_cylinder(a) || is_cylinder(b)) {
      if (is_ball(a) || is_ball(b)) return {};
      if (flat && is_along(axis(a), axis(b))) return "begins with a cylinder that stands upright";
    }
    if (is_capsule(a) && is_capsule(b) && is_along(axis(a), axis(b))) return "begins with parallel capsules";
    const bool known = flat || is_ball(a) || is_ball(b) || (is_capsule(a) && (is_capsule(b) || is_box(b))) || (is_capsule(b) && is_box(a));
    if (!known) return fmt::format("is between a {} and a {}", a.is.key, b.is.key);
  } else {
    const auto is_cornered = [](const OwnedShape& one) { return !one.is.curve && (is_box(one) || one.is.shape.kind == ShapeKind::polygon); };
    const auto is_segment = [&](const OwnedShape& one) { return is_cornered(one) && !is_box(one) && one.is.shape.points.size() == 2; };
    if (is_cornered(a) && is_cornered(b) && (is_segment(a) || is_segment(b))) return fmt::format("is between a {} and a {}", a.is.key, b.is.key);
  }
  return {};
}

template <int D>
std::string why_no_rows(const MechanismReading<D>& r, const Between<D>& pair) {
  const auto a = r.shapes.find(pair.a), b = r.shapes.find(pair.b);
  if (a == r.shapes.end() || b == r.shapes.end()) return {};
  const auto at = [&](int body) { return body == ground ? Pose<D>{} : r.mechanism->bodies()[static_cast<std::size_t>(body)].pose; };
  for (const TouchingShape& one : a->second)
    for (const TouchingShape& other : b->second)
      if (std::string why = why_no_rows<D>({pair.a, one}, at(pair.a), {pair.b, other}, at(pair.b)); !why.empty()) return why;
  return {};
}

template <int D>
Solid<D> solid_of(int body, const TouchingShape& of) {
  const Picture::Shape& shape = of.shape;
  using Kind = typename Solid<D>::Kind;
  using Drawn = Picture::Shape::Kind;
  Solid<D> solid;
  solid.body = body;
  if (!shape.at.empty()) solid.at = Eigen::Map<const Vector<D>>(shape.at.data());
  if constexpr (D == 2) solid.turned = make_pose(Vector<2>(Vector<2>::Zero()), shape.angle).R;
  else if (!shape.orientation.empty()) solid.turned = rotation_matrix(Vec4(shape.orientation.data()));
  switch (shape.kind) {
    case Drawn::circle:
    case Drawn::sphere:
      solid.radius = shape.size[0];
      break;
    case Drawn::plane:
      solid.kind = Kind::plane;
      solid.normal = Eigen::Map<const Vector<D>>(shape.size.data());
      break;
    case Drawn::box:
      solid.kind = Kind::box;
      solid.half = 0.5 * Eigen::Map<const Vector<D>>(shape.size.data());
      break;
    case Drawn::capsule:
    case Drawn::cylinder:
      solid.kind = shape.kind == Drawn::capsule ? Kind::capsule : Kind::cylinder;
      solid.half_length = 0.5 * shape.size[0];
      solid.radius = shape.size[1];
      break;
    case Drawn::polygon:
      if (of.curve) {
        solid.kind = of.curve->convex() ? Kind::curve : of.curve->hollow() ? Kind::hollow : Kind::wavy;
        solid.curve = std::make_shared<TouchingCurve>(of.curve);
        break;
      }
      [[fallthrough]];
    case Drawn::hull:
      solid.kind = Kind::hull;
      for (const auto& corner : shape.points) solid.corners.push_back(Eigen::Map<const Vector<D>>(corner.data()));
      break;
  }
  if constexpr (D == 3) solid.make_polytope();
  return solid;
}

template <int D>
std::vector<ShapeContact<D>> pair_contacts(const OwnedShape& a, const OwnedShape& b,
                                           const std::function<ShapeContacts<D>(std::size_t k)>& make) {
  std::vector<ShapeContact<D>> contacts;
  if (is_plane(a) && is_plane(b)) refuse("both are endless; give one of the bodies another shape");
  const bool curved = a.is.curve || b.is.curve;
  if ((is_plane(a) || is_plane(b)) && !curved) {
    const std::vector<Ball<D>> balls = balls_of<D>(is_plane(a) ? b : a);
    for (const Ball<D>& ball : balls) contacts.push_back(make(contacts.size()).over(plane_of<D>(is_plane(a) ? a : b), ball));
    if (!balls.empty()) return contacts;
  } else if (is_ball(a) && is_ball(b)) {
    contacts.push_back(make(0).beside(balls_of<D>(a)[0], balls_of<D>(b)[0]));
    return contacts;
  }
  return other_contacts(a, b, make);
}

template std::string why_no_rows<2>(const OwnedShape&, const Pose<2>&, const OwnedShape&, const Pose<2>&);
template std::string why_no_rows<3>(const OwnedShape&, const Pose<3>&, const OwnedShape&, const Pose<3>&);
template std::string why_no_rows<2>(const MechanismReading<2>&, const Between<2>&);
template std::string why_no_rows<3>(const MechanismReading<3>&, const Between<3>&);
template Solid<2> solid_of<2>(int, const TouchingShape&);
template Solid<3> solid_of<3>(int, const TouchingShape&);
template std::vector<ShapeContact<2>> pair_contacts<2>(const OwnedShape&, const OwnedShape&, const std::function<ShapeContacts<2>(std::size_t)>&);
template std::vector<ShapeContact<3>> pair_contacts<3>(const OwnedShape&, const OwnedShape&, const std::function<ShapeContacts<3>(std::size_t)>&);

}  // namespace escapement
