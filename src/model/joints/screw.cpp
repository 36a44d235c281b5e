// Screw: a cylindrical joint whose advance and angle are tied.
#include <numbers>

#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<3> screw(const std::string& name, const Between<3>& between, const Vector<3>& at, const Vector<3>& axis) {
  return cylindrical(name, between, at, axis);
}

JointRow<3> pitch_row(const Joint<3>& screw, MeasurePtr<3> angle, double pitch) {
  return {"pitch", {{1, screw.length}, {-pitch / (2 * std::numbers::pi), std::move(angle)}}};
}

}  // namespace escapement
