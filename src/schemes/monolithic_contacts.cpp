#include "schemes/monolithic_contacts.hpp"

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

void MonolithicContacts::effective_masses(const Matrix& M, const Matrix& G, const Matrix& T) {
  lu_.matrix().setZero();
  for (int i = 0; i < v_; ++i) M.for_each_in_row(i, [&](int j, double value) { lu_.matrix()(i, j) = value; });
  const bool regular = lu_.factor() > 0;
  int index = 0;
  for (const Matrix* rows : {&G, &T}) {
    for (int i = 0; i < rows->rows(); ++i, ++index) {
      row_.setZero();
      rows->add_row(i, 1, row_);
      if (regular) lu_.solve(row_);
      const double w = rows->row_dot(i, row_);
      mass_[index] = w > 0 ? 1 / w : 1;
    }
  }
}

void MonolithicContacts::scale(const State& s, double h, double tolerance) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  vscale_ = 1e-3;
  if (s.v.size() > 0) vscale_ = std::max({vscale_, s.v.cwiseAbs().maxCoeff(), h * s.vdot.cwiseAbs().maxCoeff()});
  // gaps carry eps |q|: below this, increments are rounding
  const double q = s.q.size() > 0 ? s.q.cwiseAbs().maxCoeff() : 0;
  tolerance_ = std::max(tolerance, 30 * eps * (1 + q) / (h * vscale_));
}

FrictionMode MonolithicContacts::friction_mode(int multiplier, double P, double slip, double limit) const {
  const double trial = P - kappa_ * mass_[multiplier] * slip;
  if (trial > limit) return FrictionMode::slide_plus;
  if (trial < -limit) return FrictionMode::slide_minus;
  return FrictionMode::stick;
}

std::vector<OptionInfo> monolithic_options() {
  return {
      {.name = "newton_tolerance", .value = 1e-10, .description = "largest last increment, scaled; rounding sets a floor", .min = 0, .max = 1},
      {.name = "kappa", .value = 1.0, .description = "prox parameter over effective mass: it only selects sets", .min = 1e-12, .max = 1e12},
  };
}

}  // namespace escapement
