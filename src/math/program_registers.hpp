// Many registers, each written once, to few that are used again after their last reading.
#pragma once

#include <span>
#include <vector>

#include "math/program_code.hpp"

namespace escapement::inline math {

// The registers one instruction reads and writes, to be renumbered in place.
struct RegisterUse {
  std::span<Register> reads, writes;
};

// Registers below first_result keep their numbers; those in keep stay valid to the end. Returns how many are needed.
Register assign_registers(std::span<RegisterUse> code, Register first_result, Register count, std::span<Register> keep);

}  // namespace escapement
