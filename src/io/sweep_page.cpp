// The page of a study: its rows as columns, and what runs one of them again.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "io/report_table.hpp"
#include "io/sweep.hpp"
#include "run/version.hpp"

namespace escapement::inline io {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 100'000;  // of a page; of more rows every so many are shown

// as a shell takes it
std::string word(const std::string& text) {
  const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || std::string_view("_./=+-,:").find(c) != std::string_view::npos; };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command(const Study& study) {
  std::string text = "escapement run " + word(study.model_file);
  const Overrides& base = study.base;
  for (const auto& [flag, value] : {std::pair{"--scheme", &base.scheme}, std::pair{"--step", &base.step},
                                    std::pair{"--tolerance", &base.tolerance}, std::pair{"--end", &base.end}})
    if (*value) text += fmt::format(" {} {}", flag, word(**value));
  for (const auto& [key, value] : base.options) text += " --option " + word(key + "=" + value);
  for (const auto& [key, value] : base.parameters) text += " --set " + word(key + "=" + value);
  return text;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

Json sweep_page(const Study& study, const std::vector<SweepRow>& rows) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].done) shown.push_back(i);
  const std::size_t made = shown.size(), every = (made + most_rows - 1) / most_rows;
  if (every > 1) {
    std::size_t kept = 0;
    for (std::size_t k = 0; k < made; k += every) shown[kept++] = shown[k];
    shown.resize(kept);
  }
  const auto column = [&](auto value) {
    std::vector<double> values;
    for (const std::size_t i : shown) values.push_back(value(i));
    return pack(values, Packing::float64);
  };
  const auto named = [&](const std::string& name, auto value) {
    Json data = column(value);
    data["name"] = name;
    return data;
  };
  Json varied = Json::array(), measures = Json::array(), statuses = Json::array(), status = Json::array(), suspect = Json::array();
  Json messages = Json::object();
  for (std::size_t k = 0; k < study.varied.size(); ++k) varied.push_back(named(study.varied[k], [&](std::size_t i) { return study.runs[i][k]; }));
  for (std::size_t k = 0; k < study.measures.size(); ++k)
    measures.push_back(named(study.measures[k].name, [&](std::size_t i) { return rows[i].measures[k]; }));
  std::map<std::string, std::size_t> known;
  for (std::size_t place = 0; place < shown.size(); ++place) {
    const SweepRow& row = rows[shown[place]];
    const auto [found, fresh] = known.emplace(row.status, known.size());
    if (fresh) statuses.push_back(row.status);
    status.push_back(found->second);
    if (row.verdict == "suspect") suspect.push_back(place);
    if (!row.message.empty()) messages[std::to_string(place)] = row.message;
  }
  return {{"format", 1},
          {"kind", "sweep"},
          {"title", file_name(study.file)},
          {"subtitle", fmt::format("of {}{}", file_name(study.model_file), every > 1 ? fmt::format(", every {}th run", every) : "")},
          {"version", version()},
          {"runs", study.runs.size()},
          {"run", column([](std::size_t i) { return static_cast<double>(i); })},
          {"varied", varied},
          {"measures", measures},
          {"statuses", statuses},
          {"status", status},
          {"suspect", suspect},
          {"messages", messages},
          {"command", command(study)}};
}

}  // namespace escapement
