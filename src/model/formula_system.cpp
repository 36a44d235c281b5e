#include "model/formula_system.hpp"

#include <algorithm>

namespace escapement::inline model {

namespace {

constexpr int dense_limit = 60;            // velocities; above, matrices are sparse
constexpr std::size_t share_limit = 4000;  // nodes; above, terms are not compiled together in every combination
constexpr int few_contacts = 16;           // whose rows are evaluated together though some of them may be open

constexpr std::array needs{Need::mass,      Need::force, Need::gap,      Need::jacobian,
                           Need::curvature, Need::slip,  Need::slip_rate};
constexpr unsigned slip_bits = unsigned(Need::slip) | unsigned(Need::slip_rate);
constexpr unsigned row_bits = unsigned(Need::gap) | unsigned(Need::jacobian) | unsigned(Need::curvature);

}  // namespace

// what programs are made from, and how: at once, or when they are first used
struct FormulaSystem::Source {
  ExpressionGraph& graph;
  std::shared_ptr<ExpressionGraph> kept;  // empty: compile at once
  FormulaDerivation derived;
  std::shared_ptr<const std::vector<Expr>> state_inputs, all_inputs;
  std::size_t& max_outputs;

  DeferredProgram compile(const std::shared_ptr<const std::vector<Expr>>& inputs, std::span<const Expr> outputs) const {
    max_outputs = std::max(max_outputs, outputs.size());
    if (!kept) return Program(graph, *inputs, outputs);
    return {kept, inputs, std::vector<Expr>(outputs.begin(), outputs.end())};
  }
};

FormulaSystem::FormulaSystem(ExpressionGraph& graph, const Formulas& formulas) : FormulaSystem(graph, nullptr, formulas) {}
FormulaSystem::FormulaSystem(std::shared_ptr<ExpressionGraph> graph, const Formulas& formulas)
    : FormulaSystem(*graph, graph, formulas) {}

FormulaSystem::FormulaSystem(ExpressionGraph& graph, std::shared_ptr<ExpressionGraph> kept, const Formulas& formulas) {
  read(formulas);
  Source source{graph, std::move(kept), FormulaDerivation(graph, formulas), nullptr, nullptr, max_outputs_};
  source.state_inputs = std::make_shared<const std::vector<Expr>>(source.derived.state_inputs());
  source.all_inputs = std::make_shared<const std::vector<Expr>>(source.derived.all_inputs());
  unusual_kinetic_energy_ = source.derived.has_unusual_terms();
  inputs_ = source.all_inputs->size();
  make_term_programs(source);
  make_tangent_programs(source);
  make_scalar_programs(source);
  make_contact_programs(source);
}

FormulaSystem::FormulaSystem(const FormulaSystem& like, const Formulas& formulas, std::span<const double> values)
    : FormulaSystem(like) {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    contacts_[i].restitution = formulas.contacts[i].restitution;
    contacts_[i].friction = formulas.contacts[i].friction;
  }
  for_each_program([&](DeferredProgram& program) { program = DeferredProgram(program->with(values)); });
}

template <class F>
void FormulaSystem::for_each_program(F&& f) {
  for (Evaluation& evaluation : evaluations_) f(evaluation.program);
  for (TangentEvaluation& evaluation : tangents_) f(evaluation.program);
  for (Contact& c : contact_)
    for (DeferredProgram* program : {&c.gap, &c.jacobian, &c.curvature, &c.slip, &c.slip_rate, &c.largest, &c.scale})
      if (*program) f(*program);
  for (DeferredProgram* program : {&largest_terms_.all, &largest_terms_.joints, &row_scale_.all, &row_scale_.joints, &energy_, &residual_})
    if (*program) f(*program);
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

void FormulaSystem::make_term_programs(Source& source) {
  ExpressionGraph& graph = source.graph;
  FormulaDerivation& derived = source.derived;
  const int n = dim_.v, rows = dim_.rows(), slips = dim_.slip;
  const bool dense = n <= dense_limit;
  M_ = MatrixTerm(n, n, dense, [&](int i, int j) { return derived.mass(i, j); });
  G_ = MatrixTerm(rows, n, dense, [&](int i, int j) { return derived.jacobian(i, j); });
  T_ = MatrixTerm(slips, n, dense, [&](int i, int j) { return derived.slip_jacobian(i, j); });
  G_of_joints_ = MatrixTerm(dim_.bilateral, n, dense, [&](int i, int j) { return derived.jacobian(i, j); });

  // what a system does not have is left out of every request; slips are compiled apart to keep the combinations few
  const auto make_plan = [&](unsigned present, bool share, bool all, Plan& plans) {
    std::array<int, need_masks> program;
    program.fill(-1);
    const auto run = [&](unsigned mask, std::vector<int>& plan) {
      if (mask == 0) return;
      if (program[mask] < 0) program[mask] = compile_terms(source, mask, all);
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
    const std::size_t size = evaluations_[static_cast<std::size_t>(compile_terms(source, of_joints, false))].program->operation_count();
    make_plan(of_joints, size < share_limit, false, joints_plan_);
  }
  if (rows > 0) present |= row_bits;
  if (slips > 0) present |= slip_bits;
  make_plan(present, graph.size() < share_limit, true, plan_);
}

// all: of rows all, or those of joints, the first ones; with_energy: kinetic and potential energy behind them
int FormulaSystem::compile_terms(Source& source, unsigned mask, bool all, bool with_energy) {
  ExpressionGraph& graph = source.graph;
  FormulaDerivation& derived = source.derived;
  // what is zero for ever stays as prepare() has left it
  const auto driven = [&](const auto& rates) { return std::any_of(rates.begin(), rates.end(), [&](Expr rate) { return !graph.is_zero(rate); }); };
  TermProgramBuilder<Target> builder;
  const auto wanted = [&](Need need) { return has(Need(mask), need); };
  const auto count = static_cast<std::size_t>(all ? dim_.rows() : dim_.bilateral);
  const auto first = [&](const std::vector<Expr>& list) { return std::span(list).first(count); };
  if (wanted(Need::mass)) builder.add(Target::M, M_.values());
  if (wanted(Need::force)) builder.add(Target::f, derived.force());
  if (wanted(Need::force)) builder.add(Target::zdot, derived.state_rates());
  if (wanted(Need::gap)) builder.add(Target::g, first(derived.g()));
  if (wanted(Need::jacobian)) builder.add(all ? Target::G : Target::G_joints, all ? G_.values() : G_of_joints_.values());
  if (wanted(Need::jacobian) && driven(derived.g_t())) builder.add(Target::g_t, first(derived.g_t()));
  if (wanted(Need::curvature)) builder.add(Target::kappa, first(derived.curvature()));
  if (wanted(Need::slip)) builder.add(Target::T, T_.values());
  if (wanted(Need::slip) && driven(derived.slip_constant())) builder.add(Target::t0, derived.slip_constant());
  if (wanted(Need::slip_rate)) builder.add(Target::kappa_T, derived.slip_curvature());
  evaluations_.push_back(builder.build([&](std::vector<Expr> outputs) {
    if (with_energy) outputs.insert(outputs.end(), {derived.kinetic(), derived.potential()});
    return source.compile(source.state_inputs, outputs);
  }));
  return static_cast<int>(evaluations_.size()) - 1;
}

// what one contact needs, without the others
void FormulaSystem::make_contact_programs(Source& source) {
  ExpressionGraph& graph = source.graph;
  FormulaDerivation& derived = source.derived;
  if (dim_.unilateral <= few_contacts) return;
  const auto compile = [&](const std::vector<Expr>& outputs) { return source.compile(source.state_inputs, outputs); };
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

void FormulaSystem::make_tangent_programs(Source& source) {
  ExpressionGraph& graph = source.graph;
  FormulaDerivation& derived = source.derived;
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

  const auto finish = [&](const TermProgramBuilder<TangentTarget>& builder) {
    tangents_.push_back(builder.build([&](const std::vector<Expr>& outputs) { return source.compile(source.all_inputs, outputs); }));
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
        const auto columns = [&](int count, const std::vector<Expr>& list, auto slope) {
          std::vector<Expr> slopes;
          for (int j = 0; j < count; ++j)
            for (Expr e : list) slopes.push_back((derived.*slope)(e, j));
          return slopes;
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

void FormulaSystem::make_scalar_programs(Source& source) {
  ExpressionGraph& graph = source.graph;
  FormulaDerivation& derived = source.derived;
  const Expr power = derived.power();
  keeps_energy_ = power == Expr{};
  energy_ = source.compile(source.all_inputs, std::vector<Expr>{derived.kinetic(), derived.potential(), power});
  if (keeps_energy_ && graph.size() < share_limit)
    for (const unsigned rows : {0u, unsigned(Need::jacobian)})
      with_energy_[rows != 0] = compile_terms(source, unsigned(Need::gap) | rows | unsigned(Need::slip), true, true);
  const auto compile_rows = [&](const std::vector<Expr>& rows, JointsFirst& of) {
    of.all = source.compile(source.state_inputs, rows);
    of.joints = source.compile(source.state_inputs, std::span(rows).first(static_cast<std::size_t>(dim_.bilateral)));
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
  residual_ = source.compile(source.all_inputs, residual);
}

}  // namespace escapement
