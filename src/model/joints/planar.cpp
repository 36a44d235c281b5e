// Planar joint: body b slides on a plane fixed in a and turns about its normal.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<3> planar(const std::string& name, const Between<3>& between, const Vector<3>& at, const Vector<3>& normal) {
  Joint<3> joint = join(name, between);
  hold_offset(joint, between, at, Vector<3>(normal.normalized()), "offset");
  hold_axis(joint, between, normal);
  mark_angle(joint, between, normal);
  return joint;
}

}  // namespace escapement
