#include "schemes/friction_rows.hpp"

#include <algorithm>
#include <cmath>

namespace escapement::inline schemes {

DiscPoint disc_point(ContactSets& sets, const ContactSets::Rub& rub, double limit) {
  const int multiplier = sets.rows + rub.first;
  const double* slip = &sets.slip[rub.first];
  DiscPoint point{};
  point.rounding = sets.sizes.is_rounding(multiplier, std::hypot(slip[0], slip[1]));
  double z[2];
  for (int k = 0; k < 2; ++k) z[k] = sets.sizes.friction_point(multiplier, sets.Lam[multiplier + k], slip[k], point.rounding);
  const double size = std::hypot(z[0], z[1]);
  if (!(size > 0)) return point;
  for (int k = 0; k < 2; ++k) point.along[k] = z[k] / size;
  point.turn = std::clamp(limit / size, 0.0, 1.0);
  return point;
}

void friction_residual(ContactSets& sets, std::size_t r, double normal_impulse, MonolithicSystem& J) {
  const ContactSets::Rub& rub = sets.rubs[r];
  const int at = J.slip_at(rub.first), multiplier = sets.rows + rub.first;
  if (at < 0) return;
  Vec& R = J.right_side();
  if (sets.friction[r] == FrictionMode::stick) {
    for (int k = 0; k < rub.count; ++k) R[at + k] = sets.slip[rub.first + k];
    return;
  }
  const double m = sets.sizes.mass(multiplier), limit = sets.friction_limit(rub, normal_impulse);
  if (rub.count == 1) {
    R[at] = (sets.Lam[multiplier] - (sets.friction[r] == FrictionMode::slide_plus ? limit : -limit)) / m;
    return;
  }
  const DiscPoint z = disc_point(sets, rub, limit);
  for (int k = 0; k < 2; ++k) R[at + k] = (sets.Lam[multiplier + k] - limit * z.along[k]) / m;
}

}  // namespace escapement
