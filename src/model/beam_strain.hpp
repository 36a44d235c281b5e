// The strains of a beam element as functions of the two nodes, with their derivatives.
//
// They follow from w = (g, y): g says how node b is turned against node a (in the plane the angle psi, in space
// tan(psi/4) times the axis), y is the line from a to b in the frame half-way between both. Everything is written with
// the increments u = R^T (dx_b - dx_a), theta_a, theta_b, in this order; R: the frame half-way.
#pragma once

#include "model/frame.hpp"

namespace escapement {

template <int D>
struct BeamStrain {
  static constexpr int turns = angular<D>, size = width<D>, free = D + 2 * angular<D>;
  using Strain = Eigen::Matrix<double, size, 1>;  // stretch and shears, then curvatures
  using Turned = Eigen::Matrix<double, turns, 1>;
  using Line = Eigen::Matrix<double, D, 1>;
  using Square = Eigen::Matrix<double, size, size>;
  using Tall = Eigen::Matrix<double, free, size>;
  using Wide = Eigen::Matrix<double, size, free>;
  using Full = Eigen::Matrix<double, free, free>;

  BeamStrain(const Frame<D>& a, const Frame<D>& b);

  Strain strain(double length) const;   // without what it is at rest
  Square slope() const;                 // length * d(strain)/dw
  Square bend(const Strain& s) const;   // length * d2(s . strain)/dw2, s fixed
  Square sway(const Strain& w) const;   // length * d(d(strain)/dw w)/dw, w fixed
  Wide gradient() const;                // d w / d increments
  Tall turning(const Strain& e) const;  // d(gradient^T e) = turning dw + lift, e fixed, rows u of the first zero
  Eigen::Matrix<double, D, 2 * turns> lift(const Strain& e) const;  // rows u over theta_a, theta_b
  Wide drift(const Frame<D>& a, const Frame<D>& b) const;           // d(gradient velocities), the velocities fixed
  Strain rate(const Frame<D>& a, const Frame<D>& b) const;          // of w
  double turn() const;                                              // psi >= 0

  Eigen::Matrix<double, D, D> R;
  Turned g;
  Line y;

 private:
  // f: chord to arc; c, A only in space. By psi in the plane, by s = g.g in space
  double f, f1, f2, c = 0, c1 = 0, c2 = 0, A = 0, A1 = 0, A2 = 0, s = 0;
};

}  // namespace escapement
