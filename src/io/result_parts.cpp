#include "io/result_parts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "io/hdf5_file.hpp"
#include "io/result_json.hpp"

namespace escapement {

namespace {

using Storage = Hdf5File::Storage;
using Attributes = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t first_note_width = 64;  // of growing files

// --- a sum over everything that a file says, so that a changed bit is noticed. Sums can go on, and back

std::uint64_t mixed(std::uint64_t x) {
  x *= 0x9e3779b97f4a7c15;
  return x ^ (x >> 29);
}

std::uint64_t sum_of(std::string_view text) {
  std::uint64_t sum = mixed(text.size());
  for (std::size_t i = 0; i < text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, std::min<std::size_t>(8, text.size() - i));
    sum = mixed(sum ^ word) + word;
  }
  return sum;
}

// numbers of a table from this place on
std::uint64_t sum_of(std::string_view path, std::size_t first, std::span<const double> values) {
  constexpr std::uint64_t stride = 0xd1342543de82ef95;
  std::uint64_t sum = 0, key = sum_of(path) + first * stride;
  for (const double x : values) sum += mixed(std::bit_cast<std::uint64_t>(x) ^ (key += stride));
  return sum;
}

std::uint64_t sum_of(std::string_view path, std::size_t first, std::span<const std::string> values) {
  std::uint64_t sum = 0;
  for (const std::string& value : values) sum += mixed(sum_of(value) ^ (sum_of(path) + ++first));
  return sum;
}

std::uint64_t sum_of_events(const Result& r, std::size_t first) {
  std::uint64_t sum = 0;
  for_each_event_column(r, [&](const char* path, const auto& column) { sum += sum_of(path, first, std::span(column).subspan(first)); });
  return sum;
}

std::uint64_t sum_of_steps(const Result& r, std::size_t first) {
  std::uint64_t sum = 0;
  for_each_step_column(r, [&](const char* path, const auto& column) { sum += sum_of(path, first, std::span(column).subspan(first)); });
  return sum;
}

// of everything that does not grow
std::uint64_t sum_of_rest(const Result& r, const Attributes& attributes) {
  std::uint64_t sum = sum_of("checkpoint", 0, std::span(r.checkpoint)) + mixed(static_cast<std::uint64_t>(r.steps.stride));
  for (const auto& [name, text] : attributes) sum += mixed(sum_of(name) ^ sum_of(text));
  for_each_table(r, [&](const char* path, const DataTable& table) { sum += sum_of(path, 0, std::span(table.names())); });
  return sum;
}

}  // namespace

// of the samples with these numbers, as far as they are in memory
std::uint64_t sum_of_samples(const Result& r, std::size_t first, std::size_t end) {
  const std::size_t at = first - r.first, count = end - first;
  std::uint64_t sum = sum_of("time", first, std::span(r.time).subspan(at, count));
  for_each_table(r, [&](const char* path, const DataTable& table) {
    const std::size_t n = table.columns();
    sum += sum_of(path, first * n, std::span(table.values()).subspan(at * n, count * n));
  });
  return sum;
}

std::uint64_t sum_of_head(const Result& r, const Attributes& attributes) {
  return sum_of_events(r, 0) + sum_of_steps(r, 0) + sum_of_rest(r, attributes);
}

Attributes attributes_of(const Result& r) {
  const OriginTexts texts = to_texts(r.origin);
  return {{"model_name", r.origin.model_name}, {"model_file", r.origin.model_file}, {"model", r.origin.model_text},
          {"parameters", texts.parameters},    {"overrides", texts.overrides},      {"command", texts.command},
          {"scheme", r.origin.scheme},         {"options", texts.options},          {"version", r.origin.version},
          {"summary", r.summary}};
}

namespace {

// columns in which at least half of the numbers stay from row to row shrink to a fraction; others hardly do
Storage storage_of(const DataTable& table) {
  const std::span<const double> values = table.values();
  const std::size_t n = table.columns(), count = values.size() > n ? values.size() - n : 0;
  if (count < 1000) return Storage::plain;
  std::size_t same = 0;
  for (std::size_t i = 0; i < count; ++i) same += values[i] == values[i + n];
  return 2 * same >= count ? Storage::compressed : Storage::plain;
}

constexpr std::size_t growing_room = std::size_t{512} << 10;  // of the chunks that are begun

// about what is to be written
std::size_t bytes_of(const Result& r, const Written& written) {
  std::size_t numbers = r.checkpoint.size() + (r.samples() - std::min(written.samples, r.samples()));
  std::size_t texts = r.summary.size() + (written.exists ? 0 : r.origin.model_text.size() + 20000);
  for_each_table(r, [&](const char*, const DataTable& table) {
    numbers += (r.samples() - std::min(written.samples, r.samples())) * table.columns();
    if (!written.exists)
      for (const std::string& name : table.names()) texts += name.size();
  });
  const std::size_t events = r.events.time.size() - std::min(written.events, r.events.time.size());
  numbers += 4 * events + 5 * (r.steps.time.size() - std::min(written.steps, r.steps.time.size()));
  return numbers * sizeof(double) + texts + 40 * events;
}

// takes room on the disk before the library writes: it is not made for a disk that is full
void need_room(const std::filesystem::path& path, std::size_t bytes) {
  errno = 0;
  const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) throw Hdf5Error(std::strerror(errno));
  struct stat now {};
  fstat(file, &now);
  errno = 0;
  const int reserved = fallocate(file, FALLOC_FL_KEEP_SIZE, now.st_size, static_cast<off_t>(bytes));
  const int reason = errno;
  close(file);
  // some file systems cannot tell
  if (reserved != 0 && (reason == ENOSPC || reason == EDQUOT || reason == EFBIG || reason == EROFS)) throw Hdf5Error(std::strerror(reason));
}

void write_tail(Hdf5File& file, const Result& r, Written& written) {
  const auto attributes = attributes_of(r);
  for (const auto& [name, text] : attributes)
    if (!written.exists || (name == "summary" && sum_of(text) != written.summary_sum)) file.set_text(name, text);
  written.summary_sum = sum_of(r.summary);
  file.set_number("steps:stride", static_cast<std::uint64_t>(r.steps.stride));
  written.checksum = written.sample_sum + written.event_sum + written.step_sum + sum_of_rest(r, attributes);
  file.set_number("checksum", written.checksum);
  written.exists = true;
}

}  // namespace

Written write_all(const Result& r, const std::filesystem::path& path, bool grows) {
  need_room(path, bytes_of(r, {}) + (grows ? growing_room : 0));
  Hdf5File file(path, Hdf5File::Mode::create);
  Written written;
  file.set_number("layout", result_layout);
  for (const char* group : {"contacts", "brakes", "events", "steps", "columns", "columns/contacts", "columns/brakes"}) file.add_group(group);
  file.add_numbers("time", {r.time.size(), 1, true}, r.time, grows ? Storage::growing : Storage::plain);
  for_each_table(r, [&](const char* name, const DataTable& table) {
    file.add_numbers(name, {table.rows(), table.columns(), false}, table.values(), grows ? Storage::growing : storage_of(table));
    file.add_texts(std::string("columns/") + name, table.names(), Storage::plain);
  });
  const Storage events = grows ? Storage::growing : Storage::plain, words = grows ? Storage::growing : Storage::compressed;
  std::size_t contact_width = 1, kind_width = 16;
  for (const std::string& name : r.contacts.gap.names()) contact_width = std::max(contact_width, name.size());
  written.note_width = grows ? first_note_width : 1;
  for (const std::string& note : r.events.note) written.note_width = std::max(written.note_width, note.size());
  file.add_numbers("events/time", {r.events.time.size(), 1, true}, r.events.time, events);
  file.add_texts("events/contact", r.events.contact, words, contact_width);
  file.add_texts("events/kind", r.events.kind, words, kind_width);
  file.add_numbers("events/velocity_before", {r.events.velocity_before.size(), 1, true}, r.events.velocity_before, events);
  file.add_numbers("events/velocity_after", {r.events.velocity_after.size(), 1, true}, r.events.velocity_after, events);
  file.add_numbers("events/impulse", {r.events.impulse.size(), 1, true}, r.events.impulse, events);
  file.add_texts("events/note", r.events.note, words, written.note_width);
  for_each_step_column(r, [&](const char* name, const std::vector<double>& column) { file.add_numbers(name, {column.size(), 1, true}, column, events); });
  if (grows || !r.checkpoint.empty()) file.add_numbers("checkpoint", {r.checkpoint.size(), 1, true}, r.checkpoint, events);
  written.samples = r.samples();
  written.events = r.events.time.size();
  written.steps = r.steps.time.size();
  written.stride = r.steps.stride;
  written.sample_sum = sum_of_samples(r, r.first, r.samples());
  written.event_sum = sum_of_events(r, 0);
  written.step_sum = sum_of_steps(r, 0);
  write_tail(file, r, written);
  file.close();
  return written;
}

namespace {

// samples behind the checkpoint that the run went on from
void cut(const Hdf5File& file, const Result& r, Written& written) {
  Result behind = r;
  behind.first = r.first;
  const std::size_t count = written.samples - r.first;
  behind.time.resize(count);
  file.read_rows("time", behind.first, count, behind.time.data());
  for_each_table(behind, [&](const char* name, DataTable& table) {
    table.resize(count);
    if (!table.empty()) file.read_rows(name, behind.first, count, &table(0, 0));
  });
  written.sample_sum -= sum_of_samples(behind, behind.first, behind.samples());
  written.samples = r.first;
}

}  // namespace

// what the file does not hold yet
void write_more(const Result& r, const std::filesystem::path& path, Written& written) {
  need_room(path, bytes_of(r, written) + growing_room);
  Hdf5File file(path, Hdf5File::Mode::change);
  if (written.goes_on && written.samples > r.first) cut(file, r, written);
  written.goes_on = false;
  const std::size_t at = written.samples - r.first;
  const std::size_t more = r.time.size() - at;
  file.append_numbers("time", written.samples, more, std::span(r.time).subspan(at));
  for_each_table(r, [&](const char* name, const DataTable& table) {
    file.append_numbers(name, written.samples, more, std::span(table.values()).subspan(at * table.columns()));
  });
  written.sample_sum += sum_of_samples(r, written.samples, r.samples());
  written.samples = r.samples();

  std::size_t longest = written.note_width;
  for (std::size_t i = written.events; i < r.events.note.size(); ++i) longest = std::max(longest, r.events.note[i].size());
  if (longest > written.note_width) {
    written.note_width = 2 * longest;
    file.remove("events/note");
    file.add_texts("events/note", std::span(r.events.note).first(written.events), Storage::growing, written.note_width);
  }
  for_each_event_column(r, [&](const char* name, const auto& column) {
    if constexpr (std::is_same_v<decltype(column), const std::vector<double>&>)
      file.append_numbers(name, written.events, column.size() - written.events, std::span(column).subspan(written.events));
    else
      file.append_texts(name, written.events, std::span(column).subspan(written.events));
  });
  written.event_sum += sum_of_events(r, written.events);
  written.events = r.events.time.size();

  if (r.steps.stride != written.stride) written.steps = 0, written.step_sum = 0;  // thinned out since then
  for_each_step_column(r, [&](const char* name, const std::vector<double>& column) {
    file.append_numbers(name, written.steps, column.size() - written.steps, std::span(column).subspan(written.steps));
  });
  written.step_sum += sum_of_steps(r, written.steps);
  written.steps = r.steps.time.size();
  written.stride = r.steps.stride;

  if (!r.checkpoint.empty())
    file.append_numbers("checkpoint", 0, r.checkpoint.size(), r.checkpoint);
  else
    file.remove("checkpoint");
  write_tail(file, r, written);
  file.close();
}

Written find_written(const Result& head, const std::filesystem::path& path) {
  const Hdf5File file(path, Hdf5File::Mode::read);
  Written written;
  written.exists = written.goes_on = true;
  written.samples = file.shape("time").rows;
  written.events = head.events.time.size();
  written.steps = head.steps.time.size();
  written.note_width = file.text_width("events/note");
  written.stride = head.steps.stride;
  written.event_sum = sum_of_events(head, 0);
  written.step_sum = sum_of_steps(head, 0);
  written.checksum = file.number("checksum");
  Attributes attributes = attributes_of(head);
  for (auto& [name, text] : attributes) text = file.text(name);
  written.sample_sum = written.checksum - written.event_sum - written.step_sum - sum_of_rest(head, attributes);
  written.summary_sum = sum_of(head.summary);
  return written;
}

}  // namespace escapement
