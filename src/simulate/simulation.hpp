// The time loop: step after step, from a consistent start to the end. Its parts are files of their own: Stepping makes
// a step that step control and guards accept, Phases acts on events and changes of scheme, Sampling saves,
// StopCondition ends.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "simulate/automatic.hpp"
#include "simulate/course.hpp"
#include "simulate/observers.hpp"
#include "simulate/outcome.hpp"
#include "simulate/phases.hpp"
#include "simulate/progress_guard.hpp"
#include "simulate/sampling.hpp"
#include "simulate/settings.hpp"
#include "simulate/step_control.hpp"
#include "simulate/stepping.hpp"
#include "simulate/stop_condition.hpp"

namespace escapement::inline simulate {

class Simulation {
 public:
  // system and scheme must outlive the simulation; options are checked by check_options()
  Simulation(const System&, Scheme&, const Settings&, const Options& loop);
  Simulation(const Simulation&) = delete;  // its parts refer to each other
  Simulation& operator=(const Simulation&) = delete;

  template <class O>
  void observe(O& observer) { observers_.add(observer); }
  // ends the run when it turns true (positive); called on states of the motion. Its terms, where it is an expression, must outlive
  // the simulation and belong to it
  void stop_when(std::function<double(const State&)> condition, ExplicitTerms* terms = nullptr) {
    stop_ = StopCondition(std::move(condition), terms);
  }
  // another thread or a signal handler may ask for an end after the current step
  void stop_on(const std::atomic<bool>* flag) { interrupt_ = flag; }
  // the system as it is integrated, without rows that others hold; looking at it is not counted
  const System& integrated() const { return course_.selected; }
  const Counts& counts() const { return course_.system.counts(); }  // of what schemes and events asked for
  // samples between the ends of steps lie on closed contacts
  void hold_samples() { sampling_.hold_contacts(course_.selected); }
  void find_sample_forces() { sampling_.find_forces(course_.selected); }  // of contacts that are events, likewise
  void follow_states() { sampling_.follow_states(course_.selected); }  // between the ends of steps, likewise
  // steps are to resolve what the model says in expressions; the terms must outlive the simulation and belong to it
  void resolve(ExplicitTerms& terms) { stepping_.resolve(terms); }
  // and, then, to end where closed contacts go on to other features of their shapes; the system outlives the simulation
  void follow_features(const FeaturedSystem& system) { stepping_.follow_features(system); }
  // the scheme `auto`: this decides which scheme goes on
  void follow(Automatic& automatic) { phases_.follow(automatic); }

  Outcome run(const State& start);

  // the same, step by step: begin, advance as long as it is true, end
  bool begin(const State& start);
  bool advance();
  Outcome end();
  const State& state() const { return course_.s; }
  // between steps: this changes the forces. Contacts are decided anew, the scheme starts again; false: it cannot go on
  bool change_forces(const std::function<void()>& change);

  // called between steps, where snapshot() may be taken: after saved samples, every few steps, and (last) when
  // interrupted
  void between_steps(std::function<void(bool last)> action);
  std::vector<double> snapshot();
  double time() const { return course_.s.t; }
  // goes on from a snapshot of the same simulation, observers included, with the same bits; throws SnapshotError
  Outcome resume(const std::vector<double>& snapshot);
  void begin_from(const std::vector<double>& snapshot);  // the same, step by step

 private:
  bool can_start();           // false: outcome_ says why not
  bool finish_step();         // samples, stop condition and events between s and s1; false: the run is over
  bool stop_at(double part);  // of the step
  bool progresses();          // false: so slowly that the run would hardly end, and outcome_ says so
  bool interrupted();
  void pause(bool last);
  void exchange(Snapshot&);
  void exchange_learnt(Snapshot&);  // what has been learnt since the run began

  const Settings settings_;
  Observers observers_;
  Outcome outcome_;
  StepControl control_;
  Course course_;
  Sampling sampling_;
  Phases phases_;
  Stepping stepping_;
  ProgressGuard progress_;
  StopCondition stop_;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::function<void(bool)> between_steps_;
};

}  // namespace escapement
