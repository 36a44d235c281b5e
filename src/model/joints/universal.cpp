// Universal joint: two points coincide and two axes, one fixed in each body, stay perpendicular.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

Joint<3> universal(const std::string& name, const Between<3>& between, const Vector<3>& at, const Vector<3>& axis,
                   const Vector<3>& axis_b) {
  Joint<3> joint = join(name, between);
  hold_point(joint, between, at);
  joint.rows.push_back(
      {"cross", {{1, axis_product<3>(between.a, between.axis_a(axis), between.b, between.axis_b(axis_b))}}});
  return joint;
}

}  // namespace escapement
