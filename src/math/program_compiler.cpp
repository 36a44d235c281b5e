// From an expression graph to a flat program.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "math/program.hpp"
#include "math/table.hpp"

namespace escapement {
namespace {

constexpr std::uint32_t none = 0xffffffffu;

Code code_of(Op op) {
  switch (op) {
    case Op::tan:
      return Code::tangent;
    case Op::asin:
      return Code::arc_sine;
    case Op::acos:
      return Code::arc_cosine;
    case Op::atan:
      return Code::arc_tangent;
    case Op::sinh:
      return Code::hyperbolic_sine;
    case Op::cosh:
      return Code::hyperbolic_cosine;
    case Op::tanh:
      return Code::hyperbolic_tangent;
    case Op::exp:
      return Code::exponential;
    case Op::log:
      return Code::logarithm;
    case Op::abs:
      return Code::absolute;
    case Op::sign:
      return Code::sign;
    case Op::atan2:
      return Code::arc_tangent2;
    case Op::power:
      return Code::power;
    case Op::min:
      return Code::minimum;
    case Op::max:
      return Code::maximum;
    case Op::less:
      return Code::less;
    case Op::less_equal:
      return Code::less_equal;
    case Op::equal:
      return Code::equal;
    case Op::not_equal:
      return Code::not_equal;
    case Op::select:
      return Code::select;
    default:
      throw std::logic_error("an operation that is not a single instruction");
  }
}

}  // namespace

class Compiler {
 public:
  Compiler(const ExpressionGraph& graph, Program& program) : graph_(graph), program_(program) {}

  void compile(std::span<const Expr> inputs, std::span<const Expr> outputs) {
    program_.inputs_ = inputs.size();
    for (std::size_t i = 0; i < inputs.size(); ++i) place_.emplace(inputs[i].id, std::uint32_t(i));
    next_ = std::uint32_t(inputs.size());
    find_pairs(outputs);
    for (const Expr output : outputs) lower_tree(output);
    for (const Expr output : outputs) program_.outputs_.push_back(place_.at(output.id));
    assign_registers();
  }

 private:
  // arguments of which both sine and cosine are needed
  void find_pairs(std::span<const Expr> outputs) {
    std::unordered_map<int, int> kinds;
    for (const Expr e : graph_.reachable(outputs)) {
      const Node& node = graph_.node(e);
      if (node.op != Op::sin && node.op != Op::cos) continue;
      auto& other = partner_[node.terms[0].operand.id];
      (node.op == Op::sin ? other.first : other.second) = e;
    }
  }

  // operands first, the deepest use of the stack being the depth of the graph, not of recursion
  void lower_tree(Expr root) {
    std::vector<Expr> open{root};
    while (!open.empty()) {
      const Expr e = open.back();
      if (place_.contains(e.id)) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      const auto operands = graph_.node(e).operands();
      for (auto term = operands.rbegin(); term != operands.rend(); ++term)
        if (!place_.contains(term->operand.id)) open.push_back(term->operand);
      if (open.size() > before) continue;
      lower(e);
      open.pop_back();
    }
  }

  void lower(Expr e) {
    const Node& node = graph_.node(e);
    switch (node.op) {
      case Op::constant:
        place_[e.id] = constant(node.value);
        break;
      case Op::variable:
        throw std::invalid_argument(fmt::format("the variable '{}' is not an input of the program", graph_.name(e)));
      case Op::linear:
        place_[e.id] = lower_linear(node);
        break;
      case Op::product:
        place_[e.id] = lower_product(node);
        break;
      case Op::sin:
      case Op::cos:
        lower_sine(node, e);
        break;
      case Op::table:
        place_[e.id] = lower_table(node);
        break;
      default: {
        const auto at = [&](std::size_t i) { return i < node.count ? place(node.terms[i].operand) : none; };
        place_[e.id] = emit(code_of(node.op), at(0), at(1), at(2));
      }
    }
  }

  std::uint32_t place(Expr e) const { return place_.at(e.id); }

  std::uint32_t constant(double value) {
    const auto [known, added] = constant_place_.emplace(std::bit_cast<std::uint64_t>(value), next_);
    if (added) constants_.emplace_back(next_++, value);
    return known->second;
  }

  // equal operations on equal registers are done once
  std::uint32_t emit(Code code, std::uint32_t a, std::uint32_t b = none, std::uint32_t c = none) {
    if ((code == Code::add || code == Code::multiply) && b < a) std::swap(a, b);
    const auto [known, added] = emitted_.emplace(std::array<std::uint32_t, 4>{std::uint32_t(code), a, b, c}, next_);
    if (added) program_.code_.push_back({code, next_++, none, a, b, c});
    return known->second;
  }

  std::uint32_t scaled(std::uint32_t value, Ratio weight) {
    if (weight.den == 1) return weight.num == 1 ? value : emit(Code::multiply, value, constant(weight.num));
    if (weight.num == 1) return emit(Code::divide, value, constant(weight.den));
    return emit(Code::multiply, value, constant(weight.value()));
  }

  std::uint32_t lower_linear(const Node& node) {
    std::uint32_t result = none;
    // what is added comes first, so that a negation is needed only when everything is subtracted
    const auto include = [&](bool negative) {
      for (const Term& term : node.operands()) {
        Ratio weight = term.weight;
        if ((weight.num < 0) != negative) continue;
        weight.num = std::abs(weight.num);
        const std::uint32_t part = scaled(place(term.operand), weight);
        if (result == none)
          result = negative ? emit(Code::negate, part) : part;
        else
          result = emit(negative ? Code::subtract : Code::add, result, part);
      }
    };
    include(false);
    if (node.value > 0) result = result == none ? constant(node.value) : emit(Code::add, result, constant(node.value));
    include(true);
    if (node.value == 0 || node.value > 0) return result;
    return emit(Code::add, result, constant(node.value));
  }

  std::uint32_t lower_product(const Node& node) {
    std::uint32_t above = none, below = none;
    for (const Term& factor : node.operands()) {
      std::uint32_t& side = factor.weight.num > 0 ? above : below;
      const std::uint32_t part = lower_power(place(factor.operand), std::abs(factor.weight.num));
      side = side == none ? part : emit(Code::multiply, side, part);
    }
    if (below == none) return above;
    return emit(Code::divide, above == none ? constant(1) : above, below);
  }

  // integers and halves by multiplication
  std::uint32_t lower_power(std::uint32_t base, double exponent) {
    constexpr double largest = 64;
    if (!(exponent <= largest) || 2 * exponent != std::trunc(2 * exponent))
      return emit(Code::power, base, constant(exponent));
    std::uint32_t result = none, square = base;
    const auto include = [&](std::uint32_t part) {
      result = result == none ? part : emit(Code::multiply, result, part);
    };
    if (exponent != std::trunc(exponent)) include(emit(Code::square_root, base));
    for (auto n = unsigned(exponent); n > 0; n >>= 1) {
      if (n & 1) include(square);
      if (n > 1) square = emit(Code::multiply, square, square);
    }
    return result;
  }

  void lower_sine(const Node& node, Expr e) {
    const Expr argument = node.terms[0].operand;
    const auto [sine, cosine] = partner_.at(argument.id);
    if (graph_.is_zero(sine) || graph_.is_zero(cosine)) {
      place_[e.id] = emit(node.op == Op::sin ? Code::sine : Code::cosine, place(argument));
      return;
    }
    program_.code_.push_back({Code::sine_cosine, next_, next_ + 1, place(argument), none, none});
    place_[sine.id] = next_++;
    place_[cosine.id] = next_++;
  }

  std::uint32_t lower_table(const Node& node) {
    program_.calls_.push_back({graph_.table(node.symbol), node.order});
    program_.code_.push_back(
        {Code::table, next_, none, place(node.terms[0].operand), none, std::uint32_t(program_.calls_.size()) - 1});
    return next_++;
  }

  // virtual registers to few real ones: inputs, constants, then results, each reused after its last use
  void assign_registers() {
    std::vector<std::uint32_t> real(next_, none);
    const auto inputs = std::uint32_t(program_.inputs_);
    for (std::uint32_t i = 0; i < inputs; ++i) real[i] = i;
    for (const auto& [place, value] : constants_) {
      real[place] = inputs + std::uint32_t(program_.constants_.size());
      program_.constants_.push_back(value);
    }
    const std::uint32_t first = inputs + std::uint32_t(constants_.size());
    std::vector<std::size_t> last_use(next_, 0);
    const auto reads = [](const Instruction& i) {
      return std::array<std::uint32_t, 3>{i.a, i.b, i.code == Code::table ? none : i.c};
    };
    for (std::size_t i = 0; i < program_.code_.size(); ++i)
      for (const std::uint32_t r : reads(program_.code_[i]))
        if (r != none) last_use[r] = i;
    for (const std::uint32_t r : program_.outputs_) last_use[r] = program_.code_.size();

    std::vector<std::uint32_t> free;
    std::uint32_t used = first;
    const auto allocate = [&](std::uint32_t r) {
      if (free.empty()) return real[r] = used++;
      real[r] = free.back();
      free.pop_back();
      return real[r];
    };
    for (std::size_t i = 0; i < program_.code_.size(); ++i) {
      Instruction& instruction = program_.code_[i];
      const auto read = reads(instruction);
      for (std::size_t k = 0; k < read.size(); ++k) {
        const std::uint32_t r = read[k];
        if (r == none) continue;
        const bool repeated = std::find(read.begin(), read.begin() + long(k), r) != read.begin() + long(k);
        if (last_use[r] == i && real[r] >= first && !repeated) free.push_back(real[r]);
      }
      for (std::uint32_t* r : {&instruction.a, &instruction.b, &instruction.c})
        if (*r != none && !(instruction.code == Code::table && r == &instruction.c)) *r = real[*r];
      instruction.target = allocate(instruction.target);
      if (instruction.second != none) instruction.second = allocate(instruction.second);
    }
    for (std::uint32_t& r : program_.outputs_) r = real[r];
    program_.registers_ = used;
  }

  const ExpressionGraph& graph_;
  Program& program_;
  std::uint32_t next_ = 0;                                  // next virtual register
  std::unordered_map<int, std::uint32_t> place_;            // node -> virtual register
  std::unordered_map<int, std::pair<Expr, Expr>> partner_;  // argument -> its sine and cosine, 0 when not needed
  std::unordered_map<std::uint64_t, std::uint32_t> constant_place_;
  std::vector<std::pair<std::uint32_t, double>> constants_;
  std::map<std::array<std::uint32_t, 4>, std::uint32_t> emitted_;
};

Program::Program(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs) {
  Compiler(graph, *this).compile(inputs, outputs);
}

}  // namespace escapement
