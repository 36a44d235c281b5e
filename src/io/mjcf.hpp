// Import of models in MuJoCo's format, MJCF: the text of a model file.
#pragma once

#include <string>

#include "io/urdf.hpp"

namespace escapement::inline io {

bool is_mjcf(const std::string& path);  // its first element is <mujoco>
// throws ModelError, with the place in this file, when it cannot be read or describes nothing that can be simulated
Import import_mjcf(const std::string& path);
Import import_mjcf(const std::string& file, const std::string& text);  // meshes are looked for beside `file`

}  // namespace escapement
