#include "simulate/course.hpp"

#include "simulate/failure.hpp"

namespace escapement::inline simulate {

Course::Course(const System& of, Scheme& by)
    : every_row(of),
      rows(of.first_rows()),
      selected(of, rows),
      system(rows.left_out.empty() ? of : selected),
      scheme(&by),
      rate_(Vec::Zero(of.dim().q)) {
  if (of.dim().z > 0) of.prepare(terms_);
}

bool Course::select_rows(const State& at) {
  every_row.select_rows(at, rows, rows);
  return rows.others || rows.strain > 1;
}

void Course::start(State& from) { locates_events() ? events->steps().start(*scheme, from) : scheme->start(system, from); }

StepReport Course::step(const State& from, double size, State& to) {
  return locates_events() ? events->steps().step(*scheme, from, size, to) : scheme->step(system, from, size, to);
}

void Course::start_scheme(State& from) {
  if (resumable) started = from;
  stepped = false;
  start(from);
  if (locates_events()) events->view().complete_multipliers(from);
}

// a straight line does for so short a time, whichever force it meets
void Course::cross_branch() {
  go_straight(s1, behind_branch - s1.t);
  s1.t = behind_branch;
}

void Course::go_straight(State& of, double time) {
  if (of.z.size() > 0) {
    system.evaluate(of, Need::force, terms_);
    of.z += time * terms_.zdot;
  }
  system.rate(of.q, of.v, rate_);
  of.q += time * rate_;
  system.normalize(of.q);
  of.v += time * of.vdot;
  of.t += time;
}

const State& Course::look(double theta) {
  if (locates_events()) {
    events->steps().look_into(s, s1);
    events->steps().interpolate(*scheme, theta, between);
  } else {
    scheme->interpolate(system, s, s1, theta, between);
  }
  return between;
}

void Course::replay(State& from) {
  select_rows(from);
  start(from);
  between = s;
  if (!stepped) return;
  select_rows(s1);  // where the last step began
  step(s1, h, between);
}

std::string Course::failure(const StepReport& why, double step, const std::string& what,
                            const std::string& advice) const {
  std::string text = describe_failure(system, scheme->info(), why, s, step, what, advice);
  if (!without_events.empty() && scheme->info().time_stepping) text += " It had taken over because " + without_events;
  return text;
}

}  // namespace escapement
