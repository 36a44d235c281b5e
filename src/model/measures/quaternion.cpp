// Components of a body's quaternion p, with p' = p * w / 2, of its angular velocity w, and of the quaternion between
// two bodies.
#include "model/rotation_vector.hpp"

namespace escapement::inline model {

namespace {

class QuaternionComponent : public Measure<3> {
 public:
  QuaternionComponent(int body, int component) : Measure<3>(ground, body), i_(component) {}

  double value(const Motion<3>& m) const override { return m[b()].orientation[i_]; }
  Gradient<3> gradient(const Motion<3>& m) const override {
    Gradient<3> g;
    g.b.tail<3>() = turned(m[b()].orientation);
    return g;
  }
  double bias(const Motion<3>& m) const override { return -0.25 * m[b()].w.squaredNorm() * value(m); }
  void add_hessian(const Motion<3>& m, double factor, PairMatrix<3>& H) const override {
    // d(p * e_j / 2) by increment k is p * e_k * e_j / 4
    for (int k = 0; k < 3; ++k)
      H.block<3, 1>(9, 9 + k) += factor * turned(quaternion_rate(m[b()].orientation, Vec3::Unit(k)));
  }
  bool turns_only() const override { return true; }
  Gradient<3> rate_gradient(const Motion<3>& m) const override {
    Gradient<3> g;
    for (int k = 0; k < 3; ++k)
      g.b[3 + k] = quaternion_rate(quaternion_rate(m[b()].orientation, Vec3::Unit(k)), m[b()].w)[i_];
    return g;
  }
  void bias_gradients(const Motion<3>& m, Gradient<3>& q, Gradient<3>& v) const override {
    q = v = {};
    q.b.tail<3>() = -0.25 * m[b()].w.squaredNorm() * turned(m[b()].orientation);
    v.b.tail<3>() = -0.5 * value(m) * m[b()].w;
  }

 private:
  Vec3 turned(const Vec4& p) const {
    return {quaternion_rate(p, Vec3::UnitX())[i_], quaternion_rate(p, Vec3::UnitY())[i_],
            quaternion_rate(p, Vec3::UnitZ())[i_]};
  }
  int i_;
};

class AngularVelocity : public Measure<3> {
 public:
  AngularVelocity(int body, int component) : Measure<3>(ground, body), i_(component) {}

  double value(const Motion<3>&) const override { return 0; }
  Gradient<3> gradient(const Motion<3>&) const override {
    Gradient<3> g;
    g.b[3 + i_] = 1;
    return g;
  }
  double bias(const Motion<3>&) const override { return 0; }
  void add_hessian(const Motion<3>&, double, PairMatrix<3>&) const override {}
  bool turns_only() const override { return true; }
  Gradient<3> rate_gradient(const Motion<3>&) const override { return {}; }
  void bias_gradients(const Motion<3>&, Gradient<3>& q, Gradient<3>& v) const override { q = v = {}; }

 private:
  int i_;
};

// p of R_p = (R_a A)^T R_b B, with p' = (p * w_b - w_a * p)/2 for angular velocities in the axes A and B. Increments
// and velocities are of the axes here, those of a first: 6
class RelativeQuaternion : public Measure<3> {
 public:
  RelativeQuaternion(const TwoAxes& axes, int component) : Measure<3>(axes.a, axes.b), i_(component) {
    axes_.topLeftCorner<3, 3>() = axes.axes_a;
    axes_.bottomRightCorner<3, 3>() = axes.axes_b;
  }

  double value(const Motion<3>& m) const override { return at(m)[i_]; }
  Gradient<3> gradient(const Motion<3>& m) const override { return of_bodies(slopes(at(m))); }
  double bias(const Motion<3>& m) const override {
    const Vec6 w = velocities(m);
    return slopes(rate_of(at(m), w)).dot(w);
  }
  void add_hessian(const Motion<3>& m, double factor, PairMatrix<3>& H) const override {
    const Vec4 p = at(m);
    Mat6 by_axes;
    for (int k = 0; k < 6; ++k) by_axes.col(k) = slopes(rate_of(p, Vec6::Unit(k)));
    const Mat6 block = factor * axes_ * by_axes * axes_.transpose();
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) H.block<3, 3>(6 * i + 3, 6 * j + 3) += block.block<3, 3>(3 * i, 3 * j);
  }
  Gradient<3> rate_gradient(const Motion<3>& m) const override { return of_bodies(rate_slopes(at(m), velocities(m))); }
  void bias_gradients(const Motion<3>& m, Gradient<3>& q, Gradient<3>& v) const override {
    const Vec4 p = at(m);
    const Vec6 w = velocities(m);
    Vec6 by_q;
    for (int k = 0; k < 6; ++k) by_q[k] = slopes(rate_of(rate_of(p, Vec6::Unit(k)), w)).dot(w);
    q = of_bodies(by_q);
    v = of_bodies(slopes(rate_of(p, w)) + rate_slopes(p, w));
  }

 private:
  using Vec6 = Eigen::Matrix<double, 6, 1>;
  using Mat6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;

  Vec4 at(const Motion<3>& m) const {
    return quaternion(Mat3(axes_.topLeftCorner<3, 3>().transpose() * m[a()].R.transpose() * m[b()].R *
                           axes_.bottomRightCorner<3, 3>()));
  }
  Vec6 velocities(const Motion<3>& m) const {
    Vec6 w;
    w << m[a()].w, m[b()].w;
    return axes_.transpose() * w;
  }
  static Vec4 rate_of(const Vec4& p, const Vec6& w) {
    const Vec4 in_a(0, w[0], w[1], w[2]);
    return quaternion_rate(p, w.tail<3>()) - 0.5 * product(in_a, p);
  }
  // of the component by the increments, linear in p
  Vec6 slopes(const Vec4& p) const {
    Vec6 result;
    for (int k = 0; k < 6; ++k) result[k] = rate_of(p, Vec6::Unit(k))[i_];
    return result;
  }
  Vec6 rate_slopes(const Vec4& p, const Vec6& w) const {
    Vec6 result;
    for (int k = 0; k < 6; ++k) result[k] = slopes(rate_of(p, Vec6::Unit(k))).dot(w);
    return result;
  }
  Gradient<3> of_bodies(const Vec6& by_axes) const {
    const Vec6 by_bodies = axes_ * by_axes;
    Gradient<3> g;
    g.a.tail<3>() = by_bodies.head<3>();
    g.b.tail<3>() = by_bodies.tail<3>();
    return g;
  }

  Mat6 axes_ = Mat6::Zero();
  int i_;
};

}  // namespace

MeasurePtr<3> relative_quaternion(const TwoAxes& axes, int component) {
  return std::make_shared<RelativeQuaternion>(axes, component);
}

MeasurePtr<3> quaternion_component(int body, int component) {
  return std::make_shared<QuaternionComponent>(body, component);
}

MeasurePtr<3> angular_velocity(int body, int component) { return std::make_shared<AngularVelocity>(body, component); }

}  // namespace escapement
