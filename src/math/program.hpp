// Expressions compiled for repeated evaluation: a flat program over an array of registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "math/expression.hpp"
#include "math/program_code.hpp"

namespace escapement::inline math {

struct FusedOperation;

// Immutable after construction and shareable between threads; each thread brings its own scratch.
class Program {
 public:
  Program() = default;
  // throws std::invalid_argument when an output depends on a variable that is no input
  Program(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs);

  std::size_t input_count() const { return inputs_; }
  std::size_t output_count() const { return code_ ? code_->outputs.size() : 0; }

  // out[i] = output i; allocates nothing; in and out may be the same array, scratch may not
  void run(const double* in, double* out, double* scratch) const;
  std::size_t scratch_size() const { return code_ ? code_->fused_registers : 0; }

  // The same in truncated Taylor arithmetic: variable i is the polynomial sum_k in[i * (order + 1) + k] h^k, likewise
  // the outputs. Coefficient k is the k-th derivative divided by k!.
  void run_taylor(int order, const double* in, double* out, double* scratch) const;
  std::size_t taylor_scratch_size(int order) const;

  // operations before fusing, and instructions after it
  std::size_t operation_count() const { return code_ ? code_->basic.size() : 0; }
  std::size_t instruction_count() const { return code_ ? code_->fused.size() - 1 : 0; }

  // the same for other numbers, one that was made while a NumberTape was recording; values: of every place of that tape
  Program with(std::span<const double> values) const;

 private:
  struct Handlers;
  // what programs that differ in their numbers alone share
  struct Shared {
    // one operation per instruction; registers: constants, then inputs, then results
    std::vector<Instruction> basic;
    std::vector<std::uint32_t> outputs;  // register of each output
    std::size_t registers = 0;
    // the same with several operations per instruction; results that are outputs go there directly
    std::vector<FusedInstruction> fused;
    std::size_t fused_registers = 0;
    std::vector<TableCall> calls;
    std::vector<int> sources;  // of the constants on a tape
  };
  static void execute(const Program* program, const double* in, double* out, double* r, Handlers* list);
  static FusedInstruction encode(const FusedOperation& operation);

  std::shared_ptr<const Shared> code_;
  const FusedInstruction* fused_ = nullptr;  // of the code
  const TableCall* calls_ = nullptr;
  std::size_t inputs_ = 0;
  std::vector<double> constants_;
  std::vector<double> fixed_outputs_;  // what constant outputs are, 0 for the others; empty when all vary
};

}  // namespace escapement
