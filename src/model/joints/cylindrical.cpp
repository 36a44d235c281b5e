// Cylindrical joint: body b slides along and turns about an axis fixed in a.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<3> cylindrical(const std::string& name, const Between<3>& between, const Vector<3>& at, const Vector<3>& axis) {
  Joint<3> joint = join(name, between);
  const auto [first, second] = perpendicular(axis.normalized());
  hold_offset(joint, between, at, first, "offset1");
  hold_offset(joint, between, at, second, "offset2");
  hold_axis(joint, between, axis);
  mark_angle(joint, between, axis);
  mark_length(joint, between, at, axis);
  return joint;
}

}  // namespace escapement
