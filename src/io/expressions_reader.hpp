// Reads `expressions`: quantities of the motion with names, which may use each other, without cycles.
#pragma once

#include "io/definitions_reader.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

inline constexpr const char* state_rates_stand =
    "the rate of a state may stand in forces, outputs and the stop condition; write what the rate is";

// their names, declared, so that definitions can refuse them
VaryingNames declare_expressions(Reading&, const Block& top);
// fills reading.times; needs reading.constants
void read_time_expressions(Reading&, const Block& top);
// adds every expression to reading.states, and to reading.positions those that use no rates, with their rates
void read_expressions(Reading&, const Block& top);
// adds those that use reactions, which read_expressions left out, to reading.outcomes
void read_reaction_expressions(Reading&, const Block& top);

}  // namespace escapement
