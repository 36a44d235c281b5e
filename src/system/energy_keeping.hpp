// Systems that may say of themselves that nothing works on them: their power is 0 wherever they are, and need not be asked for.
#pragma once

namespace escapement::inline system {

class EnergyKeeping {
 public:
  virtual ~EnergyKeeping() = default;
  virtual bool keeps_energy() const = 0;
};

}  // namespace escapement
