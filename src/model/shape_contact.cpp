#include "model/shape_contact.hpp"

#include "model/expression_contact.hpp"

namespace escapement {

namespace {

// expressions of measures that belong to one contact
template <int D>
class Words {
 public:
  using Vectors = std::vector<Expr>;

  Words(ExpressionGraph& graph, Expr t, std::string name) : g(graph), name_(std::move(name)) { vocabulary.t = t; }

  std::pair<Expr, Expr> measure(MeasurePtr<D> one) {
    const std::string name = name_ + " " + std::to_string(vocabulary.measures().size());
    const Expr value = g.variable(name), rate = g.variable(name + "'");
    vocabulary.add({std::move(one), value, rate});
    return {value, rate};
  }
  Expr rate(MeasurePtr<D> one) { return measure(std::move(one)).second; }

  // p_b - p_a and its rate, in the world
  void offset(const Ball<D>& a, const Ball<D>& b, Vectors& d, Vectors& d1) {
    for (int i = 0; i < D; ++i) {
      d.push_back(g.constant(0));
      d1.push_back(g.constant(0));
      for (const Ball<D>* ball : {&a, &b}) {
        const double sign = ball == &b ? 1 : -1;
        if (ball->body == ground) {
          d.back() = g.add(d.back(), g.constant(sign * ball->centre[i]));
          continue;
        }
        const auto [x, x1] = measure(offset_along<D>(ground, Vector<D>::Unit(i), Vector<D>::Zero(), ball->body, ball->centre));
        d.back() = g.add(d.back(), g.scale(x, sign));
        d1.back() = g.add(d1.back(), g.scale(x1, sign));
      }
    }
  }

  // sum of factor times angular velocity over both, in the world
  Vectors turning(const Ball<D>& a, double factor_a, const Ball<D>& b, double factor_b) {
    Vectors w(angular<D>, g.constant(0));
    for (const Ball<D>* ball : {&a, &b}) {
      if (ball->body == ground) continue;
      const double factor = ball == &b ? factor_b : factor_a;
      for (int i = 0; i < angular<D>; ++i) {
        MeasurePtr<D> one;
        if constexpr (D == 2) one = relative_angle(ground, ball->body);
        else one = turning_about(ground, Vector<3>::Unit(i), ball->body);
        w[static_cast<std::size_t>(i)] = g.add(w[static_cast<std::size_t>(i)], g.scale(rate(std::move(one)), factor));
      }
    }
    return w;
  }

  Expr dot(const Vectors& a, const Vectors& b) {
    Expr sum = g.constant(0);
    for (std::size_t i = 0; i < a.size(); ++i) sum = g.add(sum, g.mul(a[i], b[i]));
    return sum;
  }
  Vectors constant(const Vector<D>& v) {
    Vectors c;
    for (int i = 0; i < D; ++i) c.push_back(g.constant(v[i]));
    return c;
  }

  // across e, which has length 1 where the contact is closed
  std::vector<Vectors> tangents(const Vectors& e) {
    if constexpr (D == 2) {
      return {{g.neg(e[1]), e[0]}};
    } else {
      // what the shortest turn from k to e makes of two vectors across k: smooth everywhere but at e = -k. No tangents on a
      // sphere are smooth all over it; motions along the axes of the world or in their planes do not pass this k
      const Vector<3> k(2.0 / 7, 3.0 / 7, 6.0 / 7);
      const auto [first, second] = perpendicular(k);
      std::vector<Vectors> all;
      for (const Vector<3>& u : {first, second}) {
        const Expr part = g.div(dot(e, constant(u)), g.add(g.constant(1), dot(e, constant(k))));
        Vectors& t = all.emplace_back();
        for (std::size_t i = 0; i < 3; ++i)
          t.push_back(g.sub(g.constant(u[static_cast<int>(i)]), g.mul(part, g.add(g.constant(k[static_cast<int>(i)]), e[i]))));
      }
      return all;
    }
  }

  // velocity of the material point of b less that of a, each a factor times e from its centre
  std::vector<std::unique_ptr<SlipRow<D>>> slips(const Vectors& e, const Vectors& d1, const Vectors& turning) {
    Vectors u = d1;
    if constexpr (D == 2) {
      u[0] = g.sub(u[0], g.mul(turning[0], e[1]));
      u[1] = g.add(u[1], g.mul(turning[0], e[0]));
    } else {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        u[i] = g.add(u[i], g.sub(g.mul(turning[j], e[k]), g.mul(turning[k], e[j])));
      }
    }
    std::vector<std::unique_ptr<SlipRow<D>>> rows;
    for (const Vectors& t : tangents(e)) rows.push_back(make_slip_row<D>(g, vocabulary, dot(t, u)));
    return rows;
  }

  ExpressionGraph& g;
  Vocabulary<D> vocabulary;

 private:
  std::string name_;
};

// measure - offset
template <int D>
std::unique_ptr<RowGroup<D>> gap_of(MeasurePtr<D> measure, double offset) {
  Joint<D> row;
  row.a = measure->a();
  row.b = measure->b();
  row.rows.push_back({"", {{1, std::move(measure)}}, offset});
  return make_joint_rows(row);
}

}  // namespace

template <int D>
ShapeContact<D> ShapeContacts<D>::over(const Plane<D>& plane, const Ball<D>& ball) const {
  const int a = plane.body, b = ball.body;
  const auto along = [&](const Vector<D>& direction) { return offset_along<D>(a, direction, plane.point, b, ball.centre); };
  ShapeContact<D> contact{gap_of<D>(along(plane.normal), ball.radius), {}};
  if (!rubs_) return contact;
  // seen from a; the point of b that touches is at -radius n from the centre
  Words<D> words(graph_, t_, name_);
  const auto add = [&](const Vector<D>& direction, MeasurePtr<D> turning, double factor) {
    Expr slip = words.rate(along(direction));
    if (factor != 0) slip = graph_.add(slip, graph_.scale(words.rate(std::move(turning)), factor));
    contact.slips.push_back(make_slip_row<D>(graph_, words.vocabulary, slip));
  };
  const Vector<D>& n = plane.normal;
  if constexpr (D == 2) {
    add({n[1], -n[0]}, relative_angle(a, b), ball.radius);
  } else {
    const auto [first, second] = perpendicular(n);
    add(first, turning_about(a, second, b), -ball.radius);
    add(second, turning_about(a, first, b), ball.radius);
  }
  return contact;
}

template <int D>
ShapeContact<D> ShapeContacts<D>::beside(const Ball<D>& a, const Ball<D>& b) const {
  ShapeContact<D> contact{gap_of<D>(distance_between<D>(a.body, a.centre, b.body, b.centre), a.radius + b.radius), {}};
  if (!rubs_) return contact;
  Words<D> words(graph_, t_, name_);
  typename Words<D>::Vectors d, d1;
  words.offset(a, b, d, d1);
  const Expr length = graph_.sqrt(words.dot(d, d));
  for (Expr& one : d) one = graph_.div(one, length);
  contact.slips = words.slips(d, d1, words.turning(a, -a.radius, b, -b.radius));
  return contact;
}

template <int D>
ShapeContact<D> ShapeContacts<D>::inside(const Ball<D>& bearing, const Ball<D>& journal, double clearance) const {
  Words<D> words(graph_, t_, name_);
  Expr gap = graph_.constant(clearance / 2);
  for (int i = 0; i < D; ++i) {
    const Expr d = words.measure(offset_along<D>(bearing.body, Vector<D>::Unit(i), bearing.centre, journal.body, journal.centre)).first;
    gap = graph_.sub(gap, graph_.scale(graph_.square(d), 0.5 / clearance));
  }
  ShapeContact<D> contact{make_gap_row<D>(graph_, words.vocabulary, gap), {}};
  if (!rubs_) return contact;
  typename Words<D>::Vectors d, d1;
  words.offset(bearing, journal, d, d1);
  for (Expr& one : d) one = graph_.scale(one, 1 / clearance);
  contact.slips = words.slips(d, d1, words.turning(bearing, -(journal.radius + clearance), journal, journal.radius));
  return contact;
}

template class ShapeContacts<2>;
template class ShapeContacts<3>;

}  // namespace escapement
