// Basic operations gathered into fused instructions.
#pragma once

#include <array>
#include <vector>

#include "math/program_code.hpp"

namespace escapement::inline math {

// Where a result goes: a register, an output, or first a register and second an output.
enum class Destination : std::uint8_t { to_register, to_output, to_both };
constexpr std::size_t destination_count = 3;

// One fused instruction before its handler is known: either a form (several additions, subtractions,
// multiplications) or a single basic operation.
struct FusedOperation {
  int form = -1;  // index in the list of forms, -1 for a basic operation
  Code code = Code::copy;
  Destination destination = Destination::to_register;
  bool two_angles = false;  // sines and cosines of two angles: reads these, writes both of the first, both of the second
  std::uint32_t call = 0;
  std::vector<Register> reads, writes;
  Register output = 0;  // where the destination has one
};

struct FusedProgram {
  std::vector<FusedOperation> code;
  std::vector<double> fixed_outputs;  // what constant outputs are, 0 for the others; empty when all vary
  Register registers = 0;
};

// A result that is an output is written there by its own instruction; an output that is an input, or equal to another
// one, is copied at the end. pair_angles: sines and cosines come first, two angles at once
FusedProgram fuse(const BasicProgram& basic, bool pair_angles = false);

}  // namespace escapement
