// A system that forwards everything and counts what it is asked for: the work of [000] Table 2.
#pragma once

#include "system/system.hpp"

namespace escapement {

struct Counts {
  long mass = 0, force = 0, jacobian = 0, curvature = 0, stiffness = 0, damping = 0;
  // [000] Table 2 adds everything but the mass matrix
  long work(long linear_solves) const { return force + jacobian + curvature + stiffness + damping + linear_solves; }
};

// counts inside const calls: one decorator per run, not to be shared between threads
class CountingSystem : public System {
 public:
  explicit CountingSystem(const System& system) : system_(system) {}

  const Counts& counts() const { return counts_; }
  void reset() { counts_ = {}; }
  void set(const Counts& counts) { counts_ = counts; }  // goes on counting from here

  const Dim& dim() const override { return system_.dim(); }
  const Names& names() const override { return system_.names(); }
  void prepare(Terms& T) const override { system_.prepare(T); }
  void prepare(Tangent& D) const override { system_.prepare(D); }

  void evaluate(const State& s, Need need, Terms& T) const override {
    counts_.mass += has(need, Need::mass);
    counts_.force += has(need, Need::force);
    counts_.jacobian += has(need, Need::jacobian);
    counts_.curvature += has(need, Need::curvature);
    system_.evaluate(s, need, T);
  }
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const override {
    counts_.stiffness += has(parts, Parts::all);
    counts_.damping += has(parts, Parts::force);
    system_.tangent(s, w, mu, parts, D);
  }

  Level level(int row) const override { return system_.level(row); }
  std::span<const ContactLaw> contacts() const override { return system_.contacts(); }
  Energy energy(const State& s, Terms& work) const override { return system_.energy(s, work); }
  void position_scale(const State& s, Vec& scale) const override { system_.position_scale(s, scale); }
  void rate(const Vec& q, const Vec& v, Vec& qdot) const override { system_.rate(q, v, qdot); }
  void rate2(const Vec& q, const Vec& v, const Vec& vdot, Vec& qddot) const override {
    system_.rate2(q, v, vdot, qddot);
  }
  void normalize(Vec& q) const override { system_.normalize(q); }
  void retract(const Vec& q, const Vec& dx, Vec& q1) const override { system_.retract(q, dx, q1); }
  void difference(const Vec& q, const Vec& q1, Vec& dx) const override { system_.difference(q, q1, dx); }
  bool retract_tangent(const Vec& dx, Matrix& T) const override { return system_.retract_tangent(dx, T); }
  int derivatives(const State& s, int count, Mat& d) const override { return system_.derivatives(s, count, d); }

 private:
  const System& system_;
  mutable Counts counts_;
};

}  // namespace escapement
