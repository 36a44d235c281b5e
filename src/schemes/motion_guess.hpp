// Where a motion goes on as before, its next step is the last one and what that has come to differ by from those before: backward
// differences of a scheme's unknowns, which are part of the state.
#pragma once

#include "math/types.hpp"
#include "system/state.hpp"

namespace escapement::inline schemes {

class MotionGuess {
 public:
  void start(State& s, int unknowns);  // its memory is a vector of the state's, behind those that are there
  // unknowns of a step, one after the other: those of the next one, or those which the scheme has found
  Vec unknowns;
  // false: the steps before the state were of another size or did not go on as before
  bool foretell(const State& s, double h);
  bool is_close() const { return known_ >= most - 1; }  // what has just been foretold
  // goes_on: the step was like the one before
  void finish(const State& s, double h, bool goes_on, State& s1) const;

 private:
  static constexpr int most = 4;      // steps: rounding leaves nothing of higher differences
  enum : int { steps, size, first };  // entries of the memory: numbers, then unknowns and their differences

  void sum_up(int known, const double* differences);
  void differ(int known, const double* before, double* now) const;

  std::size_t at_ = 0;
  int known_ = 0;  // steps, that the guess has been made of
};

}  // namespace escapement
