#include "math/program_lowering.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "math/program_plan.hpp"

namespace escapement::inline math {
namespace {

constexpr Register none = ~Register(0);

// registers get their final numbers when the number of constants is known: constants count from here until then
constexpr Register constant_mark = Register(1) << 31;

Code code_of(Op op) {
  switch (op) {
    case Op::power:
      return Code::power;
    case Op::sin:
      return Code::sine;
    case Op::cos:
      return Code::cosine;
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
    case Op::table:
      return Code::table;
    case Op::atan2:
      return Code::arc_tangent2;
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

class Lowering {
 public:
  Lowering(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs)
      : graph_(graph), plan_(graph, inputs, outputs) {
    result_.inputs = std::uint32_t(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) place_.emplace(inputs[i].id, Register(i));
    next_ = result_.inputs;
  }

  BasicProgram lower(std::span<const Expr> outputs) {
    for (const Expr output : outputs) emit_tree(output.id);
    for (const Expr output : outputs) result_.outputs.push_back(place_.at(output.id));
    renumber();
    return std::move(result_);
  }

 private:
  // operands first; the stack is explicit since graphs may be deep
  void emit_tree(int root) {
    std::vector<int> open{root};
    while (!open.empty()) {
      const int id = open.back();
      if (place_.contains(id)) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      const auto& needs = plan_.node(id).needs;
      for (auto need = needs.rbegin(); need != needs.rend(); ++need)
        if (!place_.contains(*need)) open.push_back(*need);
      if (open.size() > before) continue;
      emit_node(id);
      open.pop_back();
    }
  }

  void emit_node(int id) {
    const Node& node = graph_.node({id});
    const auto at = [&](std::size_t i) { return place_.at(node.terms[i].operand.id); };
    switch (node.op) {
      case Op::constant:
        place_[id] = number(node.value);
        break;
      case Op::linear:
      case Op::product:
        place_[id] = emit_plan(plan_.node(id));
        break;
      case Op::sin:
      case Op::cos:
        emit_angle(node, id);
        break;
      case Op::table:
        result_.calls.push_back({graph_.table(node.symbol), node.order});
        place_[id] = push({Code::table, 1, 1, std::uint32_t(result_.calls.size()) - 1, {at(0)}, {}});
        break;
      default:
        place_[id] = node.count == 1   ? emit(code_of(node.op), at(0))
                     : node.count == 2 ? emit(code_of(node.op), at(0), at(1))
                                       : push({code_of(node.op), 3, 1, 0, {at(0), at(1), at(2)}, {}});
    }
  }

  void emit_angle(const Node& node, int id) {
    const Register angle = place_.at(node.terms[0].operand.id);
    const auto [sine, cosine] = plan_.angle(node.terms[0].operand.id);
    if (sine == 0 || cosine == 0) {
      place_[id] = emit(code_of(node.op), angle);
      return;
    }
    place_[sine] = push({Code::sine_cosine, 1, 2, 0, {angle}, {}});
    place_[cosine] = place_[sine] + 1;
  }

  Register emit_plan(const Plan& plan) {
    Register sum = emit_sum(plan);
    return plan.common == 1 ? sum : emit(Code::multiply, sum, number(plan.common));
  }

  // what is added comes first, so that a negation is needed only when everything is subtracted
  Register emit_sum(const Plan& plan) {
    Register sum = none;
    for (const TermPlan& term : plan.terms)
      if (!term.negative) sum = sum == none ? emit_term(term) : emit(Code::add, sum, emit_term(term));
    if (plan.constant > 0 || (sum == none && plan.constant != 0)) {
      const Register constant = number(plan.constant);
      sum = sum == none ? constant : emit(Code::add, sum, constant);
    } else if (!(plan.constant == 0)) {
      sum = emit(Code::subtract, sum, number(-plan.constant));
    }
    for (const TermPlan& term : plan.terms) {
      if (!term.negative) continue;
      sum = sum == none ? emit_negative(term) : emit(Code::subtract, sum, emit_term(term));
    }
    return sum;
  }

  Register emit_term(const TermPlan& term) { return finish_term(term, emit_product(plan_.factors(term.above))); }

  // the sign goes into the term's number if it has one of its own
  Register emit_negative(const TermPlan& term) {
    std::vector<int> factors = plan_.factors(term.above);
    const auto is_number = [&](int f) { return !plan_.is_pair(f) && plan_.factor(f).kind == Factor::number; };
    const auto place = std::ranges::find_if(factors, is_number);
    if (place == factors.end()) return emit(Code::negate, emit_term(term));
    const Register negated = number(-plan_.factor(*place).value);
    factors.erase(place);
    const Register above = factors.empty() ? negated : emit(Code::multiply, emit_product(factors), negated);
    return finish_term(term, above);
  }

  Register finish_term(const TermPlan& term, Register value) {
    if (term.has_below) value = emit(Code::divide, value, emit_product(plan_.factors(term.below)));
    return term.divisor == 1 ? value : emit(Code::divide, value, number(term.divisor));
  }

  Register emit_product(const std::vector<int>& factors) {
    Register product = none;
    for (const int f : factors)
      product = product == none ? emit_factor(f) : emit(Code::multiply, product, emit_factor(f));
    return product;
  }

  Register emit_factor(int f) {
    if (plan_.is_pair(f)) {
      const auto [a, b] = plan_.pair(f);
      const auto known = pair_place_.find(f);
      if (known != pair_place_.end()) return known->second;
      const Register left = emit_factor(a), right = emit_factor(b);
      return pair_place_[f] = emit(Code::multiply, left, right);
    }
    const Factor& key = plan_.factor(f);
    switch (key.kind) {
      case Factor::node:
        return place_.at(key.id);
      case Factor::number:
        return number(key.value);
      case Factor::root:
        return emit(Code::square_root, place_.at(key.id));
      case Factor::power:
        return emit_power(place_.at(key.id), key.value.fixed());
      default:
        return emit_core(key.id);
    }
  }

  Register emit_core(int id) {
    const auto known = core_place_.find(id);
    return known != core_place_.end() ? known->second : core_place_[id] = emit_sum(plan_.node(id));
  }

  // by repeated squaring where the exponent is a moderate integer
  Register emit_power(Register base, double exponent) {
    constexpr double largest_integer = 1024;
    if (exponent > largest_integer || exponent != std::trunc(exponent))
      return emit(Code::power, base, number(exponent));
    Register result = none, square = base;
    for (auto n = unsigned(exponent); n > 0; n >>= 1) {
      if (n & 1) result = result == none ? square : emit(Code::multiply, result, square);
      if (n > 1) square = emit(Code::multiply, square, square);
    }
    return result;
  }

  Register number(TracedNumber value) {
    value.note();
    const auto [known, added] = number_place_.emplace(std::bit_cast<std::uint64_t>(value.plain()),
                                                      constant_mark + Register(result_.constants.size()));
    if (added) {
      result_.constants.push_back(value.plain());
      result_.sources.push_back(value.source());
    }
    return known->second;
  }

  // equal operations on equal registers are done once
  Register emit(Code code, Register a) {
    const auto [known, added] = emitted_.emplace(std::array{Register(code), a, none}, next_);
    return added ? push({code, 1, 1, 0, {a}, {}}) : known->second;
  }
  Register emit(Code code, Register a, Register b) {
    if ((code == Code::add || code == Code::multiply) && b < a) std::swap(a, b);
    const auto [known, added] = emitted_.emplace(std::array{Register(code), a, b}, next_);
    return added ? push({code, 2, 1, 0, {a, b}, {}}) : known->second;
  }

  Register push(Instruction instruction) {
    const Register target = next_;
    for (std::size_t i = 0; i < instruction.writes; ++i) instruction.targets[i] = next_++;
    result_.code.push_back(instruction);
    return target;
  }

  void renumber() {
    const auto constants = Register(result_.constants.size());
    const auto change = [&](Register& r) { r = r >= constant_mark ? r - constant_mark : r + constants; };
    for (Instruction& i : result_.code) {
      for (std::size_t k = 0; k < i.reads; ++k) change(i.operands[k]);
      for (std::size_t k = 0; k < i.writes; ++k) change(i.targets[k]);
    }
    for (Register& r : result_.outputs) change(r);
    result_.registers = next_ + constants;
  }

  const ExpressionGraph& graph_;
  const ProgramPlan plan_;
  BasicProgram result_;
  Register next_ = 0;
  std::unordered_map<int, Register> place_;  // node -> register
  std::unordered_map<int, Register> pair_place_, core_place_;
  std::unordered_map<std::uint64_t, Register> number_place_;
  std::map<std::array<Register, 3>, Register> emitted_;
};

}  // namespace

BasicProgram lower(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs) {
  return Lowering(graph, inputs, outputs).lower(outputs);
}

}  // namespace escapement
