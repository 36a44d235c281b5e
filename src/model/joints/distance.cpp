// Distance joint: two points keep their distance, like the ends of a massless rod.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

template <int D>
Joint<D> distance(const std::string& name, const Between<D>& between, const Vector<D>& at_a, const Vector<D>& at_b) {
  Joint<D> joint = join(name, between);
  joint.length = distance_between<D>(between.a, between.point_a(at_a), between.b, between.point_b(at_b));
  joint.rows.push_back({"", {{1, joint.length}}, (at_b - at_a).norm()});
  return joint;
}

template Joint<2> distance<2>(const std::string&, const Between<2>&, const Vector<2>&, const Vector<2>&);
template Joint<3> distance<3>(const std::string&, const Between<3>&, const Vector<3>&, const Vector<3>&);

}  // namespace escapement
