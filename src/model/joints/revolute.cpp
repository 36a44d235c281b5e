// Revolute joint: two points coincide; in space the axes stay parallel too.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<2> revolute(const std::string& name, const Between<2>& between, const Vector<2>& at) {
  Joint<2> joint = join(name, between);
  hold_point(joint, between, at);
  joint.has_angle = true;
  return joint;
}

Joint<3> revolute(const std::string& name, const Between<3>& between, const Vector<3>& at, const Vector<3>& axis) {
  Joint<3> joint = join(name, between);
  hold_point(joint, between, at);
  hold_axis(joint, between, axis);
  mark_angle(joint, between, axis);
  return joint;
}

}  // namespace escapement
