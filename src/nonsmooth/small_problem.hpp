// Direct solution of the smallest contact problems, in a few dozen operations each.
#pragma once

#include "nonsmooth/contact_solver.hpp"

namespace escapement::inline nonsmooth {

// one to four non-negative rows, or one contact with friction, or one brake; false: another kind of problem, or not solved to the tolerance
bool solve_small(const ContactProblem&, double tolerance, Vec& P, SolveReport&);

// one Coulomb contact alone, xi = W P + b with W given by columns; false: no mode fits
bool solve_coulomb(const Cone&, const double W[4], const double b[2], double P[2]);
// one disc alone, W by columns; there is always a solution where W is positive definite
bool solve_disc(const Cone&, const double W[9], const double b[3], double P[3]);

}  // namespace escapement
