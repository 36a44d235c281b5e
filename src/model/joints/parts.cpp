#include "model/joints/parts.hpp"

#include <cmath>

namespace escapement::inline model {

Pose<2> make_pose(const Vector<2>& x, double angle) {
  Pose<2> pose{x, Rotation<2>::Identity(), angle};
  pose.R << std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle);
  return pose;
}

Pose<3> make_pose(const Vector<3>& x, const Vec4& orientation) { return {x, rotation_matrix(orientation), 0}; }

std::pair<Vector<3>, Vector<3>> perpendicular(const Vector<3>& n) {
  int smallest = 0;
  n.cwiseAbs().minCoeff(&smallest);
  const Vector<3> first = cross(n, Vector<3>(Vector<3>::Unit(smallest))).normalized();
  return {first, cross(n, first)};
}

void hold_axis(Joint<3>& joint, const Between<3>& between, const Vector<3>& axis) {
  const auto [first, second] = perpendicular(axis.normalized());
  const Vector<3> n = between.axis_b(axis);
  joint.rows.push_back({"tilt1", {{1, axis_product<3>(between.a, between.axis_a(first), between.b, n)}}});
  joint.rows.push_back({"tilt2", {{1, axis_product<3>(between.a, between.axis_a(second), between.b, n)}}});
}

void hold_orientation(Joint<2>& joint, const Between<2>& between) {
  joint.rows.push_back(
      {"angle", {{1, relative_angle(between.a, between.b)}}, between.pose_b.angle - between.pose_a.angle});
}

// the three axes of the world at the start, fixed in a, stay perpendicular to the next ones, fixed in b
void hold_orientation(Joint<3>& joint, const Between<3>& between) {
  for (int i = 0; i < 3; ++i) {
    const Vector<3> one = Vector<3>::Unit(i), next = Vector<3>::Unit((i + 1) % 3);
    joint.rows.push_back({"turn" + std::to_string(i + 1),
                          {{1, axis_product<3>(between.a, between.axis_a(one), between.b, between.axis_b(next))}}});
  }
}

void mark_angle(Joint<3>& joint, const Between<3>& between, const Vector<3>& axis) {
  const auto [first, second] = perpendicular(axis.normalized());
  joint.has_angle = true;
  joint.markers = {between.axis_a(first), between.axis_a(second), between.axis_b(first)};
}

}  // namespace escapement
