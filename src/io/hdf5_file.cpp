#include "io/hdf5_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

namespace escapement::inline io {

namespace {

namespace fs = std::filesystem;

static_assert(std::is_same_v<hid_t, std::int64_t>);

constexpr std::size_t chunk_numbers = 2048;         // 16 KB, so that short runs stay small
constexpr std::size_t most_chunk_columns = 8192;    // of wide tables
constexpr std::size_t most_text_width = 1u << 24;   // of a list; attributes may be longer
constexpr double best_compression = 1100;           // deflate: at most 1032 to 1, and something for the format
constexpr unsigned compression = 1;  // of zlib: what stays from row to row shrinks as well, in half the time
constexpr unsigned most_listed = 64;                // links and attributes of one object

constexpr const char* unwritable = "the HDF5 library cannot write it";

// why a call failed, as far as the system said
[[noreturn]] void fail(const std::string& what) {
  const int reason = errno;
  if (reason == 0) throw Hdf5Error(what);
  throw Hdf5Error(what == unwritable ? std::strerror(reason) : fmt::format("{}: {}", what, std::strerror(reason)));
}

template <class Result>
Result need(Result result, const char* what) {
  if (result < 0) fail(what);
  return result;
}

}  // namespace

class Hdf5File::Handle {
 public:
  Handle(hid_t id, herr_t (*close_it)(hid_t), const char* what) : id_(id), close_(close_it) { need(id, what); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void close(const char* what) { need(close_(std::exchange(id_, -1)), what); }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

namespace {

void start_library() {
  // every file is closed by its object; at the end of the process the library would stumble over one that could not be written
  static const bool started = [] { return H5dont_atexit() >= 0 && H5open() >= 0; }();
  if (!started) throw Hdf5Error("the HDF5 library does not start");
  H5PLset_loading_state(0);  // no code that a file asks for
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// properties, which take long to make
template <class Set>
hid_t made_once(hid_t kind, Set set) {
  static const hid_t properties = [&] {
    const hid_t made = need(H5Pcreate(kind), "no properties");
    set(made);
    return made;
  }();
  return properties;
}

hid_t file_access() {
  return made_once(H5P_FILE_ACCESS, [](hid_t access) {
    // every piece of the newer format has a checksum; other programs may read while nobody writes
    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    H5Pset_file_locking(access, false, true);
  });
}

// what they hold is listed in their own header, where nothing has to be looked up
void keep_lists_short(hid_t properties) {
  H5Pset_link_phase_change(properties, most_listed, 0);
  H5Pset_attr_phase_change(properties, most_listed, 0);
}
hid_t of_files() {
  return made_once(H5P_FILE_CREATE, [](hid_t properties) { keep_lists_short(properties); });
}
hid_t of_groups() {
  return made_once(H5P_GROUP_CREATE, [](hid_t properties) { keep_lists_short(properties); });
}

// the same result, the same bytes
void leave_out_times(hid_t properties) { H5Pset_obj_track_times(properties, false); }
hid_t of_sets_in_one_piece() {
  return made_once(H5P_DATASET_CREATE, [](hid_t properties) { leave_out_times(properties); });
}

bool is_plain(hid_t group, const char* link) {
  H5L_info_t info;
  return group >= 0 && H5Lget_info(group, link, &info, H5P_DEFAULT) >= 0 && info.type == H5L_TYPE_HARD;
}

}  // namespace

// one that is open
struct Hdf5File::Set {
  std::string path;
  Handle id, type;
  H5T_class_t kind;
  std::size_t width;  // of an entry, in bytes
  Shape shape;

  bool is(H5T_class_t wanted, std::size_t bytes) const { return kind == wanted && width == bytes; }
  void read(hid_t as, void* out) const {
    if (shape.numbers() > 0 && H5Dread(id, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) fail(fmt::format("'{}' is damaged", path));
  }
};

Hdf5File::Hdf5File(const fs::path& path, Mode mode) {
  start_library();
  errno = 0;
  if (mode == Mode::create) {
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, of_files(), file_access());
  } else {
    std::error_code error;
    file_size_ = fs::file_size(path, error);
    file_ = H5Fopen(path.c_str(), mode == Mode::change ? H5F_ACC_RDWR : H5F_ACC_RDONLY, file_access());
  }
  if (file_ < 0) fail(mode == Mode::read ? "it is damaged" : unwritable);
}

Hdf5File::~Hdf5File() {
  tables_.clear();
  if (file_ >= 0) H5Fclose(file_);  // with its groups
}

void Hdf5File::close() {
  errno = 0;
  tables_.clear();
  const herr_t flushed = H5Fflush(file_, H5F_SCOPE_GLOBAL);
  const int reason = errno;
  const herr_t closed = H5Fclose(std::exchange(file_, -1));
  if (flushed < 0) errno = reason;
  if (flushed < 0 || closed < 0) fail(unwritable);
}

// --- places

// links that lead elsewhere are not followed
Hdf5File::Id Hdf5File::group(const std::string& path) const {
  for (const auto& [known, id] : groups_)
    if (known == path) return id;
  const auto [parent, name] = place(path);
  const Id id = is_plain(parent, name) ? H5Gopen2(parent, name, H5P_DEFAULT) : -1;
  if (id >= 0) groups_.emplace_back(path, id);
  return id;
}

Hdf5File::Place Hdf5File::place(const std::string& path) const {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {file_, path.c_str()};
  return {group(path.substr(0, slash)), path.c_str() + slash + 1};
}

Hdf5File::Place Hdf5File::place_of_attribute(const std::string& attribute) const {
  const std::size_t colon = attribute.find(':');
  if (colon == std::string::npos) return {file_, attribute.c_str()};
  return {group(attribute.substr(0, colon)), attribute.c_str() + colon + 1};
}

bool Hdf5File::has(const std::string& path) const {
  const auto [parent, name] = place(path);
  return parent >= 0 && H5Lexists(parent, name, H5P_DEFAULT) > 0;
}

bool Hdf5File::has_attribute(const std::string& attribute) const {
  const auto [object, name] = place_of_attribute(attribute);
  return object >= 0 && H5Aexists(object, name) > 0;
}

Hdf5File::Set Hdf5File::open(const std::string& path) const {
  errno = 0;
  const auto [parent, name] = place(path);
  if (!is_plain(parent, name)) throw Hdf5Error(fmt::format("it has no '{}'", path));
  const std::string damaged = fmt::format("'{}' is damaged", path);
  Handle id(H5Dopen2(parent, name, H5P_DEFAULT), H5Dclose, damaged.c_str());
  Handle type(H5Dget_type(id), H5Tclose, damaged.c_str());
  const Handle space(H5Dget_space(id), H5Sclose, damaged.c_str());
  const int rank = H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 1};
  if ((rank != 1 && rank != 2) || H5Sget_simple_extent_type(space) != H5S_SIMPLE || H5Sget_simple_extent_dims(space, size, nullptr) != rank)
    throw Hdf5Error(fmt::format("'{}' is no table", path));
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t width = H5Tget_size(type);
  return {path, std::move(id), std::move(type), kind, width, {size[0], size[1], rank == 1}};
}

// What is said to be there must fit into the file
Hdf5File::Set Hdf5File::open_whole(const std::string& path) const {
  Set set = open(path);
  if (set.shape.numbers() == 0) return set;
  if (set.shape.columns > SIZE_MAX / set.shape.rows / set.width) throw Hdf5Error(fmt::format("'{}' is damaged", path));
  const double bytes = static_cast<double>(set.shape.numbers()) * static_cast<double>(set.width);
  if (const haddr_t at = H5Dget_offset(set.id); at != HADDR_UNDEF) {  // in one piece
    if (static_cast<double>(at) + bytes <= static_cast<double>(file_size_)) return set;
    throw Hdf5Error(fmt::format("'{}' is incomplete", path));
  }
  const Handle properties(H5Dget_create_plist(set.id), H5Pclose, "it is damaged");
  if (H5Pget_external_count(properties) != 0 || H5Pget_layout(properties) == H5D_VIRTUAL)
    throw Hdf5Error(fmt::format("'{}' is kept in another file", path));
  const double kept = static_cast<double>(H5Dget_storage_size(set.id));
  if (kept > static_cast<double>(file_size_) || bytes > best_compression * kept) throw Hdf5Error(fmt::format("'{}' is incomplete", path));
  return set;
}

const Hdf5File::Set& Hdf5File::table(const std::string& path) const {
  std::unique_ptr<Set>& set = tables_[path];
  if (!set) set = std::make_unique<Set>(open_whole(path));
  if (!set->is(H5T_FLOAT, sizeof(double))) throw Hdf5Error(fmt::format("'{}' does not hold numbers", path));
  return *set;
}

// --- writing

void Hdf5File::add_group(const std::string& path) {
  errno = 0;
  const auto [parent, name] = place(path);
  groups_.emplace_back(path, need(H5Gcreate2(parent, name, H5P_DEFAULT, of_groups(), H5P_DEFAULT), unwritable));
}

Hdf5File::Handle Hdf5File::text_type(std::size_t width) const {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "no text type");
  need(H5Tset_size(type, std::max<std::size_t>(width, 1)), "no text type");
  need(H5Tset_strpad(type, H5T_STR_NULLPAD), "no text type");
  need(H5Tset_cset(type, H5T_CSET_UTF8), "no text type");
  return type;
}

// how a data set is kept in chunks of a few rows
Hdf5File::Handle Hdf5File::chunks(const Shape& shape, std::size_t width, Storage way) const {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no storage");
  leave_out_times(properties);
  const std::size_t across = (shape.columns + most_chunk_columns - 1) / most_chunk_columns;  // chunks
  const std::size_t columns = std::max<std::size_t>(1, across ? (shape.columns + across - 1) / across : 0);
  std::size_t rows = std::max<std::size_t>(1, chunk_numbers * sizeof(double) / (columns * width));
  if (way == Storage::compressed) rows = std::min(4 * rows, std::max<std::size_t>(shape.rows, 1));
  const hsize_t chunk[2] = {rows, columns};
  need(H5Pset_chunk(properties, shape.flat ? 1 : 2, chunk), "no chunks");
  if (way == Storage::compressed) {
    need(H5Pset_shuffle(properties), "no compression");
    need(H5Pset_deflate(properties, compression), "no compression");
  }
  return properties;
}

void Hdf5File::add(const std::string& path, const Shape& shape, Type type, std::size_t width, Storage way, const void* values) {
  errno = 0;
  if (shape.numbers() == 0 && way == Storage::compressed) way = Storage::plain;
  const bool grows = way == Storage::growing;
  const hsize_t size[2] = {shape.rows, shape.columns};
  const hsize_t most[2] = {grows ? H5S_UNLIMITED : shape.rows, grows ? std::max<std::size_t>(shape.columns, 1) : shape.columns};
  const Handle space(H5Screate_simple(shape.flat ? 1 : 2, size, most), H5Sclose, "no space");
  std::optional<Handle> in_chunks;
  if (way != Storage::plain) in_chunks.emplace(chunks(shape, width, way));
  const auto [parent, name] = place(path);
  Handle set(H5Dcreate2(parent, name, type.stored, space, H5P_DEFAULT, in_chunks ? *in_chunks : of_sets_in_one_piece(), H5P_DEFAULT), H5Dclose, unwritable);
  if (values) need(H5Dwrite(set, type.in_memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), unwritable);
  set.close(unwritable);
}

void Hdf5File::add_numbers(const std::string& path, Shape shape, std::span<const double> values, Storage way) {
  add(path, shape, {H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE}, sizeof(double), way, values.empty() ? nullptr : values.data());
}

void Hdf5File::add_counts(const std::string& path, std::span<const std::uint64_t> values, Storage way) {
  add(path, {values.size(), 1, true}, {H5T_STD_U64LE, H5T_NATIVE_UINT64}, sizeof(std::uint64_t), way, values.empty() ? nullptr : values.data());
}

namespace {

// texts side by side, each as wide as the widest may be
std::string padded(std::span<const std::string> values, std::size_t width) {
  std::string text(values.size() * width, '\0');
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(text.data() + i * width, values[i].data(), std::min(width, values[i].size()));
  return text;
}

}  // namespace

void Hdf5File::add_texts(const std::string& path, std::span<const std::string> values, Storage way, std::size_t width) {
  for (const std::string& value : values) width = std::max(width, value.size());
  width = std::max<std::size_t>(width, 1);
  const Handle type = text_type(width);
  add(path, {values.size(), 1, true}, {type, type}, width, way, values.empty() ? nullptr : padded(values, width).data());
}

// made anew each time: the library cannot change attributes of objects that have many
void Hdf5File::set_attribute(const std::string& attribute, Id type, const void* value) {
  errno = 0;
  const auto [object, name] = place_of_attribute(attribute);
  if (H5Aexists(object, name) > 0) need(H5Adelete(object, name), unwritable);
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose, unwritable);
  Handle place(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, unwritable);
  need(H5Awrite(place, type, value), unwritable);
  place.close(unwritable);
}

void Hdf5File::set_text(const std::string& attribute, const std::string& value) {
  set_attribute(attribute, text_type(value.size()), value.c_str());
}

void Hdf5File::set_number(const std::string& attribute, std::uint64_t value) { set_attribute(attribute, H5T_STD_U64LE, &value); }

void Hdf5File::remove(const std::string& path) {
  errno = 0;
  const auto [parent, name] = place(path);
  need(H5Ldelete(parent, name, H5P_DEFAULT), unwritable);
}

// writes behind the first so many rows
void Hdf5File::append(Set set, Id type, std::size_t rows, std::size_t more, const void* values) {
  const int rank = set.shape.flat ? 1 : 2;
  const hsize_t size[2] = {rows + more, set.shape.columns}, first[2] = {rows, 0}, count[2] = {more, set.shape.columns};
  tables_.erase(set.path);
  need(H5Dset_extent(set.id, size), unwritable);
  if (more > 0 && set.shape.columns > 0) {
    const Handle space(H5Dget_space(set.id), H5Sclose, unwritable), memory(H5Screate_simple(rank, count, nullptr), H5Sclose, unwritable);
    need(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr), unwritable);
    need(H5Dwrite(set.id, type, memory, space, H5P_DEFAULT, values), unwritable);
  }
  set.id.close(unwritable);
}

void Hdf5File::append_numbers(const std::string& path, std::size_t rows, std::size_t more, std::span<const double> values) {
  Set set = open(path);
  if (!set.is(H5T_FLOAT, sizeof(double)) || values.size() != more * set.shape.columns) throw Hdf5Error(fmt::format("'{}' has other columns", path));
  append(std::move(set), H5T_NATIVE_DOUBLE, rows, more, values.data());
}

void Hdf5File::append_counts(const std::string& path, std::size_t rows, std::span<const std::uint64_t> values) {
  append(open(path), H5T_NATIVE_UINT64, rows, values.size(), values.data());
}

void Hdf5File::append_texts(const std::string& path, std::size_t rows, std::span<const std::string> values) {
  Set set = open(path);
  const std::string text = padded(values, set.width);
  const Id type = set.type;
  append(std::move(set), type, rows, values.size(), text.data());
}

// --- reading

Hdf5File::Shape Hdf5File::shape(const std::string& path) const { return table(path).shape; }

std::vector<double> Hdf5File::numbers(const std::string& path) const {
  const Set set = open_whole(path);
  if (!set.is(H5T_FLOAT, sizeof(double))) throw Hdf5Error(fmt::format("'{}' does not hold numbers", path));
  std::vector<double> values(set.shape.numbers());
  set.read(H5T_NATIVE_DOUBLE, values.data());
  return values;
}

std::vector<std::uint64_t> Hdf5File::counts(const std::string& path) const {
  const Set set = open_whole(path);
  if (!set.is(H5T_INTEGER, sizeof(std::uint64_t)) || !set.shape.flat) throw Hdf5Error(fmt::format("'{}' does not hold whole numbers", path));
  std::vector<std::uint64_t> values(set.shape.rows);
  set.read(H5T_NATIVE_UINT64, values.data());
  return values;
}

void Hdf5File::read_rows(const std::string& path, std::size_t first, std::size_t rows, double* out) const {
  const Set& set = table(path);
  if (rows == 0 || set.shape.columns == 0) return;
  errno = 0;
  if (rows == set.shape.rows) return set.read(H5T_NATIVE_DOUBLE, out);
  const std::string damaged = fmt::format("'{}' is damaged", path);
  const Handle space(H5Dget_space(set.id), H5Sclose, damaged.c_str());
  const hsize_t from[2] = {first, 0}, count[2] = {rows, set.shape.columns};
  const Handle memory(H5Screate_simple(set.shape.flat ? 1 : 2, count, nullptr), H5Sclose, damaged.c_str());
  need(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, count, nullptr), damaged.c_str());
  need(H5Dread(set.id, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out), damaged.c_str());
}

namespace {

bool is_text(hid_t type) { return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0; }

}  // namespace

std::vector<std::string> Hdf5File::texts(const std::string& path) const {
  const Set set = open_whole(path);
  if (!is_text(set.type) || !set.shape.flat || set.width > most_text_width) throw Hdf5Error(fmt::format("'{}' does not hold texts", path));
  const auto all = std::make_unique_for_overwrite<char[]>(set.shape.rows * set.width);
  set.read(set.type, all.get());
  std::vector<std::string> values;
  values.reserve(set.shape.rows);
  const char* text = all.get();
  for (std::size_t i = 0; i < set.shape.rows; ++i, text += set.width) {
    std::size_t size = set.width;
    while (size > 0 && text[size - 1] == '\0') --size;
    values.emplace_back(text, size);
  }
  return values;
}

std::size_t Hdf5File::text_width(const std::string& path) const { return open(path).width; }

// an attribute that is to be read, and what is said of it where it cannot be
struct Hdf5File::Attribute {
  Attribute(const Hdf5File& file, const std::string& path) : damaged(fmt::format("'{}' is damaged", path)) {
    errno = 0;
    if (!file.has_attribute(path)) throw Hdf5Error(fmt::format("it has no '{}'", path));
    const auto [object, name] = file.place_of_attribute(path);
    place.emplace(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, damaged.c_str());
    type.emplace(H5Aget_type(*place), H5Tclose, damaged.c_str());
    const Handle space(H5Aget_space(*place), H5Sclose, damaged.c_str());
    if (H5Sget_simple_extent_npoints(space) != 1) throw Hdf5Error(damaged);
  }
  std::string damaged;
  std::optional<Handle> place, type;
};

std::string Hdf5File::text(const std::string& attribute) const {
  const Attribute one(*this, attribute);
  const std::size_t width = H5Tget_size(*one.type);
  if (!is_text(*one.type) || width > file_size_) throw Hdf5Error(one.damaged);
  std::string value(width, '\0');
  need(H5Aread(*one.place, *one.type, value.data()), one.damaged.c_str());
  value.resize(value.find_last_not_of('\0') + 1);
  return value;
}

std::uint64_t Hdf5File::number(const std::string& attribute) const {
  const Attribute one(*this, attribute);
  if (H5Tget_class(*one.type) != H5T_INTEGER) throw Hdf5Error(one.damaged);
  std::uint64_t value = 0;
  need(H5Aread(*one.place, H5T_NATIVE_UINT64, &value), one.damaged.c_str());
  return value;
}

}  // namespace escapement
