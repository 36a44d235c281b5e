// Reads one entry of `tables`: points from a CSV file or from lists.
#pragma once

#include <memory>

#include "io/reading.hpp"
#include "math/table.hpp"

namespace escapement::inline io {

// every name the lists of a table use
std::vector<UsedName> names_in_table(const Reading&, const YamlNode::Entry&);
std::shared_ptr<const Table> read_table(Reading&, const YamlNode::Entry&);

}  // namespace escapement
