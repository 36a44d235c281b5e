// The largest change of total energy, and drift, over the states it is shown.
#pragma once

#include "system/system.hpp"

namespace escapement::testing {

class EnergyWatch {
 public:
  explicit EnergyWatch(const System& system) : system_(system) { system.prepare(T_); }
  void operator()(const State& s) {
    const Energy e = system_.energy(s, T_);
    if (first_) initial_ = e.kinetic + e.potential;
    first_ = false;
    error = std::max(error, std::abs(e.kinetic + e.potential - initial_));
    kinetic = std::max(kinetic, e.kinetic);
    const int rows = system_.dim().bilateral;
    if (rows == 0) return;
    system_.evaluate(s, Need::gap | Need::jacobian, T_);
    position = std::max(position, T_.g.head(rows).cwiseAbs().maxCoeff());
    Vec v(system_.dim().rows());
    velocity_rows(T_, s.v, v);
    velocity = std::max(velocity, v.head(rows).cwiseAbs().maxCoeff());
  }
  double error = 0, kinetic = 0, position = 0, velocity = 0;

 private:
  const System& system_;
  Terms T_;
  bool first_ = true;
  double initial_ = 0;
};

}  // namespace escapement::testing
