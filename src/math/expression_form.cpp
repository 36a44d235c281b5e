// The form of a graph apart from its numbers.
#include <bit>

#include "math/expression.hpp"
#include "math/number_tape.hpp"
#include "math/table.hpp"

namespace escapement::inline math {
namespace {

// 0, 1 and -1 belong to the form: terms with them are made in another way
bool is_free(TracedNumber n) { return n.plain() != 0 && std::abs(n.plain()) != 1; }

void describe_table(const Table& table, std::vector<std::uint64_t>& form) {
  form.push_back(table.x().size() << 2 | std::uint64_t(table.ends() == Table::Ends::periodic) << 1 | std::uint64_t(table.is_linear()));
  for (const auto* list : {&table.x(), &table.y()})
    for (const double x : *list) form.push_back(std::bit_cast<std::uint64_t>(x));
}

}  // namespace

bool ExpressionGraph::describe(std::vector<std::uint64_t>& form, std::vector<double>& numbers) const {
  const auto describe_number = [&](TracedNumber n) {
    if (is_free(n)) {
      numbers.push_back(n.plain());
      form.push_back(std::bit_cast<std::uint64_t>(2.0));
    } else {
      form.push_back(std::bit_cast<std::uint64_t>(n.plain()));
    }
  };
  for (const Node& node : nodes_) {
    form.push_back(std::uint64_t(node.op) << 56 | std::uint64_t(node.order) << 48 | node.count);
    form.push_back(std::uint64_t(std::uint32_t(node.symbol)));
    if (node.op == Op::constant || node.op == Op::linear) describe_number(node.value);
    for (const Term& term : node.operands()) {
      form.push_back(std::uint64_t(term.operand.id));
      if (node.op == Op::linear) {
        describe_number(term.weight.num);
        describe_number(term.weight.den);
      } else if (node.op == Op::product) {
        form.push_back(std::bit_cast<std::uint64_t>(term.weight.num.plain()));
      }
    }
  }
  for (const std::string& name : names_) {
    form.push_back(name.size());
    for (const char c : name) form.push_back(std::uint64_t(static_cast<unsigned char>(c)));
  }
  for (const auto& table : tables_) {
    if (table->is_live()) return false;
    describe_table(*table, form);
  }
  return true;
}

void ExpressionGraph::trace(NumberTape& tape) {
  dependent_terms_.clear();  // these hold numbers too
  const NumberTape::Recording recording(tape);
  const auto make_input = [&](TracedNumber& n) {
    if (is_free(n)) n = tape.input(n.plain());
    n.note();
  };
  for (Node& node : nodes_) {
    if (node.op != Op::constant && node.op != Op::linear) continue;
    make_input(node.value);
    for (std::uint32_t i = 0; i < node.count; ++i) {
      Ratio& weight = const_cast<Term&>(node.terms[i]).weight;  // in this graph's own blocks
      make_input(weight.num);
      make_input(weight.den);
    }
  }
}

}  // namespace escapement
