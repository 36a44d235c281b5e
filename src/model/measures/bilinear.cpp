// Products of a vector fixed in body a with a vector fixed in body b or with the offset between two points.
//
//   X = R_a n,  Y = F_b (- F_a),  F = R u or x + R u;  value X . Y
#include "model/measure.hpp"
#include "model/turned_arm.hpp"

namespace escapement::inline model {

namespace {

template <int D>
class Bilinear : public Measure<D> {
 public:
  Bilinear(int a, const Vector<D>& n, const Vector<D>& ua, int b, const Vector<D>& ub, bool points)
      : Measure<D>(a, b), n_(n), ua_(ua), ub_(ub), points_(points) {}

  double value(const Motion<D>& m) const override {
    const Frame<D>& A = m[this->a()];
    return A.R.lazyProduct(n_).dot(offset(m));
  }

  double largest_term(const Motion<D>& m) const override {
    return points_ ? largest_offset(m[this->a()], ua_, m[this->b()], ub_) : ub_.norm();
  }

  Gradient<D> gradient(const Motion<D>& m) const override {
    const Frame<D>&A = m[this->a()], &B = m[this->b()];
    const Vector<D> X = A.R.lazyProduct(n_);
    Gradient<D> g;
    ang(g.a) = moment(n_, Vector<D>(A.R.transpose().lazyProduct(offset(m))));
    ang(g.b) = moment(ub_, Vector<D>(B.R.transpose().lazyProduct(X)));
    if (points_) {
      lin(g.a) = -X;
      lin(g.b) = X;
      ang(g.a) -= moment(ua_, n_);
    }
    return g;
  }

  double bias(const Motion<D>& m) const override {
    const Sides s(*this, m);
    return s.X2.dot(s.Y) + 2 * s.X1.dot(s.Y1) + s.X.dot(s.Y2);
  }

  void add_hessian(const Motion<D>& m, double factor, PairMatrix<D>& H) const override {
    constexpr int A0 = 0, A1 = D, B0 = width<D>, B1 = width<D> + D, W = angular<D>;
    const Frame<D>&A = m[this->a()], &B = m[this->b()];
    const Vector<D> X = A.R.lazyProduct(n_);
    const Vector<D> Ya = A.R.transpose().lazyProduct(offset(m));
    const Arm<D> turned_n = turned_arm(A.R, n_), turned_ub = turned_arm(B.R, ub_);
    add_turn(factor, n_, Ya, A1, H);
    add_turn(factor, ub_, B.R.transpose().lazyProduct(X), B1, H);
#pragma GCC unroll 3
    for (int i = 0; i < W; ++i)
#pragma GCC unroll 3
      for (int j = 0; j < W; ++j) {
        double mixed = 0;
#pragma GCC unroll 3
        for (int k = 0; k < D; ++k) mixed += turned_n(k, i) * turned_ub(k, j);
        H(A1 + i, B1 + j) += factor * mixed;
        H(B1 + j, A1 + i) += factor * mixed;
      }
    if (!points_) return;
    H.template block<W, W>(A1, A1) -= factor * (arm(n_).transpose() * arm(ua_));
    H.template block<D, W>(A0, A1) -= factor * turned_n;
    H.template block<D, W>(B0, A1) += factor * turned_n;
    H.template block<W, D>(A1, A0) -= factor * turned_n.transpose();
    H.template block<W, D>(A1, B0) += factor * turned_n.transpose();
  }

  bool turns_only() const override { return !points_; }

  Gradient<D> rate_gradient(const Motion<D>& m) const override {
    const Sides s(*this, m);
    Gradient<D> g;
    ang(g.a) = moment(s.n1, s.in_a(s.Y)) + moment(n_, s.in_a(s.Y1));
    ang(g.b) = moment(ub_, s.in_b(s.X1)) + moment(s.ub1, s.in_b(s.X));
    if (points_) {
      lin(g.a) = -s.X1;
      lin(g.b) = s.X1;
      ang(g.a) -= moment(ua_, s.n1) + moment(s.ua1, n_);
    }
    return g;
  }

  void bias_gradients(const Motion<D>& m, Gradient<D>& q, Gradient<D>& v) const override {
    const Sides s(*this, m);
    const Frame<D>&A = m[this->a()], &B = m[this->b()];
    ang(q.a) = moment(s.n2, s.in_a(s.Y)) + 2 * moment(s.n1, s.in_a(s.Y1)) + moment(n_, s.in_a(s.Y2));
    ang(q.b) = moment(ub_, s.in_b(s.X2)) + 2 * moment(s.ub1, s.in_b(s.X1)) + moment(s.ub2, s.in_b(s.X));
    ang(v.a) = spin_arm(A.w, n_).transpose() * s.in_a(s.Y) + 2 * moment(n_, s.in_a(s.Y1));
    ang(v.b) = 2 * moment(ub_, s.in_b(s.X1)) + spin_arm(B.w, ub_).transpose() * s.in_b(s.X);
    lin(q.a).setZero();
    lin(q.b).setZero();
    lin(v.a).setZero();
    lin(v.b).setZero();
    if (!points_) return;
    lin(q.a) = -s.X2;
    lin(q.b) = s.X2;
    lin(v.a) = -2 * s.X1;
    lin(v.b) = 2 * s.X1;
    ang(q.a) -= moment(ua_, s.n2) + 2 * moment(s.ua1, s.n1) + moment(s.ua2, n_);
    ang(v.a) -= 2 * moment(ua_, s.n1) + spin_arm(A.w, ua_).transpose() * n_;
  }

 private:
  static auto lin(Velocity<D>& g) { return g.template head<D>(); }
  static auto ang(Velocity<D>& g) { return g.template tail<angular<D>>(); }

  // H += factor turn(u, c) at this place of the diagonal
  static void add_turn(double factor, const Vector<D>& u, const Vector<D>& c, int at, PairMatrix<D>& H) {
    const double along = u.dot(c);
#pragma GCC unroll 3
    for (int j = 0; j < angular<D>; ++j)
#pragma GCC unroll 3
      for (int i = 0; i < angular<D>; ++i) {
        const double both = D == 2 ? 0 : c[i] * u[j];
        H(at + i, at + j) += factor * (i == j ? both - along : both);
      }
  }

  Vector<D> offset(const Motion<D>& m) const {
    const Frame<D>&A = m[this->a()], &B = m[this->b()];
    if (points_) return (B.x - A.x) + (B.R.lazyProduct(ub_) - A.R.lazyProduct(ua_));
    return B.R.lazyProduct(ub_);
  }

  // X and Y with their first and second rates (without accelerations); 1, 2 on body vectors: w x u, w x (w x u)
  struct Sides {
    Vector<D> n1, n2, ua1, ua2, ub1, ub2;
    Vector<D> X, X1, X2, Y, Y1, Y2;
    const Frame<D>&A, &B;
    Sides(const Bilinear& self, const Motion<D>& m) : A(m[self.a()]), B(m[self.b()]) {
      n1 = cross(A.w, self.n_);
      n2 = cross(A.w, n1);
      ua1 = cross(A.w, self.ua_);
      ua2 = cross(A.w, ua1);
      ub1 = cross(B.w, self.ub_);
      ub2 = cross(B.w, ub1);
      X = A.R * self.n_;
      X1 = A.R * n1;
      X2 = A.R * n2;
      Y = self.offset(m);
      Y1 = B.R * ub1;
      Y2 = B.R * ub2;
      if (!self.points_) return;
      Y1 += B.v - A.v - A.R * ua1;
      Y2 -= A.R * ua2;
    }
    Vector<D> in_a(const Vector<D>& c) const { return A.R.transpose() * c; }
    Vector<D> in_b(const Vector<D>& c) const { return B.R.transpose() * c; }
  };

  Vector<D> n_, ua_, ub_;  // fixed in a, a, b
  bool points_;            // Y is the offset between points, not a vector of b
};

}  // namespace

template <int D>
MeasurePtr<D> offset_along(int a, const Vector<D>& n, const Vector<D>& point_a, int b, const Vector<D>& point_b) {
  return std::make_shared<Bilinear<D>>(a, n, point_a, b, point_b, true);
}

template <int D>
MeasurePtr<D> axis_product(int a, const Vector<D>& axis_a, int b, const Vector<D>& axis_b) {
  return std::make_shared<Bilinear<D>>(a, axis_a, Vector<D>::Zero(), b, axis_b, false);
}

template MeasurePtr<2> offset_along<2>(int, const Vector<2>&, const Vector<2>&, int, const Vector<2>&);
template MeasurePtr<3> offset_along<3>(int, const Vector<3>&, const Vector<3>&, int, const Vector<3>&);
template MeasurePtr<2> axis_product<2>(int, const Vector<2>&, int, const Vector<2>&);
template MeasurePtr<3> axis_product<3>(int, const Vector<3>&, int, const Vector<3>&);

}  // namespace escapement
