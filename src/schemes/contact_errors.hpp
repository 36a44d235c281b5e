// Errors of a time-stepping step under a tolerance. Comparing it with the last one sees smooth motion. Where a contact
// erases the past, or a load acts between the instants at which forces are taken, only a look at the end of the step shows
// what it missed: the forces there, the gaps and their rates, and what the contacts would make of them.
#pragma once

#include <memory>

#include "math/tangents.hpp"
#include "nonsmooth/contact_response.hpp"
#include "schemes/scheme.hpp"
#include "schemes/slip_onset.hpp"

namespace escapement::inline schemes {

class ContactErrors {
 public:
  struct Step {
    const System& sys;
    const State& s;
    double h;
    State& s1;  // complete but for what its memory keeps of the errors
    StepReport& report;
  };
  struct Acting;
  struct Comparison {
    bool hit = false;     // an approaching contact took an impulse
    bool follows = false;  // but none whose force changed much: they follow a moving partner
    double distance = 0;  // time between the instants to which the accelerations of s and s1 belong
    double noise = 0;     // what rounding leaves in the velocities over what counts as one in each, no error of the motion
    // false: the acceleration of s1 has other parts than smooth motion's; the step is held until they are gone
    bool comparable = true;
    // velocity-level schemes: where rows taken inside the step act, the accelerations hold what the rows leave of turning,
    // at another step size something else. Across closed contacts these say what the velocity is, and add_gaps what is wrong
    const Acting* held = nullptr;
  };
  // the contacts with an impulse in the step, and how velocities answer them: response and problem are filled for them
  struct Acting {
    ContactResponse& response;
    ContactProblem& problem;
    const Terms& rows;  // at which they act
    double distance;    // time between the instants to which the mean contact forces of the last step and this one belong
    double reach;       // from the instant to which its mean forces belong to its end, over the step
    double hidden;      // part of the step in which a jump of the forces may lie without their mean showing all of it
  };

  // the state's memory: numbers says of each contact whether it was closed in the last step, then what that step is to
  // compare with; forces, gaps, gap rates, slips and rates of the model's states are added to the vectors
  void start(const System&, State& s);
  void set_tolerance(double tolerance, bool per_unit_step);

  void look(const Step&);  // at the end: before everything below
  void compare(const Step&, const Comparison&);
  void add_velocities(const Step&, const Vec& dv) const;  // the error is at least this
  void add_gap(const Step&, int contact, double length) const;
  // of open contacts: how deep they dip inside the step, and contacts that it passes over; of closed ones: what they change by
  void add_gaps(const Step&);

  // forces at the ends of the step over those it was taken with, f, or over those that make the acceleration a
  void vary_from(const Step&, const Vec& f);
  void vary_from_acceleration(const Step&, const Matrix& M, const Vec& a);
  void add_variation(const Step&, const Acting&);  // Simpson's rule over them
  void add_closings(const Step&, const Acting&) const;  // contacts whose impulse began at an unknown instant
  void add_onsets(const Step&, const Acting&);     // contacts that open or slide before the end of the step
  void add_stops(const Step&, const Acting&) const;  // slip that comes to rest or turns round before the end of the step
  void add_openings(const Step&, const Acting&);   // contacts that have held on for a part of it

 private:
  void look_for_passages(const Step&);
  Tangents tangents(const Step&, int contact) const;  // of its gap, per unit of the step
  void at_least(const Step&, double error) const;
  bool is_struck(const Step&, const Acting&, int k) const;  // k: of those acting
  void add_states(const Step&, bool event);
  void leave_along(const Step&, const Acting&);  // of change_, what does not change the rates of contacts closed in both steps
  double size_of_gap(const Step&, int row) const;  // what its coordinates would make of it, each at its size
  // a velocity or a way of a row of the contact problem as errors of coordinates: those of the impulse that makes it
  double error_by_velocity(const Step&, const Acting&, int row) const;
  double error_by_position(const Step&, const Acting&, int row) const;

  Terms T_, T_middle_;     // at the end; in the middle, where there are states
  Terms T_passing_;  // at an instant within the step
  State middle_, passing_;
  std::size_t first_ = 0;  // of the vectors: forces, gaps, gap rates, slips, rates of states
  int contacts_ = 0, bilateral_ = 0, rows_ = 0, slips_ = 0, states_ = 0;
  double tolerance_ = 0;
  bool per_unit_step_ = false;
  bool struck_ = false;  // in this step, by an approaching contact that does not follow a moving partner
  SlipOnset onset_;
  std::unique_ptr<ContactSolver> solver_ = make_contact_solver("lemke");  // an estimate is not worth more than its pivots
  Vec from_start_, from_end_;  // impulses that the forces at the ends would add
  Vec change_, dv_, mu_, none_;
};

}  // namespace escapement
