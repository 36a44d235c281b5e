#include "io/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "io/hdf5_file.hpp"
#include "io/readable.hpp"
#include "io/result_json.hpp"
#include "io/result_parts.hpp"

namespace escapement::inline io {

namespace {

namespace fs = std::filesystem;
using Storage = Hdf5File::Storage;

using Attributes = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t part_bytes = std::size_t{8} << 20;  // of samples that are read together

// calls write(draft), then gives the draft its name; nothing is left of one that could not be written
template <class Write>
void write_whole(const fs::path& path, Write write) {
  const fs::path draft = draft_of(path);
  try {
    write(draft);
  } catch (const Hdf5Error& error) {
    std::error_code ignored;
    fs::remove(draft, ignored);
    fail_to_write(path, error.what());
  }
  give_name(draft, path);
}

}  // namespace

void write_result(const Result& result, const fs::path& path) {
  const bool may_go_on = !result.checkpoint.empty();
  write_whole(path, [&](const fs::path& draft) { write_all(result, draft, may_go_on); });
}

void write_result(const RunReport& report, const fs::path& path) {
  Result result = report.result;
  result.summary = to_json(report.summary).dump();
  write_result(result, path);
}

void write_table(const ResultTable& table, const fs::path& path) {
  write_whole(path, [&](const fs::path& draft) {
    Hdf5File file(draft, Hdf5File::Mode::create);
    for (const std::string& group : table.groups) file.add_group(group);
    for (const auto& column : table.numbers) file.add_numbers(column.name, {column.values.size(), 1, true}, column.values, Storage::plain);
    for (const auto& column : table.texts) file.add_texts(column.name, column.values, Storage::compressed);
    for (const auto& [name, value] : table.attributes) file.set_text(name, value);
    file.close();
  });
}

// --- reading

template <class Action>
auto ResultReader::reading(Action action) const {
  try {
    return action();
  } catch (const Hdf5Error& error) {
    throw ResultError(fmt::format("cannot read {}: {}", path_.string(), error.what()));
  } catch (const nlohmann::json::exception&) {
    throw ResultError(fmt::format("cannot read {}: what it says of its run is damaged", path_.string()));
  }
}

namespace {

bool starts_like_hdf5(const fs::path& path) {
  constexpr char signature[] = "\x89HDF\r\n\x1a\n";
  char start[8] = {};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  return file && std::fread(start, 1, 8, file.get()) == 8 && std::memcmp(start, signature, 8) == 0;
}

void need_rows(const std::string& path, std::size_t found, std::size_t wanted, const char* like) {
  if (found != wanted) throw Hdf5Error(fmt::format("'{}' has {} rows where '{}' has {}", path, found, like, wanted));
}

// a run goes on, and a time is a number
void need_times(const char* path, const std::vector<double>& times, bool rising) {
  for (std::size_t i = 0; i < times.size(); ++i)
    if (!std::isfinite(times[i]) || (rising && i > 0 && times[i] < times[i - 1])) throw Hdf5Error(fmt::format("'{}' is damaged", path));
}

DataTable read_names(const Hdf5File& file, const std::string& path, std::size_t samples) {
  const Hdf5File::Shape shape = file.shape(path);
  if (shape.flat) throw Hdf5Error(fmt::format("'{}' is no table", path));
  need_rows(path, shape.rows, samples, "time");
  if (shape.columns == 0) return {};
  std::vector<std::string> names = file.texts("columns/" + path);
  if (shape.columns != names.size()) throw Hdf5Error(fmt::format("'{}' has {} columns and {} names", path, shape.columns, names.size()));
  for (const std::string& name : names)
    if (name.empty()) throw Hdf5Error(fmt::format("a column of '{}' has no name", path));
  return DataTable(std::move(names));
}

// texts become places in a list of the different ones
class NameList {
 public:
  explicit NameList(std::vector<std::string>& names) : names_(names) {}
  std::vector<std::uint32_t> places(const std::vector<std::string>& texts) {
    std::vector<std::uint32_t> list;
    list.reserve(texts.size());
    for (const std::string& text : texts) {
      const auto [found, added] = places_.try_emplace(text, static_cast<std::uint32_t>(names_.size()));
      if (added) names_.push_back(text);
      list.push_back(found->second);
    }
    return list;
  }

 private:
  std::vector<std::string>& names_;
  std::unordered_map<std::string, std::uint32_t> places_;
};

// only runs whose contacts are found have them
void read_points(const Hdf5File& file, std::size_t samples, Result& r) {
  if (!file.is_group("contact_points")) return;
  ContactPointColumns& points = r.points;
  const std::size_t dimension = file.shape("contact_points/point").columns;
  if (dimension != 2 && dimension != 3) throw Hdf5Error("'contact_points/point' has neither two nor three columns");
  points.dimension = static_cast<int>(dimension);
  NameList names(points.names);
  for_each_point_column(r, [&](const char* path, auto& column) {
    using Kind = std::decay_t<decltype(column)>;
    std::size_t width = 1;
    if constexpr (std::is_same_v<Kind, std::vector<std::uint32_t>>) {
      column = names.places(file.texts(path));
    } else if constexpr (std::is_same_v<Kind, std::vector<std::uint64_t>>) {
      column = file.counts(path);
    } else {
      width = file.shape(path).columns;
      if (width != (&column == &points.gap ? 1 : dimension)) throw Hdf5Error(fmt::format("'{}' has {} columns", path, width));
      column = file.numbers(path);
    }
    need_rows(path, column.size() / width, points.rows(), "contact_points/sample");
  });
  for (std::size_t i = 0; i < points.rows(); ++i)
    if (points.sample[i] >= samples || (i > 0 && points.sample[i] < points.sample[i - 1])) throw Hdf5Error("'contact_points/sample' is damaged");
  points.stride = static_cast<long>(file.number("contact_points:stride"));
  if (points.stride < 1) throw Hdf5Error("'contact_points:stride' is damaged");
  points.widest = file.text_width("contact_points/a");
}

Result read_head(const Hdf5File& file, std::size_t& samples, Attributes& attributes) {
  if (file.is_group("q") && !file.has_attribute("layout"))
    throw Hdf5Error("it has the layout of an older version; run its model again");
  if (!file.has_attribute("layout") || !file.has_attribute("checksum")) throw Hdf5Error("not a result file");
  if (file.number("layout") != result_layout) throw Hdf5Error("it has the layout of another version; run its model again");
  Result r;
  const Hdf5File::Shape time = file.shape("time");
  if (!time.flat) throw Hdf5Error("'time' is no list");
  samples = time.rows;
  for_each_table(r, [&](const char* path, DataTable& table) { table = read_names(file, path, samples); });
  const std::size_t contacts = r.contacts.gap.columns();
  if (r.contacts.gap_rate.columns() != contacts || r.contacts.force.columns() != contacts ||
      r.contacts.friction.names() != r.contacts.slip.names() || r.energy.columns() != 3 || r.drift.columns() != 2)
    throw Hdf5Error("its tables do not fit each other");
  // what says that it is empty has nothing beside it to be read; that it was written so, the sum tells
  const auto nothing_beside = [](const void* column, const std::vector<double>& first) { return column != &first && first.empty(); };
  for_each_event_column(r, [&](const char* path, auto& column) {
    if (nothing_beside(&column, r.events.time)) return;
    if constexpr (std::is_same_v<decltype(column), std::vector<double>&>)
      column = file.numbers(path);
    else
      column = file.texts(path);
    need_rows(path, column.size(), r.events.time.size(), "events/time");
  });
  for_each_step_column(r, [&](const char* path, std::vector<double>& column) {
    if (nothing_beside(&column, r.steps.time)) return;
    column = file.numbers(path);
    need_rows(path, column.size(), r.steps.time.size(), "steps/time");
  });
  need_times("events/time", r.events.time, false);  // what is noticed late stands behind what came after it
  need_times("steps/time", r.steps.time, true);
  r.steps.stride = static_cast<long>(file.number("steps:stride"));
  if (r.steps.stride < 1) throw Hdf5Error("'steps:stride' is damaged");
  read_points(file, samples, r);
  if (file.has("checkpoint")) r.checkpoint = file.numbers("checkpoint");
  attributes = attributes_of(r);  // their names
  for (auto& [name, value] : attributes) value = file.text(name);
  const auto text = [&](std::string_view wanted) {
    return std::find_if(attributes.begin(), attributes.end(), [&](const auto& a) { return a.first == wanted; })->second;
  };
  r.origin.model_name = text("model_name");
  r.origin.model_file = text("model_file");
  r.origin.model_text = text("model");
  r.origin.version = text("version");
  r.summary = text("summary");
  read_texts({text("parameters"), text("overrides"), text("command"), text("options")}, r.origin);
  if (r.origin.scheme != text("scheme")) throw Hdf5Error("it names two schemes");
  return r;
}

}  // namespace

ResultReader::ResultReader(const fs::path& path) : path_(path) {
  const std::string why = why_unreadable(path);
  if (why == no_such_file) throw ResultError(fmt::format("{}: {}", path.string(), why));
  if (!why.empty()) throw ResultError(fmt::format("cannot read {}: {}", path.string(), why));
  if (!starts_like_hdf5(path)) throw ResultError(fmt::format("cannot read {}: not a result file", path.string()));
  reading([&] {
    file_ = std::make_unique<Hdf5File>(path, Hdf5File::Mode::read);
    Attributes attributes;
    head_ = read_head(*file_, samples_, attributes);
    checksum_ = file_->number("checksum") - sum_of_head(head_, attributes);
  });
}

ResultReader::~ResultReader() = default;

std::size_t ResultReader::sample_bytes() const {
  std::size_t columns = 1;
  for_each_table(head_, [&](const char*, const DataTable& table) { columns += table.columns(); });
  return columns * sizeof(double);
}

std::size_t ResultReader::most_in_part() const { return std::max<std::size_t>(1, part_bytes / sample_bytes()); }

void ResultReader::read_samples(std::size_t first, std::size_t count, Result& result) const {
  reading([&] {
    result.first = first;
    result.time.resize(count);
    file_->read_rows("time", first, count, result.time.data());
    need_times("time", result.time, true);
    for_each_table(result, [&](const char* path, DataTable& table) { file_->read_rows(path, first, count, table.unfilled(count)); });
  });
}

namespace {
constexpr const char* not_as_written = "its numbers are not those that were written; the file was damaged or changed";
}

void ResultReader::verify() const {
  std::uint64_t sum = 0;
  for_each_part([&](const Result& part) { sum += sum_of_samples(part, part.first, part.samples()); });
  reading([&] {
    if (sum != checksum_) throw Hdf5Error(not_as_written);
  });
}

Result read_result(const fs::path& path) {
  return ResultReader(path).whole();
}

Result ResultReader::whole() && {
  Result result = std::move(head_);
  read_all(result);
  return result;
}

void ResultReader::read_all(Result& result) const {
  if (samples_ > 0) read_samples(0, samples_, result);
  reading([&] {
    if (sum_of_samples(result, 0, samples_) != checksum_) throw Hdf5Error(not_as_written);
  });
}

}  // namespace escapement
