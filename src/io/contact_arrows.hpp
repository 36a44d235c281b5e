// Where the moving picture draws the forces of contacts, and in which direction.
#pragma once

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// fills model.scene.contacts with columns that follow from the state. The picture must not outlive the model
void add_contact_arrows(Reading&, const Block& top, Model&);

}  // namespace escapement
