#include "model/formula_system.hpp"

#include <algorithm>

#include "math/copy_numbers.hpp"

namespace escapement {

namespace {

constexpr int dense_limit = 60;            // velocities; above, matrices are sparse
constexpr std::size_t share_limit = 4000;  // nodes; above, terms are not compiled together in every combination
constexpr int few_contacts = 16;           // whose rows are evaluated together though some of them may be open

constexpr std::array needs{Need::mass,      Need::force, Need::gap,      Need::jacobian,
                           Need::curvature, Need::slip,  Need::slip_rate};
constexpr unsigned slip_bits = unsigned(Need::slip) | unsigned(Need::slip_rate);
constexpr unsigned row_bits = unsigned(Need::gap) | unsigned(Need::jacobian) | unsigned(Need::curvature);

}  // namespace

FormulaSystem::FormulaSystem(ExpressionGraph& graph, const Formulas& formulas) {
  read(formulas);
  FormulaDerivation derived(graph, formulas);
  unusual_kinetic_energy_ = derived.has_unusual_terms();
  inputs_ = derived.all_inputs().size();
  make_term_programs(graph, derived);
  make_tangent_programs(graph, derived);
  make_scalar_programs(graph, derived);
  make_contact_programs(graph, derived);
}

void FormulaSystem::read(const Formulas& formulas) {
  dim_.q = dim_.v = static_cast<int>(formulas.q.size());
  dim_.bilateral = static_cast<int>(formulas.constraints.size());
  dim_.unilateral = static_cast<int>(formulas.contacts.size());
  dim_.z = dim_.states = static_cast<int>(formulas.z.size());
  names_.q = names_.v = formulas.names;
  names_.z = formulas.state_names;
  one_ = {formulas.scale, formulas.scale};
  for (const auto& constraint : formulas.constraints) names_.multipliers.push_back(constraint.name);
  for (const auto& contact : formulas.contacts) {
    names_.multipliers.push_back(contact.name);
    ContactLaw law{contact.name, contact.restitution, contact.friction};
    if (contact.friction > 0) {
      law.slip = dim_.slip;
      law.slips = static_cast<int>(contact.slip.size());
      dim_.slip += law.slips;
    }
    contacts_.push_back(std::move(law));
  }
  for (const ContactLaw& law : contacts_) add_slip_names(law, names_);
}

std::size_t FormulaSystem::note_size(const Program& program) {
  max_outputs_ = std::max(max_outputs_, program.output_count());
  max_registers_ = std::max(max_registers_, program.scratch_size());
  return program.scratch_size();
}

void FormulaSystem::make_term_programs(ExpressionGraph& graph, FormulaDerivation& derived) {
  const int n = dim_.v, rows = dim_.rows(), slips = dim_.slip;
  const bool dense = n <= dense_limit;
  M_ = MatrixTerm(n, n, dense, [&](int i, int j) { return derived.mass(i, j); });
  G_ = MatrixTerm(rows, n, dense, [&](int i, int j) { return derived.jacobian(i, j); });
  T_ = MatrixTerm(slips, n, dense, [&](int i, int j) { return derived.slip_jacobian(i, j); });

  const std::vector<Expr> inputs = derived.state_inputs();
  // of the rows, the first ones: all, or those of joints
  const MatrixTerm joints(dim_.bilateral, n, dense, [&](int i, int j) { return derived.jacobian(i, j); });
  const auto compile = [&](unsigned mask, bool all) {
    TermProgramBuilder<Target> builder;
    const auto wanted = [&](Need need) { return has(Need(mask), need); };
    const auto count = static_cast<std::size_t>(all ? rows : dim_.bilateral);
    const auto first = [&](const std::vector<Expr>& list) { return std::span(list).first(count); };
    if (wanted(Need::mass)) builder.add(Target::M, M_.values());
    if (wanted(Need::force)) builder.add(Target::f, derived.force());
    if (wanted(Need::force)) builder.add(Target::zdot, derived.state_rates());
    if (wanted(Need::gap)) builder.add(Target::g, first(derived.g()));
    if (wanted(Need::jacobian)) builder.add(all ? Target::G : Target::G_joints, all ? G_.values() : joints.values());
    if (wanted(Need::jacobian)) builder.add(Target::g_t, first(derived.g_t()));
    if (wanted(Need::curvature)) builder.add(Target::kappa, first(derived.curvature()));
    if (wanted(Need::slip)) builder.add(Target::T, T_.values());
    if (wanted(Need::slip)) builder.add(Target::t0, derived.slip_constant());
    if (wanted(Need::slip_rate)) builder.add(Target::kappa_T, derived.slip_curvature());
    evaluations_.push_back(builder.build(graph, inputs));
    note_size(evaluations_.back().program);
    return static_cast<int>(evaluations_.size()) - 1;
  };

  // what a system does not have is left out of every request; slips are compiled apart to keep the combinations few
  const auto make_plan = [&](unsigned present, bool share, bool all, Plan& plans) {
    std::array<int, need_masks> program;
    program.fill(-1);
    const auto run = [&](unsigned mask, std::vector<int>& plan) {
      if (mask == 0) return;
      if (program[mask] < 0) program[mask] = compile(mask, all);
      plan.push_back(program[mask]);
    };
    for (unsigned mask = 0; mask < need_masks; ++mask) {
      if (share) {
        run(mask & present & ~slip_bits, plans[mask]);
        run(mask & present & slip_bits, plans[mask]);
      } else {
        for (Need need : needs) run(mask & present & unsigned(need), plans[mask]);
      }
    }
  };
  unsigned present = unsigned(Need::mass) | unsigned(Need::force);
  if (dim_.unilateral > few_contacts) {
    const unsigned of_joints = dim_.bilateral > 0 ? present | row_bits : present;
    const std::size_t size = evaluations_[static_cast<std::size_t>(compile(of_joints, false))].program.operation_count();
    make_plan(of_joints, size < share_limit, false, joints_plan_);
  }
  if (rows > 0) present |= row_bits;
  if (slips > 0) present |= slip_bits;
  make_plan(present, graph.size() < share_limit, true, plan_);
}

// what one contact needs, without the others
void FormulaSystem::make_contact_programs(ExpressionGraph& graph, FormulaDerivation& derived) {
  if (dim_.unilateral <= few_contacts) return;
  const std::vector<Expr> inputs = derived.state_inputs();
  const auto compile = [&](const std::vector<Expr>& outputs) {
    Program program(graph, inputs, outputs);
    note_size(program);
    return program;
  };
  for (int i = 0; i < dim_.unilateral; ++i) {
    const int row = dim_.bilateral + i;
    const auto at = static_cast<std::size_t>(row);
    Contact contact;
    std::vector<Expr> entries, slips, rates;
    for (int j = 0; j < dim_.v; ++j)
      if (const Expr entry = derived.jacobian(row, j); !graph.is_zero(entry)) {
        entries.push_back(entry);
        contact.columns.push_back(j);
      }
    entries.push_back(derived.g_t()[at]);
    contact.gap = compile({derived.g()[at]});
    contact.jacobian = compile(entries);
    contact.curvature = compile({derived.curvature()[at]});
    contact.largest = compile({derived.largest_terms()[at]});
    if (one_.given()) contact.scale = compile({derived.row_scale(row, one_.of_q)});
    const ContactLaw& law = contacts_[static_cast<std::size_t>(i)];
    for (int k = law.slip; law.slip >= 0 && k < law.slip + law.slips; ++k)
      for (int j = 0; j < dim_.v; ++j)
        if (const Expr entry = derived.slip_jacobian(k, j); !graph.is_zero(entry)) {
          slips.push_back(entry);
          contact.slip_columns.emplace_back(k, j);
        }
    for (int k = law.slip; law.slip >= 0 && k < law.slip + law.slips; ++k) {
      slips.push_back(derived.slip_constant()[static_cast<std::size_t>(k)]);
      rates.push_back(derived.slip_curvature()[static_cast<std::size_t>(k)]);
    }
    contact.slip = compile(slips);
    contact.slip_rate = compile(rates);
    contact_.push_back(std::move(contact));
  }
}

void FormulaSystem::make_tangent_programs(ExpressionGraph& graph, FormulaDerivation& derived) {
  const int n = dim_.v, rows = dim_.rows();
  const bool dense = n <= dense_limit;
  std::vector<Expr> mass, pull;
  for (int i = 0; i < n; ++i) {
    mass.push_back(derived.mass_times_w(i));
    pull.push_back(derived.constraint_force(i));
  }
  // d/dq of M w - f - G^T mu, of the parts asked for
  const auto entry = [&](unsigned parts, int i, int j) {
    const auto at = static_cast<std::size_t>(i);
    Expr sum{};
    if (has(Parts(parts), Parts::mass)) sum = derived.by_q(mass[at], j);
    if (has(Parts(parts), Parts::force)) sum = graph.sub(sum, derived.by_q(derived.force()[at], j));
    if (has(Parts(parts), Parts::constraint)) sum = graph.sub(sum, derived.by_q(pull[at], j));
    return sum;
  };
  const unsigned all = unsigned(Parts::all);
  K_ = MatrixTerm(n, n, dense, [&](int i, int j) { return entry(all, i, j); });
  D_ = MatrixTerm(n, n, dense, [&](int i, int j) {
    return graph.neg(derived.by_v(derived.force()[static_cast<std::size_t>(i)], j));
  });
  V_q_ = MatrixTerm(dim_.multipliers(), n, dense, [&](int i, int j) {
    return derived.by_q(derived.velocity_rows()[static_cast<std::size_t>(i)], j);
  });
  kappa_q_ = MatrixTerm(
      rows, n, dense, [&](int i, int j) { return derived.by_q(derived.curvature()[static_cast<std::size_t>(i)], j); });
  kappa_v_ = MatrixTerm(
      rows, n, dense, [&](int i, int j) { return derived.by_v(derived.curvature()[static_cast<std::size_t>(i)], j); });

  const std::vector<Expr> inputs = derived.all_inputs();
  const auto finish = [&](const TermProgramBuilder<TangentTarget>& builder) {
    tangents_.push_back(builder.build(graph, inputs));
    note_size(tangents_.back().program);
    return static_cast<int>(tangents_.size()) - 1;
  };
  std::array<int, part_masks> program;
  program.fill(-1);
  const auto run = [&](unsigned parts, std::vector<int>& plan) {
    if (parts == 0) return;
    if (program[parts] < 0) {
      TermProgramBuilder<TangentTarget> builder;
      builder.add(TangentTarget::K, K_.with([&](int i, int j) { return entry(parts, i, j); }).values());
      if (has(Parts(parts), Parts::force)) builder.add(TangentTarget::D, D_.values());
      if (has(Parts(parts), Parts::force) && dim_.z > 0) {
        // column by column
        const auto columns = [&](int count, const std::vector<Expr>& rows, auto slope) {
          std::vector<Expr> all;
          for (int j = 0; j < count; ++j)
            for (Expr e : rows) all.push_back((derived.*slope)(e, j));
          return all;
        };
        using By = Expr (FormulaDerivation::*)(Expr, int);
        const By q = &FormulaDerivation::by_q, v = &FormulaDerivation::by_v, z = &FormulaDerivation::by_z;
        builder.add(TangentTarget::f_z, columns(dim_.z, derived.force(), z));
        builder.add(TangentTarget::zdot_q, columns(n, derived.state_rates(), q));
        builder.add(TangentTarget::zdot_v, columns(n, derived.state_rates(), v));
        builder.add(TangentTarget::zdot_z, columns(dim_.z, derived.state_rates(), z));
      }
      program[parts] = finish(builder);
    }
    plan.push_back(program[parts]);
  };
  const bool share = graph.size() < share_limit;
  for (unsigned parts = 1; parts < part_masks; ++parts) {
    if (share)
      run(parts, K_plan_[parts]);
    else
      for (Parts part : {Parts::mass, Parts::force, Parts::constraint}) run(parts & unsigned(part), K_plan_[parts]);
  }
  TermProgramBuilder<TangentTarget> velocity, curvature;
  velocity.add(TangentTarget::V_q, V_q_.values());
  curvature.add(TangentTarget::kappa_q, kappa_q_.values());
  curvature.add(TangentTarget::kappa_v, kappa_v_.values());
  V_q_program_ = finish(velocity);
  kappa_program_ = finish(curvature);
}

void FormulaSystem::make_scalar_programs(ExpressionGraph& graph, FormulaDerivation& derived) {
  const std::vector<Expr> inputs = derived.all_inputs();
  energy_ = Program(graph, inputs, std::vector<Expr>{derived.kinetic(), derived.potential(), derived.power()});
  const auto compile_rows = [&](const std::vector<Expr>& rows, JointsFirst& of) {
    of.all = Program(graph, derived.state_inputs(), rows);
    of.joints = Program(graph, derived.state_inputs(), std::span(rows).first(static_cast<std::size_t>(dim_.bilateral)));
    note_size(of.all);
    note_size(of.joints);
  };
  compile_rows(derived.largest_terms(), largest_terms_);
  if (one_.given()) {
    std::vector<Expr> one;
    for (int row = 0; row < dim_.rows(); ++row) one.push_back(derived.row_scale(row, one_.of_q));
    compile_rows(one, row_scale_);
  }
  std::vector<Expr> residual;
  for (int i = 0; i < dim_.v; ++i)
    residual.push_back(graph.sub(graph.sub(derived.mass_times_w(i), derived.force()[static_cast<std::size_t>(i)]),
                                 derived.constraint_force(i, true)));
  for (int row = 0; row < dim_.bilateral; ++row) residual.push_back(derived.acceleration_row(row));
  residual_ = Program(graph, inputs, residual);
  note_size(energy_);
}

void FormulaSystem::prepare(Terms& T) const {
  M_.prepare(T.M);
  G_.prepare(T.G);
  T_.prepare(T.T);
  T.f.setZero(dim_.v);
  T.zdot.setZero(dim_.z);
  T.g.setZero(dim_.rows());
  T.g_t.setZero(dim_.rows());
  T.kappa.setZero(dim_.rows());
  T.t0.setZero(dim_.slip);
  T.kappa_T.setZero(dim_.slip);
  T.scratch.setZero(static_cast<Eigen::Index>(inputs_ + max_outputs_ + max_registers_));
}

void FormulaSystem::prepare(Tangent& D) const {
  K_.prepare(D.K);
  D_.prepare(D.D);
  V_q_.prepare(D.V_q);
  kappa_q_.prepare(D.kappa_q);
  kappa_v_.prepare(D.kappa_v);
  D.f_z.setZero(dim_.v, dim_.z);
  D.zdot_q.setZero(dim_.z, dim_.v);
  D.zdot_v.setZero(dim_.z, dim_.v);
  D.zdot_z.setZero(dim_.z, dim_.z);
  D.scratch.setZero(static_cast<Eigen::Index>(inputs_ + max_outputs_ + max_registers_));
}

std::size_t FormulaSystem::pack(const State& s, double* in) const {
  const auto n = static_cast<std::size_t>(dim_.v);
  in[0] = s.t;
  std::copy_n(s.q.data(), n, in + 1);
  std::copy_n(s.v.data(), n, in + 1 + n);
  std::copy_n(s.z.data(), dim_.z, in + 1 + 2 * n);
  return 1 + 2 * n + static_cast<std::size_t>(dim_.z);
}

void FormulaSystem::pack(const State& s, const Vec& w, const Vec& mu, double* in) const {
  in += pack(s, in);
  std::copy_n(w.data(), dim_.v, in);
  std::copy_n(mu.data(), dim_.multipliers(), in + dim_.v);
}

void FormulaSystem::evaluate(const State& s, Need need, Terms& T) const {
  double* const in = T.scratch.data();
  double* const out = in + inputs_;
  pack(s, in);
  const bool one_by_one = T.contacts && !contact_.empty();
  for (int k : (one_by_one ? joints_plan_ : plan_)[unsigned(need)]) {
    const Evaluation& evaluation = evaluations_[static_cast<std::size_t>(k)];
    // a vector alone goes straight to its place
    if (evaluation.pieces.size() == 1 && evaluation.pieces[0].target == Target::g) {
      evaluation.program.run(in, T.g.data(), out);
      continue;
    }
    evaluation.program.run(in, out, out + max_outputs_);
    store(evaluation, out, T);
  }
  if (one_by_one) evaluate_contacts(in, need, T);
}

void FormulaSystem::evaluate_contacts(const double* in, Need need, Terms& T) const {
  double* const out = T.scratch.data() + inputs_;
  const auto put = [](Matrix& m, int i, int j, double value) {
    m.is_sparse() ? void(m.value()[static_cast<std::size_t>(m.slot(i, j))] = value) : void(m.dense()(i, j) = value);
  };
  for (const int i : *T.contacts) {
    const Contact& contact = contact_[static_cast<std::size_t>(i)];
    const ContactLaw& law = contacts_[static_cast<std::size_t>(i)];
    const int row = dim_.bilateral + i;
    if (has(need, Need::gap)) contact.gap.run(in, &T.g[row], out);
    if (has(need, Need::curvature)) contact.curvature.run(in, &T.kappa[row], out);
    if (has(need, Need::jacobian)) {
      contact.jacobian.run(in, out, out + max_outputs_);
      for (std::size_t k = 0; k < contact.columns.size(); ++k) put(T.G, row, contact.columns[k], out[k]);
      T.g_t[row] = out[contact.columns.size()];
    }
    if (law.slip < 0) continue;
    if (has(need, Need::slip)) {
      contact.slip.run(in, out, out + max_outputs_);
      std::size_t k = 0;
      for (const auto& [slip, column] : contact.slip_columns) put(T.T, slip, column, out[k++]);
      std::copy_n(out + k, law.slips, &T.t0[law.slip]);
    }
    if (has(need, Need::slip_rate)) contact.slip_rate.run(in, &T.kappa_T[law.slip], out);
  }
}

void FormulaSystem::store(const Evaluation& evaluation, const double* out, Terms& T) {
  const auto target = [&](Target which) -> double* {
    switch (which) {
      case Target::M:
        return storage(T.M);
      case Target::f:
        return T.f.data();
      case Target::zdot:
        return T.zdot.data();
      case Target::g:
        return T.g.data();
      case Target::G:
      case Target::G_joints:
        return storage(T.G);
      case Target::g_t:
        return T.g_t.data();
      case Target::kappa:
        return T.kappa.data();
      case Target::T:
        return storage(T.T);
      case Target::t0:
        return T.t0.data();
      case Target::kappa_T:
        return T.kappa_T.data();
    }
    return nullptr;
  };
  for (const auto& piece : evaluation.pieces) {
    if (piece.target == Target::G_joints && !T.G.is_sparse()) {
      const int rows = T.G.cols() > 0 ? piece.count / T.G.cols() : 0;
      T.G.dense().topRows(rows) = Eigen::Map<const Mat>(out, rows, T.G.cols());
    } else {
      copy_numbers(out, static_cast<std::size_t>(piece.count), target(piece.target));
    }
    out += piece.count;
  }
}

void FormulaSystem::tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const {
  double* const in = D.scratch.data();
  double* const out = in + inputs_;
  pack(s, w, mu, in);
  const auto run = [&](int k, bool add_to_K) {
    const TangentEvaluation& evaluation = tangents_[static_cast<std::size_t>(k)];
    evaluation.program.run(in, out, out + max_outputs_);
    store(evaluation, out, add_to_K, D);
  };
  const unsigned wanted = unsigned(parts) & unsigned(Parts::all);
  if (wanted != 0 && !has(parts, Parts::force)) D.D.set_zero();
  bool first = true;
  for (int k : K_plan_[wanted]) {
    run(k, !first);
    first = false;
  }
  if (has(parts, Parts::velocity_rows)) run(V_q_program_, false);
  if (has(parts, Parts::curvature_rows)) run(kappa_program_, false);
}

void FormulaSystem::store(const TangentEvaluation& evaluation, const double* out, bool add_to_K, Tangent& D) {
  const auto target = [&](TangentTarget which) -> double* {
    switch (which) {
      case TangentTarget::K:
        return storage(D.K);
      case TangentTarget::D:
        return storage(D.D);
      case TangentTarget::V_q:
        return storage(D.V_q);
      case TangentTarget::kappa_q:
        return storage(D.kappa_q);
      case TangentTarget::kappa_v:
        return storage(D.kappa_v);
      case TangentTarget::f_z:
        return D.f_z.data();
      case TangentTarget::zdot_q:
        return D.zdot_q.data();
      case TangentTarget::zdot_v:
        return D.zdot_v.data();
      case TangentTarget::zdot_z:
        return D.zdot_z.data();
    }
    return nullptr;
  };
  for (const auto& piece : evaluation.pieces) {
    double* const to = target(piece.target);
    if (add_to_K && piece.target == TangentTarget::K)
      for (int k = 0; k < piece.count; ++k) to[k] += out[k];
    else
      copy_numbers(out, static_cast<std::size_t>(piece.count), to);
    out += piece.count;
  }
}

Energy FormulaSystem::energy(const State& s, Terms& work) const {
  double* const in = work.scratch.data();
  double* const out = in + inputs_;
  pack(s, s.vdot, s.lambda, in);
  energy_.run(in, out, out + max_outputs_);
  return {out[0], out[1], out[2]};
}

void FormulaSystem::position_terms(const State& s, const ContactSet* contacts, Vec& largest) const {
  run_rows(largest_terms_, contacts, &Contact::largest, s, largest);
}

void FormulaSystem::row_scale(const State& s, const ContactSet* contacts, Vec& one) const {
  one_.given() ? run_rows(row_scale_, contacts, &Contact::scale, s, one) : System::row_scale(s, contacts, one);
}

void FormulaSystem::run_rows(const JointsFirst& of, const ContactSet* contacts, Program Contact::* of_contact, const State& s, Vec& out) const {
  thread_local std::vector<double> scratch;  // there is no workspace among the arguments; grows once per thread
  scratch.resize(std::max(scratch.size(), inputs_ + max_registers_));
  pack(s, scratch.data());
  out.resize(dim_.rows());
  double* const registers = scratch.data() + inputs_;
  const bool one_by_one = contacts && !contact_.empty();
  (one_by_one ? of.joints : of.all).run(scratch.data(), out.data(), registers);
  if (!one_by_one) return;
  for (const int i : *contacts)
    if (i < dim_.unilateral) (contact_[static_cast<std::size_t>(i)].*of_contact).run(scratch.data(), &out[dim_.bilateral + i], registers);
}

}  // namespace escapement
