// A mechanism with the rows that its equations leave out: for judging starts and drift.
#pragma once

#include "model/mechanism.hpp"
#include "system/forwarding_system.hpp"

namespace escapement {

template <int D>
class EveryRow : public ForwardingSystem {
 public:
  explicit EveryRow(const Mechanism<D>& mechanism) : ForwardingSystem(mechanism), mechanism_(mechanism) {}

  void evaluate(const State& s, Need need, Terms& T) const override { mechanism_.evaluate_every_row(s, need, T); }

 private:
  const Mechanism<D>& mechanism_;
};

}  // namespace escapement
