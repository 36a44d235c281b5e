#include "io/running_result.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstdio>

#include "io/hdf5_file.hpp"
#include "io/result_json.hpp"

namespace escapement::inline io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_bytes = std::size_t{8} << 20;  // of samples, until they are written and dropped
constexpr std::size_t small_result = 2 * most_bytes;         // stays in memory when it goes on

std::size_t sample_bytes(const Result& result) {
  std::size_t columns = 1;
  for_each_table(result, [&](const char*, const DataTable& table) { columns += table.columns(); });
  return columns * sizeof(double);
}

}  // namespace

RunningResult::RunningResult(fs::path path) : path_(std::move(path)), draft_(draft_of(path_)), source_(path_) {}

RunningResult::~RunningResult() {
  remove_hidden();
  std::error_code ignored;
  if (aside_ && !fs::exists(path_, ignored)) fs::rename(*aside_, path_, ignored);
}

void RunningResult::take_name() {
  std::error_code error;
  const fs::path aside = draft_.string() + ".part";  // an old draft, once nobody comes back to it
  fs::rename(path_, aside, error);
  if (!error) aside_ = aside;
}

void RunningResult::has_name() {
  std::error_code ignored;
  if (aside_) fs::remove(*std::exchange(aside_, std::nullopt), ignored);
}

void RunningResult::remove_hidden() {
  std::error_code ignored;
  if (hidden_.exists) fs::remove(draft_, ignored);
  hidden_ = {};
}

bool RunningResult::is_long(const Result& result) const {
  return (result.samples() - std::min(shown_.samples, result.samples())) * sample_bytes(result) > most_bytes;
}

Result RunningResult::go_on_from(const fs::path& file) {
  const ResultReader reader(file);
  if (reader.samples() * reader.sample_bytes() <= small_result) return read_result(file);
  reader.verify();
  Result head = reader.head();
  head.first = reader.samples();
  shown_ = find_written(head, file);
  source_ = file;
  return head;
}

void RunningResult::bring_up(const Result& result) {
  try {
    if (!hidden_.exists && shown_.exists) {
      std::error_code error;
      fs::copy_file(source_, draft_, fs::copy_options::overwrite_existing, error);
      if (error && result.first > 0) fail_to_write(path_, error.message());
      if (!error) hidden_ = shown_;
    }
    // nobody else may have put a file in its place meanwhile
    if (hidden_.exists && Hdf5File(draft_, Hdf5File::Mode::read).number("checksum") != hidden_.checksum) {
      if (result.first > 0) throw Hdf5Error("another program has changed it");
      hidden_ = {};
    }
    if (hidden_.exists)
      write_more(result, draft_, hidden_);
    else
      hidden_ = write_all(result, draft_, true);
  } catch (const Hdf5Error& error) {
    hidden_.exists = true;  // half of it
    remove_hidden();
    fail_to_write(path_, error.what());
  }
}

void RunningResult::show() {
  if (shown_.exists && source_ == path_ && renameat2(AT_FDCWD, draft_.c_str(), AT_FDCWD, path_.c_str(), RENAME_EXCHANGE) == 0) {
    std::swap(shown_, hidden_);
    return;
  }
  const Written whole = std::exchange(hidden_, {});
  give_name(draft_, path_);
  has_name();
  shown_ = whole;
  source_ = path_;
}

void RunningResult::write(Result& result) {
  bring_up(result);
  show();
  const std::size_t safe = hidden_.exists ? std::min(hidden_.samples, shown_.samples) : shown_.samples;
  if (result.time.size() * sample_bytes(result) > most_bytes && safe > result.first) result.drop(safe - result.first);
}

void RunningResult::finish(RunReport& report) {
  Result& result = report.result;
  result.summary = to_json(report.summary).dump();
  if (result.first == 0) {
    hidden_ = {};  // written over
    write_result(result, path_);
    has_name();
    return;
  }
  bring_up(result);
  hidden_ = {};
  give_name(draft_, path_);
}

}  // namespace escapement
