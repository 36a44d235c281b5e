#pragma once

#include <string>

namespace escapement::inline run {

std::string version();

}  // namespace escapement
