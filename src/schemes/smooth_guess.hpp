// A guess of accelerations and multipliers at the end of a step, from those at its start and at the last two. The state's memory keeps
// these, behind what the scheme has there.
#pragma once

#include "schemes/scheme.hpp"

namespace escapement::inline schemes::smooth_guess {

struct Steps {
  double h, last, before;  // the step to be taken, the last two; 0: not taken
};

void start(State& s);
// first: of the vectors in the memory. False, with s1 left alone: there is no past, or the motion is rough
bool extrapolate(const Scale&, const State& s, int first, const Steps&, State& s1);
void remember(const State& s, int first, State& s1);

}  // namespace escapement::smooth_guess
