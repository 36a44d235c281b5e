#include "run/run.hpp"

#include <algorithm>
#include <filesystem>
#include <span>

#include "run/recorder.hpp"
#include "run/version.hpp"

namespace escapement {

namespace {

// the evaluations so far are part of a checkpoint
class KeptCounts : public Observer {
 public:
  explicit KeptCounts(CountingSystem& system) : system_(system) {}
  void exchange(Snapshot& s) override {
    Counts c = system_.counts();
    s(c.mass, c.force, c.jacobian, c.curvature, c.stiffness, c.damping);
    system_.set(c);
  }

 private:
  CountingSystem& system_;
};

Origin origin_of(const Model& model, const RunOptions& options) {
  Origin origin{.model_name = model.name,
                .model_file = std::filesystem::path(model.file).filename().string(),
                .model_text = model.text,
                .parameters = model.parameters,
                .command = model.overrides,
                .tables = model.tables,
                .end = model.settings.end,
                .scheme = model.settings.scheme,
                .step = model.settings.step,
                .tolerance = model.settings.tolerance,
                .options = {},
                .version = version()};
  for (const Options* set : {&options.scheme, &options.loop})
    for (const auto& [name, value] : set->all()) {
      std::erase_if(origin.options, [&](const auto& known) { return known.first == name; });
      origin.options.emplace_back(name, value);
    }
  return origin;
}

NamedValues named(const std::vector<std::string>& names, const Vec& values) {
  NamedValues list;
  list.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) list.emplace_back(names[i], values[static_cast<int>(i)]);
  return list;
}

}  // namespace

RunReport run_model(Model& model, const RunHooks& hooks) {
  const System& system = *model.system;
  const RunOptions options = check_options(model.settings);
  const auto scheme = find_scheme(model.settings.scheme)->make(options.scheme);

  CountingSystem counted(system);
  Simulation simulation(counted, *scheme, model.settings, options.loop);
  std::optional<Automatic> automatic;
  if (model.settings.scheme == "auto") {
    automatic.emplace(system, model.settings.error_bound() > 0 ? model.settings.error_bound() : Settings::default_tolerance);
    simulation.follow(*automatic);
  }
  simulation.resolve(model.explicit_terms);
  if (system.dim().unilateral > 0) simulation.hold_samples(system);
  if (model.every_row) simulation.hold_rows(*model.every_row);
  DriftMonitor drift(model.rows(), ContactMonitor::need(model.rows()));
  ContactMonitor contacts(model.rows(), drift, model.settings.error_bound());
  EnergyMonitor energy(system, !model.settings.takes_fixed_steps());
  StepMonitor steps;
  Recorder recorder(model.rows(), model.output_names, [&](const State& s, double* out) { model.outputs.evaluate(s, out); });
  simulation.observe(drift);
  simulation.observe(contacts);
  simulation.observe(energy);
  simulation.observe(steps);
  simulation.observe(recorder);
  for (Observer* observer : hooks.observers) simulation.observe(*observer);
  if (model.stop) simulation.stop_when([&](const State& s) { return model.stop->evaluate(s) != 0 ? 1.0 : -1.0; });
  simulation.stop_on(hooks.interrupt);

  Result& result = recorder.result();
  result.origin = origin_of(model, options);
  if (hooks.take_result)
    simulation.between_steps([&](bool last) {
      if (!last && !hooks.wants_result(simulation.time(), result)) return;
      result.checkpoint = simulation.snapshot();
      if (!last) hooks.take_result(result);  // the last one is the run's own result
    });
  KeptCounts counts_of_run(counted);
  simulation.observe(counts_of_run);

  RunReport report;
  if (hooks.resume) {
    Origin origin = std::move(result.origin);
    result = std::move(*hooks.resume);
    result.origin = std::move(origin);
    result.summary.clear();
    report.outcome = simulation.resume(std::vector<double>(result.checkpoint));
  } else {
    report.outcome = simulation.run(model.start);
  }
  if (!report.outcome.interrupted()) result.checkpoint.clear();
  const Outcome& outcome = report.outcome;
  const Counts& counts = counted.counts();

  const Judgement judgement = judge(system, scheme->info(), model.settings, {drift, energy, contacts, steps});

  Summary& summary = report.summary;
  summary.model = model.name;
  summary.scheme = model.settings.scheme;
  if (automatic) summary.scheme_choice = automatic->why();
  summary.status = outcome.status;
  summary.sound = judgement.sound();
  summary.findings = judgement.findings;
  summary.message = outcome.message;
  summary.t = outcome.t;
  summary.steps = outcome.steps;
  summary.rejected_steps = outcome.rejected_steps;
  if (outcome.steps > 0) summary.average_step = (outcome.t - model.settings.start) / static_cast<double>(outcome.steps);
  summary.newton_iterations = outcome.newton_iterations;
  summary.evaluations = counts;
  summary.linear_solves = outcome.linear_solves;
  summary.work = counts.work(outcome.linear_solves);
  summary.max_drift = {drift.max_position(), drift.max_velocity()};
  summary.scaled_drift = {drift.scaled_position().value, drift.scaled_velocity().value};
  summary.drift_by_constraint.reserve(static_cast<std::size_t>(system.dim().bilateral));
  for (int i = 0; i < system.dim().bilateral; ++i)
    summary.drift_by_constraint.emplace_back(system.names().multipliers[i],
                                             Summary::Levels{drift.position()[i], drift.velocity()[i]});
  summary.max_penetration = contacts.deepest();
  summary.has_contacts = system.dim().unilateral > 0;
  summary.impacts = recorder.impacts();
  summary.impacts_with_energy_gain = recorder.energy_gains();
  summary.energy = {energy.initial(), energy.final(), energy.max_error()};
  summary.redundant_constraints = redundant_constraints(system, model.start);
  summary.assembled = model.assembled;
  summary.warnings = model.warnings;
  summary.final = {named(system.names().q, outcome.final.q), named(system.names().v, outcome.final.v)};
  summary.wall_seconds = outcome.stepping_seconds;
  summary.version = version();
  report.result = std::move(result);
  return report;
}

}  // namespace escapement
