// What Newton's iteration shares in all implicit schemes: when it has converged, and what it tells about its way there.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/tolerances.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

// the iterations of one step, in the unknowns the scheme solves for (scaled ones where it scales)
struct NewtonTrace {
  struct Correction {
    double norm = 0;                  // 2-norm over all unknowns
    double u = 0, v = 0, lambda = 0;  // largest entry of each field
  };
  std::vector<Correction> corrections;
  int last_decreasing = -1;  // the last correction smaller than the one before, [003] (33)
  Mat matrix;                // iteration matrix that belongs to it
  bool converged = false;

  void begin();
  void add(const Correction&, const Mat& iteration_matrix);
};

// relative increments of the motion that rounding alone can leave behind: it is amplified by rows that almost depend on
// one another, which the smallest scaled pivot of the matrix tells
inline double left_by_rounding(double pivot) {
  return std::min(little::grown_rounding, 64 * std::numeric_limits<double>::epsilon() / pivot);
}

// by which rounding grows with the number of unknowns: it adds up along a chain like a random walk
inline double growth_of_rounding(int unknowns) { return std::max(1.0, 0.1 * std::sqrt(unknowns)); }

// What first corrections leave and what rounding makes of corrections, known from earlier solutions like the next one: where what a
// correction leaves is nothing, or little beside rounding, the next one need not be made to see it. A scheme keeps this in the state's
// memory
struct Foresight {
  double left = 0;          // of a first correction: over its square, or, with a matrix from elsewhere, over itself; 0: not known
  double relied = 0;        // solutions that have relied on it since it was seen
  double noise = 0;         // of positions, a correction that was rounding and nothing else; 0: not known
  double relied_noise = 0;  // the same of it
};

// judges the corrections of one Newton iteration after the other, and when its matrix has to be made anew
class NewtonControl {
 public:
  enum class Verdict { iterate, converged, failed };
  // how far to go. rounding: a matrix serves for several corrections, as long as they shrink fast; stagnation: each has its own,
  // and the iteration stops only where they stop decreasing, [003] (33)
  enum class Aim { rounding, stagnation };

  static OptionInfo tolerance_option();
  // tolerance 0: iterate to rounding
  explicit NewtonControl(double tolerance = 0, int most_iterations = 25) : tolerance_(tolerance), most_iterations_(most_iterations) {}

  // enough: a correction after which the iteration may end before it has come to rounding
  void begin(Aim aim, int unknowns = 1, double enough = 0);
  void keep_matrix() { wants_matrix_ = false; }  // begin with the one at hand
  void foresee(Foresight& known) { known_ = &known; }  // use and renew this, in the iteration that has begun
  Aim aim() const { return aim_; }
  bool wants_matrix() const { return wants_matrix_; }  // for the next correction
  // norm: of the correction just made; size: of the unknowns; acceptable: an iteration that has stopped decreasing here
  // has met rounding and nothing else; moved: the norm of the positions' part
  Verdict judge(double norm, double size, bool acceptable, double moved = 0);
  // corrections of the three fields, relative to their sizes, so small that only rounding can have stopped the
  // iteration
  bool at_rounding(double u, double v, double lambda, double pivot) const {
    return u <= std::min(little::stagnation, growth_ * left_by_rounding(pivot)) && v <= little::grown_rounding && lambda <= little::grown_rounding;
  }
  int iterations() const { return iterations_; }

 private:
  Verdict judge_stagnation(double norm, double last, double size, bool acceptable) const;
  Verdict judge_rounding(double norm, double last, double size, bool acceptable, double rate, double moved);
  bool leaves_nothing(double norm, double size) const;
  bool leaves_rounding(double leaves) const;
  void see_noise(double moved);
  double nothing() const;
  void see(double norm, double last, double size);
  Verdict go_on() const;

  double tolerance_, enough_ = 0;
  int most_iterations_;

  Aim aim_ = Aim::rounding;
  double growth_ = 1;  // of rounding with the number of unknowns
  int iterations_ = 0;
  double last_ = 0, last_moved_ = 0;
  bool wants_matrix_ = true;
  Foresight* known_ = nullptr;
  bool first_has_new_matrix_ = true;
  double moved_ = 0;      // sum of the corrections made with the present matrix
  double curvature_ = 0;  // error left by a correction over (correction x moved), the largest seen
};

}  // namespace escapement
