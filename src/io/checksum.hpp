// Sums over what a file says, so that a changed bit is noticed. Sums over rows can go on, and back: each row has a key of its own.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace escapement::inline io::checksum {

// odd, half of the bits set
constexpr std::uint64_t key_stride = 0xd1342543de82ef95, first_key = 0x9e3779b97f4a7c15;

inline std::uint64_t mixed(std::uint64_t x) {
  x *= first_key;
  return x ^ (x >> 29);
}

// both halves of the product
inline std::uint64_t blended(std::uint64_t a, std::uint64_t b) {
  const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
Word word_at(const char* text) {
  Word word;
  std::memcpy(&word, text, sizeof word);
  return word;
}

}  // namespace escapement

namespace escapement::inline io {

// before: the sum of what comes before it
inline std::uint64_t sum_of(std::string_view text, std::uint64_t before = 0) {
  using namespace checksum;
  const char* at = text.data();
  std::size_t left = text.size();
  std::uint64_t sum = before + key_stride * (left + 1), a = 0, b = 0;
  for (; left >= 16; left -= 16, at += 16) sum = blended(sum ^ word_at<std::uint64_t>(at), word_at<std::uint64_t>(at + 8) ^ first_key);
  // the rest in two words that may overlap
  if (left >= 8) {
    a = word_at<std::uint64_t>(at), b = word_at<std::uint64_t>(at + left - 8);
  } else if (left >= 4) {
    a = word_at<std::uint32_t>(at), b = word_at<std::uint32_t>(at + left - 4);
  } else {
    for (std::size_t i = 0; i < left; ++i) a = a << 8 | static_cast<unsigned char>(at[i]);
  }
  return blended(sum ^ a, b ^ first_key);
}

// of a row of so many numbers
template <class Number>
std::uint64_t sum_of_row(const Number* row, std::size_t width) {
  using namespace checksum;
  const auto word = [](const Number& number) { return std::bit_cast<std::uint64_t>(number); };
  if (width == 1) return word(*row);
  std::uint64_t sum = key_stride;
  const auto take_pair = [&](const Number* pair) { sum = blended(sum ^ word(pair[0]), word(pair[1]) ^ first_key); };
  const Number* const end = row + width;
  for (const Number* const most = row + width / 8 * 8; row != most; row += 8) {
    take_pair(row);
    take_pair(row + 2);
    take_pair(row + 4);
    take_pair(row + 6);
  }
  for (; end - row >= 2; row += 2) take_pair(row);
  return row != end ? blended(sum ^ word(*row), first_key) : sum;
}

// of rows of a table of this name, from this one on
template <class Number>
std::uint64_t sum_of_rows(std::string_view name, std::size_t first, std::size_t width, std::span<const Number> numbers) {
  std::uint64_t sum = 0, key = sum_of(name) + first * checksum::key_stride;
  for (std::size_t i = 0; width > 0 && i < numbers.size(); i += width) sum += checksum::mixed(sum_of_row(&numbers[i], width) ^ (key += checksum::key_stride));
  return sum;
}

inline std::uint64_t sum_of_rows(std::string_view name, std::size_t first, std::span<const std::string> texts) {
  std::uint64_t sum = 0, key = sum_of(name) + first * checksum::key_stride;
  for (const std::string& text : texts) sum += checksum::mixed(sum_of(text) ^ (key += checksum::key_stride));
  return sum;
}

}  // namespace escapement
