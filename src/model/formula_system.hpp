// A System whose terms, tangents and higher derivatives are programs derived from formulas.
#pragma once

#include <array>

#include "model/formula_derivation.hpp"
#include "model/term_program.hpp"
#include "system/energy_keeping.hpp"
#include "system/system.hpp"

namespace escapement::inline model {

class FormulaSystem : public System, public EnergyKeeping {
 public:
  // the graph is only needed while constructing, when every program is compiled; throws FormulaError
  FormulaSystem(ExpressionGraph&, const Formulas&);
  // programs are compiled when they are first used
  FormulaSystem(std::shared_ptr<ExpressionGraph>, const Formulas&);
  // one like another with other numbers: values are those of the tape that was recording when the other one was made
  FormulaSystem(const FormulaSystem& like, const Formulas&, std::span<const double> values);

  const Dim& dim() const override { return dim_; }
  const Names& names() const override { return names_; }
  void prepare(Terms&) const override;
  void prepare(Tangent&) const override;
  void evaluate(const State&, Need, Terms&) const override;
  void tangent(const State&, const Vec& w, const Vec& mu, Parts, Tangent&) const override;
  std::span<const ContactLaw> contacts() const override { return contacts_; }
  Energy energy(const State&, Terms& work) const override;
  bool keeps_energy() const override { return keeps_energy_; }
  Energy evaluate_with_energy(const State&, Need, Terms&) const override;
  const Scale& scale() const override { return one_; }
  using System::position_terms;
  void position_terms(const State&, const ContactSet*, Vec& largest) const override;
  void row_scale(const State&, const ContactSet*, Vec& one) const override;
  int derivatives(const State&, int count, Mat& d) const override;

  // linear or constant terms in the rates although the time does not appear
  bool has_unusual_kinetic_energy() const { return unusual_kinetic_energy_; }

 private:
  enum class Target { M, f, zdot, g, G, G_joints, g_t, kappa, T, t0, kappa_T };
  enum class TangentTarget { K, D, V_q, kappa_q, kappa_v, f_z, zdot_q, zdot_v, zdot_z };
  using Evaluation = TermProgram<Target>;
  using TangentEvaluation = TermProgram<TangentTarget>;
  static constexpr int need_masks = 128, part_masks = 8;
  using Plan = std::array<std::vector<int>, need_masks>;
  // Programs of one contact, where contacts are so many that those asked for are evaluated one by one: rows of G and T by the
  // places at which they have entries
  struct Contact {
    DeferredProgram gap, jacobian, curvature, slip, slip_rate, largest, scale;
    std::vector<int> columns;                       // of G; the output behind them is g_t
    std::vector<std::pair<int, int>> slip_columns;  // row and column of T; the outputs behind them are t0
  };
  // a number for each row: of all rows, of joints alone
  struct JointsFirst {
    DeferredProgram all, joints;
  };

  struct Source;

  FormulaSystem(ExpressionGraph&, std::shared_ptr<ExpressionGraph> kept, const Formulas&);
  void read(const Formulas&);
  void make_term_programs(Source&);
  int compile_terms(Source&, unsigned mask, bool all, bool with_energy = false);  // the evaluation's number
  void make_contact_programs(Source&);
  void make_tangent_programs(Source&);
  void make_scalar_programs(Source&);
  template <class F>
  void for_each_program(F&&);
  double* pack(const State&, double* in) const;                            // t, q, v, z; returns where they end
  void pack(const State&, const Vec& w, const Vec& mu, double* in) const;  // t, q, v, z, w, mu
  // on the inputs at the front of the workspace, which grows where the program is compiled now; out: behind them by default
  double* run(const DeferredProgram&, Vec& work, double* out = nullptr) const;
  void run_rows(const JointsFirst&, const ContactSet*, DeferredProgram Contact::* of_contact, const State&, Vec& out) const;
  void evaluate_one_by_one(const State&, Need, Terms&) const;
  void evaluate_contacts(Need, Terms&) const;
  static double* place(Target, Terms&);  // where its numbers go
  static double* place(TangentTarget, Tangent&);
  static void store(const Evaluation&, const double* out, Terms&);
  static void store(const TangentEvaluation&, const double* out, bool add_to_K, Tangent&);

  Dim dim_;
  Names names_;
  std::vector<ContactLaw> contacts_;
  bool unusual_kinetic_energy_ = false, keeps_energy_ = false;

  MatrixTerm M_, G_, G_of_joints_, T_, K_, D_, V_q_, kappa_q_, kappa_v_;
  // programs to run for a request: one that shares everything in small systems, one per term in large ones
  std::vector<Evaluation> evaluations_;
  Plan plan_;
  std::vector<Contact> contact_;  // empty where contacts are few
  Plan joints_plan_;              // without contacts, where they are many
  std::array<int, 2> with_energy_{-1, -1};  // evaluations of gaps and slips with both energies, without and with rows of G; -1: none
  std::vector<TangentEvaluation> tangents_;
  std::array<std::vector<int>, part_masks> K_plan_;  // by Parts::all bits
  int V_q_program_ = -1, kappa_program_ = -1;
  Scale one_;
  JointsFirst largest_terms_, row_scale_;
  DeferredProgram energy_, residual_;  // residual_: M w - f - G^T mu and G w + kappa of bilateral rows
  std::size_t inputs_ = 0, max_outputs_ = 0;
};

}  // namespace escapement
