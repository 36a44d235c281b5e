// What the time-stepping schemes share: the contact problem of one step at velocity level, its bookkeeping, dense output.
#pragma once

#include <memory>
#include <vector>

#include "nonsmooth/contact_response.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "schemes/scheme.hpp"
#include "schemes/slip_onset.hpp"

namespace escapement {

// contact_solver and impact_law
std::vector<OptionInfo> velocity_contact_options();

// v changes evenly and q by its integral; where a contact closed in the step, q moves along the mean velocity and v holds its
// value after the step: the impulse acts at an unknown instant
void interpolate_time_stepping(const System&, const State& s, const State& s1, double theta, State& out);
// the middle of q and of v, where the schemes take their forces
void middle_of_time_stepping(const System&, const State& s, const State& s1, State& out);

// Error of a time-stepping step in the norm of the tolerance. Smooth motion: what the change of the mean acceleration makes
// of it. A step in which contacts open, close or hit: the impact may have been anywhere in it, so that the position is wrong
// by up to half the step times the jump, and the jump by what it changes while the mechanism moves on so long.
// closed: one number per contact, 0 or 1, as kept in the memories of s and s1, followed by one that marks such steps
struct StepComparison {
  bool hit = false;        // an approaching contact took an impulse
  double distance = 0;     // time between the instants to which the accelerations of s and s1 belong
  double noise = 0;        // what rounding leaves in the velocities, no error of the motion
  bool comparable = true;  // false: the acceleration of s1 has other parts than smooth motion's; the step is held until they are gone
};
void estimate_error(const State& s, double h, int contacts, const StepComparison&, State& s1, StepReport&);

double velocity_size(const State& s1);                          // what errors of velocities are relative to
void add_error(double velocity, const State& s1, StepReport&);  // the estimate is at least this
void add_position_error(double length, const State& s1, StepReport&);

// a state whose vdot and lambda are consistent with the bilateral constraints, contacts taken as open
void start_accelerations(const System&, State& s, ContactResponse&);

class VelocityContacts {
 public:
  explicit VelocityContacts(const Options&);

  void start(const System&, State& s);  // sizes everything; s.memory remembers which contacts were closed
  Need need() const { return need_; }   // terms whose evaluation choose() and solve() rely on

  void choose(const Vec& gaps, const Vec& q);  // the set: contacts with gap <= 0, up to the rounding of gaps at q
  std::vector<int>& set() { return set_; }
  // A v1 - G_b^T Lambda_b = right + contact impulses, bottom_b v1 = rows, and the impact law between v and v1; lambda is filled
  // with impulses. False: report says why
  bool solve(const Terms&, const Matrix& A, const Matrix& bottom, const Vec& right, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport&);
  // after v1 and lambda (impulses) are final: lambda as mean forces, vdot, closed contacts, impacts, work of the contacts.
  // f: the forces that the step was taken with
  void finish(const System&, const Vec& f, const State& s, double h, State& s1, StepReport&);
  void estimate_errors(bool on) { estimates_ = on; }

  std::span<const ContactImpact> impacts() const { return impacts_; }
  const ContactResponse& response() const { return response_; }
  ContactResponse& response() { return response_; }
  const ImpactProblem& problem() const { return problem_; }

 private:
  double rounding_of(const Terms&, const Vec& v) const;
  double missed_contact(const System&, const State& s, double h, const State& s1);
  double missed_slip(const System&, const Vec& f, const State& s, double h, double distance, const State& s1, double enough);
  // bottom v1 = rows: dependent rows may have no solution
  static bool held(const Matrix& bottom, const Vec& rows, const Vec& v1, StepReport&);

  ContactResponse response_;
  std::unique_ptr<ContactSolver> solver_;
  ImpactLaw law_;
  ImpactProblem problem_;
  Need need_ = Need::gap | Need::jacobian;
  std::vector<int> set_;
  std::vector<ContactImpact> impacts_;
  SlipOnset onset_;
  Terms at_end_;  // forces or gaps at an end of the step
  State end_;
  Vec depth_;     // of the contacts
  Vec change_;    // of the forces between there and f
  Vec drive_;     // per row of the problem: g_t or t0
  int rows_ = 0;  // of G
  bool estimates_ = true;
};

}  // namespace escapement
