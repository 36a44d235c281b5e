// Reads mechanisms: bodies, joints, forces, contacts by formula.
#pragma once

#include "io/definitions_reader.hpp"
#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// declares the names of bodies and joints; returns names that vary, so that definitions can refuse them
VaryingNames declare_mechanism(Reading&, const Block& top);
// fills reading.positions, states, inputs, places and keepable; model.system, start and scene
void read_mechanism(Reading&, const Block& top, Model&);

}  // namespace escapement
