#include "io/source_text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <system_error>

#include "io/examples.hpp"

namespace escapement::inline io {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t size_limit = 32u << 20;  // bytes; larger tables belong in CSV files

// length of the valid UTF-8 sequence at i, 0 when broken
std::size_t utf8_length(std::string_view s, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0u; };
  const unsigned b = byte(i);
  if (b < 0x80) return 1;
  const std::size_t n = b >= 0xC2 && b <= 0xDF ? 2 : b >= 0xE0 && b <= 0xEF ? 3 : b >= 0xF0 && b <= 0xF4 ? 4 : 0;
  for (std::size_t k = 1; k < n; ++k)
    if ((byte(i + k) & 0xC0) != 0x80) return 0;
  const unsigned second = byte(i + 1);
  const bool overlong = (b == 0xE0 && second < 0xA0) || (b == 0xF0 && second < 0x90);
  const bool outside = (b == 0xED && second > 0x9F) || (b == 0xF4 && second > 0x8F);
  return overlong || outside ? 0 : n;
}

std::string clean(std::string_view bytes) {
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") bytes.remove_prefix(3);
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == '\r') {
      text += '\n';
      if (i + 1 < bytes.size() && bytes[i + 1] == '\n') ++i;
    } else {
      text += bytes[i];
    }
  }
  return text;
}

// read once: some commands load a model more than once
const std::string& standard_input() {
  static const std::string text = [] {
    std::string bytes;
    std::vector<char> chunk(1u << 16);
    while (std::cin.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), std::cin.gcount() > 0) {
      bytes.append(chunk.data(), static_cast<std::size_t>(std::cin.gcount()));
      if (bytes.size() > size_limit)
        throw ModelError("-", {}, fmt::format("standard input has more than {} MB; put large tables into CSV files", size_limit >> 20));
    }
    return bytes;
  }();
  return text;
}

// what to do where a name may be meant without its ending, or an example that is not here yet
std::string missing_file(const fs::path& path) {
  std::error_code error;
  const fs::path model = fs::path(path).replace_extension(".yaml");
  if (path.extension() != ".yaml" && fs::is_regular_file(model, error)) return fmt::format("there is no such file; did you mean '{}'?", model.string());
  for (const ExampleFile& example : example_files())
    if (example.name == model.filename())
      return fmt::format("there is no such file; 'escapement examples {}' copies the example of this name here", model.stem().string());
  return "there is no such file; check the name and the folder";
}

}  // namespace

SourceText SourceText::read(const std::string& path) {
  if (path == "-") return SourceText(path, standard_input());
  const auto refuse = [&](const std::string& why) -> ModelError { return {path, {}, why}; };
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found) throw refuse(missing_file(path));
  if (status.type() == fs::file_type::directory) throw refuse("this is a folder; give the name of a model file in it");
  if (error) throw refuse(fmt::format("the file cannot be read: {}", error.message()));

  std::ifstream in(path, std::ios::binary);
  if (!in) throw refuse(fmt::format("the file cannot be read: {}", std::strerror(errno)));
  std::string bytes;
  std::vector<char> chunk(1u << 16);
  while (in.read(chunk.data(), static_cast<std::streamsize>(chunk.size())), in.gcount() > 0) {
    bytes.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (bytes.size() > size_limit)
      throw refuse(fmt::format("the file has more than {} MB; put large tables into CSV files", size_limit >> 20));
  }
  if (in.bad()) throw refuse("the file cannot be read to its end");
  return SourceText(path, bytes);
}

SourceText::SourceText(std::string file, std::string_view bytes) : file_(std::move(file)), text_(clean(bytes)) {
  line_start_.push_back(0);
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_start_.push_back(i + 1);
  check_characters();
}

void SourceText::check_characters() const {
  for (std::size_t i = 0; i < text_.size();) {
    const std::size_t n = utf8_length(text_, i);
    const auto b = static_cast<unsigned char>(text_[i]);
    if (n == 0) fail(i, fmt::format("this is not UTF-8 text (byte 0x{:02X}); give a text file, saved as UTF-8", b));
    if ((b < 0x20 && b != '\n' && b != '\t') || b == 0x7F)
      fail(i, fmt::format("a control character (0x{:02X}) may not stand here; is this a text file?", b));
    i += n;
  }
}

Place SourceText::place(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_start_.begin(), line_start_.end(), offset);
  const std::size_t line = static_cast<std::size_t>(next - line_start_.begin()) - 1;
  int column = 1;
  for (std::size_t i = line_start_[line]; i < offset; ++i)
    if ((static_cast<unsigned char>(text_[i]) & 0xC0) != 0x80) ++column;
  return {static_cast<int>(line) + 1, column};
}

void SourceText::fail(std::size_t offset, const std::string& message) const {
  throw ModelError(file_, place(offset), message);
}

}  // namespace escapement
