#include "io/report_table.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

namespace escapement::inline io {

namespace {

using nlohmann::ordered_json;

static_assert(std::endian::native == std::endian::little);

constexpr std::size_t most_exact_numbers = 300'000;  // so few that doubles cost nothing
constexpr std::size_t most_frame_numbers = 600'000, most_frames = 30'000;

std::string base64(std::span<const unsigned char> bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = bytes[i] << 16;
    if (left > 1) bits |= bytes[i + 1] << 8;
    if (left > 2) bits |= bytes[i + 2];
    text += digits[bits >> 18];
    text += digits[bits >> 12 & 63];
    text += left > 1 ? digits[bits >> 6 & 63] : '=';
    text += left > 2 ? digits[bits & 63] : '=';
  }
  return text;
}

template <class Number>
std::string base64_of(const std::vector<Number>& numbers) {
  return base64({reinterpret_cast<const unsigned char*>(numbers.data()), numbers.size() * sizeof(Number)});
}

// buckets of `size` rows between the first and the last
struct Buckets {
  std::size_t rows, size;
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t a = 1; a + 1 < rows; a += size) visit(a, std::min(a + size, rows - 1));
  }
};

std::vector<double> thin_time(const Column& time, const Buckets& buckets) {
  std::vector<double> thin{time.front()};
  buckets.each([&](std::size_t a, std::size_t b) {
    thin.push_back(time[a]);
    thin.push_back(time[a + (b - a) / 2]);
  });
  thin.push_back(time.back());
  return thin;
}

std::vector<double> thin_values(const Column& values, const Buckets& buckets) {
  std::vector<double> thin{values.front()};
  buckets.each([&](std::size_t a, std::size_t b) {
    std::size_t low = a, high = a;
    for (std::size_t i = a; i < b; ++i) {
      // comparisons with NaN are false, so one at the start must be left behind
      if (values[i] < values[low] || std::isnan(values[low])) low = i;
      if (values[i] > values[high] || std::isnan(values[high])) high = i;
    }
    thin.push_back(values[std::min(low, high)]);
    thin.push_back(values[std::max(low, high)]);
  });
  thin.push_back(values.back());
  return thin;
}

ordered_json packed_column(const ReportColumn& column, const Column& values, Packing packing) {
  ordered_json json = {{"id", column.id}, {"unit", column.unit}};
  json.update(pack(values, column.precise ? Packing::float64 : packing));
  return json;
}

// numbers of four bytes in a row, the time among them
std::size_t width_of(const std::vector<ReportColumn>& columns) {
  std::size_t numbers = 2;
  for (const ReportColumn& column : columns) numbers += column.precise ? 2 : 1;
  return numbers;
}

}  // namespace

ordered_json pack(const Column& values, Packing packing) {
  if (packing == Packing::float64)
    return {{"type", "f64"}, {"data", base64_of(std::vector<double>(values.begin(), values.end()))}};
  return {{"type", "f32"}, {"data", base64_of(std::vector<float>(values.begin(), values.end()))}};
}

bool fits_whole(std::size_t rows, const std::vector<ReportColumn>& columns, std::size_t most_numbers) {
  return rows < 8 || rows * width_of(columns) <= most_numbers;
}

ordered_json report_table(const Column& time, const std::vector<ReportColumn>& columns,
                          std::size_t most_numbers) {
  const std::size_t rows = time.size();
  ordered_json list = ordered_json::array();
  if (fits_whole(rows, columns, most_numbers)) {
    const Packing packing = rows * columns.size() <= most_exact_numbers ? Packing::float64 : Packing::float32;
    for (const ReportColumn& column : columns) list.push_back(packed_column(column, column.values, packing));
    return {{"time", pack(time, Packing::float64)}, {"every", 1}, {"columns", std::move(list)}};
  }
  const std::size_t count = std::max<std::size_t>(1, most_numbers / (2 * width_of(columns)));
  const Buckets buckets{rows, (rows - 2 + count - 1) / count};
  for (const ReportColumn& column : columns)
    list.push_back(packed_column(column, thin_values(column.values, buckets), Packing::float32));
  return {{"time", pack(thin_time(time, buckets), Packing::float64)},
          {"every", buckets.size},
          {"columns", std::move(list)}};
}

std::vector<std::size_t> frame_rows(std::size_t rows, std::size_t columns) {
  std::vector<std::size_t> chosen;
  const std::size_t most =
      std::clamp<std::size_t>(most_frame_numbers / std::max<std::size_t>(1, columns), 2, most_frames);
  const std::size_t stride = (rows + most - 1) / most;
  for (std::size_t row = 0; row < rows; row += stride) chosen.push_back(row);
  if (!chosen.empty() && chosen.back() + 1 != rows) chosen.push_back(rows - 1);
  return chosen;
}

}  // namespace escapement
