#include "model/shape_contact.hpp"

#include "model/contact_words.hpp"
#include "model/expression_contact.hpp"

namespace escapement::inline model {

namespace {

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
  ContactWords<D> words(graph_, t_, name_);
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
  ContactWords<D> words(graph_, t_, name_);
  typename ContactWords<D>::Vectors d, d1;
  words.offset(a, b, d, d1);
  const Expr length = graph_.sqrt(words.dot(d, d));
  for (Expr& one : d) one = graph_.div(one, length);
  contact.slips = words.slips(d, d1, words.turning(a, -a.radius, b, -b.radius));
  return contact;
}

template <int D>
ShapeContact<D> ShapeContacts<D>::inside(const Ball<D>& bearing, const Ball<D>& journal, double clearance) const {
  ContactWords<D> words(graph_, t_, name_);
  Expr gap = graph_.constant(clearance / 2);
  for (int i = 0; i < D; ++i) {
    const Expr d = words.measure(offset_along<D>(bearing.body, Vector<D>::Unit(i), bearing.centre, journal.body, journal.centre)).first;
    gap = graph_.sub(gap, graph_.scale(graph_.square(d), 0.5 / clearance));
  }
  ShapeContact<D> contact{make_gap_row<D>(graph_, words.vocabulary, gap), {}};
  if (!rubs_) return contact;
  typename ContactWords<D>::Vectors d, d1;
  words.offset(bearing, journal, d, d1);
  for (Expr& one : d) one = graph_.scale(one, 1 / clearance);
  contact.slips = words.slips(d, d1, words.turning(bearing, -(journal.radius + clearance), journal, journal.radius));
  return contact;
}

template class ShapeContacts<2>;
template class ShapeContacts<3>;

}  // namespace escapement
