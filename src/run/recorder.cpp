#include "run/recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace escapement::inline run {

namespace {
constexpr std::size_t most_steps = std::size_t{1} << 20, most_points = std::size_t{1} << 18;

void keep_every_second(std::vector<double>& values) {
  for (std::size_t i = 0; 2 * i < values.size(); ++i) values[i] = values[2 * i];
  values.resize((values.size() + 1) / 2);
}
}  // namespace

Recorder::Recorder(const System& system, std::vector<std::string> output_names, Outputs evaluate_outputs, const TouchingSystem* touching,
                   const EnergyKeeping* with_energy)
    : system_(system), evaluate_outputs_(std::move(evaluate_outputs)), with_energy_(with_energy), touching_(touching) {
  system.prepare(terms_);
  const Dim& dim = system.dim();
  rows_.setZero(dim.rows());
  const Names& names = system.names();
  result_.q = DataTable(names.q);
  result_.v = DataTable(names.v);
  result_.states = DataTable(names.z);
  result_.lambda = DataTable({names.multipliers.begin(), names.multipliers.begin() + dim.bilateral});
  std::vector<std::string> contacts, slips, brakes;
  for (const ContactLaw& law : system.contacts()) {  // contacts first, then brakes
    if (law.is_brake()) {
      brakes.push_back(law.name);
      brake_rows_.push_back(law.slip);
      continue;
    }
    contacts.push_back(law.name);
    for (int k = 0; law.slip >= 0 && k < law.slips; ++k) {
      slips.push_back(law.slips > 1 ? law.name + "." + std::to_string(k + 1) : law.name);
      slip_rows_.push_back(law.slip + k);
    }
  }
  if (const TouchingBodies* found = touching_.touching()) {
    contacts.insert(contacts.end(), found->contacts.begin(), found->contacts.end());
    result_.points.dimension = found->width == 3 ? 2 : 3;
    for (const std::vector<std::string>* called : {&found->contacts, &found->names})
      for (const std::string& name : *called) result_.points.widest = std::max(result_.points.widest, name.size());
  }
  result_.brakes = DataTable(brakes);
  for (DataTable* table : {&result_.contacts.gap, &result_.contacts.gap_rate, &result_.contacts.force}) *table = DataTable(contacts);
  for (DataTable* table : {&result_.contacts.friction, &result_.contacts.slip}) *table = DataTable(slips);
  result_.outputs = DataTable(std::move(output_names));
}

void Recorder::sample(const State& s) {
  const Dim& dim = system_.dim();
  const auto add = [](DataTable& table, const double* numbers) { table.add_row({numbers, table.columns()}); };
  result_.time.push_back(s.t);
  add(result_.q, s.q.data());
  add(result_.v, s.v.data());
  add(result_.states, s.z.data());
  add(result_.lambda, s.lambda.data());

  double position = 0, velocity = 0;
  Energy energy;
  const Need need = dim.slip > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian;
  if (with_energy_) energy = with_energy_->evaluate_with_energy(s, need, terms_);
  if (dim.multipliers() > 0) {
    if (!with_energy_) system_.evaluate(s, need, terms_);
    velocity_rows(terms_, s.v, rows_);
    for (int i = 0; i < dim.bilateral; ++i) {
      position = std::max(position, std::abs(terms_.g[i]));
      velocity = std::max(velocity, std::abs(rows_[i]));
    }
  }
  result_.drift.add_row(std::array{position, velocity});
  add_contacts(s);
  ContactTables& contacts = result_.contacts;
  double *friction = contacts.friction.add_row(), *slip = contacts.slip.add_row();
  for (const int row : slip_rows_) {
    *friction++ = s.lambda[dim.rows() + row];
    *slip++ = terms_.T.row_dot(row, s.v) + terms_.t0[row];
  }
  double* brake = result_.brakes.add_row();
  for (const int row : brake_rows_) *brake++ = s.lambda[dim.rows() + row];

  if (!with_energy_) energy = system_.energy(s, terms_);
  result_.energy.add_row(std::array{energy.kinetic, energy.potential, energy.kinetic + energy.potential});
  double* outputs = result_.outputs.add_row();
  if (evaluate_outputs_) evaluate_outputs_(s, outputs);
}

// those with rows, then those that are found
void Recorder::add_contacts(const State& s) {
  touching_.look(s);
  const Dim& dim = system_.dim();
  const auto add = [&](DataTable& table, const double* rows, const std::vector<double>& found) {
    double* to = table.add_row();
    to = std::copy_n(rows, dim.unilateral, to);
    std::copy(found.begin(), found.end(), to);
  };
  add(result_.contacts.gap, terms_.g.data() + dim.bilateral, touching_.gap());
  add(result_.contacts.gap_rate, rows_.data() + dim.bilateral, touching_.gap_rate());
  add(result_.contacts.force, s.lambda.data() + dim.bilateral, touching_.force());
  add_points();
}

// a result that a run goes on from has names already
std::uint32_t Recorder::number_of(const std::string& name) {
  std::vector<std::string>& names = result_.points.names;
  if (numbers_.size() != names.size()) {
    numbers_.clear();
    for (std::size_t k = 0; k < names.size(); ++k) numbers_.emplace(names[k], static_cast<std::uint32_t>(k));
  }
  const auto [found, added] = numbers_.try_emplace(name, static_cast<std::uint32_t>(names.size()));
  if (added) names.push_back(name);
  return found->second;
}

void Recorder::add_points() {
  static const std::string ground = "ground";
  ContactPointColumns& to = result_.points;
  const std::size_t sample = result_.samples() - 1;
  if (to.dimension == 0 || sample % static_cast<std::size_t>(to.stride) != 0) return;
  const TouchingBodies& bodies = *touching_.touching();
  const auto body = [&](int number) { return number_of(number < 0 ? ground : bodies.names[static_cast<std::size_t>(number)]); };
  const auto add = [&](std::vector<double>& column, const Eigen::Vector3d& x) { column.insert(column.end(), x.data(), x.data() + to.dimension); };
  for (const ActingContact& acting : touching_.acting()) {
    to.sample.push_back(sample);
    to.contact.push_back(number_of(bodies.contacts[static_cast<std::size_t>(bodies.laws[static_cast<std::size_t>(acting.at.law)].contact)]));
    to.a.push_back(body(acting.at.a));
    to.b.push_back(body(acting.at.b));
    to.id.push_back(acting.at.id);
    add(to.point, acting.at.point);
    add(to.normal, acting.at.normal);
    to.gap.push_back(acting.at.gap);
    add(to.force, acting.force);
  }
  if (to.rows() > most_points) to.thin();
}

// in reports of schemes, those that are found come behind the system's own
std::string Recorder::name_of_contact(int number) const {
  if (number < 0) return "";
  const std::size_t n = static_cast<std::size_t>(number), own = system_.contacts().size();
  return n < own ? system_.contacts()[n].name : touching_.touching()->contacts[n - own];
}

void Recorder::expect_steps(double count) {
  const auto room = static_cast<std::size_t>(std::min(count + 1, static_cast<double>(most_steps)));
  StepColumns& steps = result_.steps;
  for (auto* column : {&steps.time, &steps.size, &steps.newton_iterations, &steps.error, &steps.rejected, &steps.scaling}) column->reserve(room);
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
  steps.scaling.push_back(record.report.scaling);
  rejected_ = 0;
  if (steps.time.size() >= most_steps) thin_steps();
}

void Recorder::thin_steps() {
  StepColumns& steps = result_.steps;
  for (std::size_t i = 0; i + 1 < steps.rejected.size(); i += 2) steps.rejected[i] += steps.rejected[i + 1];
  for (auto* column : {&steps.time, &steps.size, &steps.newton_iterations, &steps.error, &steps.rejected, &steps.scaling}) keep_every_second(*column);
  steps.stride *= 2;
}

void Recorder::exchange(Snapshot& s) {
  std::size_t samples = result_.samples();
  s(samples, step_count_, rejected_, impacts_, energy_gains_);
  if (samples > result_.samples()) throw SnapshotError();
  result_.cut(samples);
}

void Recorder::event(const Event& event) {
  const bool impact = event.kind == Event::Kind::impact;
  if (impact && event.first_of_instant) {
    ++impacts_;
    energy_gains_ += event.energy_gain;
  }
  result_.events.time.push_back(event.t);
  result_.events.contact.push_back(name_of_contact(event.contact));
  result_.events.kind.push_back(name_of(event.kind));
  result_.events.velocity_before.push_back(event.velocity_before);
  result_.events.velocity_after.push_back(event.velocity_after);
  result_.events.impulse.push_back(event.impulse);
  result_.events.note.push_back(event.note);
}

}  // namespace escapement
