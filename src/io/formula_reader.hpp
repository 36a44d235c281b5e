// Reads the blocks of a formula system: coordinates, energies, forces, constraints, contacts.
#pragma once

#include "ensemble/ensemble.hpp"
#include "io/definitions_reader.hpp"
#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// the coordinates' names and rates, declared, so that definitions can refuse them
VaryingNames declare_coordinates(Reading&, const Block& top);
// fills reading.positions, reading.states and reading.inputs, model.system and model.start
void read_formula_system(Reading&, const Block& top, Model&);
// the same for many members at once: expressions of reading.open_parameters alone, nothing sampled yet. Fails at what members
// cannot have; on: their engine, for messages
EnsembleFormulas read_ensemble_formulas(Reading&, const Block& top, const std::string& on);

}  // namespace escapement
