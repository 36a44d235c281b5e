// Where a run stands, which its parts share: the ends of the present step, the scheme that makes it, and what that
// scheme sees of the contacts.
#pragma once

#include <memory>
#include <string>

#include "simulate/event_driven.hpp"
#include "system/counting_system.hpp"
#include "system/row_selection.hpp"

namespace escapement::inline simulate {

struct Course {
  Course(const System& of, Scheme& by);

  const System& every_row;  // the system as it was given, which other runs may share
  RowSelection rows;        // for the present step
  SelectedRows selected;    // the system without the rows left out: what is integrated
  CountingSystem system;    // the same, counting what the scheme and the events ask for
  Scheme* scheme;
  std::unique_ptr<EventDriven> events;  // contacts under a smooth scheme

  State s, s1;  // the step leads from s to s1; between steps s is where the motion is and s1 where the last step began
  State between;             // room for a state within the step
  StepReport report;         // of the last accepted step
  double h = 0;              // its size
  bool stepped = false;      // since the scheme was started
  bool event_found = false;  // s1 lies on an event
  bool branch_found = false;  // or just before where an expression changes its branch
  double behind_branch = 0;   // the time at which the run goes on there
  std::string without_events;  // why a time-stepping scheme has taken over, where it has
  bool resumable = false;    // `started` is kept
  State started;             // what the scheme was last started from: a resumed run starts it there again

  bool locates_events() const { return events && !scheme->info().time_stepping; }

  bool select_rows(const State& s);  // where a step begins. True: what the scheme knows is of other rows, or of far away
  void start_scheme(State& from);
  StepReport step(const State& from, double size, State& to);  // of the scheme, with the contacts that are closed
  void cross_branch();              // leads s1 behind it
  void go_straight(State& of, double time);  // with the rates that it has
  const State& look(double theta);  // the state at this part of the step, in `between`
  // starts the scheme from there and makes its last step again, so that it knows what it knew
  void replay(State& from);
  // f(system, s) with what the scheme sees of the system and of the state, which may change
  template <class F>
  auto on_rows(State& of, F&& f) {
    return locates_events() ? events->steps().on_rows(of, f) : f(system, of);
  }
  void exchange(Snapshot& x) { x(started, s1, s, h, stepped, without_events); }
  // what a step that fails here says
  std::string failure(const StepReport&, double step, const std::string& what, const std::string& advice = "") const;

 private:
  void start(State& from);

  Vec rate_;
  Terms terms_;  // for rates of z
};

}  // namespace escapement
