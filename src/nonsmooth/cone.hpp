// What the impulses of one contact may be, and what relative velocities xi they allow.
#pragma once

namespace escapement::inline nonsmooth {

// equality      xi = 0, P of either sign
// non-negative  0 <= xi  perp  P >= 0
// Coulomb       two rows, normal and tangential: the normal one is non-negative, and the tangential impulse opposes the
//               slip, |P_t| <= mu P_n + offset, with equality while xi_t != 0
// disc          three rows, the same in space: P_t and xi_t have two components, and |P_t| is a length
// interval      one tangential row, the same without a normal impulse: |P| <= offset, a brake
struct Cone {
  enum class Kind : unsigned char { equality, non_negative, coulomb, disc, interval };

  Kind kind = Kind::non_negative;
  double mu = 0;
  double offset = 0;  // friction impulse allowed without P_n: some of the normal impulse is known beforehand, or a brake

  static constexpr Cone equality() { return {Kind::equality}; }
  static constexpr Cone non_negative() { return {Kind::non_negative}; }
  static constexpr Cone coulomb(double mu, double offset = 0) { return {Kind::coulomb, mu, offset}; }
  static constexpr Cone disc(double mu, double offset = 0) { return {Kind::disc, mu, offset}; }
  static constexpr Cone interval(double bound) { return {Kind::interval, 0, bound}; }
  static constexpr Cone friction(int slips, double mu) { return slips == 0 ? non_negative() : slips == 1 ? coulomb(mu) : disc(mu); }

  constexpr int rows() const { return normals() + tangents() + (kind == Kind::equality ? 1 : 0); }
  constexpr int normals() const { return kind == Kind::equality || kind == Kind::interval ? 0 : 1; }
  constexpr int tangents() const { return kind == Kind::disc ? 2 : kind == Kind::coulomb || kind == Kind::interval ? 1 : 0; }  // behind the normal row
  constexpr bool frictional() const { return tangents() > 0 && (mu > 0 || offset > 0); }
};

}  // namespace escapement
