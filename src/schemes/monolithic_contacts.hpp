// What the monolithic schemes share: effective masses, active sets by the one complementarity function, the friction
// rows, the stopping test with its rounding floor.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "math/dense_lu.hpp"
#include "math/saddle_solver.hpp"
#include "math/tolerances.hpp"
#include "nonsmooth/complementarity.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline schemes {

// what a contact's slip rows ask for: nothing, no slip, or the friction limit in one direction, which in space follows the slip
enum class FrictionMode : unsigned char { off, stick, slide_plus, slide_minus, slide };

// the larger of two, infinity where one is no number
inline double larger(double a, double b) {
  return b <= a ? a : std::isnan(b) ? std::numeric_limits<double>::infinity() : b;
}

class MonolithicContacts {
 public:
  void start(const System&, double kappa, const Terms&);  // terms prepared

  // m_j = 1/(G M^-1 G^T)_jj of every row of G, then of every row of T, computed when asked for: set once per step, from
  // terms that stay what they are meanwhile. In large systems joints, for which it is but a scale, go by the diagonal
  // of M
  void set_masses(const Matrix& M, const Matrix& G, const Matrix& T);
  double mass(int multiplier) {
    if (mass_[multiplier] == 0) mass_[multiplier] = effective_mass(multiplier);
    return mass_[multiplier];
  }

  // Velocity- and impulse-like increments become comparable: |dv_i| and |dP_j|/m_j over the fastest motion. Motion is counted in
  // what counts as one in each coordinate, rows in what that is in each: of one_of_row
  void scale(const System&, const State& s, double h, double tolerance);
  double tolerance() const { return tolerance_; }
  // of velocities, counted so: gaps carry eps |q|, and a step makes velocities of gaps over h
  double noise() const { return noise_; }
  double rounding() const { return rounding_; }  // of increments: of the positions, which a step makes velocities of
  double noise_of_row(int multiplier) { return noise_ * one(multiplier); }
  double largest_noise() const { return noise_ * scale_->unit(); }
  // of gaps over h: what a converged iteration may leave of them, and rows that contradict each other do not
  double rate_left_open(int multiplier) { return std::max(little::rows_met, 1e3 * tolerance_) * vscale_ * one(multiplier); }
  double size_of_velocity(int i, double dv) const { return std::abs(dv) * fastest_inverse_[i]; }
  double size_of_velocity(const Vec& dv) const;
  double size_of_impulse(int multiplier, double dP) { return std::abs(dP) / (mass(multiplier) * vscale_ * lead(multiplier)); }

  // P - kappa m xi >= 0: is row j active?
  bool pulls(int multiplier, double P, double xi) { return active(P, xi, P == 0 ? 1 : kappa_ * mass(multiplier)); }
  // the point P - kappa m slip whose projection onto what friction may be is complementary, in one of the slip rows, and what
  // its distance from the limit says; multiplier: of the contact's first slip row
  double friction_point(int multiplier, double P, double slip, bool rounding) { return rounding ? P : P - kappa_ * mass(multiplier) * slip; }
  FrictionMode friction_mode(int multiplier, double P, double slip, double limit);
  // rounding is no slip: its sign must not choose a direction
  bool is_rounding(int multiplier, double slip) { return std::abs(slip) <= 1000 * std::numeric_limits<double>::epsilon() * vscale_ * one(multiplier); }
  double prox(int multiplier) { return kappa_ * mass(multiplier); }

 private:
  double effective_mass(int multiplier);
  double one(int multiplier);   // what counts as one in its row
  double lead(int multiplier);  // what counts as one in the coordinate that moves its row most
  double inverse_mass(const Matrix& rows, int row);      // by factors of M
  double inverse_diagonal(const Matrix& rows, int row);  // by its diagonal

  int v_ = 0, joints_ = 0;
  double kappa_ = 1, tolerance_ = 0, noise_ = 0, rounding_ = 0;
  double vscale_ = 1;  // the fastest motion
  const Matrix *M_ = nullptr, *G_ = nullptr, *T_ = nullptr;
  bool regular_ = true, factored_ = false;
  Vec mass_, one_, lead_, row_, no_rows_;  // not known yet: 0
  const Scale* scale_ = nullptr;
  Vec fastest_inverse_;  // per velocity
  DenseLu lu_;
  SaddleSolver sparse_;  // of a sparse M
};

}  // namespace escapement
