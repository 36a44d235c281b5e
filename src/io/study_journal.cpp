#include "io/study_journal.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>

#include "io/whole_file.hpp"
#include "run/version.hpp"

namespace escapement::inline io {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// by the rule of Fowler, Noll and Vo, with a byte after each text that no text has
class Sum {
 public:
  void add(std::string_view bytes) {
    for (const char c : bytes) value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    value_ = (value_ ^ 0xff) * 0x100000001b3u;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// everything that decides what the rows are
std::string mark_of(const Study& study) {
  Sum sum;
  const auto add = [&](std::string_view bytes) { sum.add(bytes); };
  const auto add_text = [&](const std::optional<std::string>& text) { add(text ? "=" + *text : "-"); };
  add(version());
  add(study.model_text);
  for (const auto* list : {&study.base.parameters, &study.base.options})
    for (const auto& [name, value] : *list) add(name), add(value);
  for (const auto* text : {&study.base.scheme, &study.base.step, &study.base.tolerance, &study.base.end}) add_text(*text);
  for (const auto& [name, bytes] : study.tables) add(name), add(bytes);
  for (const std::string& name : study.varied) add(name);
  for (const auto& measure : study.measures) add(measure.name), add(measure.text);
  for (const auto& run : study.runs)
    for (const double x : run) add({reinterpret_cast<const char*>(&x), sizeof x});
  return fmt::format("{:016x} {} runs", sum.value(), study.runs.size());
}

std::string text_of(const Json& item) { return item.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::uint64_t sum_of(const Json& row) {
  Sum sum;
  sum.add(text_of(row));
  return sum.value();
}

// which run a line is about, where it is whole: [RUN] one that was begun, [RUN, status, verdict, message, measures, sum] one that was made
std::optional<std::size_t> run_of(const Json& item, std::size_t runs, std::size_t measures) {
  if (!item.is_array() || (item.size() != 1 && item.size() != 6) || !item[0].is_number_unsigned() || item[0].get<std::size_t>() >= runs) return {};
  if (item.size() == 6) {
    if (!item[1].is_string() || !item[2].is_string() || !item[3].is_string() || !item[5].is_number_unsigned()) return {};
    if (!item[4].is_array() || item[4].size() != measures) return {};
    for (const Json& bits : item[4])
      if (!bits.is_number_unsigned()) return {};
    Json row = item;
    row.erase(5);
    if (sum_of(row) != item[5].get<std::uint64_t>()) return {};
  }
  return item[0].get<std::size_t>();
}

}  // namespace

StudyJournal::StudyJournal(fs::path path, const Study& study, std::vector<SweepRow>& rows) : path_(std::move(path)) {
  rows.resize(study.runs.size());
  const std::string mark = mark_of(study);
  std::uintmax_t whole = 0;
  if (std::ifstream in(path_, std::ios::binary); in) {
    std::string line;
    std::set<std::size_t> begun;
    if (std::getline(in, line) && !in.eof() && line == mark) {
      whole = line.size() + 1;
      // a line that was cut off is the last one; of one that is damaged nothing is taken
      while (std::getline(in, line) && !in.eof()) {
        whole += line.size() + 1;
        const Json item = Json::parse(line, nullptr, false);
        const auto known = run_of(item, rows.size(), study.measures.size());
        if (!known) continue;
        const std::size_t run = *known;
        if (item.size() == 1) {
          if (!rows[run].done) begun.insert(run);
          continue;
        }
        SweepRow& row = rows[run];
        taken_ += !row.done;
        row = {.done = true, .status = item[1], .message = item[3], .verdict = item[2], .measures = {}};
        for (const Json& bits : item[4]) row.measures.push_back(std::bit_cast<double>(bits.get<std::uint64_t>()));
        begun.erase(run);
      }
      cut_short_ = begun.size();
    } else {
      set_aside_ = true;
    }
  }
  std::error_code error;
  if (set_aside_) fs::rename(path_, path_.string() + ".old", error);
  if (whole > 0) fs::resize_file(path_, whole, error);
  file_ = std::fopen(path_.c_str(), whole > 0 ? "ab" : "wb");
  if (!file_) throw WriteError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  if (whole == 0) write(mark + "\n");
}

StudyJournal::~StudyJournal() {
  if (taken_ + added_ == 0) remove();  // nothing worth keeping
  if (file_) std::fclose(file_);
}

void StudyJournal::write(const std::string& lines) {
  if (std::fputs(lines.c_str(), file_) < 0 || std::fflush(file_) != 0)
    throw WriteError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

void StudyJournal::start(std::span<const std::size_t> runs) {
  std::string lines;
  for (const std::size_t run : runs) lines += fmt::format("[{}]\n", run);
  write(lines);
}

// NaN and infinities are not JSON: bits are
void StudyJournal::add(std::span<const std::size_t> runs, const std::vector<SweepRow>& rows) {
  added_ += runs.size();
  std::string lines;
  for (const std::size_t run : runs) {
    const SweepRow& row = rows[run];
    Json bits = Json::array();
    for (const double x : row.measures) bits.push_back(std::bit_cast<std::uint64_t>(x));
    Json item{run, row.status, row.verdict, row.message, bits};
    item.push_back(sum_of(item));
    lines += text_of(item) + "\n";
  }
  write(lines);
}

void StudyJournal::remove() {
  if (file_) std::fclose(file_);
  file_ = nullptr;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

}  // namespace escapement
