// The one complementarity function, P - proj_C(P - r xi) with r > 0, in the form of Alart and Curnier (1991): it
// vanishes exactly where (P, xi) satisfies the law of its cone. Every contact solver and every monolithic scheme
// decides its active sets here, and one residual made of it judges them all.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "nonsmooth/contact_problem.hpp"

namespace escapement::inline nonsmooth {

// where the projection puts a row: on a bound (then P is known), or inside (then xi = 0)
enum class RowMode : unsigned char { lower, free, upper };

// 0 <= xi  perp  P >= 0: is xi = 0 to be imposed? [004] (13), [001] (5)
inline bool active(double P, double xi, double r) { return P - r * xi >= 0; }
// written so that neither argument is lost in the other's rounding
inline double complementarity(double P, double xi, double r) { return std::min(P, r * xi); }

// pointers are to the rows of the cone. A disc has one mode for both tangential rows: free, or upper where the impulse is at
// its limit; its two r are equal
void decide(const Cone&, const double* P, const double* xi, const double* r, RowMode* mode);
void complementarity(const Cone&, const double* P, const double* xi, const double* r, double* phi);
void project(const Cone&, double* P);  // P := nearest of the normal row, then of the tangential rows

// d(phi) = P dP + xi dxi, of the rows of a cone
struct ConeDerivative {
  double P[3][3], xi[3][3];
};
void derivative(const Cone&, const double* P, const double* xi, const double* r, ConeDerivative& d);

// +1 or -1: the bound of a single tangential row is this times (mu P_n + offset)
inline double side(RowMode mode) { return mode == RowMode::upper ? 1.0 : -1.0; }

// 1/r of a row: its own entry of W makes P and xi comparable; a row without any gets 1
inline double weight(const ContactProblem& problem, int row) {
  const double w = problem.W(row, row);
  return w > 0 ? w : 1.0;
}
// of all rows of a cone: the tangential rows of a disc share one, so that no direction counts more than another
void weights(const ContactProblem&, const Cone&, int first_row, double* w);

void decide(const ContactProblem&, const Vec& P, const Vec& xi, std::vector<RowMode>& mode);
bool project(const ContactProblem&, Vec& P);                    // true: P was not in the cones
void velocities(const ContactProblem&, const Vec& P, Vec& xi);  // xi = W P + b

// Largest |complementarity function| with r = 1/weight, in units of velocity, each row relative to the terms it sums,
// |b_i| + sum_j |W_ij P_j|; infinite when anything is not a number.
// Opposed contacts could hide any error behind large impulses against each other: terms beyond 1000 times what b has in
// the energy norm do not count for the scale, and their rounding counts as error.
double natural_residual(const ContactProblem&, const Vec& P);

// the same for one row: |complementarity function| as a velocity, |b_i|, sum_j |W_ij P_j|, weight, largest_energy()
double row_residual(double violation, double b, double terms, double weight, double energy);
// largest b_i^2 / weight_i: makes velocities of rows with different masses comparable
double largest_energy(const ContactProblem&);

inline double row_residual(double violation, double b, double terms, double weight, double energy) {
  const double limit = 1e6 * energy * weight;
  if (terms * terms <= limit) return violation > 0 ? violation / (b + terms) : violation;
  return (violation + std::numeric_limits<double>::epsilon() * terms) / (b + std::sqrt(limit));
}

}  // namespace escapement
