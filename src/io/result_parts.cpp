#include "io/result_parts.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <span>
#include <string_view>

#include "io/checksum.hpp"
#include "io/hdf5_file.hpp"
#include "io/result_json.hpp"

namespace escapement::inline io {

namespace {

using Storage = Hdf5File::Storage;
using Attributes = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t first_note_width = 64;  // of growing files

// --- a sum over everything that a file says

std::uint64_t sum_of_column(std::string_view path, std::size_t first, const std::vector<double>& column) {
  return sum_of_rows(path, first, 1, std::span(column).subspan(first));
}

std::uint64_t sum_of_column(std::string_view path, std::size_t first, const std::vector<std::string>& column) {
  return sum_of_rows(path, first, std::span(column).subspan(first));
}

std::uint64_t sum_of_events(const Result& r, std::size_t first) {
  std::uint64_t sum = 0;
  for_each_event_column(r, [&](const char* path, const auto& column) { sum += sum_of_column(path, first, column); });
  return sum;
}

std::uint64_t sum_of_steps(const Result& r, std::size_t first) {
  std::uint64_t sum = 0;
  for_each_step_column(r, [&](const char* path, const auto& column) { sum += sum_of_column(path, first, column); });
  return sum;
}

// of rows of contact points; names are summed as texts
std::uint64_t sum_of_points(const Result& r, std::size_t first) {
  std::vector<std::uint64_t> names;
  for (const std::string& name : r.points.names) names.push_back(sum_of(name));
  const std::size_t rows = r.points.rows();
  std::uint64_t sum = 0;
  if (rows == first) return sum;
  for_each_point_column(r, [&](const char* path, const auto& column) {
    const std::size_t width = column.size() / rows;
    if constexpr (std::is_same_v<decltype(column), const std::vector<std::uint32_t>&>) {
      std::vector<std::uint64_t> texts;
      for (std::size_t i = first; i < rows; ++i) texts.push_back(names[column[i]]);
      sum += sum_of_rows(path, first, 1, std::span<const std::uint64_t>(texts));
    } else {
      sum += sum_of_rows(path, first, width, std::span(column).subspan(width * first));
    }
  });
  return sum;
}

// of everything that does not grow
std::uint64_t sum_of_rest(const Result& r, const Attributes& attributes) {
  std::uint64_t sum = sum_of_column("checkpoint", 0, r.checkpoint) + checksum::mixed(static_cast<std::uint64_t>(r.steps.stride));
  if (r.points.dimension > 0) sum += checksum::mixed(sum_of("contact_points:stride") + static_cast<std::uint64_t>(r.points.stride));
  for (const auto& [name, text] : attributes) sum += checksum::mixed(sum_of(name) ^ sum_of(text));
  for_each_table(r, [&](const char* path, const DataTable& table) {
    std::uint64_t names = sum_of(path);
    for (const std::string& name : table.names()) names = sum_of(name, names);
    sum += names;
  });
  return sum;
}

}  // namespace

// of the samples with these numbers, as far as they are in memory
std::uint64_t sum_of_samples(const Result& r, std::size_t first, std::size_t end) {
  const std::size_t at = first - r.first, count = end - first;
  std::uint64_t sum = sum_of_rows("time", first, 1, std::span(r.time).subspan(at, count));
  for_each_table(r, [&](const char* path, const DataTable& table) {
    const std::size_t n = table.columns();
    sum += sum_of_rows(path, first, n, std::span(table.values()).subspan(at * n, count * n));
  });
  return sum;
}

std::uint64_t sum_of_head(const Result& r, const Attributes& attributes) {
  return sum_of_events(r, 0) + sum_of_steps(r, 0) + sum_of_points(r, 0) + sum_of_rest(r, attributes);
}

Attributes attributes_of(const Result& r) {
  const OriginTexts texts = to_texts(r.origin);
  return {{"model_name", r.origin.model_name}, {"model_file", r.origin.model_file}, {"model", r.origin.model_text},
          {"parameters", texts.parameters},    {"overrides", texts.overrides},      {"command", texts.command},
          {"scheme", r.origin.scheme},         {"options", texts.options},          {"version", r.origin.version},
          {"summary", r.summary}};
}

namespace {

// columns in which at least half of the numbers stay from row to row shrink to a fraction; others hardly do. A few thousand of all
// rows and columns tell
Storage storage_of(const DataTable& table) {
  const std::span<const double> values = table.values();
  const std::size_t n = table.columns(), count = values.size() > n ? values.size() - n : 0;
  if (count < 1000) return Storage::plain;
  std::size_t stride = 1 + count / 4096, same = 0, asked = 0;
  while (std::gcd(stride, n) > 1) ++stride;
  for (std::size_t i = 0; i < count; i += stride, ++asked) same += values[i] == values[i + n];
  return 2 * same >= asked ? Storage::compressed : Storage::plain;
}

constexpr std::size_t growing_room = std::size_t{512} << 10;  // of the chunks that are begun

std::size_t name_width(const ContactPointColumns& points) {
  std::size_t width = 1;
  for (const std::string& name : points.names) width = std::max(width, name.size());
  return width;
}

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
  const std::size_t points = r.points.rows() - std::min(written.points, r.points.rows());
  numbers += points * static_cast<std::size_t>(3 + 3 * r.points.dimension);
  texts += points * 3 * name_width(r.points);
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
  if (r.points.dimension > 0) file.set_number("contact_points:stride", static_cast<std::uint64_t>(r.points.stride));
  written.checksum = written.sample_sum + written.event_sum + written.step_sum + written.point_sum + sum_of_rest(r, attributes);
  file.set_number("checksum", written.checksum);
  written.exists = true;
}

}  // namespace

namespace {

// a row for each, as wide as there are dimensions
template <class Column>
Hdf5File::Shape shape_of(const ContactPointColumns& points, const Column& column) {
  const std::size_t width = &column == &points.gap ? 1 : static_cast<std::size_t>(points.dimension);
  return {points.rows(), width, width == 1};
}

std::vector<std::string> texts_of(const ContactPointColumns& points, const std::vector<std::uint32_t>& column, std::size_t first) {
  std::vector<std::string> texts;
  for (std::size_t i = first; i < column.size(); ++i) texts.push_back(points.names[column[i]]);
  return texts;
}

// names of a file that grows have room for all that the model has
void write_points(Hdf5File& file, const Result& r, bool grows) {
  if (r.points.dimension == 0) return;
  const Storage way = grows ? Storage::growing : Storage::compressed;
  std::size_t width = name_width(r.points);
  if (grows) width = std::max(width, r.points.widest);
  file.add_group("contact_points");
  for_each_point_column(r, [&](const char* path, const auto& column) {
    using Kind = std::decay_t<decltype(column)>;
    if constexpr (std::is_same_v<Kind, std::vector<std::uint32_t>>) file.add_texts(path, texts_of(r.points, column, 0), way, width);
    else if constexpr (std::is_same_v<Kind, std::vector<std::uint64_t>>) file.add_counts(path, column, way);
    else file.add_numbers(path, shape_of(r.points, column), column, way);
  });
}

void write_more_points(Hdf5File& file, const Result& r, Written& written) {
  if (r.points.dimension == 0) return;
  if (r.points.stride != written.point_stride) written.points = 0, written.point_sum = 0;  // thinned out since then
  const std::size_t more = r.points.rows() - written.points;
  for_each_point_column(r, [&](const char* path, const auto& column) {
    using Kind = std::decay_t<decltype(column)>;
    if constexpr (std::is_same_v<Kind, std::vector<std::uint32_t>>) file.append_texts(path, written.points, texts_of(r.points, column, written.points));
    else if constexpr (std::is_same_v<Kind, std::vector<std::uint64_t>>) file.append_counts(path, written.points, std::span(column).subspan(written.points));
    else file.append_numbers(path, written.points, more, std::span(column).subspan(written.points * shape_of(r.points, column).columns));
  });
  written.point_sum += sum_of_points(r, written.points);
  written.points = r.points.rows();
  written.point_stride = r.points.stride;
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
  write_points(file, r, grows);
  if (grows || !r.checkpoint.empty()) file.add_numbers("checkpoint", {r.checkpoint.size(), 1, true}, r.checkpoint, events);
  written.samples = r.samples();
  written.events = r.events.time.size();
  written.steps = r.steps.time.size();
  written.points = r.points.rows();
  written.stride = r.steps.stride;
  written.point_stride = r.points.stride;
  written.point_sum = sum_of_points(r, 0);
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
  for_each_table(behind, [&](const char* name, DataTable& table) { file.read_rows(name, behind.first, count, table.unfilled(count)); });
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
  write_more_points(file, r, written);

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
  written.sample_sum = written.checksum - written.event_sum - written.step_sum - sum_of_points(head, 0) - sum_of_rest(head, attributes);
  written.summary_sum = sum_of(head.summary);
  written.point_stride = 0;  // all points are written again: those behind the checkpoint go
  return written;
}

}  // namespace escapement
