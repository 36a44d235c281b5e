// A ball at P, in the curve's frame: the foot has (P - c).c' = 0, the gap is (P - c).n less the radius.
// A plane with the normal m, in the curve's frame: the foot has m.c' = 0, the gap is that of the point c.
#include "model/curve_contact.hpp"

#include "model/contact_words.hpp"
#include "model/feature_contact.hpp"

namespace escapement::inline model {

namespace {

class FootVariable : public ImplicitVariable {
 public:
  FootVariable(CurveFoot foot, Expr zero) : ImplicitVariable(foot.curve().formula().phi, zero, 2), foot_(std::move(foot)) {}
  double solve(const double* x, double* scratch) const override { return foot_.find({x[0], x[1]}, scratch).phi; }
  std::size_t scratch_size() const override { return foot_.scratch_size(); }

 private:
  CurveFoot foot_;
};

// 0: within the arc, 1 and 2: at its ends
class ArcChoice : public FeatureChoice<2> {
 public:
  ArcChoice(CurveFoot foot, MeasurePtr<2> x, MeasurePtr<2> y) : foot_(std::move(foot)), x_(std::move(x)), y_(std::move(y)) {}
  int choose(const Motion<2>& m) const override {
    return static_cast<int>(foot_.find({x_->value(m), y_->value(m)}, m.scratch).side);
  }
  std::size_t scratch_size() const override { return foot_.scratch_size(); }

 private:
  CurveFoot foot_;
  MeasurePtr<2> x_, y_;
};

Vector<2> axis(const PlacedCurve& placed, int i) { return placed.R.col(i); }

Ball<2> end_of(const PlacedCurve& placed, double phi) { return {placed.body, placed.at + placed.R * placed.curve->at(phi), 0}; }

// what curve and plane, or ball, make: the foot's variable and the curve's derivatives as expressions
struct FootExpressions {
  FootExpressions(ExpressionGraph& g, const CurveFormula& of)
      : c{of.x, of.y}, c1{g.derivative(of.x, of.phi), g.derivative(of.y, of.phi)} {}
  std::vector<Expr> c, c1;
};

// the face or corner of a convex polygon that is nearest to a convex arc: faces first, then corners
class PolygonOnArc : public FeatureChoice<2> {
 public:
  PolygonOnArc(PlacedCurve placed, PlacedPolygon polygon, const Curve::Arc& arc)
      : placed_(std::move(placed)), polygon_(std::move(polygon)), flat_(placed_.curve, arc, CurveFoot::Of::direction),
        point_(placed_.curve, arc, CurveFoot::Of::point) {}

  int choose(const Motion<2>& m) const override {
    // the polygon in the curve's frame
    const Frame<2>&A = m[placed_.body], &B = m[polygon_.body];
    const Rotation<2> R = placed_.R.transpose() * A.R.transpose() * B.R;
    const Vector<2> x = placed_.R.transpose() * (A.R.transpose() * (B.x - A.x) - placed_.at);
    const std::size_t n = polygon_.corners.size();
    int best = -1;
    double most = -INFINITY;
    const auto take = [&](std::size_t feature, double gap) {
      if (gap <= most) return;
      most = gap;
      best = static_cast<int>(feature);
    };
    double* scratch = m.scratch;
    for (std::size_t k = 0; k < n; ++k) {
      const Vector<2> p = x + R * polygon_.corners[k], q = x + R * polygon_.corners[polygon_.next(k)], normal = R * polygon_.normal(k);
      const Vector<2> c = at(flat_.find(normal, scratch).phi, scratch);
      if ((c - p).dot(q - p) >= 0 && (c - q).dot(p - q) >= 0) take(k, (c - p).dot(normal));
    }
    // a corner touches in the directions between those of its two faces
    double nearest = INFINITY;
    std::size_t corner = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const Vector<2> p = x + R * polygon_.corners[k];
      const Vector<2> d = at(point_.find(p, scratch).phi, scratch) - p;
      const std::size_t before = (k + n - 1) % n;
      if (d.norm() < nearest) nearest = d.norm(), corner = k;
      if (d.dot(R * polygon_.along(k)) <= 0 && d.dot(R * polygon_.along(before)) >= 0) take(n + k, d.norm());
    }
    return best >= 0 ? best : static_cast<int>(n + corner);
  }
  std::size_t scratch_size() const override { return flat_.scratch_size(); }

 private:
  Vector<2> at(double phi, double* scratch) const {
    placed_.curve->evaluate(phi, scratch, scratch + 6);
    return {scratch[0], scratch[1]};
  }

  PlacedCurve placed_;
  PlacedPolygon polygon_;
  CurveFoot flat_, point_;
};

}  // namespace

ShapeContact<2> curve_contact(const ShapeContacts<2>& make, const PlacedCurve& placed, const Curve::Arc& arc, const Ball<2>& ball) {
  ExpressionGraph& g = make.graph();
  const CurveFoot foot(placed.curve, arc, CurveFoot::Of::point);
  ContactWords<2> words(g, make.t(), make.name());
  const MeasurePtr<2> along[] = {offset_along<2>(placed.body, axis(placed, 0), placed.at, ball.body, ball.centre),
                                 offset_along<2>(placed.body, axis(placed, 1), placed.at, ball.body, ball.centre)};
  const auto [x, x1] = words.measure(along[0]);
  const auto [y, y1] = words.measure(along[1]);
  const FootExpressions curve(g, placed.curve->formula());
  const std::vector<Expr> way{g.sub(x, curve.c[0]), g.sub(y, curve.c[1])};
  words.vocabulary.implicit = std::make_shared<FootVariable>(foot, words.dot(way, curve.c1));
  const Expr speed = g.sqrt(words.dot(curve.c1, curve.c1));
  const std::vector<Expr> n{g.div(curve.c1[1], speed), g.neg(g.div(curve.c1[0], speed))};
  std::vector<ShapeContact<2>> features(1);
  features[0].gap = make_gap_row<2>(g, words.vocabulary, g.sub(words.dot(way, n), g.constant(ball.radius)));
  if (make.rubs()) {
    // the ball's material point at -radius n from its centre, seen from the curve
    const Expr turning = words.rate(relative_angle(placed.body, ball.body));
    const Expr slip = g.add(words.dot(words.tangents(n)[0], {x1, y1}), g.scale(turning, ball.radius));
    features[0].slips.push_back(make_slip_row<2>(g, words.vocabulary, slip));
  }
  if (arc.closed) return std::move(features[0]);
  for (double end : {arc.from, arc.to}) features.push_back(make.part(features.size()).beside(end_of(placed, end), ball));
  return make_feature_contact<2>(std::make_shared<ArcChoice>(foot, along[0], along[1]), std::move(features));
}

ShapeContact<2> curve_contact(const ShapeContacts<2>& make, const PlacedCurve& placed, const Curve::Arc& arc, const Plane<2>& plane) {
  ExpressionGraph& g = make.graph();
  const CurveFoot foot(placed.curve, arc, CurveFoot::Of::direction);
  ContactWords<2> words(g, make.t(), make.name());
  const MeasurePtr<2> normal[] = {axis_product<2>(placed.body, axis(placed, 0), plane.body, plane.normal),
                                  axis_product<2>(placed.body, axis(placed, 1), plane.body, plane.normal)};
  const std::vector<Expr> m{words.measure(normal[0]).first, words.measure(normal[1]).first};
  const Expr height = words.measure(offset_along<2>(plane.body, plane.normal, plane.point, placed.body, placed.at)).first;
  const FootExpressions curve(g, placed.curve->formula());
  words.vocabulary.implicit = std::make_shared<FootVariable>(foot, words.dot(m, curve.c1));
  std::vector<ShapeContact<2>> features(1);
  features[0].gap = make_gap_row<2>(g, words.vocabulary, g.add(height, words.dot(m, curve.c)));
  if (make.rubs()) {
    // the curve's material point at c from its frame's origin, seen from the plane
    const Vector<2> tangent(plane.normal[1], -plane.normal[0]);
    const Expr speed = words.rate(offset_along<2>(plane.body, tangent, plane.point, placed.body, placed.at));
    const Expr turning = words.rate(relative_angle(plane.body, placed.body));
    features[0].slips.push_back(make_slip_row<2>(g, words.vocabulary, g.sub(speed, g.mul(turning, words.dot(m, curve.c)))));
  }
  if (arc.closed) return std::move(features[0]);
  for (double end : {arc.from, arc.to}) features.push_back(make.part(features.size()).over(plane, end_of(placed, end)));
  return make_feature_contact<2>(std::make_shared<ArcChoice>(foot, normal[0], normal[1]), std::move(features));
}

ShapeContact<2> curve_contact(const ShapeContacts<2>& make, const PlacedCurve& placed, const Curve::Arc& arc,
                              const PlacedPolygon& polygon) {
  std::vector<ShapeContact<2>> features;
  const std::size_t n = polygon.corners.size();
  for (std::size_t k = 0; k < n; ++k) features.push_back(curve_contact(make.part(k), placed, arc, polygon.face(k)));
  for (std::size_t k = 0; k < n; ++k) features.push_back(curve_contact(make.part(n + k), placed, arc, polygon.corner(k)));
  return make_feature_contact<2>(std::make_shared<PolygonOnArc>(placed, polygon, arc), std::move(features));
}

}  // namespace escapement
