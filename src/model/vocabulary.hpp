// The names that expressions of a mechanism may use, as variables that stand for measures and their rates.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "math/program.hpp"
#include "model/measure.hpp"
#include "model/state_function.hpp"

namespace escapement::inline model {

template <int D>
struct NamedMeasure {
  MeasurePtr<D> measure;
  Expr value, rate;  // variables of the graph
};

// One or two variables u that follow from the first values of a vocabulary: the solution of the conditions f = 0 that solve() finds.
// Derivatives by a value x then have a second part, by way of the variables: -f_u^-1 f_x is what they change by.
class ImplicitVariables {
 public:
  ImplicitVariables(std::vector<Expr> all, std::vector<Expr> f, int count) : variables(std::move(all)), conditions(std::move(f)), values(count) {}
  virtual ~ImplicitVariables() = default;
  virtual void solve(const double* values, double* variables, double* scratch) const = 0;
  virtual std::size_t scratch_size() const = 0;

  const std::vector<Expr> variables, conditions;
  const int values;  // how many of the vocabulary's they follow from
};

template <int D>
class Vocabulary {
 public:
  void add(NamedMeasure<D>);
  const std::vector<NamedMeasure<D>>& measures() const { return measures_; }
  void add_state(Expr variable);
  const std::vector<Expr>& states() const { return states_; }  // of first order, in their order in State::z
  int find(Expr variable) const;  // the measure whose value or rate it is, -1 for others

  Expr t;
  std::shared_ptr<const ImplicitVariables> implicit;  // null: there are none

 private:
  std::vector<NamedMeasure<D>> measures_;
  std::vector<Expr> states_;
  std::unordered_map<int, int> places_;  // of variables
};

// what outputs and drawings read from a state, in the order t, values, rates, states of the whole vocabulary
template <int D>
std::vector<Expr> all_inputs(const Vocabulary<D>&);
template <int D>
std::shared_ptr<const StateInputs> make_state_inputs(const Vocabulary<D>&, int bodies);

// the part of a vocabulary that some expressions use, in the order t, values, rates, second rates
template <int D>
class VocabularyUse {
 public:
  VocabularyUse() = default;
  VocabularyUse(const ExpressionGraph&, const Vocabulary<D>&, std::span<const Expr> expressions);

  int count() const { return static_cast<int>(measures_.size()); }
  const Measure<D>& measure(int k) const { return *measures_[k]; }
  Expr value(int k) const { return values_[k]; }
  Expr rate(int k) const { return rates_[k]; }
  Expr t() const { return t_; }
  std::vector<int> bodies() const;  // any order, with repeats
  int state_count() const { return static_cast<int>(states_.size()); }
  int state(int k) const { return states_[k]; }  // its place in State::z
  const std::vector<int>& states() const { return states_; }

  // inputs of programs: t, values, rates, states, implicit variables
  std::vector<Expr> inputs() const;
  std::size_t input_size() const { return 1 + 2 * measures_.size() + states_.size() + (implicit_ ? implicit_->variables.size() : 0); }
  void fill(const Motion<D>&, double* inputs) const;  // also uses what is behind the inputs, up to fill_size()
  std::size_t fill_size() const { return input_size() + (implicit_ ? implicit_->scratch_size() : 0); }

  // rate of an expression of t, values and rates, at constant rates
  Expr rate_of(ExpressionGraph&, Expr) const;
  // derivative by an input, with what the implicit variables change
  Expr slope(ExpressionGraph&, Expr, Expr input) const;
  // those by inputs()[from] ... inputs()[from + count - 1], appended
  void append_slopes(ExpressionGraph&, Expr, int from, int count, std::vector<Expr>& out) const;

 private:
  Expr t_;
  std::vector<MeasurePtr<D>> measures_;
  std::vector<Expr> values_, rates_, state_variables_;
  std::vector<int> states_;
  std::shared_ptr<const ImplicitVariables> implicit_;
};

}  // namespace escapement
