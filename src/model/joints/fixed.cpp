// Fixed joint: two bodies move as one.
#include "model/joints/parts.hpp"

namespace escapement::inline model {

template <int D>
Joint<D> fixed(const std::string& name, const Between<D>& between, const Vector<D>& at) {
  Joint<D> joint = join(name, between);
  hold_point(joint, between, at);
  hold_orientation(joint, between);
  return joint;
}

template Joint<2> fixed<2>(const std::string&, const Between<2>&, const Vector<2>&);
template Joint<3> fixed<3>(const std::string&, const Between<3>&, const Vector<3>&);

}  // namespace escapement
