// Errors of a monolithic scheme's step under a tolerance, and whether a long step has followed the surfaces it ends on.
#pragma once

#include <memory>
#include <vector>

#include "schemes/contact_errors.hpp"
#include "schemes/contact_sets.hpp"

namespace escapement::inline schemes {

class StepErrors {
 public:
  using Step = ContactErrors::Step;
  // what the step was taken with: masses, rows, forces or else (none) an acceleration; times between the instants to which
  // accelerations belong, the last step's size, and see ContactErrors
  struct Taken {
    const Matrix& M;
    const Terms& rows;
    const Vec *f, *acceleration;
    double distance, last, hidden;
  };

  // accelerations and multipliers of s, then what its memory keeps of errors, behind what the scheme has put there
  void start(const System&, State& s, const ContactSets&);
  void start_memory(const System& sys, State& s) { errors_.start(sys, s); }
  void set_tolerance(double tolerance, bool per_unit_step) { errors_.set_tolerance(tolerance, per_unit_step); }
  void want(bool on) { wanted_ = on; }
  bool wanted() const { return wanted_; }

  // hit: an approaching contact took an impulse
  void estimate(const Step&, const Taken&, const ContactSets&, bool hit);
  // impulses that act along the rows at the end of a step miss half of what these turn in it; terms with jacobian (and slip), at
  // the end with mass
  void add_turn(const Step&, const Terms& start, const Terms& end, const ContactSets&);
  void add_velocities(const Step& step, const Vec& dv) const { errors_.add_velocities(step, dv); }
  void add_gap(const Step& step, int contact, double length) const { errors_.add_gap(step, contact, length); }

  // A step much too large may find another root, with a body turned over or round on the contacts that hold it. Does it
  // follow the surfaces of the contacts that act at its end? Asked where the step was chosen by its error. dx: from q_n
  // to q_{n+1}; terms with gap and jacobian there
  bool follows_surfaces(const Step&, const Terms& start, const Terms& end, const Vec& dx, ContactSets&) const;

 private:
  ContactErrors errors_;
  ContactResponse response_;
  ImpactProblem problem_;  // of the closed contacts of a step, to look for slip it misses
  std::vector<int> closed_;
  Vec change_;  // of the impulses within the step
  Vec dv_by_turn_, unmoved_, pull_, carried_;
  bool wanted_ = true;
};

}  // namespace escapement
