// The observer of the steps: which were accepted although an iteration or a contact problem had not come to its end, and
// which fixed ones are too long for what the model says in expressions.
#pragma once

#include "simulate/observer.hpp"
#include "simulate/worst.hpp"

namespace escapement::inline simulate {

class StepMonitor : public Observer {
 public:
  static constexpr double far_above = 10;  // tolerances: an iteration accepted with more has not converged

  void step(const StepRecord& r) override {
    if (!r.accepted) return;
    ++steps_;
    unsolved_ += r.report.excess > far_above;
    excess_.note(r.report.excess, r.after.t);
    length_.note(r.report.excess_length, r.before.t);
  }
  void exchange(Snapshot& s) override {
    s(steps_, unsolved_);
    excess_.exchange(s);
    length_.exchange(s);
  }

  double share_unsolved() const { return steps_ > 0 ? static_cast<double>(unsolved_) / static_cast<double>(steps_) : 0; }
  const Worst& excess() const { return excess_; }
  const Worst& excess_length() const { return length_; }  // of a step, over what resolves the expressions

 private:
  long steps_ = 0, unsolved_ = 0;
  Worst excess_, length_;
};

}  // namespace escapement
