#include "io/run.hpp"

#include <filesystem>
#include <optional>

#include "io/check.hpp"
#include "io/recorder.hpp"
#include "io/version.hpp"
#include "simulate/monitors.hpp"
#include "system/counting_system.hpp"

namespace escapement {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const OptionValue& value) {
  return std::visit([](const auto& x) -> Json { return x; }, value);
}

Json named(const std::vector<std::string>& names, const Vec& values) {
  Json object = Json::object();
  for (std::size_t i = 0; i < names.size(); ++i) object[names[i]] = values[static_cast<int>(i)];
  return object;
}

}  // namespace

std::string to_string(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::completed: return "completed";
    case Outcome::Status::stopped: return "stopped";
    case Outcome::Status::failed: return "failed";
  }
  return "";
}

RunReport run_model(Model& model, const RunHooks& hooks) {
  const System& system = *model.system;
  const RunOptions options = check_options(model.settings);
  const auto scheme = find_scheme(model.settings.scheme)->make(options.scheme);

  CountingSystem counted(system);
  Simulation simulation(counted, *scheme, model.settings, options.loop);
  std::optional<Automatic> automatic;
  if (model.settings.scheme == "auto") {
    automatic.emplace(system, model.settings.tolerance.value_or(1e-6));
    simulation.follow(*automatic);
  }
  DriftMonitor drift(system);
  EnergyMonitor energy(system);
  Recorder recorder(system, model.output_names, [&](const State& s, double* out) { model.outputs.evaluate(s, out); });
  simulation.observe(drift);
  simulation.observe(energy);
  simulation.observe(recorder);
  for (Observer* observer : hooks.observers) simulation.observe(*observer);
  if (model.stop) simulation.stop_when([&](const State& s) { return model.stop->evaluate(s) != 0 ? 1.0 : -1.0; });
  simulation.stop_on(hooks.interrupt);

  Result& result = recorder.result();
  result.model_name = model.name;
  result.model_file = std::filesystem::path(model.file).filename().string();
  result.model_text = model.text;
  result.version = version();
  result.scheme = model.settings.scheme;
  Json parameters = Json::object(), option_values = Json::object();
  for (const auto& [name, value] : model.parameters) parameters[name] = value;
  for (const auto* set : {&options.scheme, &options.loop})
    for (const auto& [name, value] : set->all()) option_values[name] = json_of(value);
  result.parameters = parameters.dump();
  result.options = option_values.dump();
  Json overrides{{"end", model.settings.end}, {"scheme", model.settings.scheme}};
  if (model.settings.step) overrides["step"] = *model.settings.step;
  if (model.settings.tolerance) overrides["tolerance"] = *model.settings.tolerance;
  result.overrides = overrides.dump();
  if (hooks.on_progress) recorder.on_progress([&] { hooks.on_progress(result); });

  RunReport report;
  report.outcome = simulation.run(model.start);
  const Outcome& outcome = report.outcome;
  const Counts& counts = counted.counts();

  Json by_constraint = Json::object();
  for (int i = 0; i < system.dim().bilateral; ++i)
    by_constraint[system.names().multipliers[i]] = {{"position", drift.position()[i]}, {"velocity", drift.velocity()[i]}};
  Json& summary = report.summary;
  summary = Json{
      {"model", model.name},
      {"scheme", model.settings.scheme},
      {"scheme_choice", automatic ? automatic->why() : ""},
      {"status", to_string(outcome.status)},
      {"message", outcome.message},
      {"t", outcome.t},
      {"steps", outcome.steps},
      {"rejected_steps", outcome.rejected_steps},
      {"average_step", outcome.steps > 0 ? outcome.t / static_cast<double>(outcome.steps) : 0.0},
      {"newton_iterations", outcome.newton_iterations},
      {"evaluations",
       {{"mass", counts.mass}, {"force", counts.force}, {"jacobian", counts.jacobian}, {"curvature", counts.curvature},
        {"stiffness", counts.stiffness}, {"damping", counts.damping}, {"linear_solves", outcome.linear_solves}}},
      {"work", counts.work(outcome.linear_solves)},
      {"max_drift", {{"position", drift.max_position()}, {"velocity", drift.max_velocity()}}},
      {"scaled_drift", {{"position", drift.scaled_position()}, {"velocity", drift.scaled_velocity()}}},
      {"drift_by_constraint", by_constraint},
      {"max_penetration", drift.penetration()},
      {"has_contacts", system.dim().unilateral > 0},
      {"impacts", recorder.impacts()},
      {"impacts_with_energy_gain", recorder.energy_gains()},
      {"energy", {{"initial", energy.initial()}, {"final", energy.final()}, {"max_error", energy.max_error()}}},
      {"redundant_constraints", redundant_constraints(system, model.start)},
      {"warnings", model.warnings},
      {"final", {{"q", named(system.names().q, outcome.final.q)}, {"v", named(system.names().v, outcome.final.v)}}},
      {"wall_seconds", outcome.stepping_seconds},
      {"version", version()},
  };
  result.summary = summary.dump();
  report.result = std::move(result);
  return report;
}

}  // namespace escapement
