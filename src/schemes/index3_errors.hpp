// Velocities at index 3 follow from positions. What these have of residuals where the scheme starts (an event is located to
// rounding), and of rounding, becomes a velocity when divided by the step: no smaller step mends that, and it must not control
// the step. What else the velocities are off the rows by is error.
#pragma once

#include "schemes/implicit_solver.hpp"
#include "schemes/index1.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

class Index3Errors {
 public:
  // takes room in the memory of s, behind what is there
  void start(const System&, State& s, Terms&);
  // first: the scheme starts with this step, of size h
  void remember(const State& s, bool first, double h, State& s1) const;

  // Differences of two methods across the rows hold ripples of the last step sizes, which a smaller step makes larger: takes them out
  // of error_v. solver: of the step; at_start: its matrix at s may be made anew
  Status take_along(const System&, const State& s, ImplicitSolver& solver, Index1& at_start, Terms&, Vec& error_q, Vec& error_v) const;
  // the rates of the rows at the step's end, and what they say of the velocities across them, less the ripple that noise makes
  void look(const System&, State& s1, Terms&);
  const Vec& rates() const { return rates_; }
  const Vec& velocities() const { return velocities_; }

 private:
  double position_noise(const System&, const State& s, Terms&);  // largest |g| at s over what its row sums, and rounding

  std::size_t largest_ = 0;          // of the memory's vectors: squares of the rows' lengths so far, in coordinates over what counts as one
  std::size_t noise_ = 0, ripple_ = 0;  // of its numbers: of positions; of velocities
  Vec rates_, size_, velocities_;    // of the rows; what each sums; across them
};

}  // namespace escapement
