#include "simulate/stepping.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace escapement::inline simulate {

namespace {
constexpr int most_retries = 60;  // halvings of a failing adaptive step
constexpr int most_step_halvings = 8;  // of a failing fixed step
constexpr int stuck_after = 15;   // rejections in a row before closed contacts are suspected to contradict each other
// [000] Table 1 rejects without limit, which dead-locks index-1 schemes: only who gives min_step gets as far as that
constexpr int most_drift_rejections = 5;
constexpr int most_row_rejections = 8;
constexpr int most_branch_rejections = 10;  // tries to end a step on a branch, each nearer by orders of magnitude
constexpr int most_features_at_once = 8;    // changes at one instant, where corners hand over to corners
constexpr double far_from_branch = 1.1;     // times the step
}  // namespace

Stepping::Stepping(Course& course, StepControl& control, Phases& phases, Observers& observers, Outcome& outcome,
                   const Settings& settings, const Options& loop)
    : course_(course),
      control_(control),
      phases_(phases),
      observers_(observers),
      outcome_(outcome),
      settings_(settings),
      constraints_(course, settings, loop),
      drift_shrink_(loop.number("drift_shrink")),
      patient_(settings.options.contains("min_step")),
      bears_drift_(settings.options.contains("max_drift")) {}

void Stepping::start(State& s) {
  constraints_.start(s);
  if (resolution_) resolution_->begin(s, settings_.end);
}

bool Stepping::advance() {
  refused_ = {};
  if (features_ && !cross_feature_at_hand()) return false;
  if (ahead_ > 0) {
    refused_.aim = ahead_;
    refused_.by_branch = 1;
    ahead_ = 0;
  }
  while (true) {
    Trial trial = make();
    if (!judge(trial)) return false;
    course_.event_found = false;
    if (trial.accepted) complete(trial);
    outcome_.newton_iterations += trial.report.newton_iterations;
    outcome_.linear_solves += trial.report.linear_solves;
    observers_.step({course_.s, course_.s1, trial.h, trial.report, trial.accepted, *course_.scheme});
    if (trial.accepted) {
      if (objected(trial)) return false;
      keep(trial);
      return true;
    }
    ++outcome_.rejected_steps;
    if (++refused_.all == stuck_after && phases_.pass_singularity()) continue;
    if (!may_retry(trial)) return false;
  }
}

Stepping::Trial Stepping::make() {
  Trial trial;
  trial.h = control_.next(course_.s.t);
  if (resolution_ && control_.bounded_by_expressions()) {
    if (refused_.aim > 0) trial.h = std::min(trial.h, refused_.aim);
    trial.h = resolution_->limit(course_.s.t, trial.h);
    trial.at_branch = resolution_->ends_at_branch();
  }
  const auto before = std::chrono::steady_clock::now();
  if (course_.locates_events()) course_.events->begin_step(course_.s);
  trial.report = course_.step(course_.s, trial.h, course_.s1);
  outcome_.stepping_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  return trial;
}

bool Stepping::judge(Trial& trial) {
  if (trial.report.ok() && resolution_) {
    if (!control_.bounded_by_expressions()) {
      trial.report.excess_length = resolution_->excess_length(course_);
    } else if (!judge_resolution(trial) || !judge_features(trial)) {
      return true;
    }
  }
  trial.accepted = trial.report.ok() && control_.accept(trial.report, trial.h);
  if (!trial.accepted) {
    refused_.aim = 0;
    return true;
  }
  trial.contradiction = course_.locates_events() && course_.events->jumps(course_.s, course_.s1);
  if (trial.contradiction) {
    trial.accepted = false;
    control_.shorten(trial.h);
    return true;
  }
  return judge_constraints(trial);
}

// does it resolve what the model says of its motion, and end on the first change of a branch?
bool Stepping::judge_resolution(Trial& trial) {
  if (const double part = resolution_->resolved_part(course_); part < 1) {
    control_.shorten(trial.h, part);
    refused_.aim = 0;
    return false;
  }
  if (course_.scheme->info().time_stepping) {
    const double part = refused_.by_branch < most_branch_rejections ? resolution_->between_branches(course_) : 1;
    if (part == 1) return true;
    ++refused_.by_branch;
    control_.shorten(trial.h, part);
    return false;
  }
  const double part = resolution_->first_branch(course_);
  // a branch that gaps jump at may be what a try has failed on
  if (part > 1 && refused_.by_branch == 0 && refused_.failures == 0) return true;
  const double until = part > 1 ? trial.h + resolution_->time_to_branch() : part * trial.h;
  if (part > 1 && resolution_->lands(until - trial.h, trial.h, refused_.by_branch >= most_branch_rejections)) {
    trial.at_branch = true;
    trial.across = resolution_->across(until - trial.h, trial.h);
    return true;
  }
  if (refused_.by_branch >= most_branch_rejections) return true;
  // a try that a refused error has shortened, or that was to end where stages beyond the branch had put it, ends far
  // before it: a step like any other, and the next one is to end there
  if (until > far_from_branch * trial.h) {
    if (std::isfinite(until) && resolution_->nears_a_jump()) ahead_ = resolution_->short_of(until - trial.h, trial.h);
    return true;
  }
  ++refused_.by_branch;
  refused_.aim = resolution_->short_of(until, trial.h);
  return false;
}

// does every closed contact keep its feature, up to the end?
bool Stepping::judge_features(Trial& trial) {
  if (!features_) return true;
  const bool last = refused_.by_branch >= most_branch_rejections;
  if (const double part = features_->first_change(course_); part <= 1) {
    const double until = part * trial.h;
    if (last || resolution_->lands(until, trial.h, true)) return true;  // it begins on one
    ++refused_.by_branch;
    refused_.feature = course_.s.t + until;
    refused_.feature_step = trial.h;
    refused_.aim = resolution_->short_of(until, trial.h);
    return false;
  }
  const double left = refused_.feature - (course_.s.t + trial.h);
  // aimed at with what the refused try took for short of it
  if (!(refused_.feature > 0) || trial.at_branch || !resolution_->lands(left, refused_.feature_step, last)) return true;
  trial.at_branch = trial.at_feature = true;
  trial.across = resolution_->across(std::max(left, 0.0), refused_.feature_step);
  // what a try has seen that went far beyond may not be there
  trial.feature_changes = features_->changes_behind(course_.s1, course_, trial.across);
  return true;
}

bool Stepping::judge_constraints(Trial& trial) {
  const bool may_shorten = !control_.fixed() && refused_.by_rows < most_row_rejections;
  const auto found = constraints_.keep(may_shorten ? std::optional(control_.tolerance()) : std::nullopt);
  if (found == ConstraintKeeper::Finding::near) return true;
  trial.accepted = false;
  if (found == ConstraintKeeper::Finding::too_long) {
    ++refused_.by_rows;
    control_.shorten(trial.h);
    return true;
  }
  bool hopeless = control_.fixed() || (++refused_.by_drift > most_drift_rejections && !patient_);
  if (!hopeless) {
    control_.shorten(trial.h, drift_shrink_);
    hopeless = control_.at_minimum();
  }
  if (!hopeless) return true;
  constraints_.blame(trial.report);
  return fail(trial, constraints_.message(), constraints_.advice());
}

void Stepping::complete(Trial& trial) {
  course_.s1.t = control_.end_of(course_.s.t, trial.h);
  course_.branch_found = trial.at_branch;
  if (course_.locates_events()) find_event(trial);
  if (resolution_) resolution_->accepted();
  if (features_) features_->accepted(course_.branch_found && trial.at_feature);
  at_motion_branch_ = course_.branch_found && !trial.at_feature && trial.across > 0 && resolution_->nears_a_jump();
  crossed_ = resolution_ && course_.scheme->info().time_stepping && control_.bounded_by_expressions() &&
             resolution_->crosses(course_);
  if (!course_.branch_found) return;
  if (trial.feature_changes) course_.events->note_feature(features_->changed());
  if (at_motion_branch_) resolution_->note_approach(course_);
  const double across = std::min(course_.s1.t + trial.across, settings_.end);
  course_.behind_branch = !trial.at_feature && resolution_->ends_at_branch() ? resolution_->after_branch() : across;
}

void Stepping::find_event(Trial& trial) {
  course_.events->view().complete_multipliers(course_.s1);
  const double h = trial.h;
  course_.event_found = course_.events->find(*course_.scheme, course_.s, course_.s1, trial.h, trial.report);
  trial.cut = course_.event_found || trial.h < h;
  if (!trial.cut) return;
  course_.branch_found = false;
  constraints_.bring_back();
}

BranchNews Stepping::branch_news() {
  if (at_motion_branch_ && course_.branch_found && resolution_->drives_back(course_, course_.s))
    return BranchNews::driven_back;
  if (crossed_ && resolution_->keeps_turning_back()) return BranchNews::driven_back;
  return course_.branch_found || crossed_ ? BranchNews::crossed : BranchNews::none;
}

bool Stepping::objected(Trial& trial) {
  if (bears_drift_) return false;
  const Objection objection = observers_.objection(trial.report);
  return objection.why && !fail(trial, objection.why, objection.advice);
}

void Stepping::keep(const Trial& trial) {
  ++outcome_.steps;
  course_.report = trial.report;
  course_.h = trial.h;
  course_.stepped = true;
  after_event_ = trial.cut || course_.event_found || course_.branch_found;
  trial.cut || course_.branch_found ? control_.rebase(course_.s1.t) : control_.advance(course_.s1.t);
}

bool Stepping::may_retry(const Trial& trial) {
  if (!trial.report.ok()) return may_retry_failed(trial);
  if (!control_.at_minimum() || goes_on_otherwise()) return true;
  if (!trial.contradiction)
    return fail(
        trial, fmt::format("the step would have to fall below {:.3g} s to meet the tolerance", control_.min_step()),
        "look for a force that grows without bound or jumps near this time, loosen the tolerance, or lower min_step "
        "where it is given");
  std::vector<char> closed(course_.system.contacts().size(), 0);
  for (int i = 0; i < course_.system.dim().unilateral; ++i)
    closed[i] = course_.events->view().mode(i) != ContactMode::open;
  return fail(trial, fmt::format("the closed {} stop the motion at once: they contradict each other",
                                 names_of_contacts(course_.system, closed)));
}

bool Stepping::may_retry_failed(const Trial& trial) {
  // time-stepping schemes may go on in parts of a fixed step, others keep their grid
  const int most = !control_.fixed() ? most_retries : course_.scheme->info().time_stepping ? most_step_halvings : 0;
  // the parts' parts count too: a step that fails in its smallest part has failed
  const bool smallest = control_.fixed() && trial.h <= std::ldexp(control_.step(), -most);
  if (control_.at_minimum() || smallest || ++refused_.failures > most) return goes_on_otherwise() || fail(trial, "");
  // two halves of a step would end where it does
  control_.shorten(trial.h, trial.report.passes_dead_point && !control_.fixed() ? 0.7 : 0.5);
  return true;
}

bool Stepping::cross_feature_at_hand() {
  for (int i = 0; after_event_ && i < most_features_at_once; ++i) {
    const double time = resolution_->across(0, course_.h);
    if (!features_->changes_behind(course_.s, course_, time) || course_.s.t + time > settings_.end) break;
    course_.s1 = course_.s;
    course_.events->note_feature(features_->changed());
    course_.behind_branch = course_.s.t + time;
    if (!phases_.act_on_feature()) return false;
    std::swap(course_.s, course_.s1);
    control_.rebase(course_.s.t);
  }
  after_event_ = false;
  return true;
}

bool Stepping::goes_on_otherwise() {
  if (!phases_.go_on_without_contact_modes()) return false;
  refused_ = {};
  return true;
}

bool Stepping::fail(const Trial& trial, const std::string& what, const std::string& advice) {
  outcome_.fail(course_.failure(trial.report, trial.h, what, advice));
  return false;
}

}  // namespace escapement
