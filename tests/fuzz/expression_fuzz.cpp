// Any bytes as the text of an expression: an ExpressionError or an expression that can be differentiated, compiled,
// run and written, and nothing else.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include "math/expression_parser.hpp"
#include "math/program.hpp"
#include "math/table.hpp"

using namespace escapement;

namespace {

void use(ExpressionGraph& graph, const std::vector<Expr>& variables, Expr e) {
  std::vector<Expr> outputs{e};
  for (const Expr variable : variables) outputs.push_back(graph.derivative(e, variable));
  outputs.push_back(graph.derivative(outputs[1], variables[0]));
  outputs.push_back(graph.substitute(e, {{variables[0], outputs[1]}}));
  const Program program(graph, variables, outputs);
  constexpr int order = 3;
  std::vector<double> in(variables.size() * (order + 1), 0.7), out(outputs.size() * (order + 1));
  std::vector<double> scratch(program.scratch_size()), more(program.taylor_scratch_size(order));
  program.run(in.data(), out.data(), scratch.data());
  program.run_taylor(order, in.data(), out.data(), more.data());
  if (graph.to_string(e, 500).size() > 500) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ExpressionGraph graph(20'000);
  Symbols symbols;
  std::vector<Expr> variables;
  for (const char* name : {"x", "y", "x'", "pin.angle", "t"}) {
    variables.push_back(graph.variable(name));
    symbols.add(name, variables.back());
  }
  static const auto table = std::make_shared<Table>(std::vector<double>{0, 1, 2}, std::vector<double>{0, 1, 0});
  symbols.add_table("lift", table);
  symbols.refuse("y'", "there are no rates of y");
  try {
    use(graph, variables, parse_expression(graph, text, symbols));
  } catch (const ExpressionError& error) {
    if (error.offset > size || std::string_view(error.what()).size() > 400) std::abort();
  } catch (const ExpressionLimit&) {
    // derivatives of a text that uses most of the nodes
  }
  try {
    names_in_expression(text);
  } catch (const ExpressionError&) {
  }
  return 0;
}
