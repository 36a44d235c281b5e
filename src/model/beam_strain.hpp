// The strains of a beam element as functions of the two nodes, with their derivatives.
//
// They follow from w = (g, y): g says how node b is turned against node a (in the plane the angle psi, in space
// tan(psi/4) times the axis), y is the line from a to b in the frame half-way between both. Everything is written with
// the increments u = R^T (dx_b - dx_a), theta_a, theta_b, in this order; R: the frame half-way.
#pragma once

#include "model/frame.hpp"

namespace escapement::inline model {

template <int D>
struct BeamStrain {
  static constexpr int turns = angular<D>, size = width<D>, free = D + 2 * angular<D>;
  using Strain = Eigen::Matrix<double, size, 1>;  // stretch and shears, then curvatures
  using Turned = Eigen::Matrix<double, turns, 1>;
  using Line = Eigen::Matrix<double, D, 1>;
  using Square = Eigen::Matrix<double, size, size>;
  using Increment = Eigen::Matrix<double, free, 1>;
  using Tall = Eigen::Matrix<double, free, size>;
  using Wide = Eigen::Matrix<double, size, free>;
  using Full = Eigen::Matrix<double, free, free>;

  BeamStrain(const Frame<D>& a, const Frame<D>& b);

  Strain strain(double length) const;                        // without what it is at rest
  Square slope() const;                                      // length * d(strain)/dw
  Square sway(const Strain& w) const;                        // length * d(d(strain)/dw w)/dw, w fixed
  Wide gradient() const;                                     // d w / d increments
  Wide drift(const Frame<D>& a, const Frame<D>& b) const;    // d(gradient velocities), the velocities fixed
  Strain rate(const Frame<D>& a, const Frame<D>& b) const;   // of w
  double turn() const;                                       // psi >= 0
  Increment pull(const Strain& sigma) const;                 // gradient^T slope^T sigma: a stress over the increments
  Full stiffness(const Strain& sigma, const Strain& C) const;  // d pull where d sigma = C slope dw
  void put_stiffness(const Strain& sigma, const Strain& C, double* K) const;  // of the plane: over the columns of both nodes

  Eigen::Matrix<double, D, D> R;
  Turned g;
  Line y;

 private:
  double bent() const;  // in the plane: f2

  // parts of the stiffness in space; in the plane it is written out
  Square bend(const Strain& s) const;   // length * d2(s . strain)/dw2, s fixed
  Tall turning(const Strain& e) const;  // d(gradient^T e) = turning dw + lift, e fixed, rows u of the first zero
  Eigen::Matrix<double, D, 2 * turns> lift(const Strain& e) const;  // rows u over theta_a, theta_b

  // f: chord to arc; c, A only in space. By psi in the plane, by s = g.g in space
  double f, f1, f2 = 0, c = 0, c1 = 0, c2 = 0, A = 0, A1 = 0, A2 = 0, s = 0;
};

}  // namespace escapement
