// A system that hands everything on to another one: the ground of those that change only a part of what they show.
#pragma once

#include "system/system.hpp"

namespace escapement::inline system {

class ForwardingSystem : public System {
 public:
  explicit ForwardingSystem(const System& base) : base_(base) {}

  const Dim& dim() const override { return base_.dim(); }
  const Names& names() const override { return base_.names(); }
  unsigned version() const override { return base_.version(); }
  void prepare(Terms& T) const override { base_.prepare(T); }
  void prepare(Tangent& D) const override { base_.prepare(D); }
  void evaluate(const State& s, Need need, Terms& T) const override { base_.evaluate(s, need, T); }
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const override {
    base_.tangent(s, w, mu, parts, D);
  }
  const Scale& scale() const override { return base_.scale(); }
  Level level(int row) const override { return base_.level(row); }
  int joint_rows() const override { return base_.joint_rows(); }
  std::span<const ContactLaw> contacts() const override { return base_.contacts(); }
  RowSelection first_rows() const override;
  void select_rows(const State& s, const RowSelection& before, RowSelection& now) const override { base_.select_rows(s, before, now); }
  Energy energy(const State& s, Terms& work) const override { return base_.energy(s, work); }
  using System::position_terms;
  void position_terms(const State& s, const ContactSet* contacts, Vec& largest) const override { base_.position_terms(s, contacts, largest); }
  void row_scale(const State& s, const ContactSet* contacts, Vec& one) const override { base_.row_scale(s, contacts, one); }
  void rate(const Vec& q, const Vec& v, Vec& qdot) const override { base_.rate(q, v, qdot); }
  void rate2(const Vec& q, const Vec& v, const Vec& vdot, Vec& qddot) const override { base_.rate2(q, v, vdot, qddot); }
  void normalize(Vec& q) const override { base_.normalize(q); }
  void retract(const Vec& q, const Vec& dx, Vec& q1) const override { base_.retract(q, dx, q1); }
  void difference(const Vec& q, const Vec& q1, Vec& dx) const override { base_.difference(q, q1, dx); }
  bool retract_tangent(const Vec& dx, Matrix& T) const override { return base_.retract_tangent(dx, T); }
  int derivatives(const State& s, int count, Mat& d) const override { return base_.derivatives(s, count, d); }

 protected:
  const System& base_;
};

}  // namespace escapement
