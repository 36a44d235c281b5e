// Angular velocity of b against a along an axis n fixed in a: u . w_b - n . w_a with u = R_b^T R_a n.
#include "model/shape_contact.hpp"

namespace escapement::inline model {

namespace {

class Turning : public Measure<3> {
 public:
  Turning(int a, const Vector<3>& axis, int b) : Measure<3>(a, b), n_(axis) {}

  double value(const Motion<3>&) const override { return 0; }
  Gradient<3> gradient(const Motion<3>& m) const override {
    Gradient<3> g;
    g.a.tail<3>() = -n_;
    g.b.tail<3>() = to_b(m) * n_;
    return g;
  }
  double bias(const Motion<3>& m) const override { return m[b()].w.dot(to_b(m) * cross(m[a()].w, n_)); }

  void add_hessian(const Motion<3>& m, double factor, PairMatrix<3>& H) const override {
    const Rotation<3> R = to_b(m);
    H.block<3, 3>(9, 3) += factor * R * arm(n_);
    H.block<3, 3>(9, 9) -= factor * arm(Vector<3>(R * n_));
  }
  bool turns_only() const override { return true; }

  Gradient<3> rate_gradient(const Motion<3>& m) const override {
    const Rotation<3> R = to_b(m);
    const Vector<3> w = m[b()].w;
    Gradient<3> g;
    g.a.tail<3>() = cross(n_, Vector<3>(R.transpose() * w));
    g.b.tail<3>() = cross(w, Vector<3>(R * n_));
    return g;
  }

  void bias_gradients(const Motion<3>& m, Gradient<3>& q, Gradient<3>& v) const override {
    const Rotation<3> R = to_b(m);
    const Vector<3> w = m[b()].w, in_a = R.transpose() * w, n1 = cross(m[a()].w, n_), in_b = R * n1;
    q = v = {};
    q.a.tail<3>() = cross(n1, in_a);
    q.b.tail<3>() = cross(w, in_b);
    v.a.tail<3>() = cross(n_, in_a);
    v.b.tail<3>() = in_b;
  }

 private:
  Rotation<3> to_b(const Motion<3>& m) const { return m[b()].R.transpose() * m[a()].R; }

  Vector<3> n_;
};

}  // namespace

MeasurePtr<3> turning_about(int a, const Vector<3>& axis, int b) { return std::make_shared<Turning>(a, axis, b); }

}  // namespace escapement
