// Pairs in closed form: balls and corners against planes, balls against balls.
#pragma once

#include "model/collision/touch.hpp"

namespace escapement {

template <int D>
void touch_balls(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);
template <int D>
void touch_plane_ball(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);
// feature k: the corner on the positive side of axis i where bit i of k is set
template <int D>
void touch_plane_box(const Solid<D>&, const SolidPlace<D>&, const Solid<D>&, const SolidPlace<D>&, double margin, std::vector<TouchPoint<D>>&);

}  // namespace escapement
