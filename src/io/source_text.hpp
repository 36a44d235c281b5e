// The text of a model file, checked and cleaned, with the places of its characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "io/model_error.hpp"

namespace escapement::inline io {

class SourceText {
 public:
  // reads a file, or standard input for "-"; throws ModelError when it is missing, a folder, too large, or not text
  static SourceText read(const std::string& path);
  // text from elsewhere; file is only a name for messages
  SourceText(std::string file, std::string_view bytes);

  const std::string& file() const { return file_; }
  const std::string& text() const { return text_; }  // UTF-8 without byte-order mark, lines end with \n
  Place place(std::size_t offset) const;
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const;

 private:
  void check_characters() const;

  std::string file_, text_;
  std::vector<std::size_t> line_start_;
};

}  // namespace escapement
