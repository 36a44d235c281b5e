// What joints are made of.
#pragma once

#include "model/joint.hpp"

namespace escapement::inline model {

template <int D>
Joint<D> join(const std::string& name, const Between<D>& between) {
  Joint<D> joint;
  joint.name = name;
  joint.a = between.a;
  joint.b = between.b;
  return joint;
}

// the point at `at` of both bodies stays together
template <int D>
void hold_point(Joint<D>& joint, const Between<D>& between, const Vector<D>& at) {
  joint.point = true;
  joint.force_rows = D;
  joint.point_a = between.point_a(at);
  joint.point_b = between.point_b(at);
}

// the points at `at` do not move apart along a direction fixed in a
template <int D>
void hold_offset(Joint<D>& joint, const Between<D>& between, const Vector<D>& at, const Vector<D>& direction,
                 const std::string& suffix) {
  if (joint.force_rows == static_cast<int>(joint.rows.size())) ++joint.force_rows;
  joint.rows.push_back({suffix,
                        {{1, offset_along<D>(between.a, between.axis_a(direction), between.point_a(at), between.b,
                                             between.point_b(at))}}});
}

// how far b has moved along an axis fixed in a
template <int D>
void mark_length(Joint<D>& joint, const Between<D>& between, const Vector<D>& at, const Vector<D>& axis) {
  joint.length = offset_along<D>(between.a, between.axis_a(axis), between.point_a(at), between.b, between.point_b(at));
}

void hold_axis(Joint<3>& joint, const Between<3>& between, const Vector<3>& axis);  // the axis is fixed in both
void hold_orientation(Joint<2>& joint, const Between<2>& between);                  // b does not turn against a
void hold_orientation(Joint<3>& joint, const Between<3>& between);
void mark_angle(Joint<3>& joint, const Between<3>& between, const Vector<3>& axis);  // 0 at the start

}  // namespace escapement
