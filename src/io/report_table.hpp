// Columns of numbers for the page of a report: packed, and thinned where a run is too long to be drawn whole.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/data_table.hpp"

namespace escapement::inline io {

enum class Packing { float32, float64 };

// little-endian numbers in base64, with their type
nlohmann::ordered_json pack(const Column&, Packing);

struct ReportColumn {
  std::string id, unit;  // id: its path in the result file
  Column values;
  bool precise = false;  // small changes of large values matter: never packed as floats
};

// How much of the file a table may take, counted in numbers of four bytes.
constexpr std::size_t most_sample_numbers = 1'200'000, most_step_numbers = 400'000;

// Whether all rows of these columns may be packed as they are.
bool fits_whole(std::size_t rows, const std::vector<ReportColumn>&, std::size_t most_numbers);

// All rows, or first, last and between them two rows per bucket: each column's extrema in the order they happen.
nlohmann::ordered_json report_table(const Column& time, const std::vector<ReportColumn>&,
                                    std::size_t most_numbers);

// Real rows, evenly spread, with the last: what a moving picture needs of a long run.
std::vector<std::size_t> frame_rows(std::size_t rows, std::size_t columns);

}  // namespace escapement
