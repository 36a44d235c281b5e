// One step of a run, tried until it is accepted: the scheme makes it, the step control and the guards judge it, and
// what they refuse is tried again shorter.
#pragma once

#include <memory>
#include <string>

#include "simulate/constraint_keeper.hpp"
#include "simulate/feature_watch.hpp"
#include "simulate/observers.hpp"
#include "simulate/outcome.hpp"
#include "simulate/phases.hpp"
#include "simulate/progress_guard.hpp"
#include "simulate/resolution.hpp"
#include "simulate/settings.hpp"
#include "simulate/step_control.hpp"

namespace escapement::inline simulate {

class Stepping {
 public:
  Stepping(Course&, StepControl&, Phases&, Observers&, Outcome&, const Settings&, const Options& loop);

  void resolve(ExplicitTerms& terms) { resolution_ = std::make_unique<Resolution>(terms); }
  void follow_features(const FeaturedSystem& system) { features_ = std::make_unique<FeatureWatch>(system); }  // after resolve()
  void start(State& s);
  void exchange(Snapshot& s) {
    constraints_.exchange(s);
    if (resolution_) resolution_->exchange(s);
    if (features_) features_->exchange(s);
    if (features_) s(after_event_);
    s(ahead_);
  }
  bool advance();  // one accepted step from course.s to course.s1; false: the outcome says why not
  // after the step was acted on, at course.s: what it met of branches of expressions
  BranchNews branch_news();
  std::string branch_text() const { return resolution_ ? resolution_->branch_text() : ""; }

 private:
  struct Trial {
    double h = 0;
    StepReport report;
    bool accepted = false;
    bool contradiction = false;  // closed contacts stop the motion at once
    bool at_branch = false;      // an expression changes its branch where it ends
    bool at_feature = false;     // or a contact goes on to another feature there
    bool feature_changes = false;  // and a contact is on another one behind it
    double across = 0;           // the time that leads beyond a branch of the motion
    bool cut = false;            // it ends before where it was to end
  };
  // of one step so far
  struct Refusals {
    int all = 0, failures = 0, by_drift = 0, by_rows = 0, by_branch = 0;
    double feature = 0;  // the time at which a contact changes its feature, as a refused try has seen it; 0: none
    double feature_step = 0;  // the size of that try
    double aim = 0;  // size of the next try that is to end on a branch; 0: none
  };

  Trial make();
  bool judge(Trial&);  // false: refused for good, and the outcome says why
  bool judge_resolution(Trial&);  // false: refused
  bool judge_features(Trial&);    // false: refused
  bool judge_constraints(Trial&);  // false: refused for good, and the outcome says why
  void complete(Trial&);  // an accepted one: where exactly it ends, and whether an event ends it before
  void find_event(Trial&);
  bool objected(Trial&);  // an observer finds the results worthless
  void keep(const Trial&);
  bool may_retry(const Trial&);  // false: the outcome says why not
  bool may_retry_failed(const Trial&);
  bool cross_feature_at_hand();  // where the last step ended at something else; false: the outcome says why it cannot go on
  bool goes_on_otherwise();  // by another scheme, which `auto` takes: the next try is its first
  bool fail(const Trial&, const std::string& what, const std::string& advice = "");

  Course& course_;
  StepControl& control_;
  Phases& phases_;
  Observers& observers_;
  Outcome& outcome_;
  const Settings& settings_;
  ConstraintKeeper constraints_;
  std::unique_ptr<Resolution> resolution_;  // where the model has expressions
  std::unique_ptr<FeatureWatch> features_;  // where contacts have them
  double drift_shrink_;
  bool patient_, bears_drift_;  // who gives min_step, max_drift decides for himself
  Refusals refused_;
  bool after_event_ = true;  // the last step ended on one, or there was none
  double ahead_ = 0;  // size of a step that is to end on a branch, as the last one has seen it; 0: none
  bool at_motion_branch_ = false;  // the last accepted step ended on one
  bool crossed_ = false;           // or, of a time-stepping scheme, went across one
};

}  // namespace escapement
