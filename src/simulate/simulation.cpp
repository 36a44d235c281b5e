#include "simulate/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "simulate/failure.hpp"
#include "system/redundancy.hpp"

namespace escapement {

namespace {
constexpr int most_retries = 60;          // halvings of a failing adaptive step
constexpr int most_halvings = 8;          // of a failing fixed step
constexpr int stuck_after = 15;           // rejections in a row before closed contacts are suspected to contradict each other
// [000] Table 1 rejects without limit, which dead-locks index-1 schemes: only who gives min_step gets as far as that
constexpr int most_drift_rejections = 5;
constexpr int most_row_rejections = 8;
constexpr double row_margin = 10;        // of rows that take the place of others, over those and the tolerance
constexpr long long_row = 200000;        // of adaptive steps, after which they are to have come this far:
constexpr double little_progress = 2e-3;  // part of the run
constexpr double jumpy_progress = 2e-2;   // the same where as many steps are rejected as a third of those accepted
constexpr int stop_probes = 8;            // looks at the stop condition within a step
}  // namespace

Simulation::Simulation(const System& system, Scheme& scheme, const Settings& settings, const Options& loop)
    : system_(system),
      scheme_(&scheme),
      settings_(settings),
      control_(scheme.info(), settings, loop),
      drift_(system, scheme.info(), settings, loop.number("max_drift")),
      drift_shrink_(loop.number("drift_shrink")),
      save_every_(settings.save_every < 0 ? settings.end / 1000 : settings.save_every) {
  inform_scheme();
  if (system.dim().unilateral > 0 && (!scheme.info().time_stepping || settings.scheme == "auto")) events_ = std::make_unique<EventDriven>(system, loop, settings.end);
}

Outcome Simulation::run(const State& start) {
  outcome_ = {};
  saved_ = 0;
  s_ = start;
  watched_from_ = s_.t;
  watched_rejected_ = 0;
  system_.choose_rows(s_);
  const bool begun = !locates_events() || events_->begin(s_);
  start_scheme(s_);
  if (locates_events()) events_->view().complete_multipliers(s_.lambda);
  s1_ = between_ = s_;
  system_.prepare(terms_);
  drift_.start(integrated(), between_);
  control_.propose_first(s_);

  for (Observer* o : observers_) o->begin(s_);
  tell(s_);
  last_sample_is_end_ = true;
  if (automatic_) {
    Event event;
    event.t = s_.t;
    event.kind = Event::Kind::scheme;
    event.note = automatic_->why();
    announce(event);
  }
  if (locates_events())
    for (const Event& e : events_->events()) announce(e);
  if (!begun) {
    outcome_.status = Outcome::Status::failed;
    outcome_.message = events_->message();
  } else if (!s_.vdot.allFinite() || !s_.lambda.allFinite()) {
    StepReport report;
    report.status = Status::not_finite;
    fail(report, 0, "the accelerations at the start are not finite");
  } else if (stop_value(s_) > 0) {
    outcome_.status = Outcome::Status::stopped;
    outcome_.message = "the stop condition holds at the start";
  } else {
    pause(false);
    go_on();
  }
  finish();
  return outcome_;
}

void Simulation::go_on() {
  while (s_.t < settings_.end) {
    if (system_.choose_rows(s_)) {
      start_scheme(s_);
      if (locates_events()) events_->view().complete_multipliers(s_.lambda);
    }
    if (!attempt() || !finish_step() || !progresses()) return;
    if (automatic_ && !change_scheme()) return;
    if (interrupt_ && interrupt_->load(std::memory_order_relaxed)) {
      pause(true);
      outcome_.interrupted = true;
      outcome_.status = Outcome::Status::stopped;
      outcome_.message = "interrupted";
      return;
    }
    if (sampled_ || outcome_.steps % 64 == 0) pause(false);
  }
}

// forces that jump back and forth around a state keep adaptive steps tiny for ever; who gives min_step decides for himself
bool Simulation::progresses() {
  if (control_.fixed() || settings_.options.contains("min_step") || outcome_.steps % long_row != 0) return true;
  const double far = s_.t - watched_from_;
  const bool jumpy = 3 * (outcome_.rejected_steps - watched_rejected_) > long_row;
  watched_from_ = s_.t;
  watched_rejected_ = outcome_.rejected_steps;
  if (far > (jumpy ? jumpy_progress : little_progress) * settings_.end) return true;
  system_.evaluate(s_, Need::gap, terms_);
  std::vector<char> near(system_.contacts().size());
  for (std::size_t i = 0; i < near.size(); ++i) near[i] = std::abs(terms_.g[system_.dim().bilateral + static_cast<int>(i)]) < 1e-9;
  const std::string names = names_of_contacts(system_, near);
  fail(last_report_, last_h_, fmt::format("{} steps came only {:.3g} s further{}", long_row, far, names.empty() ? "" : " at " + names),
       "look for a force that jumps back and forth here, take a scheme with fixed steps, or give min_step to go on nevertheless");
  return false;
}

void Simulation::finish() {
  if (!last_sample_is_end_) tell(s_);
  outcome_.t = s_.t;
  outcome_.final = s_;
}

void Simulation::start_scheme(State& s) {
  if (between_steps_) started_ = s;
  stepped_ = false;
  scheme_->start(integrated(), s);
}

void Simulation::pause(bool last) {
  sampled_ = false;
  if (between_steps_) between_steps_(last);
}

void Simulation::exchange(Snapshot& s) {
  if (automatic_) automatic_->exchange(s);
  if (events_) events_->exchange(s);
  control_.exchange(s);
  s(started_, s1_, s_, last_h_, stepped_, saved_, last_sample_is_end_, watched_from_, watched_rejected_);
  s(outcome_.steps, outcome_.rejected_steps, outcome_.newton_iterations, outcome_.linear_solves, outcome_.stepping_seconds);
}

std::vector<double> Simulation::snapshot() {
  Snapshot s;
  exchange(s);
  for (Observer* o : observers_) o->exchange(s);
  return s.take();
}

Outcome Simulation::resume(const std::vector<double>& numbers) {
  outcome_ = {};
  Snapshot s(numbers);
  exchange(s);
  if (s_.q.size() != system_.dim().q || s_.v.size() != system_.dim().v) throw SnapshotError();
  if (automatic_) {
    scheme_ = &automatic_->scheme();
    scheme_->estimate_errors(!control_.fixed());
  }
  // what a scheme computes once, at its start, comes from the same state as before
  State from = started_;
  system_.choose_rows(from);
  scheme_->start(integrated(), from);
  between_ = s_;
  // the last step once more, so that what the scheme knows of its end is known again (s1_ is where it began)
  if (stepped_) {
    system_.choose_rows(s1_);
    scheme_->step(integrated(), s1_, last_h_, between_);
  }
  system_.prepare(terms_);
  drift_.start(integrated(), from);
  for (Observer* o : observers_) o->exchange(s);
  if (!s.at_end()) throw SnapshotError();
  go_on();
  finish();
  return outcome_;
}

bool Simulation::attempt() {
  int failures = 0, drift_rejections = 0, row_rejections = 0, rejections = 0;
  while (true) {
    double h = control_.next(s_.t);
    const auto before = std::chrono::steady_clock::now();
    StepReport report = scheme_->step(integrated(), s_, h, s1_);
    outcome_.stepping_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();

    bool accepted = report.ok();
    if (accepted) accepted = control_.accept(report, h);
    const bool contradiction = accepted && locates_events() && events_->jumps(s_, s1_);
    if (contradiction) {
      accepted = false;
      control_.shorten(h);
    }
    if (accepted && !control_.fixed() && row_rejections < most_row_rejections && !rows_hold()) {
      accepted = false;
      ++row_rejections;
      control_.shorten(h);
    }
    if (accepted && !drift_.hold(integrated(), s1_)) {
      accepted = false;
      const bool patient = settings_.options.contains("min_step");
      bool hopeless = control_.fixed() || (++drift_rejections > most_drift_rejections && !patient);
      if (!hopeless) {
        control_.shorten(h, drift_shrink_);
        hopeless = control_.at_minimum();
      }
      if (hopeless) {
        drift_.blame(report);
        fail(report, h, drift_.message(), drift_.advice());
        return false;
      }
    }
    if (accepted) s1_.t = control_.end_of(s_.t, h);
    event_found_ = false;
    if (accepted && locates_events()) {
      events_->view().complete_multipliers(s1_.lambda);
      event_found_ = events_->find(*scheme_, s_, s1_, h, report);
    }
    outcome_.newton_iterations += report.newton_iterations;
    outcome_.linear_solves += report.linear_solves;
    for (Observer* o : observers_) o->step({s_, s1_, h, report, accepted, *scheme_});
    if (accepted && object(report, h)) return false;
    if (accepted) {
      ++outcome_.steps;
      last_report_ = report;
      last_h_ = h;
      stepped_ = true;
      event_found_ ? control_.rebase(s1_.t) : control_.advance(s1_.t);
      return true;
    }

    ++outcome_.rejected_steps;
    if (++rejections == stuck_after && pass_singularity()) continue;
    if (!report.ok()) {
      // time-stepping schemes may go on in parts of a fixed step, others keep their grid
      const int most = !control_.fixed() ? most_retries : scheme_->info().time_stepping ? most_halvings : 0;
      // the parts' parts count too: a step that fails in its smallest part has failed
      const bool smallest = control_.fixed() && h <= std::ldexp(*settings_.step, -most);
      if (control_.at_minimum() || smallest || ++failures > most) {
        fail(report, h, "");
        return false;
      }
      // two halves of a step would end where it does
      control_.shorten(h, report.passes_dead_point && !control_.fixed() ? 0.7 : 0.5);
    } else if (control_.at_minimum() && contradiction) {
      std::vector<char> closed(system_.contacts().size());
      for (std::size_t i = 0; i < closed.size(); ++i) closed[i] = events_->view().mode(static_cast<int>(i)) != ContactMode::open;
      fail(report, h, fmt::format("the closed {} stop the motion at once: they contradict each other", names_of_contacts(system_, closed)));
      return false;
    } else if (control_.at_minimum()) {
      fail(report, h, fmt::format("the step would have to fall below {:.3g} s to meet the tolerance", control_.min_step()),
           "look for a force that grows without bound or jumps near this time, loosen the tolerance, or lower min_step where it is given");
      return false;
    }
  }
}

// a step so long that the rows it began with stopped holding the mechanism on the way is too long
bool Simulation::rows_hold() {
  if (!system_.choose_rows(s1_)) return true;
  const auto largest = [&](const State& s) {
    system_.evaluate(s, Need::gap | Need::jacobian, terms_);
    double residual = 0;
    for (int i = 0; i < system_.dim().bilateral; ++i)
      residual = std::max({residual, std::abs(terms_.g[i]), std::abs(terms_.G.row_dot(i, s.v) + terms_.g_t[i])});
    return residual;
  };
  const double before = largest(s_), after = largest(s1_);
  system_.choose_rows(s_);
  moved_.resize(system_.dim().v);
  system_.difference(s_.q, s1_.q, moved_);
  if (moved_.lpNorm<Eigen::Infinity>() > RowChoice::reach) return false;
  return after <= before + row_margin * (control_.tolerance() + largest(s1_));
}

// who gives max_drift decides for himself
bool Simulation::object(StepReport& report, double h) {
  if (settings_.options.contains("max_drift")) return false;
  for (const Observer* o : observers_)
    if (const Objection objection = o->objection(report); objection.why) {
      fail(report, h, objection.why, objection.advice);
      return true;
    }
  return false;
}

bool Simulation::pass_singularity() {
  if (!locates_events() || outcome_.steps == 0) return false;
  const double usual = std::min(s_.t / static_cast<double>(outcome_.steps), settings_.step.value_or(settings_.end));
  if (!events_->pass_singularity(s_, 1e-3 * usual)) return false;
  for (const Event& e : events_->events()) announce(e);
  start_scheme(s_);
  events_->view().complete_multipliers(s_.lambda);
  control_.resume(usual);
  return true;
}

// the part of the step after which the stop condition holds; above 1: it does not
double Simulation::find_stop() {
  if (!stop_condition_) return 2;
  auto holds = [&](double theta) {
    if (theta == 1) return stop_value(s1_) > 0;
    scheme_->interpolate(integrated(), s_, s1_, theta, between_);
    return stop_value(between_) > 0;
  };
  // between the ends of a time-stepping step there may be an impact: only its end counts
  const int probes = scheme_->info().time_stepping ? 1 : stop_probes;
  int i = 1;
  while (i <= probes && !holds(static_cast<double>(i) / probes)) ++i;
  if (i > probes) return 2;
  double low = (i - 1.0) / probes, high = static_cast<double>(i) / probes;
  while (high - low > 1e-15) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

bool Simulation::finish_step() {
  bool over = false;
  const double stop = find_stop();
  if (stop < 1) event_found_ = false;
  save_samples(stop < 1 ? s_.t + stop * (s1_.t - s_.t) : s1_.t);
  if (stop <= 1) {
    if (stop < 1) {
      scheme_->interpolate(integrated(), s_, s1_, stop, between_);
      std::swap(s1_, between_);
      last_sample_is_end_ = false;
    }
    outcome_.status = Outcome::Status::stopped;
    outcome_.message = fmt::format("the stop condition became true at t = {:.9g} s", s1_.t);
    over = true;
  }
  if (scheme_->info().time_stepping) report_impacts();
  if (event_found_ && !act_on_event()) over = true;
  std::swap(s_, s1_);
  return !over;
}

bool Simulation::act_on_event() {
  between_ = s1_;
  const bool ok = events_->act(s1_);
  const bool jumped = events_->velocity_jumped();
  if (jumped && !last_sample_is_end_) tell(between_);  // an impact gives two samples of equal time
  for (const Event& e : events_->events()) announce(e);
  start_scheme(s1_);
  events_->view().complete_multipliers(s1_.lambda);
  control_.restart(s1_, settings_.end - s1_.t);
  if (jumped) {
    tell(s1_);
    last_sample_is_end_ = true;
  }
  if (!ok) {
    outcome_.status = Outcome::Status::failed;
    outcome_.message = events_->message();
  }
  return ok;
}

void Simulation::report_impacts() {
  bool first = true;
  for (const ContactImpact& impact : scheme_->impacts()) {
    Event event;
    event.t = s1_.t;
    event.contact = impact.contact;
    event.velocity_before = impact.velocity_before;
    event.velocity_after = impact.velocity_after;
    event.impulse = impact.impulse;
    event.first_of_instant = first;
    first = false;
    announce(event);
  }
}

void Simulation::announce(const Event& event) {
  for (Observer* o : observers_) o->event(event);
  if (automatic_) automatic_->note_event(event);
}

void Simulation::inform_scheme() {
  scheme_->estimate_errors(!control_.fixed());
  if (!control_.fixed()) scheme_->set_tolerance(control_.tolerance(), settings_.per_unit_step);
}

bool Simulation::change_scheme() {
  int closed = 0;
  if (locates_events()) {
    closed = events_->view().closed_contacts();
  } else {
    for (int i = system_.dim().bilateral; i < system_.dim().rows(); ++i) closed += s_.lambda[i] > 0;
  }
  // s_ and s1_ have changed places: s1_ is where the step began
  if (!automatic_->consider({s1_, s_, last_h_, last_report_, true, *scheme_}, closed)) return true;
  scheme_ = &automatic_->scheme();
  inform_scheme();
  Event event;
  event.t = s_.t;
  event.kind = Event::Kind::scheme;
  event.note = automatic_->why();
  announce(event);
  if (locates_events()) {
    const bool begun = events_->begin(s_);
    for (const Event& e : events_->events()) announce(e);
    if (!begun) {
      outcome_.status = Outcome::Status::failed;
      outcome_.message = events_->message();
      return false;
    }
  }
  start_scheme(s_);
  if (locates_events()) events_->view().complete_multipliers(s_.lambda);
  s1_ = between_ = s_;
  control_.change(scheme_->info(), s_);
  return true;
}

void Simulation::save_samples(double until) {
  last_sample_is_end_ = false;
  if (save_every_ == 0) {
    if (until < s1_.t) return;
    tell(s1_);
    last_sample_is_end_ = true;
    return;
  }
  const double h = s1_.t - s_.t;
  while (true) {
    const double t = static_cast<double>(saved_ + 1) * save_every_;
    if (until < s1_.t ? t >= until : t > s1_.t + 1e-9 * h) break;
    ++saved_;
    if (t >= s1_.t - 1e-9 * h) {
      tell(s1_);
      last_sample_is_end_ = true;
    } else {
      scheme_->interpolate(integrated(), s_, s1_, (t - s_.t) / h, between_);
      tell(between_);
    }
  }
}

void Simulation::fail(const StepReport& report, double h, const std::string& what, const std::string& advice) {
  outcome_.status = Outcome::Status::failed;
  outcome_.message = describe_failure(system_, scheme_->info(), report, s_, h, what, advice);
}

}  // namespace escapement
