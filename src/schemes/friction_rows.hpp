// The equations of friction in a semismooth Newton iteration: no slip, or friction at its limit. In the plane
// Lam_T = -+ mu Lam_N; in space Lam_T = limit z/|z| with z = Lam_T - kappa m slip, Alart and Curnier. Each is divided by the
// effective mass of its slip, so that all have the size of velocities.
#pragma once

#include <initializer_list>

#include "schemes/contact_sets.hpp"

namespace escapement::inline schemes {

// the point whose projection friction in space is: its direction, and by how much less than itself its projection turns
struct DiscPoint {
  double along[2], turn;
  bool rounding;  // the slip is
};
DiscPoint disc_point(ContactSets&, const ContactSets::Rub&, double limit);

void friction_residual(ContactSets&, std::size_t rub, double normal_impulse, MonolithicSystem&);

// on_rows: impulses on the rows of G; levels: of their multipliers, which add up to these. add_slip(slip, equation, factor) adds the
// derivative of a slip velocity
template <class AddSlip>
void friction_tangent(ContactSets& sets, std::size_t r, const Vec& on_rows, std::initializer_list<int> levels, MonolithicSystem& J, AddSlip&& add_slip) {
  const ContactSets::Rub& rub = sets.rubs[r];
  const int at = J.slip_at(rub.first);
  if (at < 0) return;
  if (sets.friction[r] == FrictionMode::stick) {
    for (int k = 0; k < rub.count; ++k) add_slip(rub.first + k, at + k, 1.0);
    return;
  }
  const double m = sets.sizes.mass(sets.rows + rub.first), mu = sets.laws[rub.law].friction;
  const auto by_normal = [&](int equation, double along) {
    sets.for_each_pressing_row(rub, on_rows, [&](int row, double part) {
      for (const int level : levels)
        if (const int unknown = J.at(level, row); unknown >= 0) J.add(equation, unknown, -mu * along * part / m);
    });
  };
  if (rub.count == 1) {
    J.add(at, at, 1 / m);
    by_normal(at, sets.friction[r] == FrictionMode::slide_plus ? 1 : -1);
    return;
  }
  const DiscPoint z = disc_point(sets, rub, sets.friction_limit(rub, sets.laws[rub.law].pressing(on_rows, rub.normal)));
  for (int k = 0; k < 2; ++k) {
    J.add(at + k, at + k, 1 / m);
    by_normal(at + k, z.along[k]);
    for (int l = 0; l < 2 && z.turn > 0; ++l) {
      const double across = z.turn * ((k == l ? 1 : 0) - z.along[k] * z.along[l]) / m;
      J.add(at + k, at + l, -across);
      if (!z.rounding) add_slip(rub.first + l, at + k, across * sets.sizes.prox(sets.rows + rub.first));
    }
  }
}

}  // namespace escapement
