// Writes an HDF5 file in one go, from its first byte to its last: groups that remember the order of their members,
// columns of doubles, columns of texts, and texts as attributes of the root. The library of the format takes some
// 75,000 instructions to add and write a dataset; a long chain has a hundred thousand of them, all known beforehand.
// Sections in the comments are those of the HDF5 File Format Specification, version 3.0; files are those of library
// version 1.8 and read by every later one.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes.hpp"

namespace escapement {

class Hdf5Writer {
 public:
  explicit Hdf5Writer(const std::filesystem::path&);
  // paths like "/q/x"; the group comes before its members
  void group(const std::string& path);
  void numbers(const std::string& path, std::span<const double> values);
  void texts(const std::string& path, std::span<const std::string> values);
  void attribute(std::string_view name, const std::string& value);
  bool close();  // false where something could not be written

 private:
  using Address = std::uint64_t;
  struct Link {
    std::string name;
    Address address;
  };
  struct Group {
    std::size_t parent = 0, place = 0;  // the link to it: in which group, at which place
    std::vector<Link> links;
  };
  std::size_t link(const std::string& path, Address);  // the group it stands in

  Address write(const void* data, std::size_t size);  // at the next multiple of 8
  Address write(const Bytes& bytes) { return write(bytes.data().data(), bytes.size()); }
  Address write_dataset(const Bytes& type, std::size_t count, Address data, std::size_t size);
  Address write_group(const Group&, const Bytes& more_messages);
  void add_dense_links(const Group&, Bytes& messages);
  Bytes write_texts(std::span<const std::string> values);  // the references to them
  Address write_index(int type, int record_size, const std::vector<Bytes>& records);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::vector<char> buffer_;
  std::unique_ptr<std::FILE, Close> file_;
  bool good_ = false;
  Address end_ = 0;
  std::vector<Group> groups_;
  std::map<std::string, std::size_t> group_of_path_;
  Bytes attributes_;
};

}  // namespace escapement
