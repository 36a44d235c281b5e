#include "model/largest_term.hpp"

namespace escapement::inline model {

namespace {

void collect_terms(ExpressionGraph& graph, Expr e, TracedNumber weight, std::vector<Expr>& terms) {
  const Node node = graph.node(e);
  if (node.op != Op::linear) return terms.push_back(graph.scale(e, weight));
  terms.push_back(graph.constant(weight * node.value));
  for (const Term& term : node.operands())
    collect_terms(graph, term.operand, weight * term.weight.num / term.weight.den, terms);
}

}  // namespace

Expr largest_term(ExpressionGraph& graph, Expr sum) {
  std::vector<Expr> terms;
  collect_terms(graph, sum, 1, terms);
  Expr largest = graph.constant(0);
  for (Expr term : terms) largest = graph.function(Op::max, largest, graph.function(Op::abs, term));
  return largest;
}

}  // namespace escapement
