// An elastic bearing between two bodies.
#pragma once

#include "model/force.hpp"
#include "model/joint.hpp"

namespace escapement::inline model {

template <int D>
struct BushingData {
  Vector<D> stiffness = Vector<D>::Zero(), damping = Vector<D>::Zero();                     // along the axes
  Angular<D> turning_stiffness = Angular<D>::Zero(), turning_damping = Angular<D>::Zero();  // about them
};

// the axes are those of the world at the start, fixed in body a; relaxed at the start
template <int D>
std::vector<ForcePtr<D>> make_bushing(const Between<D>&, const Vector<D>& at, const BushingData<D>&);

}  // namespace escapement
