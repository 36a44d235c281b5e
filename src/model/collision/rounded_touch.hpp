// Balls, capsules and cylinders in space against each other and against boxes and hulls, by nearest points.
#pragma once

#include "model/collision/polytope.hpp"

namespace escapement::inline model {

void touch_ball_capsule(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin, std::vector<TouchPoint<3>>&);
void touch_ball_cylinder(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin, std::vector<TouchPoint<3>>&);
void touch_ball_polytope(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin, std::vector<TouchPoint<3>>&);
// features 0 and 1: the ends of the first, 2 and 3: of the second, 4: within both, then pairs of ends
void touch_capsules(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin, std::vector<TouchPoint<3>>&);
// features 0 and 1: the capsule's ends, then the edges and corners of the other
void touch_capsule_polytope(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin, std::vector<TouchPoint<3>>&);

}  // namespace escapement
