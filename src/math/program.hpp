// Expressions compiled for repeated evaluation: a flat program over an array of registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "math/expression.hpp"

namespace escapement {

// Basic operations; the operand registers are a, b, c.
enum class Code : std::uint8_t {
  copy,
  add,
  subtract,
  multiply,
  divide,
  negate,
  square_root,
  sine_cosine,  // to target and second
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
  table,  // c: index of the call
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

struct Instruction {
  Code code;
  std::uint32_t target = 0, second = 0;  // registers written
  std::uint32_t a = 0, b = 0, c = 0;     // registers read
};

// Immutable after construction and shareable between threads; each thread brings its own scratch.
class Program {
 public:
  Program() = default;
  // throws std::invalid_argument when an output depends on a variable that is no input
  Program(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs);

  std::size_t input_count() const { return inputs_; }
  std::size_t output_count() const { return outputs_.size(); }

  // out[i] = output i; allocates nothing; in and out may be the same array, scratch may not
  void run(const double* in, double* out, double* scratch) const;
  std::size_t scratch_size() const { return registers_; }

  // The same in truncated Taylor arithmetic: variable i is the polynomial sum_k in[i * (order + 1) + k] h^k, likewise
  // the outputs. Coefficient k is the k-th derivative divided by k!.
  void run_taylor(int order, const double* in, double* out, double* scratch) const;
  std::size_t taylor_scratch_size(int order) const;

  std::size_t instruction_count() const { return code_.size(); }

 private:
  friend class Compiler;
  struct TableCall {
    std::shared_ptr<const Table> table;
    int order;
  };

  // registers: inputs, then constants, then results
  std::size_t inputs_ = 0, registers_ = 0;
  std::vector<double> constants_;
  std::vector<Instruction> code_;
  std::vector<std::uint32_t> outputs_;  // register of each output
  std::vector<TableCall> calls_;
};

}  // namespace escapement
