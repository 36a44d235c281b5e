#include "schemes/monolithic_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/rows.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

void MonolithicContacts::start(const System& sys, double kappa, const Terms& T) {
  const Dim& dim = sys.dim();
  v_ = dim.v;
  joints_ = dim.bilateral;
  kappa_ = kappa;
  mass_.setOnes(dim.multipliers());
  one_.setOnes(dim.multipliers());
  lead_.setOnes(dim.multipliers());
  fastest_inverse_.setOnes(dim.v);
  scale_ = &sys.scale();
  row_.setZero(dim.v);
  if (T.M.is_sparse()) {
    sparse_.resize(dim.v, 0);
    sparse_.factor(T.M, T.G);  // the pattern is analysed here and not in a step
  } else {
    lu_.resize(dim.v);
  }
}

void MonolithicContacts::set_masses(const Matrix& M, const Matrix& G, const Matrix& T) {
  M_ = &M;
  G_ = &G;
  T_ = &T;
  for (Eigen::Index j = 0; j < mass_.size(); ++j) mass_[j] = one_[j] = lead_[j] = 0;
  factored_ = false;
  // where rounding of gaps is more than what is asked, what an impulse of its size makes of each velocity is no increment: far from the
  // origin short arms turn it into fast rotations
  const bool rounds = tolerance_ == noise_ / vscale_;
  for (int j = 0; rounds && j < G.rows(); ++j) {
    const double impulse = mass(j) * noise_of_row(j);
    for_each_of_row(G, j, [&](int i, double g) {
      if (g != 0 && M(i, i) > 0) fastest_inverse_[i] = std::min(fastest_inverse_[i], tolerance_ * M(i, i) / (std::abs(g) * impulse));
    });
  }
}

double MonolithicContacts::effective_mass(int multiplier) {
  const Matrix& rows = multiplier < G_->rows() ? *G_ : *T_;
  const int i = multiplier < G_->rows() ? multiplier : multiplier - G_->rows();
  const double w = M_->is_sparse() && multiplier < joints_ ? inverse_diagonal(rows, i) : inverse_mass(rows, i);
  return w > 0 ? 1 / w : 1;
}

double MonolithicContacts::one(int multiplier) {
  if (one_[multiplier] == 0) {
    const bool normal = multiplier < G_->rows();
    const double one = one_of_row(*scale_, normal ? *G_ : *T_, normal ? multiplier : multiplier - G_->rows());
    one_[multiplier] = one > 0 ? one : scale_->unit();  // a row that is off
  }
  return one_[multiplier];
}

double MonolithicContacts::lead(int multiplier) {
  double& lead = lead_[multiplier];
  if (lead == 0) {
    const bool normal = multiplier < G_->rows();
    for_each_of_row(normal ? *G_ : *T_, normal ? multiplier : multiplier - static_cast<int>(G_->rows()), [&](int j, double x) {
      lead = std::max(lead, std::abs(x) * scale_->v(j));
    });
    if (!(lead > 0)) lead = scale_->unit();  // a row that is off
  }
  return lead;
}

double MonolithicContacts::inverse_mass(const Matrix& rows, int i) {
  copy_row(rows, i, row_);
  if (!factored_) {
    if (!M_->is_sparse()) std::copy_n(M_->dense().data(), v_ * v_, lu_.matrix().data());
    regular_ = M_->is_sparse() ? sparse_.factor(*M_, *G_) : lu_.factor() > 0;
    factored_ = true;
  }
  if (regular_ && M_->is_sparse()) {
    sparse_.solve(row_, no_rows_, row_, no_rows_);
  } else if (regular_) {
    lu_.solve(row_);
  }
  return row_times(rows, i, row_);
}

double MonolithicContacts::inverse_diagonal(const Matrix& rows, int i) {
  double sum = 0;
  rows.for_each_in_row(i, [&](int j, double g) {
    const double m = (*M_)(j, j);
    if (m > 0) sum += g * g / m;
  });
  return sum;
}

double MonolithicContacts::size_of_velocity(const Vec& dv) const {
  double largest = 0;
  for (int i = 0; i < v_; ++i) largest = larger(largest, size_of_velocity(i, dv[i]));
  return largest;
}

void MonolithicContacts::scale(const System& sys, const State& s, double h, double tolerance) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  vscale_ = little::hardly_moving;  // in a system at rest increments are measured by it
  const Scale& one = *scale_;
  for (int i = 0; i < v_; ++i) {
    const double fastest = std::max(std::abs(s.v[i]), h * std::abs(s.vdot[i]));
    vscale_ = std::max(vscale_, one.given() ? fastest / one.v(i) : fastest);
  }
  if (one.given()) {
    for (int i = 0; i < v_; ++i) fastest_inverse_[i] = 1 / (vscale_ * one.v(i));
  } else {
    std::fill_n(fastest_inverse_.data(), v_, 1 / vscale_);
  }
  // gaps carry eps |q|: below this, increments are rounding
  const double rate = eps * largest_coordinate(sys, s.q) / h;
  noise_ = 30 * rate;
  rounding_ = 2 * rate / vscale_;
  tolerance_ = std::max(tolerance, noise_ / vscale_);
}

FrictionMode MonolithicContacts::friction_mode(int multiplier, double P, double slip, double limit) {
  const double trial = friction_point(multiplier, P, slip, is_rounding(multiplier, slip));
  if (trial > limit) return FrictionMode::slide_plus;
  if (trial < -limit) return FrictionMode::slide_minus;
  return FrictionMode::stick;
}

}  // namespace escapement
