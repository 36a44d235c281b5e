// The lowest natural frequencies of large systems, by Lanczos' method on the inverse that the sparse solver has (Spectra).
#pragma once

#include "math/saddle_solver.hpp"
#include "simulate/statics.hpp"

namespace escapement::inline simulate {

// K x = square M x among the motions with G x = 0; the tangent K is symmetric up to rounding, at an equilibrium. Ascending; fewer
// than wanted where the iteration does not find more
std::vector<NaturalMode> lowest_modes(const Matrix& K, const Matrix& M, const Matrix& G, int wanted);

}  // namespace escapement
