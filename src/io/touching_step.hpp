// The step for a model whose contacts are found anew in each step, where it says none.
#pragma once

#include "run/model.hpp"
#include "system/contact_search.hpp"

namespace escapement::inline io {

const TouchingSystem* touching_system(const Model&);  // nullptr: it has no such contacts
inline const TouchingBodies* touching_bodies(const Model& model) {
  const TouchingSystem* system = touching_system(model);
  return system ? system->touching() : nullptr;
}

// the part suspect::energy_fixed of the time in which the smallest body that touches moves by its size, at the speeds and with the forces of the start,
// rounded down to 1, 2 or 5 times a power of ten; at most a hundredth of the run
double step_for_touching(const System&, const TouchingBodies&, const State& start, double duration);

}  // namespace escapement
