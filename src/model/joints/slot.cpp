// Slot: a point of body b stays on a line fixed in a; b may turn.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<2> slot(const std::string& name, const Between<2>& between, const Vector<2>& at, const Vector<2>& axis) {
  Joint<2> joint = join(name, between);
  hold_offset(joint, between, at, Vector<2>(-axis[1], axis[0]), "");
  mark_length(joint, between, at, axis);
  joint.has_angle = true;
  return joint;
}

}  // namespace escapement
