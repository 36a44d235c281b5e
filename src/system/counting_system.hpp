// A system that counts what it is asked for: the work of [000] Table 2.
#pragma once

#include "system/forwarding_system.hpp"

namespace escapement::inline system {

struct Counts {
  long mass = 0, force = 0, jacobian = 0, curvature = 0, stiffness = 0, damping = 0;
  // [000] Table 2 adds everything but the mass matrix
  long work(long linear_solves) const { return force + jacobian + curvature + stiffness + damping + linear_solves; }
};

// counts inside const calls: one decorator per run, not to be shared between threads
class CountingSystem : public ForwardingSystem {
 public:
  using ForwardingSystem::ForwardingSystem;

  const Counts& counts() const { return counts_; }
  void reset() { counts_ = {}; }
  void set(const Counts& counts) { counts_ = counts; }  // goes on counting from here

  void evaluate(const State& s, Need need, Terms& T) const override {
    counts_.mass += has(need, Need::mass);
    counts_.force += has(need, Need::force);
    counts_.jacobian += has(need, Need::jacobian);
    counts_.curvature += has(need, Need::curvature);
    base_.evaluate(s, need, T);
  }
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const override {
    counts_.stiffness += has(parts, Parts::all);
    counts_.damping += has(parts, Parts::force);
    base_.tangent(s, w, mu, parts, D);
  }

 private:
  mutable Counts counts_;
};

}  // namespace escapement
