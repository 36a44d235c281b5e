// What the monolithic schemes share: effective masses, active sets by the one complementarity function, the friction rows,
// the stopping test with its rounding floor.
#pragma once

#include <vector>

#include "math/dense_lu.hpp"
#include "nonsmooth/complementarity.hpp"
#include "schemes/scheme.hpp"

namespace escapement {

// what a contact's friction row asks for: nothing, no slip, or the friction limit in one direction
enum class FrictionMode : unsigned char { off, stick, slide_plus, slide_minus };

class MonolithicContacts {
 public:
  void start(const System&, double kappa);

  // m_j = 1/(G M^-1 G^T)_jj of every row of G, then of every row of T: once per step, from the terms at its start
  void effective_masses(const Matrix& M, const Matrix& G, const Matrix& T);
  double mass(int multiplier) const { return mass_[multiplier]; }

  // velocity- and impulse-like increments become comparable: |dv|/vscale and |dP|/(m vscale)
  void scale(const State& s, double h, double tolerance);
  double tolerance() const { return tolerance_; }
  double size_of_velocity(const Vec& dv) const { return dv.cwiseAbs().maxCoeff() / vscale_; }
  double size_of_impulse(int multiplier, double dP) const { return std::abs(dP) / (mass_[multiplier] * vscale_); }

  // P - kappa m xi >= 0: is row j active?
  bool pulls(int multiplier, double P, double xi) const { return active(P, xi, kappa_ * mass_[multiplier]); }
  FrictionMode friction_mode(int multiplier, double P, double slip, double limit) const;

 private:
  int v_ = 0;
  double kappa_ = 1, vscale_ = 1, tolerance_ = 1e-10;
  Vec mass_, row_;
  DenseLu lu_;
};

// J y = R in place, J sized by lu; where rows depend on one another (contacts on contacts, redundant joints) the multipliers
// share: a tiny regularisation of the rows from first_multiplier on, with refinement. False: singular for another reason
bool solve_monolithic(DenseLu& lu, const Mat& J, int size, int first_multiplier, Vec& R, Vec& work);

std::vector<OptionInfo> monolithic_options();  // newton_tolerance, kappa

}  // namespace escapement
