// Checks the start of a model, or assembles it.
#pragma once

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// model.start holds what the file says; afterwards it is consistent. Uses reading.places for messages
void read_start(Reading&, const Block& top, Model&);

}  // namespace escapement
