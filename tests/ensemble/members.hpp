// Models of the tests of ensembles, written as formulas: the slider-crank with clearance, and a ball between walls.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ensemble/ensemble.hpp"
#include "math/expression_parser.hpp"

namespace escapement::testing {

// names of parameters that stay open come first; everything else is a text of earlier names
class MemberFormulas {
 public:
  explicit MemberFormulas(const std::vector<std::string>& open) {
    for (const std::string& name : open) {
      formulas.formulas.parameters.push_back(graph.variable("parameter:" + name));
      symbols.add(name, formulas.formulas.parameters.back());
    }
    formulas.formulas.t = graph.variable("t");
    symbols.add("t", formulas.formulas.t);
  }
  Expr operator()(const std::string& text) { return parse_expression(graph, text, symbols); }
  void define(const std::string& name, const std::string& text) { symbols.add(name, (*this)(text)); }
  void coordinate(const std::string& name, const std::string& start, const std::string& rate) {
    Formulas& f = formulas.formulas;
    formulas.start.push_back((*this)(start));
    formulas.rate.push_back((*this)(rate));
    f.names.push_back(name);
    f.q.push_back(graph.variable(name));
    f.v.push_back(graph.variable(name + "'"));
    f.forces.push_back({});
    symbols.add(name, f.q.back());
    symbols.add(name + "'", f.v.back());
  }
  void contact(const std::string& name, const std::string& gap, const std::string& restitution) {
    formulas.formulas.contacts.push_back({.name = name, .gap = (*this)(gap), .restitution = 0, .friction = 0, .slip = {}});
    formulas.restitution.push_back((*this)(restitution));
    formulas.forces.push_back(graph.variable("force:" + name));
    symbols.add(name + ".force", formulas.forces.back());
  }
  void sample(Reduction reduction, const std::string& text) { formulas.sampled.push_back({reduction, (*this)(text)}); }
  Ensemble make(const EnsembleSettings& settings) { return Ensemble(graph, formulas, settings); }

  ExpressionGraph graph;
  Symbols symbols;
  EnsembleFormulas formulas;
};

// [004], Table 1
inline void add_slider_crank(MemberFormulas& m, const std::string& restitution, const std::string& clearance, const std::string& speed) {
  for (const auto& [name, text] : std::vector<std::pair<std::string, std::string>>{
           {"l1", "0.153"}, {"l2", "0.306"}, {"a", "0.05"}, {"b", "0.025"}, {"d", "2*b + " + clearance}, {"m1", "0.038"}, {"m2", "0.038"},
           {"m3", "0.076"}, {"J1", "7.4e-5"}, {"J2", "5.9e-4"}, {"J3", "2.7e-6"}, {"gravity", "9.81"}, {"speed1", speed}})
    m.define(name, text);
  m.coordinate("th1", "0", "speed1");
  m.coordinate("th2", "0", "-speed1*l1/l2");
  m.coordinate("th3", "0", "0");
  m.formulas.formulas.kinetic = m("(J1 + l1^2*(m1/4 + m2 + m3))/2*th1'^2 + (J2 + l2^2*(m2/4 + m3))/2*th2'^2 + l1*l2*cos(th1 - th2)*(m2/2 + m3)*th1'*th2' + J3/2*th3'^2");
  m.formulas.formulas.potential = m("gravity*(l1*sin(th1)*(m1/2 + m2 + m3) + l2*sin(th2)*(m2/2 + m3))");
  m.define("sy", "l1*sin(th1) + l2*sin(th2)");
  m.contact("g1", "d/2 - sy + a*sin(th3) - b*cos(th3)", restitution);
  m.contact("g2", "d/2 - sy - a*sin(th3) - b*cos(th3)", restitution);
  m.contact("g3", "d/2 + sy - a*sin(th3) - b*cos(th3)", restitution);
  m.contact("g4", "d/2 + sy + a*sin(th3) - b*cos(th3)", restitution);
}

}  // namespace escapement::testing
