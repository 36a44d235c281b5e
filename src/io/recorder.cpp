#include "io/recorder.hpp"

#include <algorithm>
#include <cmath>

namespace escapement {

namespace {
constexpr std::size_t most_steps = std::size_t{1} << 20;

void keep_every_second(std::vector<double>& values) {
  for (std::size_t i = 0; 2 * i < values.size(); ++i) values[i] = values[2 * i];
  values.resize((values.size() + 1) / 2);
}
}  // namespace

Recorder::Recorder(const System& system, std::vector<std::string> output_names, Outputs evaluate_outputs)
    : system_(system), evaluate_outputs_(std::move(evaluate_outputs)) {
  system.prepare(terms_);
  const Dim& dim = system.dim();
  rows_.setZero(dim.rows());
  output_values_.setZero(static_cast<int>(output_names.size()));
  for (const std::string& name : system.names().q) result_.q.push_back({name, {}});
  for (const std::string& name : system.names().v) result_.v.push_back({name, {}});
  for (int i = 0; i < dim.bilateral; ++i) result_.lambda.push_back({system.names().multipliers[i], {}});
  for (const ContactLaw& law : system.contacts().first(static_cast<std::size_t>(dim.unilateral))) result_.contacts.push_back({law.name, {}, {}, {}, {}});
  for (std::string& name : output_names) result_.outputs.push_back({std::move(name), {}});
}

void Recorder::sample(const State& s) {
  const Dim& dim = system_.dim();
  result_.time.push_back(s.t);
  for (int i = 0; i < dim.q; ++i) result_.q[i].values.push_back(s.q[i]);
  for (int i = 0; i < dim.v; ++i) result_.v[i].values.push_back(s.v[i]);
  for (int i = 0; i < dim.bilateral; ++i) result_.lambda[i].values.push_back(s.lambda[i]);

  double position = 0, velocity = 0;
  if (dim.rows() > 0) {
    system_.evaluate(s, dim.slip > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian, terms_);
    velocity_rows(terms_, s.v, rows_);
    for (int i = 0; i < dim.bilateral; ++i) {
      position = std::max(position, std::abs(terms_.g[i]));
      velocity = std::max(velocity, std::abs(rows_[i]));
    }
  }
  result_.drift_position.push_back(position);
  result_.drift_velocity.push_back(velocity);
  for (int i = 0; i < dim.unilateral; ++i) {
    ContactColumns& c = result_.contacts[i];
    c.gap.push_back(terms_.g[dim.bilateral + i]);
    c.gap_rate.push_back(rows_[dim.bilateral + i]);
    c.force.push_back(s.lambda[dim.bilateral + i]);
    const int slip = system_.contacts()[i].slip;
    if (slip >= 0) c.slip.push_back(terms_.T.row_dot(slip, s.v) + terms_.t0[slip]);
  }

  const Energy energy = system_.energy(s, terms_);
  result_.kinetic.push_back(energy.kinetic);
  result_.potential.push_back(energy.potential);
  result_.total.push_back(energy.kinetic + energy.potential);
  if (evaluate_outputs_) evaluate_outputs_(s, output_values_.data());
  for (int i = 0; i < output_values_.size(); ++i) result_.outputs[i].values.push_back(output_values_[i]);
}

void Recorder::step(const StepRecord& record) {
  if (!record.accepted) {
    ++rejected_;
    return;
  }
  energy_gains_ += record.report.energy_gain;
  if (step_count_++ % result_.steps.stride != 0) return;
  StepColumns& steps = result_.steps;
  steps.time.push_back(record.after.t);
  steps.size.push_back(record.h);
  steps.newton_iterations.push_back(record.report.newton_iterations);
  steps.error.push_back(record.report.error);
  steps.rejected.push_back(static_cast<double>(rejected_));
  rejected_ = 0;
  if (steps.time.size() >= most_steps) thin_steps();
}

void Recorder::thin_steps() {
  StepColumns& steps = result_.steps;
  for (std::size_t i = 0; i + 1 < steps.rejected.size(); i += 2) steps.rejected[i] += steps.rejected[i + 1];
  for (auto* column : {&steps.time, &steps.size, &steps.newton_iterations, &steps.error, &steps.rejected}) keep_every_second(*column);
  steps.stride *= 2;
}

void Recorder::exchange(Snapshot& s) {
  std::size_t samples = result_.time.size();
  s(samples, step_count_, rejected_, impacts_, energy_gains_);
  if (samples > result_.time.size()) throw SnapshotError();
  for_each_sample_column(result_, [&](std::vector<double>& column) {
    if (!column.empty()) column.resize(samples);
  });
}

void Recorder::event(const Event& event) {
  const bool impact = event.kind == Event::Kind::impact;
  if (impact && event.first_of_instant) {
    ++impacts_;
    energy_gains_ += event.energy_gain;
  }
  result_.events.time.push_back(event.t);
  result_.events.contact.push_back(event.contact < 0 ? "" : system_.contacts()[event.contact].name);
  result_.events.kind.push_back(name_of(event.kind));
  result_.events.velocity_before.push_back(event.velocity_before);
  result_.events.velocity_after.push_back(event.velocity_after);
  result_.events.impulse.push_back(event.impulse);
  result_.events.note.push_back(event.note);
}

}  // namespace escapement
