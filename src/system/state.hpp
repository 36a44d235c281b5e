// One instant of a motion, as a value: nothing else remembers where a simulation is.
#pragma once

#include <vector>

#include "math/types.hpp"

namespace escapement::inline system {

// what a scheme carries from step to step (previous accelerations, backward differences, higher derivatives);
// its layout is the scheme's own, its sizes are set by Scheme::start and never change afterwards
struct Memory {
  std::vector<Vec> vectors;
  std::vector<double> numbers;
};

struct State {
  double t = 0;
  Vec q;       // dim.q
  Vec v;       // dim.v
  Vec vdot;    // dim.v
  Vec lambda;  // dim.multipliers(): bilateral, unilateral, slip rows; inactive rows are 0
  Vec z;       // dim.z
  Memory memory;
};

}  // namespace escapement
