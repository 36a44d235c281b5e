#include <fmt/format.h>

#include "io/result_file.hpp"

namespace escapement::inline io {

namespace {

void write_header(const Result& result, TextFile& out) {
  std::string line;
  for (const auto& [name, column] : named_columns(result)) line += (line.empty() ? "" : ",") + name;
  out.write(line + "\n");
}

void write_rows(const Result& result, TextFile& out) {
  const auto columns = named_columns(result);
  std::string line;
  for (std::size_t i = 0; i < result.time.size(); ++i) {
    line.clear();
    for (const auto& [name, column] : columns) line += fmt::format("{}{:.17g}", line.empty() ? "" : ",", column[i]);
    out.write(line + "\n");
  }
}

}  // namespace

void write_csv(const Result& result, const std::filesystem::path& path) {
  TextFile out(path);
  write_header(result, out);
  write_rows(result, out);
  out.close();
}

void write_csv(const ResultReader& file, const std::filesystem::path& path) {
  file.verify();
  TextFile out(path);
  write_header(file.head(), out);
  file.for_each_part([&](const Result& part) { write_rows(part, out); });
  out.close();
}

}  // namespace escapement
