// Reports: one HTML file that opens from disk without a network.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "run/picture.hpp"
#include "io/result_file.hpp"

namespace escapement::inline io {

struct ReportError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// a run, with the picture of its model (an empty one: the phase plane is shown); throws ReportError, WriteError
void write_report(const Result&, const Picture&, const std::filesystem::path&);
// the same from a file, of wide runs without all columns in memory; throws ResultError too
void write_report(const ResultReader&, const Picture&, const std::filesystem::path&);

// a comparison or a reproduction: docs/report-data.md says what the JSON object holds; throws ReportError
void write_study_page(const std::string& json, const std::filesystem::path&);

}  // namespace escapement
