// What the impulses of one contact may be, and what relative velocities xi they allow.
#pragma once

namespace escapement {

// equality      xi = 0, P of either sign
// non-negative  0 <= xi  perp  P >= 0
// Coulomb       two rows, normal and tangential: the normal one is non-negative, and the tangential impulse opposes the
//               slip, |P_t| <= mu P_n + offset, with equality while xi_t != 0
struct Cone {
  enum class Kind : unsigned char { equality, non_negative, coulomb };

  Kind kind = Kind::non_negative;
  double mu = 0;
  double offset = 0;  // friction impulse allowed without P_n: some of the normal impulse is known beforehand

  static constexpr Cone equality() { return {Kind::equality}; }
  static constexpr Cone non_negative() { return {Kind::non_negative}; }
  static constexpr Cone coulomb(double mu, double offset = 0) { return {Kind::coulomb, mu, offset}; }

  constexpr int rows() const { return kind == Kind::coulomb ? 2 : 1; }
  constexpr bool frictional() const { return kind == Kind::coulomb && (mu > 0 || offset > 0); }
};

}  // namespace escapement
