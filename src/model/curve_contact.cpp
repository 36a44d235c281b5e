// A ball at P, in the curve's frame: the foot has (P - c).c' = 0, the gap is (P - c).n less the radius.
// A plane with the normal m, in the curve's frame: the foot has m.c' = 0, the gap is that of the point c.
// Another curve d, in the curve's frame: the feet have (d - c).c' = 0 and c' x d' = 0, the gap is (d - c).n.
#include "model/curve_contact.hpp"

#include "model/contact_words.hpp"
#include "model/curve_pair.hpp"
#include "model/feature_contact.hpp"

namespace escapement::inline model {

namespace {

class FootVariable : public ImplicitVariables {
 public:
  FootVariable(CurveFoot foot, Expr zero) : ImplicitVariables({foot.curve().formula().phi}, {zero}, 2), foot_(std::move(foot)) {}
  void solve(const double* x, double* phi, double* scratch) const override { *phi = foot_.find({x[0], x[1]}, scratch).phi; }
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
      const CurveFoot::Place foot = point_.find(p, scratch);
      Vector<2> d = at(foot.phi, scratch) - p;  // to the curve, also where the corner is a little inside
      double gap = d.norm();
      if (foot.side == CurveFoot::Side::inside) {
        const Vector<2> inward = Vector<2>(-scratch[3], scratch[2]).normalized();
        gap = d.dot(inward);
        d = inward;
      }
      const std::size_t before = (k + n - 1) % n;
      if (gap < nearest) nearest = gap, corner = k;
      if (d.dot(R * polygon_.along(k)) <= 0 && d.dot(R * polygon_.along(before)) >= 0) take(n + k, gap);
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

// from the offset of the second curve's frame and the direction of its first axis
class FeetVariables : public ImplicitVariables {
 public:
  FeetVariables(std::shared_ptr<const CurvePair> pair, std::vector<Expr> feet, std::vector<Expr> zero)
      : ImplicitVariables(std::move(feet), std::move(zero), 4), pair_(std::move(pair)) {}
  void solve(const double* x, double* feet, double* scratch) const override {
    Rotation<2> R;
    R << x[2], -x[3], x[3], x[2];
    const CurvePair::Place place = pair_->find({{x[0], x[1]}, R}, scratch);
    feet[0] = place.phi;
    feet[1] = place.psi;
  }
  std::size_t scratch_size() const override { return pair_->scratch_size(); }

 private:
  std::shared_ptr<const CurvePair> pair_;
};

// 0: within both, then the ends of the first and of the second one
class CurvesChoice : public FeatureChoice<2> {
 public:
  CurvesChoice(std::shared_ptr<const CurvePair> pair, PlacedCurve a, PlacedCurve b) : pair_(std::move(pair)), a_(std::move(a)), b_(std::move(b)) {
    add_ends(a_, b_);
    add_ends(b_, a_);
  }
  int choose(const Motion<2>& m) const override {
    const Frame<2>&A = m[a_.body], &B = m[b_.body];
    const Rotation<2> to_a = a_.R.transpose() * A.R.transpose();
    if (pair_->find({to_a * (B.x + B.R * b_.at - A.x) - a_.R.transpose() * a_.at, to_a * B.R * b_.R}, m.scratch).inside) return 0;
    int best = 1;
    double least = INFINITY;
    for (std::size_t k = 0; k < ends_.size(); ++k) {
      const Frame<2>&from = m[ends_[k].of.body], &on = m[ends_[k].on.body];
      const Vector<2> p = ends_[k].on.R.transpose() * (on.R.transpose() * (from.x + from.R * ends_[k].of.centre - on.x) - ends_[k].on.at);
      const CurveFoot::Place place = ends_[k].foot.find(p, m.scratch);
      double* c = m.scratch;
      ends_[k].on.curve->evaluate(place.phi, c, c + 6);
      const Vector<2> way = p - Vector<2>(c[0], c[1]);
      const double distance = place.side == CurveFoot::Side::inside ? way.dot(Vector<2>(c[3], -c[2]).normalized()) : way.norm();
      if (distance < least) least = distance, best = 1 + static_cast<int>(k);
    }
    return best;
  }
  std::size_t scratch_size() const override {
    std::size_t most = pair_->scratch_size();
    for (const End& end : ends_) most = std::max(most, end.foot.scratch_size());
    return most;
  }

 private:
  struct End {
    Ball<2> of;
    PlacedCurve on;
    CurveFoot foot;
  };
  void add_ends(const PlacedCurve& of, const PlacedCurve& on) {
    if (of.curve->closed()) return;
    for (double phi : {of.curve->formula().from, of.curve->formula().to})
      ends_.push_back({end_of(of, phi), on, CurveFoot(on.curve, on.curve->arcs(INFINITY)[0], CurveFoot::Of::point)});
  }

  std::shared_ptr<const CurvePair> pair_;
  PlacedCurve a_, b_;
  std::vector<End> ends_;
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

ShapeContact<2> curve_with_curve(const ShapeContacts<2>& make, const PlacedCurve& a, const PlacedCurve& b) {
  ExpressionGraph& g = make.graph();
  ContactWords<2> words(g, make.t(), make.name());
  const auto [x, x1] = words.measure(offset_along<2>(a.body, axis(a, 0), a.at, b.body, b.at));
  const auto [y, y1] = words.measure(offset_along<2>(a.body, axis(a, 1), a.at, b.body, b.at));
  const Expr cos = words.measure(axis_product<2>(a.body, axis(a, 0), b.body, axis(b, 0))).first;
  const Expr sin = words.measure(axis_product<2>(a.body, axis(a, 1), b.body, axis(b, 0))).first;
  const FootExpressions first(g, a.curve->formula());
  CurveFormula other = b.curve->formula();  // both may be the same curve
  const Expr psi = g.variable(make.name() + " second foot");
  other.x = g.substitute(other.x, {{other.phi, psi}});
  other.y = g.substitute(other.y, {{other.phi, psi}});
  other.phi = psi;
  const FootExpressions second(g, other);
  const auto turned = [&](const std::vector<Expr>& d) {
    return std::vector<Expr>{g.sub(g.mul(cos, d[0]), g.mul(sin, d[1])), g.add(g.mul(sin, d[0]), g.mul(cos, d[1]))};
  };
  const std::vector<Expr> arm = turned(second.c), along = turned(second.c1);
  const std::vector<Expr> way{g.sub(g.add(x, arm[0]), first.c[0]), g.sub(g.add(y, arm[1]), first.c[1])};
  const Expr parallel = g.sub(g.mul(first.c1[0], along[1]), g.mul(first.c1[1], along[0]));
  const auto pair = std::make_shared<CurvePair>(a.curve, b.curve);
  words.vocabulary.implicit = std::make_shared<FeetVariables>(pair, std::vector<Expr>{a.curve->formula().phi, psi}, std::vector<Expr>{words.dot(way, first.c1), parallel});
  const Expr speed = g.sqrt(words.dot(first.c1, first.c1));
  const std::vector<Expr> n{g.div(first.c1[1], speed), g.neg(g.div(first.c1[0], speed))};
  std::vector<ShapeContact<2>> features(1);
  features[0].gap = make_gap_row<2>(g, words.vocabulary, words.dot(way, n));
  if (make.rubs()) {
    // the second curve's material point at its foot, seen from the first
    const Expr turning = words.rate(relative_angle(a.body, b.body));
    const std::vector<Expr> u{g.sub(x1, g.mul(turning, arm[1])), g.add(y1, g.mul(turning, arm[0]))};
    features[0].slips.push_back(make_slip_row<2>(g, words.vocabulary, words.dot(words.tangents(n)[0], u)));
  }
  for (const auto& [of, on] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (of->curve->closed()) continue;
    for (double phi : {of->curve->formula().from, of->curve->formula().to})
      features.push_back(curve_contact(make.part(features.size()), *on, on->curve->arcs(INFINITY)[0], end_of(*of, phi)));
  }
  return make_feature_contact<2>(std::make_shared<CurvesChoice>(pair, a, b), std::move(features));
}

}  // namespace escapement
