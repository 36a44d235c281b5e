// The box around a mesh file, in the mesh's own axes.
#pragma once

#include <optional>
#include <string>

#include "math/rotation.hpp"

namespace escapement {

struct MeshBox {
  Vec3 least, greatest;
  Vec3 centre() const { return 0.5 * (least + greatest); }
  Vec3 size() const { return greatest - least; }
};

// STL (text and binary), OBJ and COLLADA; nothing when the file is missing, of another kind or without points
std::optional<MeshBox> read_mesh_box(const std::string& path);

}  // namespace escapement
