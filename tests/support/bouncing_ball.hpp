// A ball above a floor, by hand: coordinates x, y; gap y; friction against x'.
#pragma once

#include "system/system.hpp"

namespace escapement::testing {

class BouncingBall : public System {
 public:
  BouncingBall(double restitution, double friction = 0, double gravity = 9.81, double pull = 0) : gravity_(gravity), pull_(pull) {
    dim_.q = dim_.v = 2;
    dim_.unilateral = 1;
    dim_.slip = friction > 0;
    names_ = {{"x", "y"}, {"x", "y"}, {}, {"floor"}};
    if (friction > 0) names_.multipliers.push_back("floor.slip");
    contacts_ = {{"floor", restitution, friction, friction > 0 ? 0 : -1}};
  }
  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }
  std::span<const ContactLaw> contacts() const override { return contacts_; }
  void prepare(Terms& T) const override {
    T.M.resize(2, 2);
    T.G.resize(1, 2);
    T.T.resize(dim_.slip, 2);
    T.f.setZero(2);
    T.zdot.setZero(0);
    T.g.setZero(1);
    T.g_t.setZero(1);
    T.kappa.setZero(1);
    T.t0.setZero(dim_.slip);
    T.kappa_T.setZero(dim_.slip);
  }
  void prepare(Tangent& D) const override {
    D.K.resize(2, 2);
    D.D.resize(2, 2);
    D.V_q.resize(dim_.multipliers(), 2);
    D.kappa_q.resize(1, 2);
    D.kappa_v.resize(1, 2);
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense().setIdentity();
    if (has(need, Need::force)) T.f << pull_, -gravity_;
    if (has(need, Need::gap)) T.g << s.q[1];
    if (has(need, Need::jacobian)) T.G.dense() << 0, 1;
    if (has(need, Need::slip) && dim_.slip) T.T.dense() << 1, 0;
  }
  void tangent(const State&, const Vec&, const Vec&, Parts, Tangent& D) const override {
    for (Matrix* m : {&D.K, &D.D, &D.V_q, &D.kappa_q, &D.kappa_v}) m->set_zero();
  }
  Energy energy(const State& s, Terms&) const override {
    return {0.5 * s.v.squaredNorm(), gravity_ * s.q[1], pull_ * s.v[0]};
  }

 private:
  double gravity_, pull_;
  Dim dim_;
  Names names_;
  std::vector<ContactLaw> contacts_;
};

}  // namespace escapement::testing
