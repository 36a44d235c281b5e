// Components of a body's quaternion p, with p' = p * w / 2, and of its angular velocity w.
#include "model/measure.hpp"

namespace escapement {

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

}  // namespace

MeasurePtr<3> quaternion_component(int body, int component) {
  return std::make_shared<QuaternionComponent>(body, component);
}

MeasurePtr<3> angular_velocity(int body, int component) { return std::make_shared<AngularVelocity>(body, component); }

}  // namespace escapement
