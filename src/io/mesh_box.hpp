// The points of a mesh file and the box around it, in the mesh's own axes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "math/rotation.hpp"

namespace escapement::inline io {

constexpr std::size_t most_hull_corners = 250;  // of a hull that touches

struct MeshBox {
  Vec3 least, greatest;
  Vec3 centre() const { return 0.5 * (least + greatest); }
  Vec3 size() const { return greatest - least; }
};

// of STL (text and binary), OBJ and COLLADA, told apart by the name's end; some stand there several times. None: it is of another kind
std::vector<Vec3> mesh_points(const std::string& name, const std::string& bytes);
// nothing when the file is missing, of another kind or without points
std::optional<MeshBox> read_mesh_box(const std::string& path);

}  // namespace escapement
