// Reads `outputs` and `drawing`: expressions to record and to show.
#pragma once

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

void read_outputs(Reading&, const Block& top, Model&);
void read_drawing(Reading&, const Block& top, Model&);

}  // namespace escapement
