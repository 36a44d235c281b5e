// Velocities at index 3 follow from positions. What these have of residuals where the scheme starts (an event is located to
// rounding), and of rounding, becomes a velocity when divided by the step: no smaller step mends that, and it must not control
// the step. What else the velocities are off the rows by is error.
#pragma once

#include "schemes/scheme.hpp"

namespace escapement {

class Index3Errors {
 public:
  void resize(const Dim& dim);
  // largest |g| at s over what its row sums, and rounding
  double position_noise(const System&, const State& s, Terms&);
  // what the residuals of the rows say of the velocities across them, less the ripple that noise makes. largest: squares of the
  // rows' lengths so far, in coordinates over what counts as one in them
  void add(const System&, const State& s1, double ripple, Vec& largest, Terms&, Vec& error_v);

 private:
  Vec rates_, size_;  // of the rows; what each sums
};

}  // namespace escapement
