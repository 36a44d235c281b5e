// Two lines, seen from the first, which is the z axis: d is the way to the second one's middle, v its direction. Across both is
// n = (-v_y, v_x, 0)/s with s^2 = v_x^2 + v_y^2, and d.n is how far they are apart.
#include "model/bar_contact.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"
#include "model/contact_words.hpp"
#include "model/feature_contact.hpp"

namespace escapement::inline model {

namespace {

// both within themselves
ShapeContact<3> crossing(const ShapeContacts<3>& make, const PlacedBar& a, const PlacedBar& b) {
  ExpressionGraph& g = make.graph();
  ContactWords<3> words(g, make.t(), make.name());
  std::vector<Expr> d, d1, v, w;
  for (int i = 0; i < 3; ++i) {
    const Vector<3> axis = a.frame.R.col(i);
    const auto [value, rate] = words.measure(offset_along<3>(a.frame.body, axis, a.frame.at, b.frame.body, b.frame.at));
    d.push_back(value);
    d1.push_back(rate);
    v.push_back(words.measure(axis_product<3>(a.frame.body, axis, b.frame.body, b.frame.R.col(2))).first);
    if (make.rubs()) w.push_back(words.rate(turning_about(a.frame.body, axis, b.frame.body)));
  }
  const Expr square = g.add(g.square(v[0]), g.square(v[1])), s = g.sqrt(square);
  const Expr across = g.div(g.sub(g.mul(d[1], v[0]), g.mul(d[0], v[1])), s), apart = g.sqrt(g.square(across));
  ShapeContact<3> contact{make_gap_row<3>(g, words.vocabulary, g.sub(apart, g.constant(a.bar.radius + b.bar.radius))), {}};
  if (!make.rubs()) return contact;
  // b's material point is part of the way along v from its middle, then back by its radius along n
  const Expr part = g.neg(g.div(g.add(g.mul(d[0], v[0]), g.mul(d[1], v[1])), square));
  const Expr back = g.scale(g.div(across, g.mul(apart, s)), -b.bar.radius);
  const std::vector<Expr> arm{g.sub(g.mul(part, v[0]), g.mul(back, v[1])), g.add(g.mul(part, v[1]), g.mul(back, v[0])), g.mul(part, v[2])};
  std::vector<Expr> u = d1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    u[i] = g.add(u[i], g.sub(g.mul(w[j], arm[k]), g.mul(w[k], arm[j])));
  }
  const Expr other = g.div(g.add(g.mul(v[0], u[0]), g.mul(v[1], u[1])), s);
  for (const Expr slip : {u[2], other}) contact.slips.push_back(make_slip_row<3>(g, words.vocabulary, slip));
  return contact;
}

// 0: within both; 1 and 2: the first one's ends with the second, 3 and 4: the second one's ends with the first, each of these with the
// other's inside, then with its ends
class BarsChoice : public FeatureChoice<3> {
 public:
  BarsChoice(PlacedBar a, PlacedBar b) : a_(std::move(a)), b_(std::move(b)) {}

  int choose(const Motion<3>& m) const override {
    const Line a = line(m, a_), b = line(m, b_);
    const Vector<3> d = b.middle - a.middle;
    const double c = a.along.dot(b.along), square = 1 - c * c, on_a = a.along.dot(d), on_b = b.along.dot(d);
    if (square > little::parallel) {
      const double s = (on_a - c * on_b) / square, t = (c * on_a - on_b) / square;
      if (std::abs(s) < a_.bar.half_length && std::abs(t) < b_.bar.half_length) return 0;
    }
    int best = 0;
    double least = INFINITY;
    const auto look = [&](const Line& ends, double reach, const Line& bar, double length, int first) {
      for (int k = 0; k < 2; ++k) {
        const Vector<3> way = ends.middle + (k == 0 ? -reach : reach) * ends.along - bar.middle;
        const double along = bar.along.dot(way), at = std::clamp(along, -length, length);
        const double distance = (way - at * bar.along).norm();
        // parallel bars are as near at several places: by rounding the choice does not change
        if (distance >= least - little::parallel * (reach + length)) continue;
        least = distance;
        best = 1 + 3 * (first + k) + (along < -length ? 1 : along > length ? 2 : 0);
      }
    };
    look(a, a_.bar.half_length, b, b_.bar.half_length, 0);
    look(b, b_.bar.half_length, a, a_.bar.half_length, 2);
    return best;
  }

 private:
  struct Line {
    Vector<3> middle, along;
  };
  static Line line(const Motion<3>& m, const PlacedBar& bar) {
    const Frame<3>& body = m[bar.frame.body];
    return {body.x + body.R * bar.frame.at, body.R * bar.frame.R.col(2)};
  }

  PlacedBar a_, b_;
};

}  // namespace

ShapeContact<3> bar_with_bar(const ShapeContacts<3>& make, const PlacedBar& a, const PlacedBar& b) {
  std::vector<ShapeContact<3>> features;
  const auto part = [&] { return make.part(features.size()); };
  features.push_back(crossing(part(), a, b));
  for (const auto& [ends, bar] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (double side : {-1.0, 1.0}) {
      features.push_back(beside_line(part(), bar->frame, bar->bar.radius, ends->end(side)));
      for (double other : {-1.0, 1.0}) features.push_back(part().beside(bar->end(other), ends->end(side)));
    }
  return make_feature_contact<3>(std::make_shared<BarsChoice>(a, b), std::move(features));
}

std::vector<PlacedBar> edges_of(const PlacedFrame& frame, const Polytope& polytope) {
  std::vector<PlacedBar> bars;
  for (const Polytope::Edge& edge : polytope.edges) {
    const Vector<3>&from = polytope.corners[static_cast<std::size_t>(edge.from)], &to = polytope.corners[static_cast<std::size_t>(edge.to)];
    bars.push_back({turned_along(frame, 0.5 * (from + to), (to - from).normalized()), {0.5 * (to - from).norm(), 0}});
  }
  return bars;
}

}  // namespace escapement
