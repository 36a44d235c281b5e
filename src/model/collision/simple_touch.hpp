// Pairs in closed form: balls, corners and rims against planes, balls against balls.
#pragma once

#include "model/collision/touch.hpp"

namespace escapement::inline model {

template <int D>
void touch_balls(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);
template <int D>
void touch_plane_ball(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);
// feature k: the corner on the positive side of axis i where bit i of k is set
template <int D>
void touch_plane_box(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);
// features: its ends
template <int D>
void touch_plane_capsule(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);
// features: its corners
template <int D>
void touch_plane_hull(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);
// four points of each rim: the lowest, and those a quarter of a turn on
void touch_plane_cylinder(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double margin, std::vector<TouchPoint<3>>&);

}  // namespace escapement
