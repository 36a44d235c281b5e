// The choice of the step size: fixed, or by the rule (12) of [000], in one place for every scheme.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "schemes/scheme.hpp"
#include "simulate/settings.hpp"
#include "simulate/snapshot.hpp"

namespace escapement::inline simulate {

class StepControl {
 public:
  // one: what counts as one in the motion; it must outlive this
  StepControl(const Scale& one, const SchemeInfo&, const Settings&, const Options& loop);

  bool fixed() const { return fixed_; }
  double step() const { return step_; }  // where it is fixed
  double tolerance() const { return tolerance_; }
  double min_step() const { return min_step_; }
  // fixed steps and rule (12) of [000] as printed know nothing of what expressions do within a step
  bool bounded_by_expressions() const { return !fixed_ && predictive_; }

  // a first step as given, or from the size of the motion's derivatives (adaptive runs)
  void propose_first(const State& s);
  void restart(const State& s, double horizon);  // after an event: at most this far
  void change(const SchemeInfo&, const State& s);  // another scheme goes on from here
  double next(double t) const;          // size of the next step from t; lands on the end exactly
  double end_of(double t, double h) const;  // t + h, exactly on the grid n h of fixed steps and exactly `end` at the end

  // other steps are wanted from here on
  bool changes_at(double t) const { return then_ && t >= end_; }
  void change_steps(const State& s);

  // judge an attempted step: true when accepted; the next size is set either way
  bool accept(const StepReport&, double h);
  void resume(double h) {  // after an obstacle: at most this step
    h_ = h;
    rejected_ = false;
    last_h_ = 0;
  }
  bool at_minimum() const { return h_ <= min_step_; }
  // the step h just tried, to this part; a fixed step is then made of parts that end on its grid
  void shorten(double h, double part = 0.5) {
    h_ = part * h;
    rejected_ = halved_ = true;
    last_h_ = 0;
  }
  void advance(double t) {  // a step is behind us and ends at t
    if (fixed_ && t < std::min(end_, grid_point())) return;
    ++n_;
    halved_ = false;
    if (fixed_) h_ = step_;
  }
  void exchange(Snapshot& s);
  void rebase(double t) {   // an event interrupted the grid of fixed steps: it goes on from here
    origin_ = t;
    n_ = 0;
    halved_ = false;
    if (fixed_) h_ = step_;
  }

 private:
  void adapt_to(const SchemeInfo&);
  void estimate_first(const State& s);
  double bounded(double chosen, double h, bool ok);
  double grid_point() const { return origin_ + (static_cast<double>(n_) + 1) * step_; }  // where the fixed step ends

  const Scale& one_;
  double end_;  // of the run, or of these steps where others follow
  std::optional<Settings::Then> then_;
  double run_end_, run_, step_, tolerance_, safety_, min_step_, max_step_;
  double given_first_, given_growth_;  // 0: not given
  double power_ = 0, growth_ = 0, first_growth_ = 0;
  bool fixed_, per_unit_step_, predictive_;
  double h_ = 0;
  double ceiling_ = std::numeric_limits<double>::infinity();  // of steps that the scheme chooses
  bool first_ = true;  // no step since the start, an event or a change of scheme
  bool chosen_ = false;  // h_ is the scheme's own choice
  bool rejected_ = false;
  bool halved_ = false;
  double last_h_ = 0, last_error_ = 0;  // of the last accepted step; 0: none
  double origin_ = 0;
  long n_ = 0;
};

}  // namespace escapement
