// Import of robots described in URDF: the text of a model file.
#pragma once

#include <string>
#include <vector>

#include "io/model_error.hpp"

namespace escapement::inline io {

struct Import {
  std::string yaml;                   // a model file
  std::vector<std::string> warnings;  // what could not be taken over, one sentence each, "FILE:LINE:COLUMN: ..."
};

// throws ModelError, with the place in this file, when it cannot be read or describes no robot that can be simulated
Import import_urdf(const std::string& path);
// the same from a text; meshes are looked for beside `file`
Import import_urdf(const std::string& file, const std::string& text);

}  // namespace escapement
