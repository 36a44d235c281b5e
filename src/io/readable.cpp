#include "io/readable.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

namespace escapement::inline io {

namespace fs = std::filesystem;

std::string why_unreadable(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) return no_such_file;
  if (error) return error.message();
  if (status.type() == fs::file_type::directory) return "it is a folder";
  if (status.type() != fs::file_type::regular) return "it is no file";
  errno = 0;
  if (!std::ifstream(path)) return std::strerror(errno);
  return {};
}

}  // namespace escapement
