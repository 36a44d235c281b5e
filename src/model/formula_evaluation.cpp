// Running the programs of a formula system.
#include <algorithm>

#include "math/copy_numbers.hpp"
#include "math/pairs.hpp"
#include "model/formula_system.hpp"

namespace escapement::inline model {

void FormulaSystem::prepare(Terms& T) const {
  M_.prepare(T.M);
  G_.prepare(T.G);
  T_.prepare(T.T);
  size_vectors(dim_, T);
  T.scratch.setZero(static_cast<Eigen::Index>(inputs_ + max_outputs_));
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
  D.scratch.setZero(static_cast<Eigen::Index>(inputs_ + max_outputs_));
}

// The steps of small mechanisms are mostly made of what follows, up to the programs themselves: it is put together in one place

[[gnu::always_inline]] inline double* FormulaSystem::pack(const State& s, double* in) const {
  *in++ = s.t;
  const double *q = s.q.data(), *v = s.v.data();
  const int n = dim_.v;
  if (n <= 4) {  // too few to be copied in blocks
    for (int i = 0; i < n; ++i, ++in) {
      in[0] = q[i];
      in[n] = v[i];
    }
    in += n;
  } else {
    in = copy_numbers(q, static_cast<std::size_t>(n), in);
    in = copy_numbers(v, static_cast<std::size_t>(n), in);
  }
  return dim_.z > 0 ? copy_numbers(s.z.data(), static_cast<std::size_t>(dim_.z), in) : in;
}

[[gnu::always_inline]] inline void FormulaSystem::pack(const State& s, const Vec& w, const Vec& mu, double* in) const {
  in = copy_numbers(w.data(), static_cast<std::size_t>(dim_.v), pack(s, in));
  copy_numbers(mu.data(), static_cast<std::size_t>(dim_.multipliers()), in);
}

[[gnu::always_inline]] inline double* FormulaSystem::run(const DeferredProgram& deferred, Vec& work, double* out) const {
  const Program& program = *deferred;
  const auto room = static_cast<Eigen::Index>(inputs_ + max_outputs_ + program.scratch_size());
  if (work.size() < room) work.conservativeResize(room);
  double* const in = work.data();
  if (!out) out = in + inputs_;
  program.run(in, out, in + inputs_ + max_outputs_);
  return out;
}

[[gnu::always_inline]] inline double* FormulaSystem::place(Target which, Terms& T) {
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
}

[[gnu::always_inline]] inline void FormulaSystem::store(const Evaluation& evaluation, const double* out, Terms& T) {
  for (const auto& piece : evaluation.pieces) {
    double* to = place(piece.target, T);
    int left = piece.count;
    for (; left > 1; left -= 2, out += 2, to += 2) store_pair(load_pair(out), to);
    if (left > 0) *to = *out++;
  }
}

void FormulaSystem::evaluate(const State& s, Need need, Terms& T) const {
  if (T.contacts && !contact_.empty()) return evaluate_one_by_one(s, need, T);
  pack(s, T.scratch.data());
  for (int k : plan_[unsigned(need)]) {
    const Evaluation& evaluation = evaluations_[static_cast<std::size_t>(k)];
    if (evaluation.pieces.size() == 1)  // what is alone goes straight to its place
      run(evaluation.program, T.scratch, place(evaluation.pieces[0].target, T));
    else
      store(evaluation, run(evaluation.program, T.scratch), T);
  }
}

Energy FormulaSystem::evaluate_with_energy(const State& s, Need need, Terms& T) const {
  const int k = with_energy_[has(need, Need::jacobian)];
  const Need shared = Need::gap | Need(unsigned(need) & unsigned(Need::jacobian)) | Need(dim_.slip > 0 ? unsigned(Need::slip) : 0);
  if (k < 0 || need != shared || (T.contacts && !contact_.empty())) {
    evaluate(s, need, T);
    return energy(s, T);
  }
  const Evaluation& evaluation = evaluations_[static_cast<std::size_t>(k)];
  pack(s, T.scratch.data());
  const double* const out = run(evaluation.program, T.scratch);
  store(evaluation, out, T);
  const double* const energies = out + evaluation.program.output_count() - 2;
  return {energies[0], energies[1], 0};
}

// rows of joints together, then those of the contacts that are asked for
[[gnu::noinline]] void FormulaSystem::evaluate_one_by_one(const State& s, Need need, Terms& T) const {
  pack(s, T.scratch.data());
  for (int k : joints_plan_[unsigned(need)]) {
    const Evaluation& evaluation = evaluations_[static_cast<std::size_t>(k)];
    const double* out = run(evaluation.program, T.scratch);
    for (const auto& [target, count] : evaluation.pieces) {
      if (target == Target::G_joints && !T.G.is_sparse()) {
        const int rows = T.G.cols() > 0 ? count / T.G.cols() : 0;
        T.G.dense().topRows(rows) = Eigen::Map<const Mat>(out, rows, T.G.cols());
      } else {
        copy_numbers(out, static_cast<std::size_t>(count), place(target, T));
      }
      out += count;
    }
  }
  evaluate_contacts(need, T);
}

void FormulaSystem::evaluate_contacts(Need need, Terms& T) const {
  const auto put = [](Matrix& m, int i, int j, double value) {
    m.is_sparse() ? void(m.value()[static_cast<std::size_t>(m.slot(i, j))] = value) : void(m.dense()(i, j) = value);
  };
  for (const int i : *T.contacts) {
    const Contact& contact = contact_[static_cast<std::size_t>(i)];
    const ContactLaw& law = contacts_[static_cast<std::size_t>(i)];
    const int row = dim_.bilateral + i;
    if (has(need, Need::gap)) run(contact.gap, T.scratch, &T.g[row]);
    if (has(need, Need::curvature)) run(contact.curvature, T.scratch, &T.kappa[row]);
    if (has(need, Need::jacobian)) {
      const double* const out = run(contact.jacobian, T.scratch);
      for (std::size_t k = 0; k < contact.columns.size(); ++k) put(T.G, row, contact.columns[k], out[k]);
      T.g_t[row] = out[contact.columns.size()];
    }
    if (law.slip < 0) continue;
    if (has(need, Need::slip)) {
      const double* out = run(contact.slip, T.scratch);
      for (const auto& [slip, column] : contact.slip_columns) put(T.T, slip, column, *out++);
      std::copy_n(out, law.slips, &T.t0[law.slip]);
    }
    if (has(need, Need::slip_rate)) run(contact.slip_rate, T.scratch, &T.kappa_T[law.slip]);
  }
}

[[gnu::always_inline]] inline double* FormulaSystem::place(TangentTarget which, Tangent& D) {
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
}

[[gnu::always_inline]] inline void FormulaSystem::store(const TangentEvaluation& evaluation, const double* out, bool add_to_K, Tangent& D) {
  for (const auto& piece : evaluation.pieces) {
    double* const to = place(piece.target, D);
    if (add_to_K && piece.target == TangentTarget::K)
      for (int k = 0; k < piece.count; ++k) to[k] += out[k];
    else
      copy_numbers(out, static_cast<std::size_t>(piece.count), to);
    out += piece.count;
  }
}

void FormulaSystem::tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const {
  pack(s, w, mu, D.scratch.data());
  const auto add = [&](int k, bool add_to_K) {
    const TangentEvaluation& evaluation = tangents_[static_cast<std::size_t>(k)];
    if (evaluation.pieces.size() == 1 && !add_to_K)
      run(evaluation.program, D.scratch, place(evaluation.pieces[0].target, D));
    else
      store(evaluation, run(evaluation.program, D.scratch), add_to_K, D);
  };
  const unsigned wanted = unsigned(parts) & unsigned(Parts::all);
  if (wanted != 0 && !has(parts, Parts::force)) D.D.set_zero();
  bool first = true;
  for (int k : K_plan_[wanted]) {
    add(k, !first);
    first = false;
  }
  if (has(parts, Parts::velocity_rows)) add(V_q_program_, false);
  if (has(parts, Parts::curvature_rows)) add(kappa_program_, false);
}

Energy FormulaSystem::energy(const State& s, Terms& work) const {
  pack(s, s.vdot, s.lambda, work.scratch.data());
  const double* const out = run(energy_, work.scratch);
  return {out[0], out[1], out[2]};
}

void FormulaSystem::position_terms(const State& s, const ContactSet* contacts, Vec& largest) const {
  run_rows(largest_terms_, contacts, &Contact::largest, s, largest);
}

void FormulaSystem::row_scale(const State& s, const ContactSet* contacts, Vec& one) const {
  one_.given() ? run_rows(row_scale_, contacts, &Contact::scale, s, one) : System::row_scale(s, contacts, one);
}

void FormulaSystem::run_rows(const JointsFirst& of, const ContactSet* contacts, DeferredProgram Contact::* of_contact, const State& s,
                             Vec& out) const {
  thread_local Vec scratch;  // there is no workspace among the arguments; grows once per thread
  if (scratch.size() < static_cast<Eigen::Index>(inputs_)) scratch.resize(static_cast<Eigen::Index>(inputs_));
  pack(s, scratch.data());
  out.resize(dim_.rows());
  const bool one_by_one = contacts && !contact_.empty();
  run(one_by_one ? of.joints : of.all, scratch, out.data());
  if (!one_by_one) return;
  for (const int i : *contacts)
    if (i < dim_.unilateral) run(contact_[static_cast<std::size_t>(i)].*of_contact, scratch, &out[dim_.bilateral + i]);
}

}  // namespace escapement
