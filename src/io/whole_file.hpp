// Files that are there whole or not at all: written under another name beside their own, then renamed.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace escapement::inline io {

// a file that could not be written, with the system's reason
struct WriteError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
[[noreturn]] void fail_to_write(const std::filesystem::path&, const std::string& reason);

// NAME.PID.part
std::filesystem::path draft_of(const std::filesystem::path&);
// drafts of processes that are gone
void remove_old_drafts(const std::filesystem::path&);
// gives the draft its name; throws WriteError, and then the draft is removed
void give_name(const std::filesystem::path& draft, const std::filesystem::path& path);

// a text file; without close() nothing is left of it
class TextFile {
 public:
  explicit TextFile(std::filesystem::path);  // throws WriteError, as the others
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  ~TextFile();
  void write(std::string_view);
  void close();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  [[noreturn]] void fail(int reason);

  std::filesystem::path path_, draft_;
  std::unique_ptr<std::FILE, Close> file_;
};

void write_text(const std::filesystem::path&, std::string_view text);

}  // namespace escapement
