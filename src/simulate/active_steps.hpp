// A smooth scheme on the active view of a system, for states of the whole system: what has no row in the view has no force.
#pragma once

#include "schemes/scheme.hpp"
#include "system/active_view.hpp"

namespace escapement::inline simulate {

class ActiveSteps {
 public:
  explicit ActiveSteps(const ActiveView& view) : view_(view) {}

  // as those of Scheme
  void start(Scheme&, State& s);
  StepReport step(Scheme&, const State& s, double h, State& s1);
  // the state at a part of the step that was last looked into; its memory stays as it is
  void look_into(const State& s, const State& s1);
  void interpolate(const Scheme&, double theta, State& out);
  // f(view, s), which may change s
  template <class F>
  auto on_rows(State& s, F&& f) {
    show(s, from_);
    const auto result = f(view_, from_);
    take(from_, s);
    return result;
  }

 private:
  void show(const State& s, State& here) const;
  void take(const State& here, State& s) const;

  const ActiveView& view_;
  State from_, to_;
  // the step that is looked into: its ends, multipliers of the whole system there, and of the rows between
  State begin_, end_;
  Vec lambda_, lambda1_, on_rows_;
};

}  // namespace escapement
