// Two estimates of different order against each other, as in [000] (17), take both for errors of a smooth motion. Where accelerations
// jump within a step, the one of low order leaps and would hide the other: from one step to the next it grows as no smooth motion's.
#pragma once

#include "system/state.hpp"

namespace escapement::inline schemes {

class LeapWatch {
 public:
  // room in the memory for what the estimate was in the last step, 0: none
  void start(State& s) {
    at_ = s.memory.numbers.size();
    s.memory.numbers.push_back(0);
  }
  // estimate: over its power of the step, so that steps of different sizes compare; s1 has the memory of s
  bool leaps(const State& s, State& s1, double estimate) const {
    const double before = s.memory.numbers[at_];
    s1.memory.numbers[at_] = estimate;
    return before > 0 && estimate > leap * before;
  }

 private:
  static constexpr double leap = 1000;
  std::size_t at_ = 0;
};

}  // namespace escapement
