#include "math/program_lowering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <stdexcept>
#include <unordered_map>

#include "math/product_sharing.hpp"

namespace escapement {
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

// A factor of products: the value of a node or of a derived quantity.
struct Factor {
  enum Kind { node, number, root, power, core } kind;  // core: a sum without the factor its terms have in common
  int id;                                              // of the node
  double value;                                        // of the number, or the exponent
  friend auto operator<=>(const Factor&, const Factor&) = default;
};

// sign * above / below, where below is the number divisor or a product
struct TermPlan {
  bool negative = false;
  std::size_t above = 0;  // product
  std::size_t below = 0;  // product, if has_below
  bool has_below = false;
  double divisor = 1;
};

// How a node's value is made. A sum: common * (constant + terms); a product: its only term.
struct Plan {
  double constant = 0;
  double common = 1;
  std::vector<TermPlan> terms;
  std::vector<int> needs;  // nodes whose values come first
};

class Lowering {
 public:
  Lowering(const ExpressionGraph& graph, std::span<const Expr> inputs) : graph_(graph) {
    result_.inputs = std::uint32_t(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) place_.emplace(inputs[i].id, Register(i));
    next_ = result_.inputs;
  }

  BasicProgram lower(std::span<const Expr> outputs) {
    plan(outputs);
    sharing_.share(int(factors_.size()));
    for (const Expr output : outputs) emit_tree(output.id);
    for (const Expr output : outputs) result_.outputs.push_back(place_.at(output.id));
    renumber();
    return std::move(result_);
  }

 private:
  // ---- planning: which nodes need values, and the factors of every product ----

  void plan(std::span<const Expr> outputs) {
    const std::vector<Expr> reachable = graph_.reachable(outputs);
    std::vector<int> needed;
    for (const Expr e : outputs) ++uses_[e.id], needed.push_back(e.id);
    for (const Expr e : reachable)
      for (const Term& term : graph_.node(e).operands()) ++uses_[term.operand.id];
    while (!needed.empty()) {
      const int id = needed.back();
      needed.pop_back();
      if (plans_.contains(id) || place_.contains(id)) continue;
      Plan made = make_plan(graph_.node({id}), id);
      needed.insert(needed.end(), made.needs.begin(), made.needs.end());
      plans_.emplace(id, std::move(made));
    }
  }

  Plan make_plan(const Node& node, int id) {
    Plan result;
    switch (node.op) {
      case Op::constant:
        break;
      case Op::variable:
        throw std::invalid_argument(fmt::format("the variable '{}' is not an input of the program", graph_.name({id})));
      case Op::linear:
        plan_sum(node, false, result);
        break;
      case Op::product:
        plan_term({id}, {}, true, result);
        break;
      default:
        if (node.op == Op::sin || node.op == Op::cos) {
          auto& pair = angles_[node.terms[0].operand.id];
          (node.op == Op::sin ? pair.first : pair.second) = id;
        }
        for (const Term& term : node.operands()) result.needs.push_back(term.operand.id);
    }
    return result;
  }

  // -1 times a sum that nobody else needs is the sum with other signs
  void plan_sum(const Node& node, bool negative, Plan& result) {
    const Node& inner = graph_.node(node.terms[0].operand);
    const bool is_negated_sum = node.count == 1 && node.value == 0 && node.terms[0].weight == Ratio{-1, 1} &&
                                inner.op == Op::linear && uses_.at(node.terms[0].operand.id) == 1;
    if (is_negated_sum) return plan_sum(inner, !negative, result);
    const double common = common_weight(node);
    result.constant = (negative ? -1 : 1) * node.value / common;
    result.common = common;
    for (const Term& term : node.operands()) {
      Ratio weight = term.weight;
      if (negative) weight.num = -weight.num;
      if (common != 1) weight.num = std::copysign(1, weight.num);
      plan_term(term.operand, weight, false, result);
    }
  }

  // the weight all terms have up to the sign, if they are several and it can be taken out
  static double common_weight(const Node& node) {
    const double first = std::abs(node.terms[0].weight.num);
    const auto alike = [&](const Term& term) { return std::abs(term.weight.num) == first && term.weight.den == 1; };
    const bool has_common = node.count > 1 && node.value == 0 && std::ranges::all_of(node.operands(), alike);
    return has_common ? first : 1;
  }

  void plan_term(Expr operand, Ratio weight, bool is_whole, Plan& result) {
    TermPlan term;
    term.negative = weight.num < 0;
    weight.num = std::abs(weight.num);
    double number = weight.den == 1 || weight.num != 1 ? weight.value() : 1;
    if (weight.den != 1 && weight.num == 1) term.divisor = weight.den;
    std::vector<int> above, below;
    const Node& node = graph_.node(operand);
    const auto is_below = [](const Term& f) { return !(f.weight.num > 0); };
    const bool open = node.op == Op::product &&
                      (is_whole || uses_.at(operand.id) == 1 || std::ranges::none_of(node.operands(), is_below));
    if (open) {
      for (const Term& f : node.operands())
        add_factor(f.operand, std::abs(f.weight.num), is_below(f) ? below : above, number, result);
    } else {
      add_factor(operand, 1, above, number, result);
    }
    if (number != 1 || above.empty()) above.push_back(factor({Factor::number, 0, number}));
    term.above = sharing_.add(std::move(above));
    term.has_below = !below.empty();
    if (term.has_below) term.below = sharing_.add(std::move(below));
    result.terms.push_back(term);
  }

  // operand ^ exponent as factors; a number it contains is multiplied into number
  void add_factor(Expr operand, double exponent, std::vector<int>& to, double& number, Plan& result) {
    constexpr double largest_expanded = 8;
    constexpr int deepest_core = 50;
    const Node& node = graph_.node(operand);
    const double common = node.op == Op::linear ? common_weight(node) : 1;
    if (common != 1 && exponent == 1 && uses_.at(operand.id) == 1 && core_depth_ < deepest_core) {
      number *= common;
      plans_.emplace(operand.id, core_plan(node, result));
      to.push_back(factor({Factor::core, operand.id, 0}));
      return;
    }
    result.needs.push_back(operand.id);
    const bool halves = 2 * exponent == std::trunc(2 * exponent);
    if (exponent > largest_expanded || !halves) {
      to.push_back(factor({Factor::power, operand.id, exponent}));
      return;
    }
    to.insert(to.end(), std::size_t(exponent), factor({Factor::node, operand.id, 0}));
    if (exponent != std::trunc(exponent)) to.push_back(factor({Factor::root, operand.id, 0}));
  }

  // the sum alone, whose common factor goes to the product it stands in
  Plan core_plan(const Node& node, Plan& user) {
    Plan result;
    ++core_depth_;
    plan_sum(node, false, result);
    --core_depth_;
    result.common = 1;
    user.needs.insert(user.needs.end(), result.needs.begin(), result.needs.end());
    return result;
  }

  int factor(const Factor& key) {
    const auto [place, added] = factor_index_.emplace(key, int(factors_.size()));
    if (added) factors_.push_back(key);
    return place->second;
  }

  // ---- emitting, operands first; the stack is explicit since graphs may be deep ----

  void emit_tree(int root) {
    std::vector<int> open{root};
    while (!open.empty()) {
      const int id = open.back();
      if (place_.contains(id)) {
        open.pop_back();
        continue;
      }
      const std::size_t before = open.size();
      const auto& needs = plans_.at(id).needs;
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
        place_[id] = emit_plan(plans_.at(id));
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
    const auto [sine, cosine] = angles_.at(node.terms[0].operand.id);
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

  Register emit_term(const TermPlan& term) { return finish_term(term, emit_product(sharing_.factors(term.above))); }

  // the sign goes into the term's number if it has one of its own
  Register emit_negative(const TermPlan& term) {
    std::vector<int> factors = sharing_.factors(term.above);
    const auto is_number = [&](int f) {
      return !sharing_.is_pair(f) && factors_[std::size_t(f)].kind == Factor::number;
    };
    const auto place = std::ranges::find_if(factors, is_number);
    if (place == factors.end()) return emit(Code::negate, emit_term(term));
    const Register negated = number(-factors_[std::size_t(*place)].value);
    factors.erase(place);
    const Register above = factors.empty() ? negated : emit(Code::multiply, emit_product(factors), negated);
    return finish_term(term, above);
  }

  Register finish_term(const TermPlan& term, Register value) {
    if (term.has_below) value = emit(Code::divide, value, emit_product(sharing_.factors(term.below)));
    return term.divisor == 1 ? value : emit(Code::divide, value, number(term.divisor));
  }

  Register emit_product(const std::vector<int>& factors) {
    Register product = none;
    for (const int f : factors)
      product = product == none ? emit_factor(f) : emit(Code::multiply, product, emit_factor(f));
    return product;
  }

  Register emit_factor(int f) {
    if (sharing_.is_pair(f)) {
      const auto [a, b] = sharing_.pair(f);
      const auto known = pair_place_.find(f);
      if (known != pair_place_.end()) return known->second;
      const Register left = emit_factor(a), right = emit_factor(b);
      return pair_place_[f] = emit(Code::multiply, left, right);
    }
    const Factor& key = factors_[std::size_t(f)];
    switch (key.kind) {
      case Factor::node:
        return place_.at(key.id);
      case Factor::number:
        return number(key.value);
      case Factor::root:
        return emit(Code::square_root, place_.at(key.id));
      case Factor::power:
        return emit_power(place_.at(key.id), key.value);
      default:
        return emit_core(key.id);
    }
  }

  Register emit_core(int id) {
    const auto known = core_place_.find(id);
    return known != core_place_.end() ? known->second : core_place_[id] = emit_sum(plans_.at(id));
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

  Register number(double value) {
    const auto [known, added] =
        number_place_.emplace(std::bit_cast<std::uint64_t>(value), constant_mark + Register(result_.constants.size()));
    if (added) result_.constants.push_back(value);
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
  BasicProgram result_;
  Register next_ = 0;
  int core_depth_ = 0;
  std::unordered_map<int, Register> place_;              // node -> register
  std::unordered_map<int, int> uses_;                    // node -> number of users
  std::unordered_map<int, Plan> plans_;                  // node -> how to make it
  std::unordered_map<int, std::pair<int, int>> angles_;  // angle -> its sine and cosine, 0 when not needed
  std::map<Factor, int> factor_index_;
  std::vector<Factor> factors_;
  ProductSharing sharing_;
  std::unordered_map<int, Register> pair_place_, core_place_;
  std::unordered_map<std::uint64_t, Register> number_place_;
  std::map<std::array<Register, 3>, Register> emitted_;
};

}  // namespace

BasicProgram lower(const ExpressionGraph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs) {
  return Lowering(graph, inputs).lower(outputs);
}

}  // namespace escapement
