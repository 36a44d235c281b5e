#include "model/round_contact.hpp"

#include <cmath>

#include "model/contact_words.hpp"
#include "model/feature_contact.hpp"

namespace escapement::inline model {

namespace {

// a point of one body in a frame of another
Vector<3> seen(const Motion<3>& m, const PlacedFrame& frame, const Ball<3>& ball) {
  const Frame<3>&A = m[frame.body], &B = m[ball.body];
  return frame.R.transpose() * (A.R.transpose() * (B.x + B.R * ball.centre - A.x) - frame.at);
}

// a ball as the frame sees it, in expressions
class SeenBall {
 public:
  using Vectors = std::vector<Expr>;

  SeenBall(const ShapeContacts<3>& make, const PlacedFrame& frame, const Ball<3>& ball)
      : make_(make), ball_(ball), words_(make.graph(), make.t(), make.name()), g(make.graph()) {
    for (int i = 0; i < 3; ++i) {
      const Vector<3> axis = frame.R.col(i);
      const auto [value, rate] = words_.measure(offset_along<3>(frame.body, axis, frame.at, ball.body, ball.centre));
      x.push_back(value);
      v_.push_back(rate);
      if (make.rubs()) w_.push_back(words_.rate(turning_about(frame.body, axis, ball.body)));
    }
  }

  // distance: from what the ball touches to its centre; normal and tangents of length 1
  ShapeContact<3> contact(Expr distance, const Vectors& normal, const std::vector<Vectors>& tangents) {
    ShapeContact<3> contact{make_gap_row<3>(g, words_.vocabulary, g.sub(distance, g.constant(ball_.radius))), {}};
    if (!make_.rubs()) return contact;
    // the ball's material point is at -radius n from its centre
    Vectors u = v_;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const Expr turning = g.sub(g.mul(w_[j], normal[k]), g.mul(w_[k], normal[j]));
      u[i] = g.sub(u[i], g.scale(turning, ball_.radius));
    }
    for (const Vectors& t : tangents) contact.slips.push_back(make_slip_row<3>(g, words_.vocabulary, words_.dot(t, u)));
    return contact;
  }

  // around the frame's z: the ball is `out` from it; what touches has the profile whose normal is (radial, axial)
  ShapeContact<3> around(Expr distance, Expr out, Expr radial, Expr axial) {
    const Vectors e{g.div(x[0], out), g.div(x[1], out), g.constant(0)};
    const Vectors n{g.mul(radial, e[0]), g.mul(radial, e[1]), axial};
    const Vectors along{g.neg(g.mul(axial, e[0])), g.neg(g.mul(axial, e[1])), radial};
    return contact(distance, n, {{g.neg(e[1]), e[0], g.constant(0)}, along});
  }
  Expr out() { return g.sqrt(g.add(g.square(x[0]), g.square(x[1]))); }

 private:
  const ShapeContacts<3>& make_;
  const Ball<3>& ball_;
  ContactWords<3> words_;

 public:
  ExpressionGraph& g;
  Vectors x;

 private:
  Vectors v_, w_;  // rates of x; angular velocity
};

// a ball beside the rim of radius `radius` in the plane z = 0 of the frame
ShapeContact<3> beside_rim(const ShapeContacts<3>& make, const PlacedFrame& rim, double radius, const Ball<3>& ball) {
  SeenBall ball_seen(make, rim, ball);
  ExpressionGraph& g = make.graph();
  const Expr out = ball_seen.out(), over = g.sub(out, g.constant(radius)), up = ball_seen.x[2];
  const Expr distance = g.sqrt(g.add(g.square(over), g.square(up)));
  return ball_seen.around(distance, out, g.div(over, distance), g.div(up, distance));
}

PlacedFrame moved(const PlacedFrame& frame, const Vector<3>& by) { return {frame.body, frame.at + frame.R * by, frame.R}; }

class PolytopeChoice : public FeatureChoice<3> {
 public:
  PolytopeChoice(PlacedFrame frame, std::shared_ptr<const Polytope> polytope, const Ball<3>& ball)
      : frame_(std::move(frame)), polytope_(std::move(polytope)), ball_(ball) {}
  int choose(const Motion<3>& m) const override { return polytope_->nearest(seen(m, frame_, ball_)).feature; }

 private:
  PlacedFrame frame_;
  std::shared_ptr<const Polytope> polytope_;
  Ball<3> ball_;
};

// 0: beside it, 1 and 2: below and above; of a cylinder also 3 and 4: the rims there
class BarChoice : public FeatureChoice<3> {
 public:
  BarChoice(PlacedFrame frame, const RoundBar& bar, const Ball<3>& ball, bool flat)
      : frame_(std::move(frame)), bar_(bar), ball_(ball), flat_(flat) {}
  int choose(const Motion<3>& m) const override {
    const Vector<3> p = seen(m, frame_, ball_);
    const double above = std::abs(p[2]) - bar_.half_length, beside = std::hypot(p[0], p[1]) - bar_.radius;
    const int end = p[2] < 0 ? 1 : 2;
    if (!flat_) return above <= 0 ? 0 : end;
    if (above > 0 && beside > 0) return 2 + end;
    return beside > above ? 0 : end;
  }

 private:
  PlacedFrame frame_;
  RoundBar bar_;
  Ball<3> ball_;
  bool flat_;
};

}  // namespace

PlacedFrame turned_along(const PlacedFrame& frame, const Vector<3>& at, const Vector<3>& z) {
  const auto [x, y] = perpendicular(z);
  Rotation<3> R;
  R << x, y, z;
  return {frame.body, frame.at + frame.R * at, frame.R * R};
}

ShapeContact<3> beside_line(const ShapeContacts<3>& make, const PlacedFrame& line, double radius, const Ball<3>& ball) {
  SeenBall ball_seen(make, line, ball);
  ExpressionGraph& g = make.graph();
  const Expr out = ball_seen.out();
  return ball_seen.around(g.sub(out, g.constant(radius)), out, g.constant(1), g.constant(0));
}

ShapeContact<3> polytope_with_ball(const ShapeContacts<3>& make, const PlacedFrame& frame, std::shared_ptr<const Polytope> polytope,
                                   const Ball<3>& ball) {
  std::vector<ShapeContact<3>> features;
  const auto corner = [&](int k) { return polytope->corners[static_cast<std::size_t>(k)]; };
  const auto part = [&] { return make.part(features.size()); };
  for (const Polytope::Face& face : polytope->faces)
    features.push_back(part().over({frame.body, frame.at + frame.R * corner(face.corners[0]), frame.R * face.normal}, ball));
  for (const Polytope::Edge& edge : polytope->edges)
    features.push_back(beside_line(part(), turned_along(frame, corner(edge.from), (corner(edge.to) - corner(edge.from)).normalized()), 0, ball));
  for (const Vector<3>& one : polytope->corners) features.push_back(part().beside({frame.body, frame.at + frame.R * one, 0}, ball));
  return make_feature_contact<3>(std::make_shared<PolytopeChoice>(frame, polytope, ball), std::move(features));
}

ShapeContact<3> capsule_with_ball(const ShapeContacts<3>& make, const PlacedFrame& frame, const RoundBar& bar, const Ball<3>& ball) {
  std::vector<ShapeContact<3>> features;
  features.push_back(beside_line(make.part(0), frame, bar.radius, ball));
  for (double end : {-bar.half_length, bar.half_length})
    features.push_back(make.part(features.size()).beside({frame.body, frame.at + end * frame.R.col(2), bar.radius}, ball));
  return make_feature_contact<3>(std::make_shared<BarChoice>(frame, bar, ball, false), std::move(features));
}

ShapeContact<3> cylinder_with_ball(const ShapeContacts<3>& make, const PlacedFrame& frame, const RoundBar& bar, const Ball<3>& ball) {
  std::vector<ShapeContact<3>> features;
  features.push_back(beside_line(make.part(0), frame, bar.radius, ball));
  for (double side : {-1.0, 1.0}) {
    const Vector<3> n = side * frame.R.col(2);
    features.push_back(make.part(features.size()).over({frame.body, frame.at + bar.half_length * n, n}, ball));
  }
  for (double end : {-bar.half_length, bar.half_length})
    features.push_back(beside_rim(make.part(features.size()), moved(frame, {0, 0, end}), bar.radius, ball));
  return make_feature_contact<3>(std::make_shared<BarChoice>(frame, bar, ball, true), std::move(features));
}

// with c the cosine between the axis a and the normal n, the lowest point is r d from the rim's middle, d = (c a - n)/sqrt(1 - c^2)
ShapeContact<3> rim_over_plane(const ShapeContacts<3>& make, const Plane<3>& plane, const PlacedFrame& frame, const RoundBar& bar, double end) {
  ExpressionGraph& g = make.graph();
  ContactWords<3> words(g, make.t(), make.name());
  const Vector<3> a = frame.R.col(2), middle = frame.at + end * bar.half_length * a;
  const Expr c = words.measure(axis_product<3>(plane.body, plane.normal, frame.body, a)).first;
  const Expr height = words.measure(offset_along<3>(plane.body, plane.normal, plane.point, frame.body, middle)).first;
  const Expr tilt = g.sqrt(g.sub(g.constant(1), g.square(c)));
  ShapeContact<3> contact{make_gap_row<3>(g, words.vocabulary, g.sub(height, g.scale(tilt, bar.radius))), {}};
  if (!make.rubs()) return contact;
  const auto [first, second] = perpendicular(plane.normal);
  // components along first, second, n of d and of the angular velocity, seen from the plane
  std::vector<Expr> d, w;
  for (const Vector<3>& t : {first, second}) {
    const Expr along = words.measure(axis_product<3>(plane.body, t, frame.body, a)).first;
    d.push_back(g.div(g.mul(c, along), tilt));
  }
  d.push_back(g.neg(tilt));
  for (const Vector<3>& t : {first, second, plane.normal}) w.push_back(words.rate(turning_about(plane.body, t, frame.body)));
  for (std::size_t i = 0; i < 2; ++i) {
    const Expr speed = words.rate(offset_along<3>(plane.body, i == 0 ? first : second, plane.point, frame.body, middle));
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    const Expr turning = g.sub(g.mul(w[j], d[k]), g.mul(w[k], d[j]));
    contact.slips.push_back(make_slip_row<3>(g, words.vocabulary, g.add(speed, g.scale(turning, bar.radius))));
  }
  return contact;
}

}  // namespace escapement
