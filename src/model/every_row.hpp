// A mechanism with the rows that its equations leave out: for judging starts and drift.
#pragma once

#include "model/mechanism.hpp"

namespace escapement {

template <int D>
class EveryRow : public System {
 public:
  explicit EveryRow(const Mechanism<D>& mechanism) : base_(mechanism) {}

  const Dim& dim() const override { return base_.dim(); }
  const Names& names() const override { return base_.names(); }
  void prepare(Terms& T) const override { base_.prepare(T); }
  void prepare(Tangent& D_) const override { base_.prepare(D_); }
  void evaluate(const State& s, Need need, Terms& T) const override { base_.evaluate_every_row(s, need, T); }
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& out) const override {
    base_.tangent(s, w, mu, parts, out);
  }
  Level level(int row) const override { return base_.level(row); }
  std::span<const ContactLaw> contacts() const override { return base_.contacts(); }
  Energy energy(const State& s, Terms& work) const override { return base_.energy(s, work); }
  void position_scale(const State& s, Vec& scale) const override { base_.position_scale(s, scale); }
  void rate(const Vec& q, const Vec& v, Vec& qdot) const override { base_.rate(q, v, qdot); }
  void rate2(const Vec& q, const Vec& v, const Vec& vdot, Vec& qddot) const override { base_.rate2(q, v, vdot, qddot); }
  void normalize(Vec& q) const override { base_.normalize(q); }
  void retract(const Vec& q, const Vec& dx, Vec& q1) const override { base_.retract(q, dx, q1); }
  void difference(const Vec& q, const Vec& q1, Vec& dx) const override { base_.difference(q, q1, dx); }
  bool retract_tangent(const Vec& dx, Matrix& T) const override { return base_.retract_tangent(dx, T); }

 private:
  const Mechanism<D>& base_;
};

}  // namespace escapement
