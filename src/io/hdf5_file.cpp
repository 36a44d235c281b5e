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

bool hard_link(hid_t file, const std::string& path) {
  H5L_info_t info;
  return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0 && H5Lget_info(file, path.c_str(), &info, H5P_DEFAULT) >= 0 &&
         info.type == H5L_TYPE_HARD;
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

}  // namespace

Hdf5File::Hdf5File(const fs::path& path, Mode mode) {
  start_library();
  errno = 0;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "no access");
  // every piece of the newer format has a checksum; other programs may read while nobody writes
  H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  H5Pset_file_locking(access, false, true);
  if (mode == Mode::create) {
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  } else {
    std::error_code error;
    file_size_ = fs::file_size(path, error);
    file_ = H5Fopen(path.c_str(), mode == Mode::change ? H5F_ACC_RDWR : H5F_ACC_RDONLY, access);
  }
  if (file_ < 0) fail(mode == Mode::read ? "it is damaged" : unwritable);
}

Hdf5File::~Hdf5File() {
  if (file_ >= 0) H5Fclose(file_);
}

void Hdf5File::close() {
  errno = 0;
  const herr_t flushed = H5Fflush(file_, H5F_SCOPE_GLOBAL);
  const int reason = errno;
  const herr_t closed = H5Fclose(std::exchange(file_, -1));
  if (flushed < 0) errno = reason;
  if (flushed < 0 || closed < 0) fail(unwritable);
}

void Hdf5File::add_group(const std::string& path) {
  errno = 0;
  Handle(H5Gcreate2(file_, path.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, unwritable);
}

Hdf5File::Handle Hdf5File::text_type(std::size_t width) const {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "no text type");
  need(H5Tset_size(type, std::max<std::size_t>(width, 1)), "no text type");
  need(H5Tset_strpad(type, H5T_STR_NULLPAD), "no text type");
  need(H5Tset_cset(type, H5T_CSET_UTF8), "no text type");
  return type;
}

// how a data set is kept: in one piece, or in chunks of a few rows
Hdf5File::Handle Hdf5File::storage(const Shape& shape, std::size_t width, Storage way) const {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "no storage");
  H5Pset_obj_track_times(properties, false);  // the same result, the same bytes
  if (way == Storage::plain) return properties;
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

void Hdf5File::add_numbers(const std::string& path, Shape shape, std::span<const double> values, Storage way) {
  errno = 0;
  if (way == Storage::compressed && shape.numbers() == 0) way = Storage::plain;
  const hsize_t size[2] = {shape.rows, shape.columns};
  const hsize_t most[2] = {way == Storage::growing ? H5S_UNLIMITED : shape.rows,
                           way == Storage::growing ? std::max<std::size_t>(shape.columns, 1) : shape.columns};
  const Handle space(H5Screate_simple(shape.flat ? 1 : 2, size, most), H5Sclose, "no space");
  const Handle properties = storage(shape, sizeof(double), way);
  Handle set(H5Dcreate2(file_, path.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose,
             unwritable);
  if (!values.empty()) need(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), unwritable);
  set.close(unwritable);
}

void Hdf5File::add_counts(const std::string& path, std::span<const std::uint64_t> values, Storage way) {
  errno = 0;
  if (way == Storage::compressed && values.empty()) way = Storage::plain;
  const hsize_t size = values.size(), most = way == Storage::growing ? H5S_UNLIMITED : size;
  const Handle space(H5Screate_simple(1, &size, &most), H5Sclose, "no space");
  const Handle properties = storage({values.size(), 1, true}, sizeof(std::uint64_t), way);
  Handle set(H5Dcreate2(file_, path.c_str(), H5T_STD_U64LE, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose, unwritable);
  if (!values.empty()) need(H5Dwrite(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), unwritable);
  set.close(unwritable);
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
  errno = 0;
  for (const std::string& value : values) width = std::max(width, value.size());
  width = std::max<std::size_t>(width, 1);
  if (way == Storage::compressed && values.empty()) way = Storage::plain;
  const Handle type = text_type(width);
  const hsize_t size = values.size(), most = way == Storage::growing ? H5S_UNLIMITED : size;
  const Handle space(H5Screate_simple(1, &size, &most), H5Sclose, "no space");
  const Handle properties = storage({values.size(), 1, true}, width, way);
  Handle set(H5Dcreate2(file_, path.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose, unwritable);
  if (!values.empty()) need(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, padded(values, width).data()), unwritable);
  set.close(unwritable);
}

namespace {

// "steps:stride": the attribute stride of the group steps
std::pair<std::string, std::string> place_of(const std::string& attribute) {
  const std::size_t colon = attribute.find(':');
  if (colon == std::string::npos) return {".", attribute};
  return {attribute.substr(0, colon), attribute.substr(colon + 1)};
}

}  // namespace

namespace {

// made anew each time: the library cannot change attributes of objects that have many
void set_attribute(hid_t file, const std::string& attribute, hid_t type, const void* value) {
  errno = 0;
  const auto [object, name] = place_of(attribute);
  if (H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) > 0)
    need(H5Adelete_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT), unwritable);
  const hid_t space = need(H5Screate(H5S_SCALAR), unwritable);
  const hid_t place = H5Acreate_by_name(file, object.c_str(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Sclose(space);
  need(place, unwritable);
  const bool written = H5Awrite(place, type, value) >= 0;
  const int reason = errno;
  const bool closed = H5Aclose(place) >= 0;
  if (!written) errno = reason;
  if (!written || !closed) fail(unwritable);
}

}  // namespace

void Hdf5File::set_text(const std::string& attribute, const std::string& value) {
  set_attribute(file_, attribute, text_type(value.size()), value.c_str());
}

void Hdf5File::set_number(const std::string& attribute, std::uint64_t value) { set_attribute(file_, attribute, H5T_STD_U64LE, &value); }

void Hdf5File::remove(const std::string& path) {
  errno = 0;
  need(H5Ldelete(file_, path.c_str(), H5P_DEFAULT), unwritable);
}

namespace {

// writes behind the first so many rows
void append(hid_t set, hid_t type, std::size_t rows, std::size_t more, const void* data) {
  hsize_t size[2] = {0, 0};
  const hid_t before = need(H5Dget_space(set), unwritable);
  const int rank = H5Sget_simple_extent_ndims(before);
  if (rank >= 1 && rank <= 2) H5Sget_simple_extent_dims(before, size, nullptr);
  H5Sclose(before);
  if (rank < 1 || rank > 2) fail("it is damaged");
  size[0] = rows + more;
  need(H5Dset_extent(set, size), unwritable);
  if (more == 0 || (rank == 2 && size[1] == 0)) return;
  const hid_t space = need(H5Dget_space(set), unwritable);
  const hsize_t first[2] = {rows, 0}, count[2] = {more, size[1]};
  const hid_t memory = H5Screate_simple(rank, count, nullptr);
  const bool written = H5Sselect_hyperslab(space, H5S_SELECT_SET, first, nullptr, count, nullptr) >= 0 &&
                       H5Dwrite(set, type, memory, space, H5P_DEFAULT, data) >= 0;
  const int reason = errno;
  H5Sclose(memory);
  H5Sclose(space);
  errno = reason;
  if (!written) fail(unwritable);
}

}  // namespace

void Hdf5File::append_numbers(const std::string& path, std::size_t rows, std::size_t more, std::span<const double> values) {
  const Shape before = shape(path);
  if (values.size() != more * before.columns) throw Hdf5Error(fmt::format("'{}' has other columns", path));
  errno = 0;
  Handle set = open(path);
  append(set, H5T_NATIVE_DOUBLE, rows, more, values.data());
  set.close(unwritable);
}

void Hdf5File::append_counts(const std::string& path, std::size_t rows, std::span<const std::uint64_t> values) {
  errno = 0;
  Handle set = open(path);
  append(set, H5T_NATIVE_UINT64, rows, values.size(), values.data());
  set.close(unwritable);
}

void Hdf5File::append_texts(const std::string& path, std::size_t rows, std::span<const std::string> values) {
  errno = 0;
  Handle set = open(path);
  const Handle type(H5Dget_type(set), H5Tclose, unwritable);
  append(set, type, rows, values.size(), padded(values, H5Tget_size(type)).data());
  set.close(unwritable);
}

bool Hdf5File::has(const std::string& path) const { return H5Lexists(file_, path.c_str(), H5P_DEFAULT) > 0; }

bool Hdf5File::is_group(const std::string& path) const {
  if (!hard_link(file_, path)) return false;
  H5O_info_t info;
  return H5Oget_info_by_name2(file_, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 && info.type == H5O_TYPE_GROUP;
}

bool Hdf5File::has_attribute(const std::string& attribute) const {
  const auto [object, name] = place_of(attribute);
  if (object != "." && !is_group(object)) return false;
  return H5Aexists_by_name(file_, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
}

// links that lead elsewhere are not followed, nor is data taken from other files
Hdf5File::Handle Hdf5File::open(const std::string& path) const {
  errno = 0;
  for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
    if (!is_group(path.substr(0, slash))) throw Hdf5Error(fmt::format("it has no '{}'", path));
  if (!hard_link(file_, path)) throw Hdf5Error(fmt::format("it has no '{}'", path));
  const std::string damaged = fmt::format("'{}' is damaged", path);
  Handle set(H5Dopen2(file_, path.c_str(), H5P_DEFAULT), H5Dclose, damaged.c_str());
  const Handle properties(H5Dget_create_plist(set), H5Pclose, damaged.c_str());
  if (H5Pget_external_count(properties) != 0 || H5Pget_layout(properties) == H5D_VIRTUAL)
    throw Hdf5Error(fmt::format("'{}' is kept in another file", path));
  return set;
}

namespace {

Hdf5File::Shape shape_of(hid_t set, const std::string& path) {
  const hid_t space = need(H5Dget_space(set), "it is damaged");
  const int rank = H5Sget_simple_extent_ndims(space);
  hsize_t size[2] = {0, 1};
  const bool good = (rank == 1 || rank == 2) && H5Sget_simple_extent_type(space) == H5S_SIMPLE && H5Sget_simple_extent_dims(space, size, nullptr) == rank;
  H5Sclose(space);
  if (!good) throw Hdf5Error(fmt::format("'{}' is no table", path));
  return {size[0], size[1], rank == 1};
}

// what is said to be there must fit into the file
void check_size(hid_t set, const Hdf5File::Shape& shape, std::size_t width, std::uint64_t file_size, const std::string& path) {
  if (shape.columns > 0 && shape.rows > SIZE_MAX / shape.columns / width) throw Hdf5Error(fmt::format("'{}' is damaged", path));
  const double bytes = static_cast<double>(shape.rows) * static_cast<double>(shape.columns) * static_cast<double>(width);
  const double kept = static_cast<double>(H5Dget_storage_size(set));
  if (kept > static_cast<double>(file_size) || bytes > best_compression * kept) throw Hdf5Error(fmt::format("'{}' is incomplete", path));
}

}  // namespace

Hdf5File::Shape Hdf5File::shape(const std::string& path) const {
  const Handle set = open(path), type(H5Dget_type(set), H5Tclose, "it is damaged");
  if (H5Tget_class(type) != H5T_FLOAT || H5Tget_size(type) != sizeof(double)) throw Hdf5Error(fmt::format("'{}' does not hold numbers", path));
  return shape_of(set, path);
}

std::vector<double> Hdf5File::numbers(const std::string& path) const {
  const Shape size = shape(path);
  const Handle set = open(path);
  check_size(set, size, sizeof(double), file_size_, path);
  std::vector<double> values(size.numbers());
  if (!values.empty()) need(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), fmt::format("'{}' is damaged", path).c_str());
  return values;
}

std::vector<std::uint64_t> Hdf5File::counts(const std::string& path) const {
  const Handle set = open(path), type(H5Dget_type(set), H5Tclose, "it is damaged");
  const Shape size = shape_of(set, path);
  if (H5Tget_class(type) != H5T_INTEGER || H5Tget_size(type) != sizeof(std::uint64_t) || !size.flat)
    throw Hdf5Error(fmt::format("'{}' does not hold whole numbers", path));
  check_size(set, size, sizeof(std::uint64_t), file_size_, path);
  std::vector<std::uint64_t> values(size.rows);
  if (!values.empty()) need(H5Dread(set, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), fmt::format("'{}' is damaged", path).c_str());
  return values;
}

void Hdf5File::read_rows(const std::string& path, std::size_t first, std::size_t rows, double* out) const {
  const Shape size = shape(path);
  if (rows == 0 || size.columns == 0) return;
  const Handle set = open(path);
  check_size(set, size, sizeof(double), file_size_, path);
  const std::string damaged = fmt::format("'{}' is damaged", path);
  const Handle space(H5Dget_space(set), H5Sclose, damaged.c_str());
  const hsize_t from[2] = {first, 0}, count[2] = {rows, size.columns};
  const Handle memory(H5Screate_simple(size.flat ? 1 : 2, count, nullptr), H5Sclose, damaged.c_str());
  need(H5Sselect_hyperslab(space, H5S_SELECT_SET, from, nullptr, count, nullptr), damaged.c_str());
  need(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out), damaged.c_str());
}

namespace {

std::string trimmed(const char* text, std::size_t width) {
  while (width > 0 && text[width - 1] == '\0') --width;
  return {text, width};
}

bool is_text(hid_t type) { return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0; }

}  // namespace

std::vector<std::string> Hdf5File::texts(const std::string& path) const {
  const Handle set = open(path), type(H5Dget_type(set), H5Tclose, "it is damaged");
  const Shape size = shape_of(set, path);
  const std::size_t width = H5Tget_size(type);
  if (!is_text(type) || !size.flat || width > most_text_width) throw Hdf5Error(fmt::format("'{}' does not hold texts", path));
  check_size(set, size, width, file_size_, path);
  std::string all(size.rows * width, '\0');
  if (!all.empty()) need(H5Dread(set, text_type(width), H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), fmt::format("'{}' is damaged", path).c_str());
  std::vector<std::string> values;
  values.reserve(size.rows);
  for (std::size_t i = 0; i < size.rows; ++i) values.push_back(trimmed(all.data() + i * width, width));
  return values;
}

std::size_t Hdf5File::text_width(const std::string& path) const {
  const Handle set = open(path), type(H5Dget_type(set), H5Tclose, "it is damaged");
  return H5Tget_size(type);
}

// an attribute that is to be read, and what is said of it where it cannot be
struct Hdf5File::Attribute {
  Attribute(const Hdf5File& file, const std::string& path) : damaged(fmt::format("'{}' is damaged", path)) {
    errno = 0;
    const std::string missing = fmt::format("it has no '{}'", path);
    if (!file.has_attribute(path)) throw Hdf5Error(missing);
    const auto [object, name] = place_of(path);
    place.emplace(H5Aopen_by_name(file.file_, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, damaged.c_str());
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
  need(H5Aread(*one.place, text_type(width), value.data()), one.damaged.c_str());
  return trimmed(value.data(), width);
}

std::uint64_t Hdf5File::number(const std::string& attribute) const {
  const Attribute one(*this, attribute);
  if (H5Tget_class(*one.type) != H5T_INTEGER) throw Hdf5Error(one.damaged);
  std::uint64_t value = 0;
  need(H5Aread(*one.place, H5T_NATIVE_UINT64, &value), one.damaged.c_str());
  return value;
}

}  // namespace escapement
