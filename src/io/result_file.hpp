// Result files (HDF5): written whole under another name and then renamed, so that a reader, or a run that was killed, never
// leaves half a file.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <utility>

#include "io/result.hpp"

namespace escapement {

struct ResultError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void write_result(const Result&, const std::filesystem::path&);  // throws ResultError
Result read_result(const std::filesystem::path&);                // throws ResultError

// any other table of numbers and texts, with paths like "measures/impacts"
struct ResultTable {
  struct Texts {
    std::string name;
    std::vector<std::string> values;
  };
  std::vector<std::string> groups;
  std::vector<Column> numbers;
  std::vector<Texts> texts;
  std::vector<std::pair<std::string, std::string>> attributes;
};
void write_table(const ResultTable&, const std::filesystem::path&);  // throws ResultError

void write_csv(const Result&, const std::filesystem::path&);     // one row per sample; throws ResultError

}  // namespace escapement
