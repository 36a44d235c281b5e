#include "schemes/monolithic_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace escapement {

void MonolithicContacts::start(const System& sys, double kappa) {
  const Dim& dim = sys.dim();
  v_ = dim.v;
  kappa_ = kappa;
  mass_.setOnes(dim.multipliers());
  row_.setZero(dim.v);
  lu_.resize(dim.v);
}

void MonolithicContacts::set_masses(const Matrix& M, const Matrix& G, const Matrix& T) {
  lu_.matrix().setZero();
  for (int i = 0; i < v_; ++i) M.for_each_in_row(i, [&](int j, double value) { lu_.matrix()(i, j) = value; });
  regular_ = lu_.factor() > 0;
  G_ = &G;
  T_ = &T;
  mass_.setZero();
}

double MonolithicContacts::effective_mass(int multiplier) {
  const Matrix& rows = multiplier < G_->rows() ? *G_ : *T_;
  const int i = multiplier < G_->rows() ? multiplier : multiplier - G_->rows();
  row_.setZero();
  rows.add_row(i, 1, row_);
  if (regular_) lu_.solve(row_);
  const double w = rows.row_dot(i, row_);
  return w > 0 ? 1 / w : 1;
}

double MonolithicContacts::size_of_velocity(const Vec& dv) const {
  double largest = 0;
  for (int i = 0; i < v_; ++i) largest = larger(largest, std::abs(dv[i]));
  return scaled_velocity(largest);
}

void MonolithicContacts::scale(const State& s, double h, double tolerance) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  vscale_ = 1e-3;
  if (s.v.size() > 0) vscale_ = std::max({vscale_, s.v.cwiseAbs().maxCoeff(), h * s.vdot.cwiseAbs().maxCoeff()});
  // gaps carry eps |q|: below this, increments are rounding
  const double q = s.q.size() > 0 ? s.q.cwiseAbs().maxCoeff() : 0;
  noise_ = 30 * eps * (1 + q) / h;
  tolerance_ = std::max(tolerance, noise_ / vscale_);
}

FrictionMode MonolithicContacts::friction_mode(int multiplier, double P, double slip, double limit) {
  const double trial = P - kappa_ * mass(multiplier) * slip;
  if (trial > limit) return FrictionMode::slide_plus;
  if (trial < -limit) return FrictionMode::slide_minus;
  return FrictionMode::stick;
}

double solve_monolithic(DenseLu& lu, const Vec& all, int size, int first_multiplier, Vec& R, Vec& work) {
  constexpr double rank_tolerance = 1e-13, regularisation = 1e-11;
  auto J = [&](int i, int j) { return all[j * size + i]; };
  lu.resize(size);
  std::copy_n(all.data(), size * size, lu.matrix().data());
  double pivot = lu.factor();
  if (pivot > rank_tolerance) {
    lu.solve(R);
    return pivot;
  }
  std::copy_n(all.data(), size * size, lu.matrix().data());
  for (int i = first_multiplier; i < size; ++i) {
    double row = 0, column = 0;  // a row's reach and its multiplier's: their product is what the diagonal must be small against
    for (int j = 0; j < first_multiplier; ++j) {
      row = std::max(row, std::abs(J(i, j)));
      column = std::max(column, std::abs(J(j, i)));
    }
    if (row == 0) {  // friction at its limit, or switched off: without any entry its multiplier stays zero
      if (J(i, i) == 0) lu.matrix()(i, i) = 1;
      continue;
    }
    double mass = 0;
    for (int j = 0; j < first_multiplier; ++j)
      if (std::abs(J(j, i)) == column && column > 0) mass = std::max(mass, std::abs(J(j, j)));
    if (J(i, i) != 0) {
      lu.matrix()(i, i) *= 1 + regularisation;
    } else {
      lu.matrix()(i, i) = mass > 0 ? regularisation * row * column / mass : 1;
    }
  }
  pivot = lu.factor();
  if (!(pivot > 0)) return 0;
  work.head(size) = R.head(size);
  lu.solve(R);
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < size; ++i) {
      double sum = work[i];
      for (int j = 0; j < size; ++j) sum -= J(i, j) * R[j];
      work[size + i] = sum;
    }
    for (int i = 0; i < size; ++i) std::swap(work[i], work[size + i]);
    lu.solve(work);
    for (int i = 0; i < size; ++i) {
      R[i] += work[i];
      work[i] = work[size + i];
    }
  }
  return pivot;
}

std::vector<OptionInfo> monolithic_options() {
  return {
      {.name = "newton_tolerance", .value = 1e-10, .description = "largest last increment, scaled; rounding sets a floor", .min = 0, .max = 1},
      {.name = "kappa", .value = 1.0, .description = "prox parameter over effective mass: it only selects sets", .min = 1e-12, .max = 1e12},
  };
}

}  // namespace escapement
