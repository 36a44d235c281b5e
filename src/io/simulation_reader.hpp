// Reads the `simulation` block and what the command line puts in its place.
#pragma once

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// fills model.settings and model.stop
void read_simulation(Reading&, const Block& top, const Overrides&, Model&);

}  // namespace escapement
