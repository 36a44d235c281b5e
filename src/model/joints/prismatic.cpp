// Prismatic joint: body b slides along an axis fixed in a and does not turn against it.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<2> prismatic(const std::string& name, const Between<2>& between, const Vector<2>& at, const Vector<2>& axis) {
  Joint<2> joint = join(name, between);
  hold_offset(joint, between, at, Vector<2>(-axis[1], axis[0]), "offset");
  hold_orientation(joint, between);
  mark_length(joint, between, at, axis);
  return joint;
}

Joint<3> prismatic(const std::string& name, const Between<3>& between, const Vector<3>& at, const Vector<3>& axis) {
  Joint<3> joint = join(name, between);
  const auto [first, second] = perpendicular(axis.normalized());
  hold_offset(joint, between, at, first, "offset1");
  hold_offset(joint, between, at, second, "offset2");
  hold_orientation(joint, between);
  mark_length(joint, between, at, axis);
  return joint;
}

}  // namespace escapement
