#include "simulate/phases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

Phases::Phases(Course& course, StepControl& control, Sampling& sampling, Observers& observers, Outcome& outcome,
               const Settings& settings)
    : course_(course),
      control_(control),
      sampling_(sampling),
      observers_(observers),
      outcome_(outcome),
      settings_(settings) {
  inform_scheme();
}

void Phases::follow(Automatic& automatic) {
  automatic_ = &automatic;
  course_.scheme = &automatic.scheme();
}

void Phases::inform_scheme() {
  course_.scheme->estimate_errors(!control_.fixed());
  if (!control_.fixed()) course_.scheme->set_tolerance(control_.tolerance(), settings_.per_unit_step);
}

bool Phases::begin() {
  course_.between = course_.s;
  if (course_.locates_events() && !course_.events->begin(course_.s)) {
    std::swap(course_.s, course_.between);
    return go_on_without_events(course_.s);
  }
  course_.start_scheme(course_.s);
  return true;
}

bool Phases::go_on_without_events(State& s) {
  const EventDriven& events = *course_.events;
  const char* why = events.crowd() ? "events crowd without an end" : "an event that no contact problem solves";
  if (!automatic_ || !automatic_->give_up_events(why)) {
    outcome_.fail(events.message());
    return false;
  }
  course_.without_events = events.message();
  course_.scheme = &automatic_->scheme();
  inform_scheme();
  course_.start_scheme(s);
  control_.change(course_.scheme->info(), s);
  return true;
}

void Phases::announce_begin() {
  if (automatic_) announce_scheme(course_.s.t);
  if (!course_.locates_events()) return;
  announce_contacts();
  if (course_.events->velocity_jumped()) sampling_.take_jump(course_.s);
}

bool Phases::act_on_event() {
  EventDriven& events = *course_.events;
  State& s1 = course_.s1;
  course_.between = s1;
  const bool ok = events.act(s1);
  if (!ok && automatic_) {
    s1 = course_.between;
    if (!go_on_without_events(s1)) return false;
    announce_scheme(s1.t);
    return true;
  }
  if (!ok) outcome_.fail(events.message());
  const bool jumped = events.velocity_jumped();
  if (jumped) sampling_.take_end(course_.between);
  announce_contacts();
  course_.start_scheme(s1);
  control_.restart(s1, settings_.end - s1.t);
  if (jumped) sampling_.take_jump(s1);
  return ok;
}

// forces may jump here, and with them what the contacts do
bool Phases::act_on_branch() {
  course_.between = course_.s1;
  course_.cross_branch();
  return act_on_jump();
}

bool Phases::act_on_feature() {
  course_.between = course_.s1;
  course_.cross_branch();
  course_.events->forget_event();
  return act_on_event();
}

bool Phases::act_on_forces() {
  course_.between = course_.s1;
  return act_on_jump();
}

// of forces, from between to s1
bool Phases::act_on_jump() {
  if (course_.locates_events()) {
    if (course_.events->gaps_go_on(course_.between, course_.s1)) return act_on_event();
    outcome_.fail(course_.events->message());
    return false;
  }
  course_.start_scheme(course_.s1);
  control_.restart(course_.s1, settings_.end - course_.s1.t);
  return true;
}

bool Phases::pass_singularity() {
  if (!course_.locates_events() || outcome_.steps == 0) return false;
  State& s = course_.s;
  const double usual = std::min((s.t - settings_.start) / static_cast<double>(outcome_.steps), control_.fixed() ? control_.step() : settings_.duration());
  if (!course_.events->pass_singularity(s, little::peek * usual)) return false;
  announce_contacts();
  course_.start_scheme(s);
  control_.resume(usual);
  return true;
}

bool Phases::go_on_without_contact_modes() {
  if (!automatic_ || !course_.locates_events() || closed_contacts() == 0) return false;
  if (!automatic_->give_up_events("no step is short enough for the contacts that are closed")) return false;
  course_.without_events = fmt::format("no step of {} at t = {:.12g} s was short enough for the contacts that are closed", course_.scheme->info().id, course_.s.t);
  course_.scheme = &automatic_->scheme();
  inform_scheme();
  announce_scheme(course_.s.t);
  course_.between = course_.s;
  course_.start_scheme(course_.s);
  control_.change(course_.scheme->info(), course_.s);
  return true;
}

void Phases::change_steps() {
  if (!control_.changes_at(course_.s.t)) return;
  control_.change_steps(course_.s);
  inform_scheme();
  course_.start_scheme(course_.s);
  course_.s1 = course_.between = course_.s;
}

bool Phases::change_scheme() {
  State& s = course_.s;
  if (!automatic_) return true;
  if (!automatic_->consider({course_.s1, s, course_.h, course_.report, true, *course_.scheme}, closed_contacts()))
    return true;
  if (course_.events && !course_.locates_events()) course_.events->take_over(s);
  course_.scheme = &automatic_->scheme();
  inform_scheme();
  announce_scheme(s.t);
  course_.between = s;
  if (course_.locates_events() && !course_.events->begin(s)) {
    s = course_.between;
    if (!go_on_without_events(s)) return false;
    announce_scheme(s.t);
  } else {
    if (course_.locates_events()) announce_contacts();
    course_.start_scheme(s);
    control_.change(course_.scheme->info(), s);
  }
  course_.s1 = course_.between = s;
  return true;
}

int Phases::closed_contacts() const {
  if (course_.locates_events()) return course_.events->view().closed_contacts();
  const Dim& dim = course_.system.dim();
  int closed = 0;
  for (int i = dim.bilateral; i < dim.rows(); ++i) closed += course_.s.lambda[i] > 0;
  return closed;
}

void Phases::report_impacts() {
  bool first = true;
  for (const ContactImpact& impact : course_.scheme->impacts()) {
    Event event;
    event.t = course_.s1.t;
    event.contact = impact.contact;
    event.velocity_before = impact.velocity_before;
    event.velocity_after = impact.velocity_after;
    event.impulse = impact.impulse;
    event.first_of_instant = first;
    first = false;
    announce(event);
  }
}

void Phases::announce_scheme(double t) {
  Event event;
  event.t = t;
  event.kind = Event::Kind::scheme;
  event.note = automatic_->why();
  announce(event);
}

void Phases::announce_contacts() {
  for (const Event& e : course_.events->events()) announce(e);
}

void Phases::announce(const Event& event) {
  observers_.event(event);
  if (automatic_) automatic_->note_event(event);
}

void Phases::resume() {
  if (automatic_) course_.scheme = &automatic_->scheme();
  inform_scheme();
}

void Phases::exchange(Snapshot& s) {
  if (automatic_) automatic_->exchange(s);
  if (course_.events) course_.events->exchange(s);
}

}  // namespace escapement
