// Circles, boxes, capsules and convex polygons in the plane against each other.
#pragma once

#include "model/collision/touch.hpp"

namespace escapement::inline model {

struct ConvexPolygon;

// boxes, capsules and hulls as polygons in the world; capsules are rounded segments
void place_corners(const Solid<2>&, const SolidPlace<2>&, ConvexPolygon&);

// a ball and anything else that is not a plane
void touch_ball_polygon(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double margin, std::vector<TouchPoint<2>>&);
// features: the corners of the second, then of the first
void touch_polygons(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double margin, std::vector<TouchPoint<2>>&);

}  // namespace escapement
