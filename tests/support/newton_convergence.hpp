// Whether a traced Newton iteration converged quadratically, in the unknowns it solves for.
#pragma once

#include "schemes/newton.hpp"

namespace escapement::testing {

// every correction is below a few times the square of the one before, down to rounding, and there are two pairs at
// least. An iteration that converges linearly, by 1e-3 at a time, misses that at corrections of 1e-5 and below
inline bool corrections_square(const NewtonTrace& trace) {
  const double rounding = 1e-13;
  int pairs = 0;
  for (std::size_t i = 1; i < trace.corrections.size(); ++i) {
    const double last = trace.corrections[i - 1].norm, norm = trace.corrections[i].norm;
    if (last < rounding) break;
    if (norm > 5 * last * last + rounding) return false;
    ++pairs;
  }
  return pairs >= 2;
}

}  // namespace escapement::testing
