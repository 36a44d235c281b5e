#include "io/result_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "io/hdf5_writer.hpp"

namespace escapement {

namespace {

namespace fs = std::filesystem;

// an HDF5 identifier that closes itself
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw ResultError("cannot " + what);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void need(herr_t status, const std::string& what) {
  if (status < 0) throw ResultError("cannot " + what);
}

class Reader {
 public:
  explicit Reader(const fs::path& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "read " + path.string() + ": not a result file"),
        text_(H5Tcopy(H5T_C_S1), H5Tclose, "make a text type") {
    H5Tset_size(text_, H5T_VARIABLE);
    H5Tset_cset(text_, H5T_CSET_UTF8);
  }

  bool has(const std::string& name) { return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0; }

  std::vector<double> numbers(const std::string& name) { return numbers(file_, name); }
  std::vector<double> numbers(hid_t place, const std::string& name) {
    Handle set(H5Dopen2(place, name.c_str(), H5P_DEFAULT), H5Dclose, "read " + name + " of the result file");
    std::vector<double> values(size(set, name));
    if (!values.empty()) need(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read " + name);
    return values;
  }

  std::vector<std::string> texts(const std::string& name) {
    Handle set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose, "read " + name + " of the result file");
    std::vector<char*> pointers(size(set, name));
    if (!pointers.empty()) need(H5Dread(set, text_, H5S_ALL, H5S_ALL, H5P_DEFAULT, pointers.data()), "read " + name);
    std::vector<std::string> values;
    for (char* pointer : pointers) {
      values.emplace_back(pointer);
      H5free_memory(pointer);
    }
    return values;
  }

  std::string attribute(const char* name) {
    Handle attribute(H5Aopen(file_, name, H5P_DEFAULT), H5Aclose, fmt::format("read attribute {} of the result file", name));
    char* pointer = nullptr;
    need(H5Aread(attribute, text_, &pointer), fmt::format("read attribute {}", name));
    std::string value = pointer ? pointer : "";
    H5free_memory(pointer);
    return value;
  }

  Handle group(const std::string& name) {
    return {H5Gopen2(file_, name.c_str(), H5P_DEFAULT), H5Gclose, "read group " + name + " of the result file"};
  }

  static std::vector<std::string> members(hid_t group) {  // in the order they were written
    std::vector<std::string> names;
    auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
      static_cast<std::vector<std::string>*>(list)->emplace_back(name);
      return 0;
    };
    need(H5Literate(group, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add, &names), "list a group of the result file");
    return names;
  }

 private:
  static hsize_t size(hid_t set, const std::string& name) {
    Handle space(H5Dget_space(set), H5Sclose, "read " + name);
    return static_cast<hsize_t>(H5Sget_simple_extent_npoints(space));
  }
  Handle file_, text_;
};

constexpr const char* attributes[] = {"model_name", "model_file", "model", "parameters", "overrides", "command", "scheme", "options", "version", "summary"};

std::vector<std::string*> attribute_fields(Result& r) {
  return {&r.model_name, &r.model_file, &r.model_text, &r.parameters, &r.overrides, &r.command, &r.scheme, &r.options, &r.version, &r.summary};
}

void write_columns(Hdf5Writer& file, const std::string& group, const std::vector<Column>& columns) {
  file.group(group);
  for (const Column& column : columns) file.numbers(group + "/" + column.name, column.values);
}

std::vector<Column> read_columns(Reader& file, const std::string& group) {
  std::vector<Column> columns;
  const Handle place = file.group(group);
  for (const std::string& name : Reader::members(place)) columns.push_back({name, file.numbers(place, name)});
  return columns;
}

void write_all(const Result& r, Hdf5Writer& file) {
  file.numbers("/time", r.time);
  write_columns(file, "/q", r.q);
  write_columns(file, "/v", r.v);
  write_columns(file, "/lambda", r.lambda);
  write_columns(file, "/outputs", r.outputs);
  file.group("/contacts");
  for (const ContactColumns& c : r.contacts) {
    const std::string group = "/contacts/" + c.name;
    file.group(group);
    file.numbers(group + "/gap", c.gap);
    file.numbers(group + "/gap_rate", c.gap_rate);
    file.numbers(group + "/force", c.force);
    file.numbers(group + "/slip", c.slip);
  }
  write_columns(file, "/energy", {{"kinetic", r.kinetic}, {"potential", r.potential}, {"total", r.total}});
  write_columns(file, "/drift", {{"position", r.drift_position}, {"velocity", r.drift_velocity}});
  file.group("/events");
  file.numbers("/events/time", r.events.time);
  file.texts("/events/contact", r.events.contact);
  file.texts("/events/kind", r.events.kind);
  file.numbers("/events/velocity_before", r.events.velocity_before);
  file.numbers("/events/velocity_after", r.events.velocity_after);
  file.numbers("/events/impulse", r.events.impulse);
  file.texts("/events/note", r.events.note);
  file.group("/steps");
  file.numbers("/steps/time", r.steps.time);
  file.numbers("/steps/size", r.steps.size);
  file.numbers("/steps/newton_iterations", r.steps.newton_iterations);
  file.numbers("/steps/error", r.steps.error);
  file.numbers("/steps/rejected", r.steps.rejected);
  const double stride = static_cast<double>(r.steps.stride);
  file.numbers("/steps/stride", std::span(&stride, 1));
  if (!r.checkpoint.empty()) file.numbers("/checkpoint", r.checkpoint);
  const std::vector<std::string*> fields = attribute_fields(const_cast<Result&>(r));
  for (std::size_t i = 0; i < fields.size(); ++i) file.attribute(attributes[i], *fields[i]);
}

// under another name first, then renamed
template <class Write>
void write_whole(const fs::path& path, Write write) {
  const fs::path draft = path.string() + fmt::format(".{}.part", getpid());
  bool written = false;
  try {
    Hdf5Writer file(draft);
    write(file);
    written = file.close();
  } catch (...) {
    std::remove(draft.c_str());
    throw;
  }
  std::error_code error;
  if (written) fs::rename(draft, path, error);
  if (written && !error) return;
  std::remove(draft.c_str());
  throw ResultError(fmt::format("cannot write {}{}", path.string(), error ? ": " + error.message() : ""));
}

}  // namespace

void write_result(const Result& result, const fs::path& path) {
  write_whole(path, [&](Hdf5Writer& file) { write_all(result, file); });
}

void write_table(const ResultTable& table, const fs::path& path) {
  write_whole(path, [&](Hdf5Writer& file) {
    for (const std::string& group : table.groups) file.group("/" + group);
    for (const Column& column : table.numbers) file.numbers("/" + column.name, column.values);
    for (const ResultTable::Texts& column : table.texts) file.texts("/" + column.name, column.values);
    for (const auto& [name, value] : table.attributes) file.attribute(name, value);
  });
}

Result read_result(const fs::path& path) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (!fs::exists(path)) throw ResultError(fmt::format("{}: there is no such file", path.string()));
  Reader file(path);
  Result r;
  r.time = file.numbers("/time");
  r.q = read_columns(file, "/q");
  r.v = read_columns(file, "/v");
  r.lambda = read_columns(file, "/lambda");
  r.outputs = read_columns(file, "/outputs");
  for (const std::string& name : Reader::members(file.group("/contacts"))) {
    const Handle group = file.group("/contacts/" + name);
    r.contacts.push_back({name, file.numbers(group, "gap"), file.numbers(group, "gap_rate"), file.numbers(group, "force"), file.numbers(group, "slip")});
  }
  r.kinetic = file.numbers("/energy/kinetic");
  r.potential = file.numbers("/energy/potential");
  r.total = file.numbers("/energy/total");
  r.drift_position = file.numbers("/drift/position");
  r.drift_velocity = file.numbers("/drift/velocity");
  r.events = {file.numbers("/events/time"), file.numbers("/events/velocity_before"), file.numbers("/events/velocity_after"),
              file.numbers("/events/impulse"), file.texts("/events/contact"), file.texts("/events/kind"), file.texts("/events/note")};
  r.steps = {file.numbers("/steps/time"), file.numbers("/steps/size"), file.numbers("/steps/newton_iterations"),
             file.numbers("/steps/error"), file.numbers("/steps/rejected"), static_cast<long>(file.numbers("/steps/stride").at(0))};
  if (file.has("/checkpoint")) r.checkpoint = file.numbers("/checkpoint");
  const std::vector<std::string*> fields = attribute_fields(r);
  for (std::size_t i = 0; i < fields.size(); ++i) *fields[i] = file.attribute(attributes[i]);
  return r;
}

void write_csv(const Result& r, const fs::path& path) {
  std::vector<std::pair<std::string, const std::vector<double>*>> columns{{"time", &r.time}};
  auto add = [&](const std::string& prefix, const std::vector<Column>& group) {
    for (const Column& c : group) columns.emplace_back(prefix + c.name, &c.values);
  };
  add("", r.q);
  add("rate.", r.v);
  add("lambda.", r.lambda);
  for (const ContactColumns& c : r.contacts) {
    columns.emplace_back("contacts." + c.name + ".gap", &c.gap);
    columns.emplace_back("contacts." + c.name + ".gap_rate", &c.gap_rate);
    columns.emplace_back("contacts." + c.name + ".force", &c.force);
    if (!c.slip.empty()) columns.emplace_back("contacts." + c.name + ".slip", &c.slip);
  }
  columns.insert(columns.end(), {{"energy.kinetic", &r.kinetic}, {"energy.potential", &r.potential}, {"energy.total", &r.total},
                                 {"drift.position", &r.drift_position}, {"drift.velocity", &r.drift_velocity}});
  add("outputs.", r.outputs);

  std::ofstream out(path);
  std::string line;
  for (const auto& column : columns) line += (line.empty() ? "" : ",") + column.first;
  out << line << '\n';
  for (std::size_t i = 0; i < r.time.size(); ++i) {
    line.clear();
    for (const auto& column : columns) fmt::format_to(std::back_inserter(line), "{}{:.17g}", line.empty() ? "" : ",", (*column.second)[i]);
    out << line << '\n';
  }
  out.flush();
  if (!out) throw ResultError(fmt::format("cannot write {}", path.string()));
}

}  // namespace escapement
