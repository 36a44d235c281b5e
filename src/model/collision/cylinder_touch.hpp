// Cylinders in space against boxes, hulls, capsules and each other.
#pragma once

#include "model/collision/touch.hpp"

namespace escapement::inline model {

// in the direction that separates both most, what of each lies on the plane across it: caps, faces, lines along sides, edges, or a point
void touch_cylinder(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin, std::vector<TouchPoint<3>>&);

}  // namespace escapement
