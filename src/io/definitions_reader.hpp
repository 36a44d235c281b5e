// Reads `parameters` and `tables`: definitions that may use each other, without cycles.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "io/reading.hpp"
#include "run/result.hpp"

namespace escapement::inline io {

// names that exist but are not constant, with what they are: "a coordinate", to be refused in a way that helps
using VaryingNames = std::vector<std::pair<std::string, std::string>>;

// fills reading.constants; returns the parameters in the file's order.
// overrides: parameters whose text the command line gives, and live ones; open: those that stay variables, see
// Reading::open_parameters
std::vector<std::pair<std::string, double>> read_definitions(Reading&, const Block& top, const VaryingNames&, const Overrides&,
                                                             const std::vector<std::string>& open = {});

}  // namespace escapement
