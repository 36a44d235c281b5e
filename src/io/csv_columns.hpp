// Two columns of a CSV file, by the names in its first line or by their numbers.
#pragma once

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

namespace escapement::inline io {

struct CsvError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// separated by commas, semicolons or tabs; lines that start with # are comments. A column is named by the header, or,
// in a file without one, by its number counted from 1. Throws CsvError, whose text starts with the file's name and line
std::vector<std::vector<double>> read_csv_columns(const std::string& path, const std::vector<std::string>& columns);
// the same from an open file or a text; file: its name in messages
std::vector<std::vector<double>> read_csv_columns(std::istream&, const std::string& file, const std::vector<std::string>& columns);

}  // namespace escapement
