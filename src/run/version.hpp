#pragma once

#include <string>

namespace escapement {

std::string version();

}  // namespace escapement
