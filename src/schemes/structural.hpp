// What the structural methods of [002] share: their parameters, their equations and their options.
//
// A method of degree g keeps x and its time derivatives up to p = x^(g-1). Every equation of the three families has the
// form
//
//   x^(m)(b) = sum_{k=m}^{g-2} h^(k-m)/(k-m)! x^(k)(a) + h^(g-1-m)/(g-1-m)! ((1 - alpha_m) p(c) + alpha_m p(d))
//
// for m = 0 .. g-2, and the families differ only in the instants they put there:
//
//                        m    a    b    c    d       equilibrium
//   explicit (E)        0,1   t   t+h  t-h   t        at t
//                       >=2  t-h   t   t-h   t
//   conditional (CE)     0    t   t+h  t-h   t        at t
//                       >=1  t-h   t   t-h   t
//   implicit (I)        all   t   t+h   t   t+h       at t+h
//
// In print (13)-(15) have lost dots over the third derivative, (16) and (17) the plus sign before (1 - alpha), and (9),
// (10) carry a factor 1/2 too much: docs/errata.md.
#pragma once

#include <array>

#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

enum class StructuralFamily { E, CE, I };

// the motion's time derivatives at one instant: entry k >= 1 holds (v, z)^(k-1), so x^(k) for the velocities and one
// derivative less for the extra states z, which obey every equation from m = 1 on; entry 0 is empty because a position
// need not be a vector
using DerivativeChain = std::array<Vec, 5>;
void set_zero(DerivativeChain&, int degree, const Dim&);
void set_rates(State&, const DerivativeChain&, Eigen::Index extra);  // v, vdot and z, which has so many entries

// 1 and 0 for every row, by whether it has a position level: what Matrix::set_blocks takes to choose rows
struct RowLevels {
  Vec has_position, has_none;
  void resize(const System&);
  bool any_without() const { return has_none.size() > 0 && has_none.maxCoeff() > 0; }
};

class StructuralMethod {
 public:
  StructuralMethod(StructuralFamily, const Options&);  // throws OptionError

  StructuralFamily family() const { return family_; }
  int degree() const { return g_; }
  int order() const;
  double alpha(int m) const { return alpha_[m]; }
  void set_alpha(std::initializer_list<double> alpha) { std::copy(alpha.begin(), alpha.end(), alpha_.begin()); }
  bool stable_set() const { return stable_set_; }  // parameters: stable
  // largest root of the recursion that (18), (19) are for p: how fast a wrong starting value of p is forgotten, per
  // step
  double memory_root() const;
  // largest root of the recursion that is left for the derivatives when x(t+h) is prescribed, [002] section 9: the
  // growth of an error of a position constraint's multiplier per step
  double prescribed_position_root() const;

  void set_step(double h);
  double h() const { return taylor_[1]; }
  double weight(int m) const { return taylor_[g_ - 1 - m]; }   // h^(g-1-m)/(g-1-m)!
  double slope(int m) const { return alpha_[m] * weight(m); }  // d x^(m)(b) / d p(d)
  double taylor(int k) const { return taylor_[k]; }            // h^k/k!

  // equation m; for m = 0 the increment x(b) - x(a)
  void equation(int m, const DerivativeChain& x, const Vec& p_c, const Vec& p_d, Vec& out) const;
  // equation m solved for p(d) when x^(m)(b) is known
  void highest(int m, const DerivativeChain& x, const Vec& p_c, const Vec& x_b, Vec& p_d) const;

 private:
  StructuralFamily family_;
  int g_;
  bool stable_set_ = false;
  std::array<double, 4> alpha_{};   // alpha_0 .. alpha_(g-2); alpha_2 = 1 at degree 3, where p is x'' itself
  std::array<double, 5> taylor_{};  // h^k/k!
};

// degree, parameters and start; the families add projection and newton_tolerance
std::vector<OptionInfo> structural_options();

// Positions move by increments about q(t): q(t+h) = retract(q(t), x), where x is the increment of equation 0. Along
// rotations q' = H(q) v the polynomial v(t+tau) behind that equation turns about a moving axis, and x gets the part
// `turn` that the integral of the polynomial misses (of third order in h: half the commutator of v and v').
class StructuralPosition {
 public:
  void resize(const System&);
  // the turn of the polynomial with the derivatives x about q; zero where positions are a vector space
  void set_turn(const System&, const StructuralMethod&, const Vec& q, const DerivativeChain& x);
  // q1 = retract(q, increment + turn); only the first dim.v entries of increment are read
  void move(const System&, const Vec& q, const Vec& increment, Vec& q1);
  // A d(local increment at q1)/d(increment) of the last move: A itself or `product`; `tangent` is Tangent::retraction
  const Matrix& chain_rule(const System&, const Matrix& A, Matrix& tangent, Matrix& product) const;

 private:
  void velocity(const StructuralMethod&, const DerivativeChain& x, double tau);

  bool turns_ = false;
  Vec turn_, dx_, v_;  // v
  Vec q_, k_, sum_;    // q
};

}  // namespace escapement
