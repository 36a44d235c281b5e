// What a step misses of slip or opening that begins within it. A contact sticks or stays closed by the mean forces of the
// step; forces that grow or jump may have torn it loose before its end. The contact problem of the step is solved again with other forces:
// contacts that share their load, or hold one another, are then judged together.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/tolerances.hpp"
#include "nonsmooth/contact_solver.hpp"

namespace escapement::inline schemes {

class SlipOnset {
 public:
  struct Search {
    double growth =
        0;  // of the change of the mean forces since the last step, the part still to come until this one's end
    double hidden = 0;  // part of the step in which a jump of the forces may lie without their mean showing all of it
    double enough = 0;  // errors up to this are not looked for
  };

  void reserve(int contacts, int rows);
  void begin(int rows);
  // of a row of the contact problem: mean forces of the last step and this one, the velocity after it, and the error that a
  // velocity of one would be
  struct Forces {
    double before, now;
  };
  void add(int row, Forces, double h, double velocity, double error_by_velocity);
  // a contact that was closed before, from its normal row on, or a brake, whose slip row is its first; the limit of its
  // friction over the impulse of the normal row, and beyond
  void watch(int row, bool has_gap, int slips, double friction, double brake);

  // Error by which a slip or an opening may be wrong. W and cones of the problem are the step's; b is overwritten.
  // beyond(at_end, change): what the forces at an end of the step would add to the velocities, over those it was taken
  // with
  template <class Beyond>
  double missed(ContactProblem&, ContactSolver&, const Search&, const Beyond& beyond);

 private:
  struct Contact {
    int row, slip, slips;         // first rows; normal where it has a gap
    bool closed, sticks, begins;  // begins: to slide, after it stuck
  };
  double length(const Vec& x, const Contact& c) const { return x.segment(c.slip, c.slips).norm(); }
  double error_of_slip(const Contact& c) const { return error_.segment(c.slip, c.slips).maxCoeff(); }
  void free_velocities(const ContactProblem&);
  bool matters(double enough) const { return change_.head(rows_).cwiseProduct(error_.head(rows_)).cwiseAbs().maxCoeff() > enough; }
  // with the change added, as errors: largest slip of contacts that begin to slide; of contacts that hold, slip or opening
  double slip(ContactProblem&, ContactSolver&);
  double loosened(ContactProblem&, ContactSolver&);
  bool solve(ContactProblem&, ContactSolver&);
  double velocity(const ContactProblem&, int row) const;
  double slip_of(const ContactProblem&, const Contact&) const;

  std::vector<Contact> contacts_;
  int rows_ = 0;
  Vec P_, P_before_,
      u_;  // impulses of the step, and those that the forces of the last one would have made; velocities after
  Vec free_, change_;  // velocities without contact impulses, and what is added to them
  Vec tried_;          // impulses
  Vec error_;          // of velocities of one
};

template <class Beyond>
double SlipOnset::missed(ContactProblem& problem, ContactSolver& solver, const Search& search, const Beyond& beyond) {
  bool holding = false, beginning = false;
  double begun = 0;
  for (const Contact& c : contacts_) {
    holding = holding || c.sticks || c.closed;
    beginning = beginning || c.begins;
    if (c.begins) begun = std::max(begun, error_of_slip(c) * length(u_, c));
  }
  if (!holding && !beginning) return 0;
  free_velocities(problem);
  double worst = 0;
  if (holding) {
    change_.head(rows_).setZero();
    for (int i = 0; i < rows_; ++i)
      for (int j = 0; j < rows_; ++j) change_[i] += search.growth * problem.W(i, j) * (P_before_[j] - P_[j]);
    if (matters(2 * search.enough)) worst = 0.5 * loosened(problem, solver);
    beyond(true, change_);
    if (matters(search.enough / search.hidden))
      worst = std::max(worst, search.hidden * loosened(problem, solver));
  }
  if (!beginning) return worst;
  beyond(false, change_);
  if (slip(problem, solver) > little::friction * begun) return worst;  // it would have slid from the start
  beyond(true, change_);
  return std::max({worst, search.hidden * begun, search.hidden * slip(problem, solver)});
}

}  // namespace escapement
