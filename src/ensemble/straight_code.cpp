#include "ensemble/straight_code.hpp"

#include <algorithm>

#include "math/program_lowering.hpp"

namespace escapement::inline ensemble {

namespace {

constexpr Register nowhere = ~Register(0);

// takes the instructions of one program that are wanted, in order, into another with its own registers
class Part {
 public:
  Part(const BasicProgram& whole, std::uint32_t inputs) : whole_(whole), place_(whole.registers, nowhere) {
    part_.inputs = inputs;
    part_.constants = whole.constants;
    part_.calls = whole.calls;
    part_.registers = part_.first_result();
    for (Register r = 0; r < whole.first_input(); ++r) place_[r] = r;
  }
  void input(Register r, std::uint32_t at) { place_[r] = part_.first_input() + at; }
  void take(Instruction i) {
    for (std::size_t k = 0; k < i.reads; ++k) i.operands[k] = place_[i.operands[k]];
    for (std::size_t k = 0; k < i.writes; ++k) i.targets[k] = place_[i.targets[k]] = part_.registers++;
    part_.code.push_back(i);
  }
  void output(Register r) { part_.outputs.push_back(place_[r]); }
  BasicProgram take_all() { return std::move(part_); }

 private:
  const BasicProgram& whole_;
  BasicProgram part_;
  std::vector<Register> place_;
};

}  // namespace

bool StraightCode::is_zero(std::size_t output) const {
  const Register r = every.outputs[output];
  return r < every.first_input() && every.constants[r] == 0;
}

StraightCode make_straight_code(const ExpressionGraph& graph, std::span<const Expr> state,
                                std::span<const Expr> parameters, std::span<const Expr> outputs) {
  std::vector<Expr> inputs(state.begin(), state.end());
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  const BasicProgram whole = lower(graph, inputs, outputs);
  const Register first_parameter = whole.first_input() + Register(state.size());

  std::vector<bool> varies(whole.registers, false);
  for (Register r = whole.first_input(); r < first_parameter; ++r) varies[r] = true;
  for (const Instruction& i : whole.code)
    for (std::size_t k = 0; k < i.reads; ++k)
      if (varies[i.operands[k]])
        for (std::size_t l = 0; l < i.writes; ++l) varies[i.targets[l]] = true;
  const auto is_varying = [&](const Instruction& i) { return varies[i.targets[0]]; };

  // values that the varying part reads of the other
  std::vector<Register> kept;
  const auto keep = [&](Register r) {
    if (r >= first_parameter && !varies[r] && std::find(kept.begin(), kept.end(), r) == kept.end()) kept.push_back(r);
  };
  for (const Instruction& i : whole.code)
    if (is_varying(i))
      for (std::size_t k = 0; k < i.reads; ++k) keep(i.operands[k]);
  for (const Register r : whole.outputs) keep(r);

  Part once(whole, std::uint32_t(parameters.size())), every(whole, std::uint32_t(state.size() + kept.size()));
  for (std::uint32_t p = 0; p < parameters.size(); ++p) once.input(first_parameter + p, p);
  for (std::uint32_t i = 0; i < state.size(); ++i) every.input(whole.first_input() + i, i);
  for (std::uint32_t k = 0; k < kept.size(); ++k) every.input(kept[k], std::uint32_t(state.size()) + k);
  for (const Instruction& i : whole.code) (is_varying(i) ? every : once).take(i);
  for (const Register r : kept) once.output(r);
  for (const Register r : whole.outputs) every.output(r);
  return {once.take_all(), every.take_all()};
}

}  // namespace escapement
