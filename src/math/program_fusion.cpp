#include "math/program_fusion.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "math/program_forms.hpp"
#include "math/program_registers.hpp"

namespace escapement::inline math {
namespace {

constexpr std::size_t nowhere = ~std::size_t(0);
constexpr int deepest_form = 3;

const std::unordered_map<std::string_view, int>& form_index() {
  static const auto index = [] {
    std::unordered_map<std::string_view, int> result;
    int next = 0;
#define ESCAPEMENT_ENTER(label, form, expression) result.emplace(form, next++);
    ESCAPEMENT_FORMS(ESCAPEMENT_ENTER)
#undef ESCAPEMENT_ENTER
    return result;
  }();
  return index;
}

char sign_of(Code code) {
  return code == Code::add ? '+' : code == Code::subtract ? '-' : code == Code::multiply ? '*' : '\0';
}

// one way to write a value: its form, the registers in place of the dots, the operations inside
struct FusedShape {
  std::string form = ".";
  std::vector<Register> operands;
  std::vector<std::size_t> inside;
};

class Fusion {
 public:
  explicit Fusion(const BasicProgram& basic)
      : basic_(basic), made_by_(basic.registers, nowhere), uses_(basic.registers) {
    for (std::size_t i = 0; i < basic.code.size(); ++i) {
      const Instruction& instruction = basic.code[i];
      for (std::size_t k = 0; k < instruction.writes; ++k) made_by_[instruction.targets[k]] = i;
      for (std::size_t k = 0; k < instruction.reads; ++k) ++uses_[instruction.operands[k]];
    }
    for (const Register r : basic.outputs) ++uses_[r];
  }

  FusedProgram fuse(bool pair_angles) {
    gather();
    place_outputs();
    if (pair_angles) pair_up_angles();
    assign();
    return std::move(result_);
  }

 private:
  // from the last operation to the first: each takes in as many single-use operands as a form allows
  void gather() {
    std::vector<bool> absorbed(basic_.code.size(), false);
    for (std::size_t i = basic_.code.size(); i-- > 0;) {
      if (absorbed[i]) continue;
      const Instruction& instruction = basic_.code[i];
      FusedOperation operation;
      operation.code = instruction.code;
      operation.call = instruction.call;
      operation.reads.assign(instruction.operands.begin(), instruction.operands.begin() + instruction.reads);
      operation.writes.assign(instruction.targets.begin(), instruction.targets.begin() + instruction.writes);
      if (sign_of(instruction.code)) {
        FusedShape best;
        for (FusedShape& shape : shapes_of(i, deepest_form))
          if (form_index().contains(shape.form) && (best.inside.empty() || shape.inside.size() > best.inside.size()))
            best = std::move(shape);
        operation.form = form_index().at(best.form);
        operation.reads = best.operands;
        for (const std::size_t part : best.inside) absorbed[part] = true;
      }
      result_.code.push_back(std::move(operation));
    }
    std::ranges::reverse(result_.code);
  }

  // every way to write operation i as a tree of at most this depth; the operation itself is always inside
  std::vector<FusedShape> shapes_of(std::size_t i, int depth) const {
    const Instruction& instruction = basic_.code[i];
    const char sign = sign_of(instruction.code);
    std::vector<FusedShape> result;
    for (const FusedShape& a : shapes_of_operand(instruction.operands[0], depth - 1))
      for (const FusedShape& b : shapes_of_operand(instruction.operands[1], depth - 1)) {
        const bool swap =
            sign != '-' && (b.form.size() != a.form.size() ? b.form.size() > a.form.size() : b.form < a.form);
        const FusedShape &left = swap ? b : a, &right = swap ? a : b;
        FusedShape whole{'(' + left.form + sign + right.form + ')', left.operands, left.inside};
        whole.operands.insert(whole.operands.end(), right.operands.begin(), right.operands.end());
        whole.inside.insert(whole.inside.end(), right.inside.begin(), right.inside.end());
        whole.inside.push_back(i);
        result.push_back(std::move(whole));
      }
    return result;
  }

  std::vector<FusedShape> shapes_of_operand(Register r, int depth) const {
    std::vector<FusedShape> result;
    const std::size_t maker = made_by_[r];
    if (depth > 0 && maker != nowhere && uses_[r] == 1 && sign_of(basic_.code[maker].code))
      result = shapes_of(maker, depth);
    result.push_back({".", {r}, {}});
    return result;
  }

  void place_outputs() {
    const auto is_fixed = [&](Register r) { return r < basic_.first_input(); };
    if (std::ranges::any_of(basic_.outputs, is_fixed)) result_.fixed_outputs.resize(basic_.outputs.size());
    std::unordered_map<Register, Register> direct;
    std::vector<FusedOperation> copies;
    for (std::size_t i = 0; i < basic_.outputs.size(); ++i) {
      const Register r = basic_.outputs[i];
      if (is_fixed(r)) {
        result_.fixed_outputs[i] = basic_.constants[r];
        continue;
      }
      const bool is_result = r >= basic_.first_result() && basic_.code[made_by_[r]].writes == 1;
      if (is_result && direct.emplace(r, Register(i)).second) continue;
      copies.push_back({.destination = Destination::to_output, .reads = {r}, .writes = {}, .output = Register(i)});
    }
    for (FusedOperation& operation : result_.code) {
      const auto place = direct.find(operation.writes[0]);
      if (place == direct.end()) continue;
      const bool alone = uses_[operation.writes[0]] == 1;
      operation.destination = alone ? Destination::to_output : Destination::to_both;
      operation.output = place->second;
      if (alone) operation.writes.clear();
    }
    result_.code.insert(result_.code.end(), copies.begin(), copies.end());
  }

  static bool is_angle(const FusedOperation& operation) {
    return operation.destination == Destination::to_register &&
           (operation.code == Code::sine_cosine || operation.code == Code::sine || operation.code == Code::cosine);
  }

  // Angles that no sine or cosine is part of come first, with what they are made of, then those that are made of them, and so on
  void pair_up_angles() {
    std::vector<FusedOperation>& code = result_.code;
    const std::size_t count = code.size();
    std::vector<std::size_t> maker(registers_, nowhere);
    std::vector<int> level(count, 0);  // sines and cosines that are below it
    for (std::size_t i = 0; i < count; ++i) {
      for (const Register r : code[i].reads)
        if (const std::size_t m = maker[r]; m != nowhere) level[i] = std::max(level[i], level[m] + is_angle(code[m]));
      for (const Register r : code[i].writes) maker[r] = i;
    }
    std::vector<bool> needed(count, false);  // by an angle
    for (std::size_t i = count; i-- > 0;)
      if (needed[i] || is_angle(code[i]))
        for (const Register r : code[i].reads)
          if (maker[r] != nowhere) needed[maker[r]] = true;
    std::vector<std::size_t> chosen;  // by level, before and among its angles, in the order they have
    for (std::size_t i = 0; i < count; ++i)
      if (needed[i] || is_angle(code[i])) chosen.push_back(i);
    std::ranges::stable_sort(chosen, {}, [&](std::size_t i) { return 2 * level[i] + is_angle(code[i]); });
    std::vector<FusedOperation> ordered;
    for (std::size_t k = 0; k < chosen.size();) {
      const int l = level[chosen[k]];
      const auto take = [&](bool angles) {
        for (; k < chosen.size() && level[chosen[k]] == l && is_angle(code[chosen[k]]) == angles; ++k) ordered.push_back(code[chosen[k]]);
      };
      take(false);
      const std::size_t first = ordered.size();
      take(true);
      // a single sine or cosine takes half of both: two of them are no less together
      const auto has_both = [](const FusedOperation& angle) { return angle.code == Code::sine_cosine; };
      std::stable_partition(ordered.begin() + std::ptrdiff_t(first), ordered.end(), has_both);
      std::size_t to = first;
      for (std::size_t from = first; from < ordered.size(); ++from, ++to) {
        const bool pair = has_both(ordered[from]) && from + 1 < ordered.size();
        ordered[to] = pair ? both(ordered[from], ordered[from + 1]) : FusedOperation(ordered[from]);
        from += pair;
      }
      ordered.resize(to);
    }
    for (std::size_t i = 0; i < count; ++i)
      if (!needed[i] && !is_angle(code[i])) ordered.push_back(std::move(code[i]));
    code = std::move(ordered);
  }

  FusedOperation both(const FusedOperation& a, const FusedOperation& b) {
    FusedOperation two;
    two.two_angles = true;
    for (const FusedOperation* one : {&a, &b}) {
      two.reads.push_back(one->reads[0]);
      const Register unused = registers_++;
      two.writes.push_back(one->code == Code::cosine ? unused : one->writes[0]);
      two.writes.push_back(one->code == Code::cosine ? one->writes[0] : one->code == Code::sine ? unused : one->writes[1]);
    }
    return two;
  }

  void assign() {
    std::vector<RegisterUse> uses;
    for (FusedOperation& operation : result_.code) uses.push_back({operation.reads, operation.writes});
    result_.registers = assign_registers(uses, basic_.first_result(), registers_, {});
  }

  const BasicProgram& basic_;
  std::vector<std::size_t> made_by_;  // register -> operation
  std::vector<std::uint32_t> uses_;   // register -> number of readings, outputs included
  Register registers_ = basic_.registers;
  FusedProgram result_;
};

}  // namespace

FusedProgram fuse(const BasicProgram& basic, bool pair_angles) { return Fusion(basic).fuse(pair_angles); }

}  // namespace escapement
