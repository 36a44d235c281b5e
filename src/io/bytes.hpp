// Pieces of a binary file, little-endian, and the checksum of HDF5.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace escapement {

class Bytes {
 public:
  Bytes& u8(std::uint64_t value) { return number(value, 1); }
  Bytes& u16(std::uint64_t value) { return number(value, 2); }
  Bytes& u32(std::uint64_t value) { return number(value, 4); }
  Bytes& u64(std::uint64_t value) { return number(value, 8); }
  Bytes& text(std::string_view value);
  Bytes& add(const Bytes& other) { return text(other.data_); }
  Bytes& fill_to(std::size_t size);  // with zeros
  Bytes& checksum();                 // of everything so far
  const std::string& data() const { return data_; }
  std::size_t size() const { return data_.size(); }
  void set_u32(std::size_t at, std::uint32_t value);

 private:
  Bytes& number(std::uint64_t value, int bytes);

  std::string data_;
};

std::uint32_t lookup3(std::string_view bytes);  // Jenkins

}  // namespace escapement
