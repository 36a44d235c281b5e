// The live page itself; bundled from web/ when the program is built.
#pragma once

#include <string_view>

namespace escapement::inline studio {

std::string_view studio_page();

}  // namespace escapement
