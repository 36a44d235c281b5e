// The instructions of programs: basic operations, and fused ones that do several at once.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace escapement::inline math {

class Table;

using Register = std::uint32_t;

enum class Code : std::uint16_t {
  copy,
  add,
  subtract,
  multiply,
  divide,
  negate,
  square_root,
  sine_cosine,  // two results
  sine,
  cosine,
  tangent,
  arc_sine,
  arc_cosine,
  arc_tangent,
  hyperbolic_sine,
  hyperbolic_cosine,
  hyperbolic_tangent,
  exponential,
  logarithm,
  absolute,
  sign,
  table,
  arc_tangent2,
  power,
  minimum,
  maximum,
  less,
  less_equal,
  equal,
  not_equal,
  select,
};

constexpr std::size_t code_count = std::size_t(Code::select) + 1;

struct TableCall {
  std::shared_ptr<const Table> table;
  int order;
};

struct Instruction {
  Code code = Code::copy;
  std::uint16_t reads = 0, writes = 1;  // how many of the operands and targets are used
  std::uint32_t call = 0;               // table: which one
  std::array<Register, 3> operands{};
  std::array<Register, 2> targets{};
};

// Executed by jumping to its handler; see program_run.cpp.
struct FusedInstruction {
  const void* handler = nullptr;
  std::array<Register, 6> operands{};
  std::array<Register, 2> targets{};  // results: a register, an output, or a register and an output
  std::uint32_t call = 0;             // table: which one
};

// A program before registers are assigned: every result is a register of its own.
struct BasicProgram {
  std::uint32_t inputs = 0;
  std::vector<double> constants;
  std::vector<int> sources;  // of the constants, on the tape that recorded them; -1: none
  std::vector<TableCall> calls;
  std::vector<Instruction> code;
  std::vector<Register> outputs;
  Register registers = 0;  // constants, inputs, results in the order of the code

  Register first_input() const { return Register(constants.size()); }
  Register first_result() const { return first_input() + inputs; }
};

}  // namespace escapement
