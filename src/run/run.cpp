#include "run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "run/recorder.hpp"
#include "run/touch_monitor.hpp"
#include "run/version.hpp"
#include "schemes/found_contacts.hpp"
#include "system/energy_keeping.hpp"

namespace escapement::inline run {

namespace {

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
      std::erase_if(origin.options, [&named = name](const auto& known) { return known.first == named; });
      origin.options.emplace_back(name, value);
    }
  return origin;
}

const TouchingSystem* touching_of(const Model& model) {
  const auto* system = dynamic_cast<const TouchingSystem*>(model.system.get());
  return system && system->touching() ? system : nullptr;
}

// the system, where nothing works on it
const EnergyKeeping* keeping_energy(const System& system) {
  const auto* keeping = dynamic_cast<const EnergyKeeping*>(&system);
  return keeping && keeping->keeps_energy() ? keeping : nullptr;
}

// a scheme from elsewhere stands in place of the one the model names; auto takes moreau-jean where contacts are found anew in each step
Settings settled(const Model& model, const Scheme* own) {
  Settings settings = model.settings;
  if (own) settings.scheme = own->info().id;
  else if (touching_of(model) && settings.scheme == "auto") settings.scheme = "moreau-jean";
  return settings;
}

NamedValues named(const std::vector<std::string>& names, const Vec& values) {
  NamedValues list;
  list.reserve(names.size());
  for (std::size_t i = 0; i < names.size(); ++i) list.emplace_back(names[i], values[static_cast<int>(i)]);
  return list;
}

}  // namespace

struct Run::Parts : Observer {
  Parts(Model& m, const RunHooks& h);
  void step(const StepRecord& record) override {
    if (record.accepted) size = record.h;
  }
  void evaluate_outputs(const State& s, double* out) {
    model.outputs.evaluate(s, out);
    out += model.outputs.size();
    for (const auto& value : inputs) *out++ = *value;
  }
  RunReport report(const Outcome&);

  Model& model;
  RunHooks hooks;
  Settings settings;
  RunOptions options;
  std::unique_ptr<Scheme> own_scheme;
  Scheme& scheme;
  Simulation simulation;
  std::optional<Automatic> automatic;
  DriftMonitor drift;
  ContactMonitor contacts;
  EnergyMonitor energy;
  StepMonitor steps;
  TouchMonitor touch;
  Recorder recorder;
  std::vector<std::shared_ptr<const double>> inputs;
  double size = 0;
  bool more = true;
};

Run::Parts::Parts(Model& m, const RunHooks& h)
    : model(m),
      hooks(h),
      settings(settled(m, h.scheme)),
      options(h.scheme ? check_options(settings, h.scheme->info()) : check_options(settings)),
      own_scheme(h.scheme ? nullptr : find_scheme(settings.scheme)->make(options.scheme)),
      scheme(h.scheme ? *h.scheme : *own_scheme),
      simulation(*m.system, scheme, settings, options.loop),
      drift(*m.system, ContactMonitor::need(*m.system), keeping_energy(*m.system)),
      contacts(*m.system, drift, m.settings.error_bound(), touching_of(m) ? little::solved : little::rest),
      energy(simulation.integrated(), !m.settings.takes_fixed_steps(), &drift),
      recorder(*m.system, m.output_names, [this](const State& s, double* out) { evaluate_outputs(s, out); }, touching_of(m), keeping_energy(*m.system)) {
  const System& system = simulation.integrated();
  if (const TouchingSystem* touching = touching_of(m)) {
    auto* finding = dynamic_cast<ContactFinding*>(&scheme);
    if (!finding)
      throw OptionError("scheme", fmt::format("contacts of shapes that are found anew in each step ({}) need moreau-jean or auto; take one of them", touching->touching()->why));
    if (options.scheme.text("impact_law") != "newton")
      throw OptionError("impact_law", fmt::format("contacts of shapes that are found anew in each step ({}) take Newton's law of impact alone; remove the option 'impact_law'", touching->touching()->why));
    finding->find_contacts_of(*touching);
    simulation.observe(touch);
  }
  if (!h.scheme && settings.scheme == "auto") {
    automatic.emplace(system, model.settings.error_bound() > 0 ? model.settings.error_bound() : Settings::default_tolerance);
    simulation.follow(*automatic);
  }
  if (settings.step) recorder.expect_steps(settings.duration() / *settings.step);
  simulation.resolve(model.explicit_terms);
  if (const auto* featured = dynamic_cast<const FeaturedSystem*>(m.system.get()); featured && featured->has_features()) simulation.follow_features(*featured);
  if (system.dim().unilateral > 0) simulation.hold_samples();
  if (!system.contacts().empty()) simulation.find_sample_forces();
  simulation.follow_states();
  simulation.observe(drift);
  simulation.observe(contacts);
  simulation.observe(energy);
  simulation.observe(steps);
  simulation.observe(recorder);
  simulation.observe(*this);
  for (Observer* observer : hooks.observers) simulation.observe(*observer);
  if (model.stop) simulation.stop_when([this](const State& s) { return model.stop->evaluate(s) != 0 ? 1.0 : -1.0; }, &model.stop_terms);
  simulation.stop_on(hooks.interrupt);

  recorder.result().origin = origin_of(model, options);
  if (h.scheme) recorder.result().origin.scheme = settings.scheme;
  if (hooks.take_result)
    simulation.between_steps([this](bool last) {
      Result& so_far = recorder.result();
      if (!last && !hooks.wants_result(simulation.time(), so_far)) return;
      so_far.checkpoint = simulation.snapshot();
      if (!last) hooks.take_result(so_far);  // the last one is the run's own result
    });
}

Run::Run(Model& model, const RunHooks& hooks) : parts_(std::make_unique<Parts>(model, hooks)) {
  if (!hooks.resume) {
    parts_->more = parts_->simulation.begin(model.start);
    return;
  }
  Result& result = parts_->recorder.result();
  Origin origin = std::move(result.origin);
  result = std::move(*hooks.resume);
  result.origin = std::move(origin);
  result.summary.clear();
  parts_->simulation.begin_from(std::vector<double>(result.checkpoint));
}

Run::~Run() = default;

bool Run::step() { return parts_->more = parts_->more && parts_->simulation.advance(); }
const State& Run::state() const { return parts_->simulation.state(); }
double Run::step_size() const { return parts_->size; }
const Result& Run::result() const { return parts_->recorder.result(); }
Result& Run::result() { return parts_->recorder.result(); }

void Run::record(std::string name, std::shared_ptr<const double> value) {
  DataTable& outputs = result().outputs;
  const std::size_t place = parts_->model.output_names.size() + parts_->inputs.size();
  if (place == outputs.columns()) outputs.add_column(std::move(name), std::vector<double>(outputs.rows(), *value));
  parts_->inputs.push_back(std::move(value));
}

bool Run::change(const std::function<void()>& how) {
  return parts_->more = parts_->more && parts_->simulation.change_forces(how);
}

Result Run::take_checkpoint() {
  result().checkpoint = parts_->simulation.snapshot();
  return std::move(result());
}

RunReport Run::finish() {
  parts_->more = false;
  return parts_->report(parts_->simulation.end());
}

RunReport Run::fail(std::string message) {
  parts_->more = false;
  Outcome outcome = parts_->simulation.end();
  outcome.status = Outcome::Status::failed;
  outcome.message = std::move(message);
  return parts_->report(outcome);
}

RunReport Run::Parts::report(const Outcome& outcome) {
  const System& system = *model.system;
  Result& result = recorder.result();
  RunReport report;
  report.outcome = outcome;
  if (outcome.status == Outcome::Status::failed && model.limit_reached)
    if (const std::string reached = model.limit_reached(outcome.final); !reached.empty())
      report.outcome.message += " " + reached;
  if (!outcome.interrupted()) result.checkpoint.clear();
  const Counts& counted_so_far = simulation.counts();

  Judgement judgement = judge(system, scheme.info(), model.settings, {drift, energy, contacts, steps, touching_of(model) != nullptr, touch.step_energy()});
  touch.judge(judgement);

  Summary& summary = report.summary;
  summary.model = model.name;
  summary.scheme = hooks.scheme ? settings.scheme : model.settings.scheme;
  if (automatic) summary.scheme_choice = automatic->why();
  else if (!hooks.scheme && settings.scheme != model.settings.scheme)
    summary.scheme_choice = fmt::format("{}: contacts of shapes are found anew in each step ({})", settings.scheme, touching_of(model)->touching()->why);
  summary.status = outcome.status;
  summary.sound = judgement.sound();
  summary.findings = judgement.findings;
  summary.message = report.outcome.message;
  summary.t = outcome.t;
  summary.steps = outcome.steps;
  summary.rejected_steps = outcome.rejected_steps;
  if (outcome.steps > 0) summary.average_step = (outcome.t - model.settings.start) / static_cast<double>(outcome.steps);
  summary.newton_iterations = outcome.newton_iterations;
  summary.evaluations = counted_so_far;
  summary.linear_solves = outcome.linear_solves;
  summary.work = counted_so_far.work(outcome.linear_solves);
  summary.max_drift = {drift.max_position(), drift.max_velocity()};
  summary.scaled_drift = {drift.scaled_position().value, drift.scaled_velocity().value};
  summary.drift_by_constraint.reserve(static_cast<std::size_t>(system.dim().bilateral));
  for (int i = 0; i < system.dim().bilateral; ++i)
    summary.drift_by_constraint.emplace_back(system.names().multipliers[i],
                                             Summary::Levels{drift.position()[i], drift.velocity()[i]});
  summary.max_penetration = std::max(contacts.deepest(), touch.deepest());
  summary.has_contacts = system.dim().unilateral > 0 || touching_of(model);
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

RunReport run_model(Model& model, const RunHooks& hooks) {
  Run run(model, hooks);
  while (run.step()) {
  }
  return run.finish();
}

}  // namespace escapement
