#include "io/run.hpp"

#include <filesystem>
#include <optional>
#include <span>

#include "io/check.hpp"
#include "io/recorder.hpp"
#include "io/version.hpp"
#include "simulate/judgement.hpp"
#include "system/counting_system.hpp"

namespace escapement {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const OptionValue& value) {
  return std::visit([](const auto& x) -> Json { return x; }, value);
}

// names differ, so that none is looked for
template <class Value>
Json named(std::span<const std::string> names, Value value) {
  Json::object_t object;
  object.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) object.emplace_back(names[i], value(static_cast<int>(i)));
  return object;
}

Json named(const std::vector<std::string>& names, const Vec& values) {
  return named(names, [&](int i) { return values[i]; });
}

Json json_of(const Judgement& judgement) {
  Json list = Json::array();
  for (const Finding& f : judgement.findings)
    list.push_back({{"what", f.what}, {"where", f.where}, {"t", f.t}, {"value", f.value}, {"limit", f.limit}, {"remedy", f.remedy}});
  return list;
}

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

Json command_json(const Overrides& given) {
  Json command = Json::object();
  for (const auto& [key, list] : {std::pair{"set", &given.parameters}, std::pair{"option", &given.options}}) {
    command[key] = Json::array();
    for (const auto& [name, text] : *list) command[key].push_back({name, text});
  }
  for (const auto& [key, text] : {std::pair{"scheme", &given.scheme}, std::pair{"step", &given.step}, std::pair{"tolerance", &given.tolerance}, std::pair{"end", &given.end}})
    if (*text) command[key] = **text;
  return command;
}

}  // namespace

Model read_model_of(const Result& result, const std::string& file) {
  Overrides overrides;
  const Json command = Json::parse(result.command);
  for (const auto& [key, list] : {std::pair{"set", &overrides.parameters}, std::pair{"option", &overrides.options}})
    for (const Json& item : command.at(key)) list->emplace_back(item.at(0).get<std::string>(), item.at(1).get<std::string>());
  for (const auto& [key, text] : {std::pair{"scheme", &overrides.scheme}, std::pair{"step", &overrides.step}, std::pair{"tolerance", &overrides.tolerance}, std::pair{"end", &overrides.end}})
    if (command.contains(key)) *text = command[key].get<std::string>();
  return read_model(file, result.model_text, overrides);
}

std::string to_string(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::completed: return "completed";
    case Outcome::Status::stopped: return "stopped";
    case Outcome::Status::interrupted: return "interrupted";
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
    automatic.emplace(system, model.settings.tolerance.value_or(Settings::default_tolerance));
    simulation.follow(*automatic);
  }
  simulation.resolve(model.explicit_terms);
  if (system.dim().unilateral > 0) simulation.hold_samples(system);
  if (model.every_row) simulation.hold_rows(*model.every_row);
  DriftMonitor drift(model.rows(), ContactMonitor::need(model.rows()));
  ContactMonitor contacts(model.rows(), drift, model.settings.error_bound());
  EnergyMonitor energy(system, !model.settings.step);
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
  result.command = command_json(model.overrides).dump();
  if (hooks.take_result)
    simulation.between_steps([&](bool last) {
      if (!last && !hooks.wants_result(simulation.time())) return;
      result.checkpoint = simulation.snapshot();
      if (!last) hooks.take_result(result);  // the last one is the run's own result
    });
  KeptCounts counts_of_run(counted);
  simulation.observe(counts_of_run);

  RunReport report;
  if (hooks.resume) {
    Result& so_far = *hooks.resume;
    auto explained = result;  // names and texts, without numbers
    result = std::move(so_far);
    for (auto field : {&Result::model_name, &Result::model_file, &Result::model_text, &Result::parameters, &Result::overrides, &Result::command, &Result::scheme, &Result::options, &Result::version})
      result.*field = explained.*field;
    report.outcome = simulation.resume(std::vector<double>(result.checkpoint));
  } else {
    report.outcome = simulation.run(model.start);
  }
  if (!report.outcome.interrupted()) result.checkpoint.clear();
  const Outcome& outcome = report.outcome;
  const Counts& counts = counted.counts();

  const Judgement judgement = judge(system, scheme->info(), model.settings, {drift, energy, contacts, steps});

  Json by_constraint = named(std::span(system.names().multipliers).first(system.dim().bilateral), [&](int i) {
    return Json{{"position", drift.position()[i]}, {"velocity", drift.velocity()[i]}};
  });
  Json& summary = report.summary;
  summary = Json{
      {"model", model.name},
      {"scheme", model.settings.scheme},
      {"scheme_choice", automatic ? automatic->why() : ""},
      {"status", to_string(outcome.status)},
      {"verdict", judgement.sound() ? "sound" : "suspect"},
      {"findings", json_of(judgement)},
      {"message", outcome.message},
      {"t", outcome.t},
      {"steps", outcome.steps},
      {"rejected_steps", outcome.rejected_steps},
      {"average_step", outcome.steps > 0 ? (outcome.t - model.settings.start) / static_cast<double>(outcome.steps) : 0.0},
      {"newton_iterations", outcome.newton_iterations},
      {"evaluations",
       {{"mass", counts.mass}, {"force", counts.force}, {"jacobian", counts.jacobian}, {"curvature", counts.curvature},
        {"stiffness", counts.stiffness}, {"damping", counts.damping}, {"linear_solves", outcome.linear_solves}}},
      {"work", counts.work(outcome.linear_solves)},
      {"max_drift", {{"position", drift.max_position()}, {"velocity", drift.max_velocity()}}},
      {"scaled_drift", {{"position", drift.scaled_position().value}, {"velocity", drift.scaled_velocity().value}}},
      {"drift_by_constraint", std::move(by_constraint)},
      {"max_penetration", contacts.deepest()},
      {"has_contacts", system.dim().unilateral > 0},
      {"impacts", recorder.impacts()},
      {"impacts_with_energy_gain", recorder.energy_gains()},
      {"energy", {{"initial", energy.initial()}, {"final", energy.final()}, {"max_error", energy.max_error()}}},
      {"redundant_constraints", redundant_constraints(system, model.start)},
      {"assembled", assembled_json(model)},
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
