// Boxes and hulls in space against each other: the axis that separates them most, then the clipped face or the two edges.
#pragma once

#include "model/collision/polytope.hpp"

namespace escapement::inline model {

// features: corners of the clipped face by (which solid, its face, corner or crossing), edges by their numbers
void touch_polytopes(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin,
                     std::vector<TouchPoint<3>>&);

}  // namespace escapement
