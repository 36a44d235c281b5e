// What the time-stepping schemes share: the contact problem of one step at velocity level, its bookkeeping, dense output.
#pragma once

#include <memory>
#include <vector>

#include "nonsmooth/contact_response.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "schemes/contact_errors.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

// contact_solver and impact_law
std::vector<OptionInfo> velocity_contact_options();

// v changes evenly and q by its integral; where a contact closed in the step, q moves along the mean velocity and v holds its
// value after the step: the impulse acts at an unknown instant
void interpolate_time_stepping(const System&, const State& s, const State& s1, double theta, State& out);
// the middle of q, v and z, where the schemes take their forces, with the mean forces of the step; out is sized, its accelerations and
// memory are left
void middle_of_time_stepping(const System&, const State& s, const State& s1, State& out);

// Rows sum up coordinates of different units. What all of a system's have in common is counted in what counts as one in each
// (Scale), and a row's part of it is that many times what counts as one in the row: sum_j |G_j| scale_j
double one_of_row(const Scale&, const Matrix& rows, int row);
// the largest coordinate, and one more: what the rounding of gaps is relative to
double largest_coordinate(const System&, const Vec& q);
// velocities that count as none in the bookkeeping of a step; in a system at rest they are so against a small part of one
double rest_velocity(const System&, const Vec& v);

// Does friction press the contact of this normal row together, with many times the impulse that stopping it takes? So it is
// next to the paradox of Painleve, and impacts happen without approach
bool is_jammed(const ImpactProblem&, int row);

// a state whose vdot and lambda are consistent with the bilateral constraints, contacts taken as open
void start_accelerations(const System&, State& s, ContactResponse&);

class VelocityContacts {
 public:
  explicit VelocityContacts(const Options&);

  void start(const System&, State& s);  // sizes everything; s.memory remembers which contacts were closed
  Need need() const { return need_; }   // terms whose evaluation choose() and solve() rely on

  // the set: contacts with gap <= 0, up to the rounding of gaps at q, and all brakes. touch: gaps over what counts as one in their rows
  // that are closed, where positions are projected no closer
  void choose(const System&, const Terms& with_gaps_and_rows, const Vec& q, double touch = 0);
  std::vector<int>& set() { return set_; }
  // A v1 - G_b^T Lambda_b = right + contact impulses, bottom_b v1 = rows, and the impact law between v and v1; lambda is filled
  // with impulses; brakes act for h. False: report says why
  bool solve(const Terms&, double h, const Matrix& A, const Matrix& bottom, const Vec& right, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport&);
  // M (v1 - v) - G_b^T Lambda_b = h f + contact impulses, and the same with M and G of the terms; response() may be left as it was
  bool solve(const Terms&, double h, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport&);
  // The first of these in two parts, for who solves these contacts together with others: the motion without their impulses, with the problem of
  // the set, whose P stays as it was left; then its P into lambda
  bool solve_free(const Terms&, double h, const Matrix& A, const Matrix& bottom, const Vec& right, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport&);
  void take_impulses(const Terms&, const Vec& v1, Vec& lambda);
  bool is_met(const Matrix& bottom, const Vec& rows, const Vec& v1, StepReport&) const;  // else the report says what is not
  // after v1 and lambda (impulses) are final: lambda as mean forces, vdot, closed contacts, impacts, work of the contacts.
  // taken: the terms that the step was taken with
  void finish(const System&, const Terms& taken, const State& s, double h, State& s1, StepReport&);
  void estimate_errors(bool on) { estimates_ = on; }
  void set_tolerance(double tolerance, bool per_unit_step) { errors_.set_tolerance(tolerance, per_unit_step); }

  std::span<const ContactImpact> impacts() const { return impacts_; }
  const ContactResponse& response() const { return response_; }
  ContactResponse& response() { return response_; }
  const ImpactProblem& problem() const { return problem_; }
  ImpactProblem& problem() { return problem_; }

 private:
  template <int V>
  bool solve_plain(const Terms&, double h, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport&);
  bool solve_general(const Terms&, double h, const Vec& rows, const Vec& v, Vec& v1, Vec& lambda, StepReport&);
  bool touches(const Terms&, double gap, double rounding, int row) const;
  double rounding_of(const Terms&, const Vec& v) const;
  void add_missed_contacts(const ContactErrors::Step&);
  // bottom v1 = rows: dependent rows may have no solution
  bool held(const Matrix& bottom, const Vec& rows, const Vec& v1, StepReport&) const;

  ContactResponse response_;
  std::unique_ptr<ContactSolver> solver_;
  ImpactLaw law_;
  ImpactProblem problem_;
  Need need_ = Need::gap | Need::jacobian;
  std::vector<int> set_;
  std::vector<ContactImpact> impacts_;
  ContactErrors errors_;
  Terms at_end_;  // gaps at an end of the step
  State end_;
  Vec depth_;     // of the contacts
  Vec change_;    // of the position
  Vec drive_;     // per row of the problem: g_t or t0
  Vec right_;     // of the equations of motion
  const Scale* scale_ = nullptr;
  bool estimates_ = true;
  bool plain_system_ = false;  // a few velocities, contacts without friction, and nothing else
  bool plain_ = false;         // the last problem was solved as such
};

}  // namespace escapement
