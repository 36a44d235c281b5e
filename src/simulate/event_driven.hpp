// Event-driven contact for any smooth scheme, after [000] section 1: between events the scheme integrates a view in which
// closed contacts are bilateral; closing contacts are located, impacts solved, opening and sticking decided by the
// acceleration-level problem.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "schemes/scheme.hpp"
#include "simulate/active_steps.hpp"
#include "simulate/chatter_watch.hpp"
#include "simulate/contact_dynamics.hpp"
#include "simulate/observer.hpp"
#include "simulate/phase_limits.hpp"
#include "system/active_view.hpp"

namespace escapement::inline simulate {

class EventDriven {
 public:
  // patience: with events that crowd, ChatterWatch
  EventDriven(const System&, const Options& loop, double run, double patience = 1);

  const ActiveView& view() const { return view_; }
  ActiveSteps& steps() { return steps_; }  // of a scheme on it

  // contacts that are closed at the start, and impacts due there; false: message() says why it cannot go on
  bool begin(State& s);
  // before begin() where a time-stepping scheme has ended: contacts that it left are open, whatever they were when it began
  void take_over(const State& s);
  // what errors are allowed, scaled: gaps that come nearer to zero are asked of the scheme itself; slips in space that are slower
  // have no direction of their own, and friction turns those that do the faster the slower they are
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }
  // before a step from s: slips in space point where they do there
  void begin_step(const State& s);
  // looks for the first event in the step from s to s1 = scheme.step(view, s, h). When there is one, s1 becomes the state of
  // the step that ends on it and h its size; without one the step may end earlier too, where it is known to have none. Extra
  // steps are added to the report
  bool find(Scheme&, const State& s, State& s1, double& h, StepReport&);
  // a velocity that jumps within a step though the accelerations at its ends know nothing of it: closed contacts that contradict
  // each other stop the motion at once, and every stage of a half-explicit step agrees. Such a step is to be refused
  bool jumps(const State& s, const State& s1);
  // acts on the event found (or on s as it is): impacts change s.v, modes change; false: message() says why it cannot go on
  bool act(State& s);
  void forget_event() { event_ = {}; }  // of the last step, which has not led to the state that is acted on
  // where an expression has changed its branch between two states: forces may jump there, gaps may jump open and no further; false: message()
  bool gaps_go_on(const State& before, const State& s);
  void note_feature(int contact) { featured_ = contact; }  // which goes on to another feature there: an event

  // a place where closed contacts contradict each other just ahead (edges, jumps of curvature), [000] 4.2.2: a step of size h
  // of the Moreau-Jean scheme, or [000] 4.2.1: of hem5 with its stages as complementarity problems, finds who carries force
  // beyond it; s stays, only these stay closed. False: nothing changed
  bool pass_singularity(const State& s, double h);

  const std::vector<Event>& events() const { return events_; }  // of the last begin() or act(), in order
  bool velocity_jumped() const { return jumped_; }
  const std::string& message() const { return message_; }
  bool crowd() const { return crowd_; }  // this is what the message says
  void exchange(Snapshot&);

 private:
  using Cause = PhaseEnd::Cause;

  PhaseEnd first_candidate(Scheme&, const State& s, const State& s1, bool by_gaps_alone);
  bool closing_bracket(Scheme&, const State& s, const State& s1, PhaseEnd&);
  bool stays_open(const State& s, const State& s1, int contact) const;
  double near_gap(int contact) const;
  double gap_noise(int contact) const;
  double limit_noise(const PhaseEnd&) const;  // of what ends a closed phase
  void look_at_gaps(Scheme&, const State& s, const State& s1);
  void look_at_rates(Scheme&);  // within the step, where gaps come near zero
  // interpolated: where the dense output has the event, because steps themselves do not lead to it, fail or would be too short;
  // never_closes: the dense output dips below zero, steps themselves do not; not_reached: the same of a limit, and the step
  // now ends where it is known not to be reached
  enum class Landing { done, interpolated, never_closes, not_reached };
  Landing land(Scheme&, const State& s, const State& s1, double h, const PhaseEnd&, double& x, StepReport&);
  // a gap that comes near zero: does a step of the scheme itself, of size x, end below it? f: its gap
  bool dips(Scheme&, const State& s, double h, const PhaseEnd&, double& x, double& f, StepReport&);
  // of a state within a step or at its end: positive before the event, negative after it
  double value(const Scheme&, const PhaseEnd&, const State&, bool after_step);
  double held_slip(int contact, const State&);  // positive until a drive moves it
  // what decides at a contact; who gives it himself gives it in the model's units
  double zeno_velocity(int contact, double t) const;
  double touching_gap(int contact) const;
  void end_phase(State& s) const;  // velocities along its rows
  void learn_sizes(const State& s);
  bool impacts(State& s);       // until nobody approaches
  void stop_slips(State& s);
  bool decide_modes(State& s);  // of the contacts that touch and rest
  bool goes_along(int contact) const;  // with the slip that begins
  bool release_pulling(const State& s);
  bool find_forces_ahead(const State& s, double h, std::vector<double>& force);
  void open(int contact, double t);
  bool is_brake(int contact) const { return contact >= system_.dim().unilateral; }
  void add_brakes(std::vector<int>& set) const;
  bool comes_to_rest(int contact, const State&);  // a slip in space that vanishes in the direction it had
  void record(Event::Kind, int contact, double t, double before = 0, double after = 0, double impulse = 0);
  std::string set_names() const;

  const System& system_;
  ActiveView view_;
  ActiveSteps steps_;
  ContactDynamics dynamics_;
  PhaseLimits limits_;
  double zeno_velocity_, simultaneous_gap_;  // 0: by what the contact has been
  double run_;  // how long it is
  PhaseEnd event_;
  State between_, trial_, resting_;
  bool by_stages_;                                // the remedy for singular places: lcp
  std::unique_ptr<Scheme> scout_;                 // Moreau-Jean, made when first needed
  std::vector<Vec> gaps_, rates_;      // of all contacts, at a few points of the step
  bool rates_known_ = false;           // also at those within it
  std::array<State, 2> looked_;        // at its ends, where the last ones were looked at
  std::vector<double> passed_;         // how far into the step a contact is known not to close
  std::vector<double> slack_;          // how far a contact had drifted below zero when it opened; 0 once it has risen
  std::vector<int> set_;
  std::vector<int> left_;  // closed contacts whose gap has jumped open at a branch
  std::vector<int> with_brakes_;  // and all brakes
  bool follows_ = false;          // some brake follows a joint
  std::vector<ContactMode> modes_;
  std::vector<double> slow_;             // per contact of set_: speeds that end a sequence of impacts
  std::vector<char> plastic_, pressed_;  // per contact of set_: takes no restitution; forces would hold it closed
  std::vector<Event> events_;
  int featured_ = -1;      // the contact that goes on to another feature at the event
  bool jumped_ = false;
  bool starts_ = false;  // modes are decided for the first time
  double full_step_ = 0;  // that the last search looked at
  Vec speeds_;            // largest so far of each velocity, or what forces would make of it within a step
  bool across_ = false;   // the scheme leaves velocities across the rows
  double tolerance_ = 0;
  double slow_slip(int contact) const { return tolerance_ * dynamics_.slip_one(contact); }
  ChatterWatch watch_;
  bool crowd_ = false;
  std::string message_;
};

}  // namespace escapement
