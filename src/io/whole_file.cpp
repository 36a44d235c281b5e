#include "io/whole_file.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace escapement::inline io {

namespace fs = std::filesystem;

void fail_to_write(const fs::path& path, const std::string& reason) {
  throw WriteError(fmt::format("cannot write {}: {}", path.string(), reason));
}

fs::path draft_of(const fs::path& path) { return path.string() + fmt::format(".{}.part", getpid()); }

void remove_old_drafts(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const std::string prefix = path.filename().string() + ".";
  std::vector<fs::path> old;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".part")) continue;
    const int pid = std::atoi(name.c_str() + prefix.size());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) old.push_back(entry.path());
  }
  for (const fs::path& draft : old) fs::remove(draft, ignored);
}

void give_name(const fs::path& draft, const fs::path& path) {
  std::error_code error, ignored;
  fs::rename(draft, path, error);
  if (!error) return;
  fs::remove(draft, ignored);
  fail_to_write(path, error.message());
}

TextFile::TextFile(fs::path path) : path_(std::move(path)), draft_(draft_of(path_)) {
  errno = 0;
  file_.reset(std::fopen(draft_.c_str(), "wb"));
  if (!file_) fail(errno);
}

TextFile::~TextFile() {
  std::error_code ignored;
  if (file_) fs::remove(draft_, ignored);
}

void TextFile::write(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail(errno);
}

void TextFile::close() {
  errno = 0;
  if (std::fclose(file_.release()) != 0) {
    const int reason = errno;
    std::remove(draft_.c_str());
    fail(reason);
  }
  give_name(draft_, path_);
}

void TextFile::fail(int reason) { fail_to_write(path_, std::strerror(reason)); }

void write_text(const fs::path& path, std::string_view text) {
  TextFile file(path);
  file.write(text);
  file.close();
}

}  // namespace escapement
