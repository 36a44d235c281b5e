// Whether a file can be read, in the system's words.
#pragma once

#include <filesystem>
#include <string>

namespace escapement::inline io {

constexpr const char* no_such_file = "there is no such file";

// why it cannot be read; empty: it can. A device is no file: it may have no end
std::string why_unreadable(const std::filesystem::path&);

}  // namespace escapement
