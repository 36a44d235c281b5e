#include "simulate/simulation.hpp"

#include <fmt/format.h>

#include <utility>

namespace escapement::inline simulate {

namespace {
// member by member, which costs a third of moving whole states three times
void trade(State& a, State& b) {
  std::swap(a.t, b.t);
  for (Vec State::* part : {&State::q, &State::v, &State::vdot, &State::lambda}) (a.*part).swap(b.*part);
  if (a.z.size() + b.z.size() > 0) a.z.swap(b.z);
  if (a.memory.vectors.size() + b.memory.vectors.size() > 0) a.memory.vectors.swap(b.memory.vectors);
  a.memory.numbers.swap(b.memory.numbers);
}

constexpr double automatic_patience = 0.1;  // with events that crowd: there is another scheme to go on with
}

Simulation::Simulation(const System& system, Scheme& scheme, const Settings& settings, const Options& loop)
    : settings_(settings),
      control_(system.scale(), scheme.info(), settings, loop),
      course_(system, scheme),
      sampling_(observers_, settings),
      phases_(course_, control_, sampling_, observers_, outcome_, settings_),
      stepping_(course_, control_, phases_, observers_, outcome_, settings_, loop),
      progress_(settings) {
  const bool automatic = settings.scheme == "auto", meets_events = !scheme.info().time_stepping || automatic;
  if (!system.contacts().empty() && meets_events) {
    course_.events = std::make_unique<EventDriven>(course_.system, loop, settings.duration(), automatic ? automatic_patience : 1);
    course_.events->set_tolerance(settings.error_bound() > 0 ? settings.error_bound() : Settings::default_tolerance);
  }
}

Outcome Simulation::run(const State& start) {
  for (bool more = begin(start); more;) more = advance();
  return end();
}

bool Simulation::begin(const State& start) {
  outcome_ = {};
  course_.s = start;
  progress_.start(start.t);
  course_.select_rows(course_.s);
  const bool begun = phases_.begin();
  course_.s1 = course_.between = course_.s;
  stepping_.start(course_.between);
  control_.propose_first(course_.s);

  // an impact at the start comes after it
  course_.between.v = start.v;
  observers_.begin(course_.between);
  sampling_.begin(course_.between);
  phases_.announce_begin();
  if (!begun || !can_start()) return false;
  pause(false);
  return true;
}

bool Simulation::can_start() {
  const State& s = course_.s;
  if (!s.vdot.allFinite() || !s.lambda.allFinite()) {
    StepReport report;
    report.status = Status::not_finite;
    outcome_.fail(course_.failure(report, 0, "the accelerations at the start are not finite"));
    return false;
  }
  if (stop_.holds(s)) {
    outcome_.stop("the stop condition holds at the start");
    return false;
  }
  return true;
}

bool Simulation::advance() {
  State& s = course_.s;
  if (!(s.t < settings_.end)) return false;
  phases_.change_steps();
  if (course_.select_rows(s)) course_.start_scheme(s);
  if (!stepping_.advance() || !finish_step() || !progresses() || !phases_.change_scheme() || interrupted()) return false;
  if (sampling_.news() || outcome_.steps % 64 == 0) pause(false);
  return true;
}

bool Simulation::change_forces(const std::function<void()>& change) {
  sampling_.take_end(course_.s);
  change();
  course_.s1 = course_.s;
  const bool ok = phases_.act_on_forces();
  trade(course_.s, course_.s1);
  sampling_.take_jump(course_.s);
  return ok;
}

bool Simulation::finish_step() {
  State &s = course_.s, &s1 = course_.s1;
  const double stop = stop_.find(course_, sampling_);
  if (stop < 1) course_.event_found = course_.branch_found = false;
  sampling_.take(course_, stop < 1 ? s.t + stop * (s1.t - s.t) : s1.t);
  const bool stopped = stop_at(stop);
  if (course_.scheme->info().time_stepping) phases_.report_impacts();
  const bool acted = course_.event_found    ? phases_.act_on_event()
                     : course_.branch_found ? phases_.act_on_branch()
                                            : true;
  trade(s, s1);
  return acted && !stopped;
}

bool Simulation::stop_at(double part) {
  if (part > 1) return false;
  if (part < 1) {
    sampling_.look(course_, part);
    course_.between.memory = course_.s1.memory;
    trade(course_.s1, course_.between);
    sampling_.cut();
  }
  outcome_.stop(fmt::format("the stop condition became true at t = {:.9g} s", course_.s1.t));
  return true;
}

bool Simulation::progresses() {
  if (progress_.holds(course_.s.t, outcome_, stepping_.branch_news())) return true;
  const std::string why = progress_.message(course_.system, course_.s, stepping_.branch_text());
  outcome_.fail(course_.failure(course_.report, course_.h, why, progress_.advice()));
  return false;
}

bool Simulation::interrupted() {
  if (!interrupt_ || !interrupt_->load(std::memory_order_relaxed)) return false;
  pause(true);
  outcome_.status = Outcome::Status::interrupted;
  outcome_.message = fmt::format("interrupted at t = {:.9g} s", course_.s.t);
  return true;
}

Outcome Simulation::end() {
  sampling_.take_end(course_.s);
  outcome_.t = course_.s.t;
  outcome_.final = course_.s;
  return outcome_;
}

void Simulation::between_steps(std::function<void(bool)> action) {
  between_steps_ = std::move(action);
  course_.resumable = static_cast<bool>(between_steps_);
}

void Simulation::pause(bool last) {
  sampling_.clear_news();
  if (between_steps_) between_steps_(last);
}

void Simulation::exchange(Snapshot& s) {
  phases_.exchange(s);
  control_.exchange(s);
  course_.exchange(s);
  sampling_.exchange(s);
  progress_.exchange(s);
  s(outcome_.steps, outcome_.rejected_steps, outcome_.newton_iterations, outcome_.linear_solves,
    outcome_.stepping_seconds);
}

std::vector<double> Simulation::snapshot() {
  Snapshot s;
  exchange(s);
  exchange_learnt(s);
  return s.take();
}

void Simulation::exchange_learnt(Snapshot& s) {
  stepping_.exchange(s);
  observers_.exchange(s);
  Counts counts = course_.system.counts();
  s(counts.mass, counts.force, counts.jacobian, counts.curvature, counts.stiffness, counts.damping);
  course_.system.set(counts);
}

Outcome Simulation::resume(const std::vector<double>& numbers) {
  begin_from(numbers);
  while (advance()) {
  }
  return end();
}

void Simulation::begin_from(const std::vector<double>& numbers) {
  outcome_ = {};
  Snapshot s(numbers);
  exchange(s);
  const Dim& dim = course_.system.dim();
  if (course_.s.q.size() != dim.q || course_.s.v.size() != dim.v) throw SnapshotError();
  phases_.resume();
  // what a scheme computes once, at its start, comes from the same state as before
  State from = course_.started;
  course_.replay(from);
  stepping_.start(from);
  exchange_learnt(s);
  if (!s.at_end()) throw SnapshotError();
}

}  // namespace escapement
