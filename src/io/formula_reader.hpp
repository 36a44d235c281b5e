// Reads the blocks of a formula system: coordinates, energies, forces, constraints, contacts.
#pragma once

#include "io/definitions_reader.hpp"
#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement {

// the coordinates' names and rates, declared, so that definitions can refuse them
VaryingNames declare_coordinates(Reading&, const Block& top);
// fills reading.positions, reading.states and reading.inputs, model.system and model.start
void read_formula_system(Reading&, const Block& top, Model&);

}  // namespace escapement
