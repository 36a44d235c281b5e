// Systems that may say of themselves that nothing works on them: their power is 0 wherever they are, and need not be asked for.
#pragma once

#include "system/system.hpp"

namespace escapement::inline system {

class EnergyKeeping {
 public:
  virtual ~EnergyKeeping() = default;
  virtual bool keeps_energy() const = 0;
  // evaluate() and energy() in one, where nothing works: what terms and energies have in common is computed once
  virtual Energy evaluate_with_energy(const State&, Need, Terms&) const = 0;
};

}  // namespace escapement
