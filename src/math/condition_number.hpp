// The condition number of a small matrix in quadruple precision: unscaled iteration matrices of index-3 systems reach
// 5e32, far beyond what double precision can tell from singular.
#pragma once

#include "math/types.hpp"

namespace escapement::inline math {

// largest over smallest singular value; infinite for a singular matrix. Allocates; not for use in a step
double condition_number(const Mat& A);

}  // namespace escapement
