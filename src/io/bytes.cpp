#include "io/bytes.hpp"

#include <algorithm>
#include <bit>

namespace escapement {

static_assert(std::endian::native == std::endian::little);

Bytes& Bytes::number(std::uint64_t value, int bytes) {
  data_.append(reinterpret_cast<const char*>(&value), static_cast<std::size_t>(bytes));
  return *this;
}

Bytes& Bytes::text(std::string_view value) {
  data_.append(value);
  return *this;
}

Bytes& Bytes::fill_to(std::size_t size) {
  data_.resize(std::max(size, data_.size()), '\0');
  return *this;
}

Bytes& Bytes::checksum() { return u32(lookup3(data_)); }

void Bytes::set_u32(std::size_t at, std::uint32_t value) {
  data_.replace(at, sizeof value, reinterpret_cast<const char*>(&value), sizeof value);
}

// Bob Jenkins, lookup3.c, public domain: hashlittle() with the initial value 0
std::uint32_t lookup3(std::string_view bytes) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  std::size_t i = 0;
  // the last 12 bytes or fewer are mixed in another way; missing ones count as 0
  const auto take = [&] {
    std::uint32_t word[3] = {0, 0, 0};
    const std::size_t count = std::min<std::size_t>(12, bytes.size() - i);
    std::copy_n(bytes.data() + i, count, reinterpret_cast<char*>(word));
    i += count;
    a += word[0], b += word[1], c += word[2];
  };
  const auto turn = [](std::uint32_t& x, std::uint32_t y, int bits) { x = (x ^ y) - std::rotl(y, bits); };
  while (bytes.size() - i > 12) {
    take();
    a = (a - c) ^ std::rotl(c, 4), c += b;
    b = (b - a) ^ std::rotl(a, 6), a += c;
    c = (c - b) ^ std::rotl(b, 8), b += a;
    a = (a - c) ^ std::rotl(c, 16), c += b;
    b = (b - a) ^ std::rotl(a, 19), a += c;
    c = (c - b) ^ std::rotl(b, 4), b += a;
  }
  if (bytes.empty()) return c;
  take();
  turn(c, b, 14), turn(a, c, 11), turn(b, a, 25), turn(c, b, 16), turn(a, c, 4), turn(b, a, 14), turn(c, b, 24);
  return c;
}

}  // namespace escapement
