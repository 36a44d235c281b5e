#include "ensemble/ensemble.hpp"

#include <cmath>
#include <limits>

#include "math/program_lowering.hpp"
#include "model/formula_derivation.hpp"

namespace escapement::inline ensemble {

EnsembleTimes make_times(const EnsembleSettings& s) {
  EnsembleTimes times;
  const auto begin_of = [&](int n) { return s.start + n * s.step; };
  // the last step ends at the end; a remainder below 1e-9 of a step joins it
  const auto is_last = [&](int n) { return s.end - begin_of(n) <= s.step * (1 + 1e-9); };
  int n = std::max(0, static_cast<int>((s.end - s.start) / s.step) - 2);
  while (!is_last(n)) ++n;
  times.steps = n + 1;
  long taken = 0;
  const auto add = [&](int step, double part, double time) {
    times.sample_step.push_back(step);
    times.sample_part.push_back(part);
    times.sample_time.push_back(time);
  };
  for (int k = 0; k < times.steps; ++k) {
    const double t0 = begin_of(k), t1 = k + 1 == times.steps ? s.end : begin_of(k + 1), h = t1 - t0;
    bool ends = false;
    for (; s.save_every > 0; ++taken) {
      const double t = s.start + static_cast<double>(taken + 1) * s.save_every;
      if (t > t1 + 1e-9 * h) break;
      ends = t >= t1 - 1e-9 * h;
      ends ? add(k, 1, t1) : add(k, (t - t0) / h, t0 + (t - t0) / h * h);
    }
    if (!ends && (s.save_every == 0 || k + 1 == times.steps)) add(k, 1, t1);
  }
  return times;
}

Ensemble::Ensemble(ExpressionGraph& graph, const EnsembleFormulas& given, const EnsembleSettings& settings_)
    : settings(settings_), times(make_times(settings_)) {
  const Formulas& formulas = given.formulas;
  FormulaDerivation derived(graph, formulas);
  v = derived.coordinates();
  bilateral = derived.bilateral();
  contacts = derived.rows() - bilateral;
  parameters = static_cast<int>(formulas.parameters.size());
  scale_q = scale_v = formulas.scale.empty() ? std::vector<double>(static_cast<std::size_t>(v), 1.0) : formulas.scale;

  std::vector<Expr> begin = given.start;
  begin.insert(begin.end(), given.rate.begin(), given.rate.end());
  begin.insert(begin.end(), given.restitution.begin(), given.restitution.end());
  start = lower(graph, formulas.parameters, begin);

  const auto append = [](std::vector<Expr>& list, const std::vector<Expr>& more) { list.insert(list.end(), more.begin(), more.end()); };
  std::vector<Expr> state = derived.state_inputs(), wanted;
  for (int i = 0; i < v; ++i)
    for (int j = 0; j <= i; ++j) wanted.push_back(derived.mass(i, j));
  append(wanted, derived.force());
  append(wanted, derived.g());
  for (int r = 0; r < rows(); ++r)
    for (int j = 0; j < v; ++j) wanted.push_back(derived.jacobian(r, j));
  append(wanted, derived.g_t());
  terms = make_straight_code(graph, state, formulas.parameters, wanted);

  std::size_t at = 0;
  coupled.assign(static_cast<std::size_t>(v * v), 0);
  const auto is_coupled = [&](int i, int j) -> unsigned char& { return coupled[static_cast<std::size_t>(i * v + j)]; };
  for (int i = 0; i < v; ++i)
    for (int j = 0; j <= i; ++j) is_coupled(i, j) = !terms.is_zero(at++);
  for (int k = 0; k < v; ++k)  // elimination fills in
    for (int i = k + 1; i < v; ++i)
      for (int j = k + 1; j <= i; ++j)
        if (is_coupled(i, k) && is_coupled(j, k)) is_coupled(i, j) = 1;
  at += static_cast<std::size_t>(v + rows());
  for (int r = 0; r < rows(); ++r)
    for (int j = 0; j < v; ++j) acts.push_back(!terms.is_zero(at++));

  append(state, given.forces);
  std::vector<Expr> sampled;
  for (const EnsembleFormulas::Sampled& one : given.sampled) {
    sampled.push_back(one.value);
    reductions.push_back(static_cast<int>(one.reduction));
  }
  sample = make_straight_code(graph, state, formulas.parameters, sampled);
}

void EnsembleResult::resize(std::size_t members, std::size_t values) {
  value.assign(members * values, std::numeric_limits<double>::quiet_NaN());
  for (auto* list : {&impacts, &failure, &failed_at, &work}) list->assign(members, 0);
}

bool is_refusal(int failure) { return failure >= 5; }

const char* failure_text(int failure) {
  constexpr const char* texts[] = {"", "the mass matrix is not positive definite", "the motion is no longer finite", "the contact problem has no solution",
                                   "Newton's iteration does not converge",
                                   "the start is inconsistent: a gap is below 0, or a constraint does not hold; correct start and rate", "restitution must be between 0 and 1"};
  return texts[failure >= 0 && failure < 7 ? failure : 0];
}

}  // namespace escapement
