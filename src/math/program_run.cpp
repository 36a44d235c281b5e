// Running a program: instructions are executed by jumping from handler to handler.
#include <cmath>
#include <stdexcept>

#include "math/copy_numbers.hpp"
#include "math/program.hpp"
#include "math/program_forms.hpp"
#include "math/program_fusion.hpp"
#include "math/program_lowering.hpp"
#include "math/program_registers.hpp"
#include "math/sine_cosine.hpp"
#include "math/table.hpp"

namespace escapement::inline math {
namespace {

double sign(double x) { return double(x > 0) - double(x < 0); }

// The basic operations in the order of Code, but for copy, sine_cosine and table.
// clang-format off
#define ESCAPEMENT_OPERATIONS(X)                                                                   \
  X(add, A + B) X(subtract, A - B) X(multiply, A * B) X(divide, A / B) X(negate, -A)               \
  X(square_root, std::sqrt(A)) X(sine, sine(A)) X(cosine, cosine(A)) X(tangent, std::tan(A)) \
  X(arc_sine, std::asin(A)) X(arc_cosine, std::acos(A)) X(arc_tangent, std::atan(A))               \
  X(hyperbolic_sine, std::sinh(A)) X(hyperbolic_cosine, std::cosh(A))                              \
  X(hyperbolic_tangent, std::tanh(A)) X(exponential, std::exp(A)) X(logarithm, std::log(A))        \
  X(absolute, std::abs(A)) X(sign, sign(A)) X(arc_tangent2, std::atan2(A, B))                      \
  X(power, std::pow(A, B)) X(minimum, B < A ? B : A) X(maximum, A < B ? B : A) X(less, A < B)      \
  X(less_equal, A <= B) X(equal, A == B) X(not_equal, A != B) X(select, A != 0 ? B : C)            \
  X(copy, A) X(table, calls[i->call].table->evaluate(A, calls[i->call].order))
// clang-format on

using Destinations = std::array<const void*, destination_count>;

}  // namespace

// addresses of the handlers; each operation has one for every destination
struct Program::Handlers {
  std::vector<Destinations> forms;
  std::array<Destinations, code_count> operations{};
  const void* two_angles = nullptr;
  Destinations end{};

  static const Handlers& all() {
    static const Handlers result = [] {
      Handlers list;
      execute(nullptr, nullptr, nullptr, nullptr, &list);
      return list;
    }();
    return result;
  }
};

#define A r[i->operands[0]]
#define B r[i->operands[1]]
#define C r[i->operands[2]]
#define D r[i->operands[3]]
#define E r[i->operands[4]]
#define F r[i->operands[5]]
#define ESCAPEMENT_NEXT goto*(++i)->handler

// instrumenting some hundred handlers that all may follow each other takes compilers minutes
#ifdef __clang__
#define ESCAPEMENT_NOT_INSTRUMENTED [[clang::no_sanitize("undefined", "coverage")]]
#else
#define ESCAPEMENT_NOT_INSTRUMENTED [[gnu::no_sanitize("undefined")]]
#endif

// runs the program; with list given it only tells the handlers' addresses, which no other function can name
ESCAPEMENT_NOT_INSTRUMENTED
void Program::execute(const Program* program, const double* in, double* out, double* r, Handlers* list) {
  if (list) {
#define ESCAPEMENT_LIST(label, form, expression) \
  list->forms.push_back({&&label##_register, &&label##_output, &&label##_both});
    ESCAPEMENT_FORMS(ESCAPEMENT_LIST)
#undef ESCAPEMENT_LIST
#define ESCAPEMENT_LIST(code, expression) \
  list->operations[std::size_t(Code::code)] = {&&code##_register, &&code##_output, &&code##_both};
    ESCAPEMENT_OPERATIONS(ESCAPEMENT_LIST)
#undef ESCAPEMENT_LIST
    list->operations[std::size_t(Code::sine_cosine)] = {&&sine_cosine};
    list->two_angles = &&two_angles;
    list->end = {&&finish};
    return;
  }
  const FusedInstruction* i = program->fused_;
  const TableCall* const calls = program->calls_;
  copy_numbers(in, program->inputs_, copy_numbers(program->constants_.data(), program->constants_.size(), r));
  copy_numbers(program->fixed_outputs_.data(), program->fixed_outputs_.size(), out);
  goto * i->handler;

#define ESCAPEMENT_HANDLE(label, form, expression)                   \
  label##_register : r[i->targets[0]] = expression;                  \
  ESCAPEMENT_NEXT;                                                   \
  label##_output : out[i->targets[0]] = expression;                  \
  ESCAPEMENT_NEXT;                                                   \
  label##_both : r[i->targets[0]] = out[i->targets[1]] = expression; \
  ESCAPEMENT_NEXT;
  ESCAPEMENT_FORMS(ESCAPEMENT_HANDLE)
#define ESCAPEMENT_HANDLE_OPERATION(code, expression) ESCAPEMENT_HANDLE(code, , expression)
  ESCAPEMENT_OPERATIONS(ESCAPEMENT_HANDLE_OPERATION)

sine_cosine: {
  const SineCosine both = sine_cosine(A);
  r[i->targets[0]] = both.sine;
  r[i->targets[1]] = both.cosine;
  ESCAPEMENT_NEXT;
}
two_angles: {
  Pair sines, cosines;
  sine_cosine(Pair{A, B}, sines, cosines);
  C = sines[0];
  D = cosines[0];
  E = sines[1];
  F = cosines[1];
  ESCAPEMENT_NEXT;
}
finish:
  return;
}

#undef A
#undef B
#undef C
#undef D
#undef E
#undef F

FusedInstruction Program::encode(const FusedOperation& operation) {
  FusedInstruction result;
  const Handlers& handlers = Handlers::all();
  const Destinations& destinations = operation.form >= 0 ? handlers.forms[std::size_t(operation.form)]
                                                         : handlers.operations[std::size_t(operation.code)];
  result.handler = destinations[std::size_t(operation.destination)];
  if (operation.two_angles) {  // what it writes stands behind what it reads
    result.handler = handlers.two_angles;
    std::ranges::copy(operation.writes, std::ranges::copy(operation.reads, result.operands.begin()).out);
    return result;
  }
  std::ranges::copy(operation.reads, result.operands.begin());
  const auto after = std::ranges::copy(operation.writes, result.targets.begin()).out;
  if (operation.destination != Destination::to_register) *after = operation.output;
  result.call = operation.call;
  return result;
}

Program::Program(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs) {
  BasicProgram basic = lower(graph, inputs, outputs);
  FusedProgram fused = fuse(basic, true);
  auto code = std::make_shared<Shared>();
  for (const FusedOperation& operation : fused.code) code->fused.push_back(encode(operation));
  code->fused.push_back({Handlers::all().end[0], {}, {}, 0});
  fixed_outputs_ = std::move(fused.fixed_outputs);
  code->fused_registers = fused.registers;

  std::vector<RegisterUse> uses;
  for (Instruction& i : basic.code)
    uses.push_back({std::span(i.operands).first(i.reads), std::span(i.targets).first(i.writes)});
  code->registers = assign_registers(uses, basic.first_result(), basic.registers, basic.outputs);
  inputs_ = basic.inputs;
  constants_ = std::move(basic.constants);
  code->sources = std::move(basic.sources);
  code->calls = std::move(basic.calls);
  code->basic = std::move(basic.code);
  code->outputs = std::move(basic.outputs);
  fused_ = code->fused.data();
  calls_ = code->calls.data();
  code_ = std::move(code);
}

Program Program::with(std::span<const double> values) const {
  Program other = *this;
  if (!code_) return other;
  for (std::size_t i = 0; i < constants_.size(); ++i)
    if (const int source = code_->sources[i]; source >= 0) other.constants_[i] = values[std::size_t(source)];
  for (std::size_t i = 0; i < fixed_outputs_.size(); ++i)
    if (code_->outputs[i] < constants_.size()) other.fixed_outputs_[i] = other.constants_[code_->outputs[i]];
  return other;
}

void Program::run(const double* in, double* out, double* scratch) const {
  if (fused_) execute(this, in, out, scratch, nullptr);
}

}  // namespace escapement
