// Files that a model names: tables, meshes.
#pragma once

#include <string>

#include "io/reading.hpp"

namespace escapement::inline io {

// the bytes of a file that the model names, beside it or given with it; fails at the entry, which belongs to a table or hull, where it cannot be read
std::string read_named_file(Reading&, const YamlNode::Entry& file, const char* whose);

}  // namespace escapement
