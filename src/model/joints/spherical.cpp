// Spherical joint: two points coincide.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<3> spherical(const std::string& name, const Between<3>& between, const Vector<3>& at) {
  Joint<3> joint = join(name, between);
  hold_point(joint, between, at);
  return joint;
}

}  // namespace escapement
