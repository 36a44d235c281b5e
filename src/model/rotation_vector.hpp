// Measures of how axes fixed in one body are turned against axes fixed in another, in space.
#pragma once

#include "model/measure.hpp"

namespace escapement::inline model {

// three axes fixed in each of two bodies: the columns, in the frames of the bodies
struct TwoAxes {
  int a = ground;
  Rotation<3> axes_a = Rotation<3>::Identity();
  int b = ground;
  Rotation<3> axes_b = Rotation<3>::Identity();
};

// component 0 ... 3 of the unit quaternion, with its first component at least 0, that turns a's axes into b's
MeasurePtr<3> relative_quaternion(const TwoAxes&, int component);
// component 0 ... 2, along a's axes (and b's alike), of the rotation vector that does: the angle times the axis, at
// most pi long
MeasurePtr<3> rotation_component(const TwoAxes&, int component);

}  // namespace escapement
