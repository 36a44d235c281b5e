// Bushing: springs and dampers along three (two) axes fixed in body a and about them.
//
// In space the angles are the components of the rotation vector, so that a turn by any angle below pi about any axis is
// held by stiffness times angle, as in the plane.
#include "model/bushing.hpp"

#include "model/rotation_vector.hpp"

namespace escapement::inline model {

template <int D>
std::vector<ForcePtr<D>> make_bushing(const Between<D>& between, const Vector<D>& at, const BushingData<D>& data) {
  std::vector<ForcePtr<D>> forces;
  const auto axis = [](int i) -> Vector<D> { return Vector<D>::Unit(i); };
  for (int i = 0; i < D; ++i) {
    if (data.stiffness[i] == 0 && data.damping[i] == 0) continue;
    forces.push_back(make_measure_force<D>(
        offset_along<D>(between.a, between.axis_a(axis(i)), between.point_a(at), between.b, between.point_b(at)),
        spring_damper(data.stiffness[i], data.damping[i], 0)));
  }
  for (int i = 0; i < angular<D>; ++i) {
    if (data.turning_stiffness[i] == 0 && data.turning_damping[i] == 0) continue;
    MeasurePtr<D> angle;
    double rest = 0;
    if constexpr (D == 2) {
      angle = relative_angle(between.a, between.b);
      rest = between.pose_b.angle - between.pose_a.angle;
    } else {
      angle = rotation_component({between.a, between.pose_a.R.transpose(), between.b, between.pose_b.R.transpose()}, i);
    }
    forces.push_back(make_measure_force<D>(std::move(angle),
                                           spring_damper(data.turning_stiffness[i], data.turning_damping[i], rest)));
  }
  return forces;
}

template std::vector<ForcePtr<2>> make_bushing<2>(const Between<2>&, const Vector<2>&, const BushingData<2>&);
template std::vector<ForcePtr<3>> make_bushing<3>(const Between<3>&, const Vector<3>&, const BushingData<3>&);

}  // namespace escapement
