// R arm(u) without the products by zero: d(R u) = turned_arm(R, u) d.
#pragma once

#include "model/frame.hpp"

namespace escapement::inline model {

inline Arm<2> turned_arm(const Rotation<2>& R, const Vector<2>& u) { return R * arm(u); }
inline Arm<3> turned_arm(const Rotation<3>& R, const Vector<3>& u) {
  Arm<3> m;
  for (int i = 0; i < 3; ++i) {
    m(i, 0) = R(i, 2) * u[1] - R(i, 1) * u[2];
    m(i, 1) = R(i, 0) * u[2] - R(i, 2) * u[0];
    m(i, 2) = R(i, 1) * u[0] - R(i, 0) * u[1];
  }
  return m;
}

}  // namespace escapement
