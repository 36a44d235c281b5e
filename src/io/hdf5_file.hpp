// Files of the HDF5 library: groups, arrays of numbers, lists of texts, attributes. Everything is checked: a call that the
// library or the system refuses is an exception with the system's reason, and reading trusts neither types nor sizes nor links.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace escapement::inline io {

struct Hdf5Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Hdf5File {
 public:
  enum class Mode { create, change, read };

  Hdf5File(const std::filesystem::path&, Mode);
  Hdf5File(const Hdf5File&) = delete;
  Hdf5File& operator=(const Hdf5File&) = delete;
  ~Hdf5File();   // leaves without a word
  void close();  // everything is in the file, or Hdf5Error says why not

  struct Shape {
    std::size_t rows = 0, columns = 0;
    bool flat = false;  // one dimension: columns is 1
    std::size_t numbers() const { return rows * columns; }
  };
  enum class Storage { plain, compressed, growing };

  // writing; paths like "contacts/gap", the group comes first. Attributes belong to the root, or to the group "steps:stride"
  void add_group(const std::string& path);
  void add_numbers(const std::string& path, Shape, std::span<const double>, Storage);
  // width: of the longest text in bytes, at least; texts of growing lists may not be longer
  void add_counts(const std::string& path, std::span<const std::uint64_t>, Storage);  // whole numbers
  void add_texts(const std::string& path, std::span<const std::string>, Storage, std::size_t width = 0);
  void set_text(const std::string& attribute, const std::string&);
  void set_number(const std::string& attribute, std::uint64_t);
  void remove(const std::string& path);
  // of growing ones: cuts off what comes after so many rows, then adds more
  void append_numbers(const std::string& path, std::size_t rows, std::size_t more, std::span<const double>);
  void append_counts(const std::string& path, std::size_t rows, std::span<const std::uint64_t>);
  void append_texts(const std::string& path, std::size_t rows, std::span<const std::string>);

  // reading
  bool has(const std::string& path) const;
  bool is_group(const std::string& path) const { return group(path) >= 0; }
  bool has_attribute(const std::string& attribute) const;
  Shape shape(const std::string& path) const;  // of numbers, in one or two dimensions, all in this file
  std::vector<double> numbers(const std::string& path) const;
  std::vector<std::uint64_t> counts(const std::string& path) const;
  void read_rows(const std::string& path, std::size_t first, std::size_t rows, double* out) const;
  std::vector<std::string> texts(const std::string& path) const;
  std::size_t text_width(const std::string& path) const;  // of a list
  std::string text(const std::string& attribute) const;
  std::uint64_t number(const std::string& attribute) const;

 private:
  using Id = std::int64_t;
  class Handle;
  struct Set;
  struct Attribute;
  struct Place {
    Id parent;  // a group, -1: there is none
    const char* name;
  };
  struct Type {
    Id stored, in_memory;
  };
  Id group(const std::string& path) const;  // behind plain links; stays open
  Place place(const std::string& path) const;
  Place place_of_attribute(const std::string& attribute) const;
  Set open(const std::string& path) const;          // a data set behind a plain link
  Set open_whole(const std::string& path) const;    // what it says it has is in this file
  const Set& table(const std::string& path) const;  // of numbers; stays open
  Handle text_type(std::size_t width) const;
  Handle chunks(const Shape&, std::size_t width, Storage) const;
  void add(const std::string& path, const Shape&, Type, std::size_t width, Storage, const void* values);
  void append(Set, Id type, std::size_t rows, std::size_t more, const void* values);
  void set_attribute(const std::string& attribute, Id type, const void* value);

  Id file_ = -1;
  std::uint64_t file_size_ = 0;
  mutable std::vector<std::pair<std::string, Id>> groups_;
  mutable std::map<std::string, std::unique_ptr<Set>> tables_;
};

}  // namespace escapement
