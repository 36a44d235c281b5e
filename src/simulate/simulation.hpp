// The time loop: chooses steps, retries, tells the observers. One scheme, one system, from a consistent start to the end.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "simulate/automatic.hpp"
#include "simulate/drift_limit.hpp"
#include "simulate/event_driven.hpp"
#include "simulate/observer.hpp"
#include "simulate/settings.hpp"
#include "simulate/step_control.hpp"

namespace escapement {

struct Outcome {
  enum class Status { completed, stopped, failed };
  Status status = Status::completed;
  std::string message;
  bool interrupted = false;  // stopped from outside; a snapshot was offered
  double t = 0;
  long steps = 0, rejected_steps = 0, newton_iterations = 0, linear_solves = 0;
  double stepping_seconds = 0;  // inside the scheme alone
  State final;
};

class Simulation {
 public:
  // system and scheme must outlive the simulation; options are checked by check_options()
  Simulation(const System&, Scheme&, const Settings&, const Options& loop);

  void observe(Observer& observer) { observers_.push_back(&observer); }
  // ends the run when it turns true (positive); called on states of the motion
  void stop_when(std::function<double(const State&)> condition) { stop_condition_ = std::move(condition); }
  // another thread or a signal handler may ask for an end after the current step
  void stop_on(const std::atomic<bool>* flag) { interrupt_ = flag; }
  // the scheme `auto`: this decides which scheme goes on
  void follow(Automatic& automatic) {
    automatic_ = &automatic;
    scheme_ = &automatic.scheme();
  }

  Outcome run(const State& start);

  // called between steps, where snapshot() may be taken: after saved samples, every few steps, and (last) when interrupted
  void between_steps(std::function<void(bool last)> action) { between_steps_ = std::move(action); }
  std::vector<double> snapshot();
  double time() const { return s_.t; }
  // goes on from a snapshot of the same simulation, observers included, with the same bits; throws SnapshotError
  Outcome resume(const std::vector<double>& snapshot);

 private:
  void go_on();              // to the end, or until something stops it
  void finish();
  void start_scheme(State& s);
  void exchange(Snapshot&);
  void pause(bool last);
  bool progresses();         // false: so slowly that the run would hardly end, and outcome_ says so
  bool attempt();            // one accepted step from s_ to s1_; false: outcome_ says why not
  bool rows_hold();          // those that the system exchanges at s1_ hold there as the former ones do
  double find_stop();
  bool object(StepReport&, double h);  // an observer finds the results worthless
  bool pass_singularity();   // contacts that contradict each other ahead, [000] section 4; true: try again
  bool finish_step();        // samples, stop condition and events between s_ and s1_; false: the run is over
  void save_samples(double until);
  bool act_on_event();       // impacts and changes of contact at s1_; false: outcome_ says why not
  void report_impacts();     // of a time-stepping scheme's last step
  void tell(const State& s) {
    sampled_ = true;
    for (Observer* o : observers_) o->sample(s);
  }
  // what the scheme sees
  const System& integrated() const { return events_ && !scheme_->info().time_stepping ? events_->view() : system_; }
  bool locates_events() const { return events_ && !scheme_->info().time_stepping; }
  void inform_scheme();      // how its errors are judged
  bool change_scheme();      // as the automatic choice says; false: outcome_ says why it cannot go on
  void announce(const Event&);
  void fail(const StepReport&, double h, const std::string& what, const std::string& advice = "");
  double stop_value(const State& s) const { return stop_condition_ ? stop_condition_(s) : -1; }

  const System& system_;
  Scheme* scheme_;
  Settings settings_;
  StepControl control_;
  DriftLimit drift_;
  double drift_shrink_;
  double watched_from_ = 0;  // where the last long row of steps began
  long watched_rejected_ = 0;  // and how many had been rejected by then
  double save_every_;
  std::vector<Observer*> observers_;
  std::function<double(const State&)> stop_condition_;
  const std::atomic<bool>* interrupt_ = nullptr;
  std::unique_ptr<EventDriven> events_;  // contacts under a smooth scheme
  Automatic* automatic_ = nullptr;
  StepReport last_report_;
  double last_h_ = 0;
  bool stepped_ = false;  // since the scheme was started
  bool event_found_ = false;

  State s_, s1_, between_;
  Vec moved_;  // in a step
  State started_;  // what the scheme was last started from: a resumed run starts it there again
  std::function<void(bool)> between_steps_;
  bool sampled_ = false;  // since between_steps_ was called
  Terms terms_;
  long saved_ = 0;  // samples so far, on the grid of save_every
  bool last_sample_is_end_ = false;
  Outcome outcome_;
};

}  // namespace escapement
