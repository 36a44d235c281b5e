// The new point of an implicit scheme: residuals and exact tangent of the equations of motion there.
//
//   R_q = M v' - f - G^T lambda     [000] (9)
//   R_z = z' - zdot(t, q, v, z)     extra states, eliminated exactly so that schemes see (q, lambda) alone
//
// The position is q1 = retract(base, x); derivatives are with respect to the increment x, so that Newton's method stays
// exact where q is not a vector.
#pragma once

#include <span>
#include <vector>

#include "math/column_turn.hpp"
#include "math/dense_lu.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

class ImplicitPoint {
 public:
  // which derivative of the constraints a scheme sets to zero
  enum class Imposed { position, velocity, acceleration, position_and_velocity };

  void resize(const System&, Imposed);

  // terms and residuals at s1; zdot1: z' by the scheme's formula
  void evaluate(const System&, const State& s1, const Vec& zdot1);
  // tangents at the same point; c_z = d zdot1/d z1. false: the block of z is singular. They serve until the next call:
  // residuals of points evaluated since then are condensed with them
  bool linearize(const System&, const State& s1, const Vec& x, double c_z);

  const Terms& terms() const { return T_; }
  const Matrix& D() const { return filled_ ? D_z_ : D_.D; }  // -df/dv, z eliminated
  // d R_q/dx at fixed v and v', z eliminated
  const Matrix& K_x() const { return curved_ && !turned_in_place_ ? K_x_ : K(); }
  const Matrix& G_x() const { return curved_ ? G_x_ : T_.G; }    // dg/dx
  const Matrix& V_x() const { return curved_ ? V_x_ : D_.V_q; }  // d(G v + g_t)/dx
  const Vec& R_q() const { return R_q_; }
  const Vec& R_q_condensed();
  // change of z1 in the Newton step that changes x by dx and v1 by dv
  void z_step(const Vec& dx, const Vec& dv, Vec& dz);

  // the constraint rows as functions of x with v1 = c_v x + .. and v1' = c_a x + .., each divided by c_v or c_a so
  // that all have the size of G; rows without a position level are imposed at velocity level. One level at a time:
  // schemes that impose both put their rows together from the pieces. The matrix returned is either work or one held
  // here
  const Matrix& impose(double c_v, double c_a, Matrix& work) const;
  void imposed_residual(const State& s1, double c_v, double c_a, Vec& residual) const;
  // rows imposed at position and at velocity level, 1 or 0; rows of G that are zero are switched off
  const Vec& at_position() const { return at_position_; }
  const Vec& at_velocity() const { return at_velocity_; }
  const Vec& velocity_residual() const { return gdot_; }  // G v + g_t

  // the residuals, for the message of a failed step
  void note(StepReport&) const;

 private:
  const Matrix& K() const { return filled_ ? K_z_ : D_.K; }
  void turn_columns();
  void find_rows();
  bool eliminate_z(double c_z);
  void acceleration_rows(const System&, const State& s1);

  Imposed imposed_ = Imposed::position;
  bool needs_V_ = false;          // some row is imposed at velocity level
  bool curved_ = false;           // the tangent of retract is not the identity here
  bool turned_in_place_ = false;  // K is K_x
  bool filled_ = false;           // eliminating z gave sparse K and D new places
  Terms T_;
  Tangent D_, D_shifted_;  // D_shifted_: at v + v', for (G v')_q
  State shifted_;
  std::vector<char> has_position_;
  Vec at_position_, at_velocity_, at_acceleration_, gdot_;
  Vec R_q_, R_z_, R_q_condensed_;
  Matrix K_x_, G_x_, V_x_;
  ColumnTurn turn_K_, turn_G_;
  Matrix A_q_, A_x_;  // d(G v' + kappa)/dq, /dx

  DenseLu S_;          // c_z I - zdot_z
  Mat S_inverse_, F_;  // F = f_z S^-1
  Matrix fill_K_, fill_D_, K_z_, D_z_;
  Vec dz_, dx_local_;
};

}  // namespace escapement
