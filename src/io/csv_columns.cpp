#include "io/csv_columns.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/readable.hpp"
#include "math/expression_parser.hpp"
#include "math/nearest_name.hpp"

namespace escapement::inline io {

namespace {

constexpr std::size_t row_limit = 10'000'000;

std::string trimmed(std::string_view cell) {
  const auto blank = " \t\r\"";
  const std::size_t first = cell.find_first_not_of(blank);
  return first == std::string_view::npos ? ""
                                         : std::string(cell.substr(first, cell.find_last_not_of(blank) - first + 1));
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> cells;
  for (std::size_t start = 0;;) {
    const std::size_t end = line.find(separator, start);
    cells.push_back(trimmed(std::string_view(line).substr(start, end == std::string::npos ? end : end - start)));
    if (end == std::string::npos) return cells;
    start = end + 1;
  }
}

bool to_number(const std::string& cell, double& value) {
  char* end = nullptr;
  value = std::strtod(cell.c_str(), &end);
  return !cell.empty() && *end == '\0' && std::isfinite(value);
}

char separator_of(const std::string& line) {
  for (char c : {'\t', ';'})
    if (line.find(c) != std::string::npos) return c;
  return ',';
}

std::vector<std::size_t> find_columns(const std::vector<std::string>& cells, bool header,
                                      const std::vector<std::string>& columns, const std::string& file) {
  std::vector<std::size_t> indices;
  for (const std::string& column : columns) {
    std::size_t index = 0;
    if (header) {
      while (index < cells.size() && cells[index] != column) ++index;
      if (index == cells.size())
        throw CsvError(fmt::format("{} has no column {}{}", file, quote(column), did_you_mean(column, cells)));
    } else {
      const int number = std::atoi(column.c_str());
      if (number < 1 || static_cast<std::size_t>(number) > cells.size())
        throw CsvError(fmt::format("{} has no line of names, so a column is given by its number, 1 to {}, not by {}",
                                   file, cells.size(), quote(column)));
      index = static_cast<std::size_t>(number) - 1;
    }
    indices.push_back(index);
  }
  return indices;
}

}  // namespace

std::vector<std::vector<double>> read_csv_columns(const std::string& path, const std::vector<std::string>& columns) {
  const std::string file = quote(std::filesystem::path(path).filename().string());
  if (const std::string why = why_unreadable(path); !why.empty())
    throw CsvError(fmt::format("the table's file {} cannot be read, {}; it is looked for beside the model file", file, why));
  std::ifstream in(path);
  return read_csv_columns(in, file, columns);
}

std::vector<std::vector<double>> read_csv_columns(std::istream& in, const std::string& file, const std::vector<std::string>& columns) {
  std::vector<std::vector<double>> values(columns.size());
  std::vector<std::size_t> indices;
  char separator = ',';
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (number == 1 && line.rfind("\xEF\xBB\xBF", 0) == 0) line.erase(0, 3);
    if (trimmed(line).empty() || line[0] == '#') continue;
    if (indices.empty()) {
      separator = separator_of(line);
      const std::vector<std::string> cells = split(line, separator);
      double ignored;
      const bool header = !to_number(cells[0], ignored);
      indices = find_columns(cells, header, columns, file);
      if (header) continue;
    }
    const std::vector<std::string> cells = split(line, separator);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      double value = 0;
      const std::string cell = indices[k] < cells.size() ? cells[indices[k]] : "";
      if (!to_number(cell, value))
        throw CsvError(fmt::format("{} line {}: {} is not a number", file, number, quote(cell)));
      values[k].push_back(value);
    }
    if (values[0].size() > row_limit) throw CsvError(fmt::format("{} has more than {} lines", file, row_limit));
  }
  return values;
}

}  // namespace escapement
