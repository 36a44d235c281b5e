#include "model/formula_derivation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "math/number_tape.hpp"
#include "math/program.hpp"
#include "math/tolerances.hpp"
#include "model/largest_term.hpp"

namespace escapement::inline model {

FormulaDerivation::FormulaDerivation(ExpressionGraph& graph, const Formulas& formulas)
    : graph_(graph),
      t_(formulas.t),
      q_(formulas.q),
      v_(formulas.v),
      z_(formulas.z),
      zdot_(formulas.state_rates),
      parameters_(formulas.parameters),
      T_(formulas.kinetic),
      V_(formulas.potential),
      Q_(formulas.forces) {
  for (std::size_t i = 0; i < v_.size(); ++i) {
    no_rates_[v_[i]] = Expr{};
    some_rates_[v_[i]] = graph_.constant(0.61 + 0.37 * static_cast<double>(i % 7));
  }
  for (const auto& constraint : formulas.constraints) g_.push_back(constraint.g);
  bilateral_ = static_cast<int>(g_.size());
  for (const auto& contact : formulas.contacts) {
    g_.push_back(contact.gap);
    if (contact.friction > 0) slip_.insert(slip_.end(), contact.slip.begin(), contact.slip.end());
  }
  // a model's names never hold a colon, so these cannot clash with them
  for (std::size_t i = 0; i < v_.size(); ++i) w_.push_back(graph_.variable(fmt::format("w:{}", i)));
  for (std::size_t i = 0; i < g_.size() + slip_.size(); ++i) mu_.push_back(graph_.variable(fmt::format("mu:{}", i)));

  for (Expr v : v_) p_.push_back(d(T_, v));
  check_kinetic_energy(formulas);
  split_kinetic_energy();
  derive_force();
  derive_slips(formulas);
  derive_rows();
}

std::vector<Expr> FormulaDerivation::state_inputs() const {
  std::vector<Expr> inputs{t_};
  inputs.insert(inputs.end(), q_.begin(), q_.end());
  inputs.insert(inputs.end(), v_.begin(), v_.end());
  inputs.insert(inputs.end(), z_.begin(), z_.end());
  return inputs;
}

std::vector<Expr> FormulaDerivation::all_inputs() const {
  std::vector<Expr> inputs = state_inputs();
  inputs.insert(inputs.end(), w_.begin(), w_.end());
  inputs.insert(inputs.end(), mu_.begin(), mu_.end());
  return inputs;
}

bool FormulaDerivation::depends_on_rates(Expr e) const {
  if (graph_.is_constant(e)) return false;
  for (Expr v : v_)
    if (graph_.depends_on(e, v)) return true;
  return false;
}

// simplification does not see every zero, so what it left is tried at random points
bool FormulaDerivation::is_zero_everywhere(Expr e, Expr compared_with) {
  if (graph_.is_zero(e)) return true;
  if (NumberTape* tape = NumberTape::current()) tape->refuse();  // values decide
  std::vector<Expr> inputs = state_inputs();
  inputs.insert(inputs.end(), parameters_.begin(), parameters_.end());
  const Program program(graph_, inputs, std::vector<Expr>{e, compared_with});
  std::vector<double> in(inputs.size()), scratch(program.scratch_size());
  double out[2];
  std::mt19937 random(1);
  std::uniform_real_distribution<double> values(-2, 2);
  int tried = 0;
  for (int trial = 0; trial < 20; ++trial) {
    for (double& x : in) x = values(random);
    program.run(in.data(), out, scratch.data());
    if (!std::isfinite(out[0])) continue;
    ++tried;
    if (std::abs(out[0]) > little::identity * (1 + std::abs(out[1]))) return false;
  }
  return tried > 0;
}

void FormulaDerivation::check_kinetic_energy(const Formulas& formulas) {
  for (std::size_t i = 0; i < v_.size(); ++i)
    for (std::size_t j = i; j < v_.size(); ++j) {
      const Expr m = d(p_[i], v_[j]);
      if (!depends_on_rates(m)) continue;
      rates_in_mass_ = true;
      for (std::size_t k = 0; k < v_.size(); ++k)
        if (!is_zero_everywhere(d(m, v_[k]), m))
          throw FormulaError(FormulaError::Part::kinetic_energy, -1,
                             fmt::format("kinetic_energy must be quadratic in the rates, but is not in {}'; write each "
                                         "term as a product of two rates",
                                         formulas.names[i]));
    }
}

// T = v M v/2 + p0 v + T0. Where simplification did not free M of the rates it is taken at some rates, none of them 0:
// what looks like abs(x')^2 or x'^3/x' is not defined without rates
void FormulaDerivation::split_kinetic_energy() {
  if (!rates_in_mass_) {
    T0_ = without_rates(T_);
    for (Expr p : p_) p0_.push_back(without_rates(p));
  } else {
    T0_ = graph_.substitute(T_, some_rates_);
    for (int i = 0; i < coordinates(); ++i) {
      const Expr rate = some_rates_.at(v_[at(i)]);
      Expr of_mass{};
      for (int j = 0; j < coordinates(); ++j)
        of_mass = graph_.add(of_mass, graph_.mul(mass(i, j), some_rates_.at(v_[at(j)])));
      p0_.push_back(graph_.sub(graph_.substitute(p_[at(i)], some_rates_), of_mass));
      T0_ = graph_.sub(T0_, graph_.mul(graph_.add(p0_.back(), graph_.scale(of_mass, 0.5)), rate));
    }
  }
  bool plain = is_zero_everywhere(T0_, T_);
  for (Expr& p0 : p0_) {
    const bool zero = is_zero_everywhere(p0, T_);
    if (zero) p0 = Expr{};
    plain = plain && zero;
  }
  if (plain) T0_ = Expr{};
  unusual_terms_ = !plain && !graph_.depends_on(T_, t_);
}

Expr FormulaDerivation::mass(int i, int j) {
  const Expr m = d(p_[at(std::max(i, j))], v_[at(std::min(i, j))]);
  return rates_in_mass_ ? graph_.substitute(m, some_rates_) : m;
}

Expr FormulaDerivation::total_rate(Expr e) {
  std::vector<Expr> terms{d(e, t_)};
  for (std::size_t j = 0; j < q_.size(); ++j) terms.push_back(graph_.mul(d(e, q_[j]), v_[j]));
  return graph_.sum(terms);
}

void FormulaDerivation::derive_force() {
  for (std::size_t i = 0; i < q_.size(); ++i) {
    const Expr terms[] = {Q_[i], graph_.neg(d(V_, q_[i])), d(T_, q_[i]), graph_.neg(total_rate(p_[i]))};
    f_.push_back(graph_.sum(terms));
  }
}

void FormulaDerivation::derive_rows() {
  for (Expr g : g_) {
    const Expr rate = total_rate(g);
    g_t_.push_back(d(g, t_));
    velocity_rows_.push_back(rate);
    kappa_.push_back(total_rate(rate));
    largest_.push_back(largest_term(graph_, g));
  }
  velocity_rows_.insert(velocity_rows_.end(), slip_.begin(), slip_.end());
}

void FormulaDerivation::derive_slips(const Formulas& formulas) {
  int contact = -1;
  for (const auto& c : formulas.contacts) {
    ++contact;
    if (!(c.friction > 0)) continue;
    for (const Expr slip : c.slip) derive_slip(formulas, contact, slip);
  }
}

void FormulaDerivation::derive_slip(const Formulas& formulas, int contact, Expr slip) {
  if (!depends_on_rates(slip))
    throw FormulaError(FormulaError::Part::slip, contact,
                       "this slip depends on no rate; it is a velocity, like x' - r*phi'");
  for (std::size_t i = 0; i < v_.size(); ++i) {
    const Expr T = d(slip, v_[i]);
    for (std::size_t k = 0; k < v_.size() && depends_on_rates(T); ++k)
      if (!is_zero_everywhere(d(T, v_[k]), T))
        throw FormulaError(
            FormulaError::Part::slip, contact,
            fmt::format("a slip must be affine in the rates, but is not in {}'; it is a velocity, like x' - r*phi'",
                        formulas.names[i]));
  }
  t0_.push_back(without_rates(slip));
  kappa_T_.push_back(total_rate(slip));
}

Expr FormulaDerivation::slip_jacobian(int slip, int j) { return without_rates(d(slip_[at(slip)], v_[at(j)])); }

Expr FormulaDerivation::row_scale(int row, const std::vector<double>& scale) {
  Expr sum = graph_.constant(0);
  for (int j = 0; j < coordinates(); ++j)
    sum = graph_.add(sum, graph_.scale(graph_.function(Op::abs, jacobian(row, j)), scale[at(j)]));
  return sum;
}

Expr FormulaDerivation::mass_times_w(int i) {
  std::vector<Expr> terms;
  for (int j = 0; j < coordinates(); ++j) terms.push_back(graph_.mul(mass(i, j), w_[at(j)]));
  return graph_.sum(terms);
}

Expr FormulaDerivation::constraint_force(int i, bool bilateral_only) {
  std::vector<Expr> terms;
  for (int r = 0; r < (bilateral_only ? bilateral_ : rows()); ++r)
    terms.push_back(graph_.mul(jacobian(r, i), mu_[at(r)]));
  for (int s = 0; s < (bilateral_only ? 0 : slips()); ++s)
    terms.push_back(graph_.mul(slip_jacobian(s, i), mu_[at(rows() + s)]));
  return graph_.sum(terms);
}

Expr FormulaDerivation::acceleration_row(int row) {
  std::vector<Expr> terms{kappa_[at(row)]};
  for (int j = 0; j < coordinates(); ++j) terms.push_back(graph_.mul(jacobian(row, j), w_[at(j)]));
  return graph_.sum(terms);
}

// with T = T2 + T1 + T0 by powers of the rates: d(T2 - T0 + V)/dt = (Q + G^T lambda) v - (T - V)_t, and
// T + V = (T2 - T0 + V) + T1 + 2 T0; bilateral rows have G v = -g_t
Expr FormulaDerivation::power() {
  std::vector<Expr> terms{d(V_, t_), graph_.neg(d(T_, t_))};
  Expr lower = graph_.scale(T0_, 2);
  for (std::size_t i = 0; i < v_.size(); ++i) {
    terms.push_back(graph_.mul(Q_[i], v_[i]));
    lower = graph_.add(lower, graph_.mul(p0_[i], v_[i]));
  }
  terms.push_back(total_rate(lower));
  for (std::size_t i = 0; i < v_.size(); ++i) terms.push_back(graph_.mul(p0_[i], w_[i]));
  for (int r = 0; r < bilateral_; ++r) terms.push_back(graph_.neg(graph_.mul(mu_[at(r)], g_t_[at(r)])));
  return graph_.sum(terms);
}

}  // namespace escapement
