#include "schemes/contact_sets.hpp"

#include "math/tolerances.hpp"

#include <algorithm>
#include <cmath>

#include "math/rows.hpp"
#include "schemes/slip_onset.hpp"

namespace escapement::inline schemes {

void ContactSets::start(const System& sys, double kappa, const Terms& terms) {
  const Dim& dim = sys.dim();
  laws.assign(sys.contacts().begin(), sys.contacts().end());
  v = dim.v;
  joints = dim.bilateral;
  rows = dim.rows();
  slips = dim.slip;
  rubs.clear();
  brakes = false;
  for (int i = 0; i < static_cast<int>(laws.size()); ++i) {
    if (!laws[i].rubs()) continue;
    rubs.push_back({i, laws[i].slip, laws[i].slips, laws[i].is_brake() ? -1 : joints + i});
    brakes = brakes || laws[i].is_brake();
  }
  sizes.start(sys, kappa, terms);
  for (Vec* x : {&gdn, &law}) x->setZero(rows);
  slip.setZero(slips);
  Lam.setZero(dim.multipliers());
  for (auto* set : {&T, &A, &B, &off, &decided_B, &jammed}) set->assign(rows, 0);
  positional.assign(rows, 1);
  for (int j = 0; j < joints; ++j) positional[j] = sys.level(j) == Level::position;
  for (auto* modes : {&friction, &decided_friction}) modes->assign(rubs.size(), FrictionMode::off);
}

void ContactSets::begin_step() {
  rule = Rule::complementarity;
  std::fill(jammed.begin(), jammed.end(), 0);
}

void ContactSets::look_at_start(const Matrix& M, const Terms& at_start, const Vec& v_n) {
  for (int j = 0; j < rows; ++j) gdn[j] = at_start.g_t[j];
  add_product(at_start.G, v_n, gdn);
  sizes.set_masses(M, at_start.G, at_start.T);
  for (int j = 0; j < rows; ++j) {
    bool zero = true;
    for_each_of_row(at_start.G, j, [&zero](int, double g) { zero &= g == 0; });
    off[j] = zero;
  }
}

FrictionMode ContactSets::friction_mode(const Rub& rub, double limit) {
  const int at = rows + rub.first;
  if (rub.count == 1) {
    // a brake that others hold at rest goes on at its limit, where the last step left it
    if (rub.normal < 0 && sizes.is_rounding(at, slip[rub.first]) && std::abs(Lam[at]) >= (1 - little::friction) * limit)
      return Lam[at] > 0 ? FrictionMode::slide_plus : FrictionMode::slide_minus;
    return sizes.friction_mode(at, Lam[at], slip[rub.first], limit);
  }
  const double* u = &slip[rub.first];
  const bool rounding = sizes.is_rounding(at, std::hypot(u[0], u[1]));
  double point = 0;
  for (int k = 0; k < 2; ++k) point = std::hypot(point, sizes.friction_point(at, Lam[at + k], u[k], rounding));
  return point > limit ? FrictionMode::slide : FrictionMode::stick;
}

bool ContactSets::choose_friction(std::size_t r, double normal_impulse) {
  const Rub& rub = rubs[r];
  FrictionMode mode = FrictionMode::off;
  if (rub.normal < 0 || B[rub.normal]) {
    mode = rule == Rule::decided && rub.normal >= 0 ? decided_friction[r] : friction_mode(rub, friction_limit(rub, normal_impulse));
    if (rule == Rule::by_slip) {
      const double u = slip[rub.first], speed = rub.count == 1 ? std::abs(u) : std::hypot(u, slip[rub.first + 1]);
      if (speed > sizes.noise_of_row(rows + rub.first)) {
        mode = rub.count > 1 ? FrictionMode::slide : u > 0 ? FrictionMode::slide_minus : FrictionMode::slide_plus;
      } else if (friction[r] != FrictionMode::off) {
        mode = friction[r];
      }
    }
  }
  const bool changed = friction[r] != mode;
  if (changed && (mode == FrictionMode::off || friction[r] == FrictionMode::off || may_change())) friction[r] = mode;
  if (friction[r] == FrictionMode::off) Lam.segment(rows + rub.first, rub.count).setZero();
  return changed;
}

void ContactSets::place_friction(MonolithicSystem& system) const {
  for (std::size_t r = 0; r < rubs.size(); ++r)
    for (int i = rubs[r].first; i < rubs[r].first + rubs[r].count; ++i) system.place_slip(i, friction[r] != FrictionMode::off);
}

bool ContactSets::any() const {
  const auto in = [](char x) { return x != 0; };
  return std::any_of(A.begin(), A.end(), in) || std::any_of(B.begin(), B.end(), in);
}

void ContactSets::empty() {
  for (auto* set : {&A, &B}) std::fill(set->begin(), set->end(), 0);
  std::fill(friction.begin(), friction.end(), FrictionMode::off);
}

std::size_t ContactSets::hash() const {
  std::size_t hash = 0;
  const auto add = [&hash](int x) { hash = (hash ^ static_cast<std::size_t>(x)) * 1099511628211u; };  // Fowler, Noll, Vo
  for (int j = joints; j < rows; ++j) add(2 * A[j] + B[j] + 1);
  for (FrictionMode mode : friction) add(static_cast<int>(mode) + 1);
  return hash;
}

bool ContactSets::consistent(const Vec& gaps, StepReport& report) {
  report.excess = 0;
  for (int j = joints; j < rows; ++j) {
    const double left = A[j] ? std::abs(gaps[j]) : -gaps[j];
    if (off[j] || left <= 0) continue;
    const double limit = h * sizes.rate_left_open(j);
    if (left <= limit) continue;
    report.status = Status::contradicting_rows;
    report.excess = std::max(report.excess, left / limit);
    note_residual(report, RowResidual::Kind::row, j, gaps[j]);
  }
  return report.ok();
}

void ContactSets::note_residuals(const Vec& R, StepReport& report) const {
  bool contact = false;
  for (int j = joints; j < rows; ++j) {
    if (!T[j] && !A[j]) continue;
    contact = true;
    note_residual(report, RowResidual::Kind::row, j, law[j]);
  }
  for (int i = 0; i < v && !contact; ++i) note_residual(report, RowResidual::Kind::motion, i, R[i]);
}

}  // namespace escapement
