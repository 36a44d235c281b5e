// From energies and constraints to the terms of the equations of motion, symbolically.
//
//   d/dt T_v - T_q + V_q = Q + G^T lambda   gives   M = T_vv,   f = Q - V_q + T_q - p_q v - p_t   with p = T_v
#pragma once

#include "model/formulas.hpp"

namespace escapement::inline model {

// derives the terms one by one; every function returns a vector with one expression per coordinate or row
class FormulaDerivation {
 public:
  // checks the forms: kinetic energy quadratic in the rates, slips affine; throws FormulaError
  FormulaDerivation(ExpressionGraph&, const Formulas&);

  int coordinates() const { return static_cast<int>(q_.size()); }
  int rows() const { return static_cast<int>(g_.size()); }
  int bilateral() const { return bilateral_; }
  int slips() const { return static_cast<int>(slip_.size()); }
  std::vector<Expr> state_inputs() const;  // t, q, v, z
  std::vector<Expr> all_inputs() const;    // t, q, v, z, w (v-sized), mu (rows and slips)

  Expr mass(int i, int j);
  const std::vector<Expr>& force() const { return f_; }
  const std::vector<Expr>& g() const { return g_; }
  Expr jacobian(int row, int j) { return d(g_[at(row)], q_[at(j)]); }
  Expr slip_jacobian(int slip, int j);
  const std::vector<Expr>& g_t() const { return g_t_; }
  const std::vector<Expr>& curvature() const { return kappa_; }
  const std::vector<Expr>& slip_constant() const { return t0_; }
  const std::vector<Expr>& slip_curvature() const { return kappa_T_; }
  const std::vector<Expr>& velocity_rows() const { return velocity_rows_; }  // G v + g_t, then T v + t0
  const std::vector<Expr>& largest_terms() const { return largest_; }        // of position rows
  Expr row_scale(int row, const std::vector<double>& scale);                 // sum_j |G_j| scale_j

  Expr mass_times_w(int i);
  Expr constraint_force(int i, bool bilateral_only = false);  // (G^T mu + T^T mu_T)_i, or its bilateral rows alone
  Expr acceleration_row(int row);                             // G w + kappa
  Expr kinetic() const { return T_; }
  Expr potential() const { return V_; }
  Expr power();  // of forces, drives and explicit time; w stands for v', mu for lambda

  Expr by_q(Expr e, int j) { return d(e, q_[at(j)]); }
  Expr by_v(Expr e, int j) { return d(e, v_[at(j)]); }
  Expr by_z(Expr e, int j) { return d(e, z_[at(j)]); }
  const std::vector<Expr>& state_rates() const { return zdot_; }
  // linear or constant terms in the rates although the time does not appear: legal, but often a missing '
  bool has_unusual_terms() const { return unusual_terms_; }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Expr d(Expr e, Expr x) { return graph_.derivative(e, x); }
  Expr total_rate(Expr e);  // e_q v + e_t
  Expr without_rates(Expr e) { return graph_.substitute(e, no_rates_); }
  bool depends_on_rates(Expr e) const;
  bool is_zero_everywhere(Expr e, Expr compared_with);
  void check_kinetic_energy(const Formulas&);
  void split_kinetic_energy();
  void derive_force();
  void derive_rows();
  void derive_slips(const Formulas&);
  void derive_slip(const Formulas&, int contact, Expr slip);

  ExpressionGraph& graph_;
  Expr t_;
  std::vector<Expr> q_, v_, z_, zdot_, w_, mu_, parameters_;
  std::map<Expr, Expr> no_rates_, some_rates_;
  Expr T_, V_, T0_;                   // T0_: what is left of T without rates
  std::vector<Expr> Q_, p_, p0_, f_;  // p0_: the part of p without rates
  std::vector<Expr> g_, g_t_, kappa_, velocity_rows_, largest_;
  std::vector<Expr> slip_, t0_, kappa_T_;
  int bilateral_ = 0;
  bool rates_in_mass_ = false, unusual_terms_ = false;
};

}  // namespace escapement
