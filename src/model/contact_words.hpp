// What the expressions of a contact between shapes are made of: the motion of one body seen from another.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/expression_contact.hpp"
#include "model/shape_contact.hpp"

namespace escapement::inline model {

// expressions of measures that belong to one contact
template <int D>
class ContactWords {
 public:
  using Vectors = std::vector<Expr>;

  ContactWords(ExpressionGraph& graph, Expr t, std::string name) : g(graph), name_(std::move(name)) { vocabulary.t = t; }

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
      return {{e[1], g.neg(e[0])}};
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

}  // namespace escapement
