// Any bytes as a result file: an error in one sentence, or a result whose tables fit each other.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/result_file.hpp"

using namespace escapement;

namespace {

// a file without a folder: /proc/self/fd/N
std::string file_of(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("fuzz.h5", 0);
  if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return "/proc/self/fd/" + std::to_string(file);
}

void need(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = file_of(data, size);
  try {
    const Result result = read_result(path);
    for_each_table(result, [&](const char*, const DataTable& table) {
      need(table.rows() == result.time.size());
      double sum = 0;
      for (const double x : table.values()) sum += x;
      need(sum == sum || sum != sum);  // every number is there to be read
      for (const std::string& name : table.names()) need(!name.empty());
    });
    need(result.events.kind.size() == result.events.time.size() && result.events.note.size() == result.events.time.size());
  } catch (const ResultError& error) {
    const std::string_view what = error.what();
    need(what.find(path) != what.npos && what.find('\n') == what.npos && what.size() < 1000);
  }
  return 0;
}
