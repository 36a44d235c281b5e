// Distance of two points: l = |d|, d = p_b - p_a, p = x + R u.
#include "model/measure.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class Distance : public Measure<D> {
 public:
  Distance(int a, const Vector<D>& ua, int b, const Vector<D>& ub) : Measure<D>(a, b), ua_(ua), ub_(ub) {}

  double value(const Motion<D>& m) const override { return offset(m).norm(); }

  double largest_term(const Motion<D>& m) const override {
    return largest_offset(m[this->a()], ua_, m[this->b()], ub_);
  }

  Gradient<D> gradient(const Motion<D>& m) const override { return row(m, Vector<D>(offset(m).normalized())); }

  double bias(const Motion<D>& m) const override {
    const Rates s(*this, m);
    return s.e.dot(s.d2) + s.d1.dot(s.across(s.d1));
  }

  void add_hessian(const Motion<D>& m, double factor, PairMatrix<D>& H) const override {
    constexpr int A1 = D, B0 = width<D>, B1 = width<D> + D, W = angular<D>;
    const Frame<D>&A = m[this->a()], &B = m[this->b()];
    const Vector<D> d = offset(m);
    const double length = d.norm();
    const Vector<D> e = d / length;
    Eigen::Matrix<double, D, 2 * width<D>> J;  // of d
    J.template leftCols<D>() = -Rotation<D>::Identity();
    J.template middleCols<W>(A1) = -A.R * arm(ua_);
    J.template middleCols<D>(B0) = Rotation<D>::Identity();
    J.template middleCols<W>(B1) = B.R * arm(ub_);
    const Eigen::Matrix<double, 1, 2 * width<D>> along = e.transpose() * J;
    H += (factor / length) * (J.transpose() * J - along.transpose() * along);
    H.template block<W, W>(A1, A1) -= factor * turn(ua_, Vector<D>(A.R.transpose() * e));
    H.template block<W, W>(B1, B1) += factor * turn(ub_, Vector<D>(B.R.transpose() * e));
  }

  // rate e . d1
  Gradient<D> rate_gradient(const Motion<D>& m) const override {
    const Rates s(*this, m);
    Gradient<D> g = row(m, s.across(s.d1));
    add_turning(m, s.e, s.ua1, s.ub1, g);
    return g;
  }

  // bias e . d2 + f with f = d1 . across(d1)
  void bias_gradients(const Motion<D>& m, Gradient<D>& q, Gradient<D>& v) const override {
    const Rates s(*this, m);
    const Frame<D>&A = m[this->a()], &B = m[this->b()];
    const Vector<D> across1 = s.across(s.d1);
    const double f = s.d1.dot(across1), along = s.e.dot(s.d1);
    const Vector<D> by_d = s.across(s.d2) - (2 * along / s.length) * across1 - (f / s.length) * s.e;
    q = row(m, by_d);
    add_turning(m, Vector<D>(2 * across1), s.ua1, s.ub1, q);
    add_turning(m, s.e, s.ua2, s.ub2, q);
    v = row(m, Vector<D>(2 * across1));
    v.a.template tail<angular<D>>() -= spin_arm(A.w, ua_).transpose() * Vector<D>(A.R.transpose() * s.e);
    v.b.template tail<angular<D>>() += spin_arm(B.w, ub_).transpose() * Vector<D>(B.R.transpose() * s.e);
  }

 private:
  Vector<D> offset(const Motion<D>& m) const {
    const Frame<D>&A = m[this->a()], &B = m[this->b()];
    return (B.x - A.x) + (B.R * ub_ - A.R * ua_);
  }

  // g += c . d(R_b ub - R_a ua)
  void add_turning(const Motion<D>& m, const Vector<D>& c, const Vector<D>& ua, const Vector<D>& ub,
                   Gradient<D>& g) const {
    g.a.template tail<angular<D>>() -= moment(ua, Vector<D>(m[this->a()].R.transpose() * c));
    g.b.template tail<angular<D>>() += moment(ub, Vector<D>(m[this->b()].R.transpose() * c));
  }
  // c . d(p_b - p_a)
  Gradient<D> row(const Motion<D>& m, const Vector<D>& c) const {
    Gradient<D> g;
    g.a.template head<D>() = -c;
    g.b.template head<D>() = c;
    add_turning(m, c, ua_, ub_, g);
    return g;
  }

  // d with its rates (without accelerations); 1, 2 on body vectors: w x u, w x (w x u)
  struct Rates {
    Vector<D> ua1, ua2, ub1, ub2, d1, d2, e;
    double length;
    Rates(const Distance& self, const Motion<D>& m) {
      const Frame<D>&A = m[self.a()], &B = m[self.b()];
      ua1 = cross(A.w, self.ua_);
      ua2 = cross(A.w, ua1);
      ub1 = cross(B.w, self.ub_);
      ub2 = cross(B.w, ub1);
      const Vector<D> d = self.offset(m);
      length = d.norm();
      e = d / length;
      d1 = B.v - A.v + B.R * ub1 - A.R * ua1;
      d2 = B.R * ub2 - A.R * ua2;
    }
    Vector<D> across(const Vector<D>& c) const { return (c - e.dot(c) * e) / length; }
  };

  Vector<D> ua_, ub_;
};

}  // namespace

template <int D>
MeasurePtr<D> distance_between(int a, const Vector<D>& point_a, int b, const Vector<D>& point_b) {
  return std::make_shared<Distance<D>>(a, point_a, b, point_b);
}

template MeasurePtr<2> distance_between<2>(int, const Vector<2>&, int, const Vector<2>&);
template MeasurePtr<3> distance_between<3>(int, const Vector<3>&, int, const Vector<3>&);

}  // namespace escapement
