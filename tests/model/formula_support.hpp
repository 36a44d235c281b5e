// Formula systems from texts, without a model file.
#pragma once

#include <string>
#include <vector>

#include "math/expression_parser.hpp"
#include "model/formula_system.hpp"

namespace escapement::testing {

class FormulaText {
 public:
  explicit FormulaText(const std::vector<std::string>& coordinates) {
    formulas.names = coordinates;
    formulas.t = graph.variable("t");
    symbols.add("t", formulas.t);
    for (const std::string& name : coordinates) {
      formulas.q.push_back(graph.variable(name));
      formulas.v.push_back(graph.variable(name + "'"));
      symbols.add(name, formulas.q.back());
      symbols.add(name + "'", formulas.v.back());
    }
    formulas.forces.resize(coordinates.size());
  }
  FormulaText& parameter(const std::string& name, double value) {
    symbols.add(name, graph.constant(value));
    return *this;
  }
  FormulaText& energies(const std::string& kinetic, const std::string& potential = "0") {
    formulas.kinetic = parse(kinetic);
    formulas.potential = parse(potential);
    return *this;
  }
  FormulaText& force(std::size_t coordinate, const std::string& text) {
    formulas.forces[coordinate] = parse(text);
    return *this;
  }
  FormulaText& constraint(const std::string& name, const std::string& g) {
    formulas.constraints.push_back({name, parse(g)});
    return *this;
  }
  FormulaText& contact(const std::string& name, const std::string& gap, double friction = 0,
                       const std::string& slip = "0") {
    formulas.contacts.push_back({name, parse(gap), 0.5, friction, {parse(slip)}});
    return *this;
  }
  FormulaText& scale(const std::vector<double>& of_coordinates) {
    formulas.scale = of_coordinates;
    return *this;
  }
  FormulaSystem system() { return FormulaSystem(graph, formulas); }
  Expr parse(const std::string& text) { return parse_expression(graph, text, symbols); }

  ExpressionGraph graph;
  Symbols symbols;
  Formulas formulas;
};

inline constexpr Need every_need =
    Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature | Need::slip | Need::slip_rate;

inline State state_of(const System& system, double t, const std::vector<double>& q, const std::vector<double>& v) {
  State s = make_state(system.dim());
  s.t = t;
  s.q = Eigen::Map<const Vec>(q.data(), static_cast<Eigen::Index>(q.size()));
  s.v = Eigen::Map<const Vec>(v.data(), static_cast<Eigen::Index>(v.size()));
  return s;
}

}  // namespace escapement::testing
