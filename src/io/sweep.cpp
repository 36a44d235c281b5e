#include "io/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "io/result_file.hpp"
#include "io/study_runs.hpp"
#include "run/version.hpp"

namespace escapement {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

void run_sweep(const Study& study, int threads, const SweepHooks& hooks, std::vector<SweepRow>& rows) {
  rows.resize(study.runs.size());
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].done) todo.push_back(i);
  const StudyRuns runs(study);
  std::atomic<std::size_t> next{0};
  std::mutex told;
  auto work = [&] {
    for (std::size_t k = next++; k < todo.size(); k = next++) {
      if (hooks.interrupt && hooks.interrupt->load()) return;
      const std::size_t i = todo[k];
      if (hooks.on_start) {
        const std::lock_guard lock(told);
        hooks.on_start(i);
      }
      rows[i] = runs.row(study.runs[i], hooks.interrupt);
      const std::lock_guard lock(told);
      if (hooks.on_row && rows[i].done) hooks.on_row(i, rows[i]);
    }
  };
  std::vector<std::jthread> others;
  for (int k = 1; k < std::min<int>(threads, static_cast<int>(todo.size())); ++k) others.emplace_back(work);
  work();
}

std::vector<SweepRow> run_sweep(const Study& study, int threads, const SweepHooks& hooks) {
  std::vector<SweepRow> rows;
  run_sweep(study, threads, hooks, rows);
  return rows;
}

namespace {
// of members that were advanced together: how many failed, by reason
std::map<std::string, std::size_t> reasons(const std::vector<SweepRow>& rows) {
  std::map<std::string, std::size_t> counts;
  for (const SweepRow& row : rows)
    if (!row.engine.empty() && !row.message.empty()) ++counts[row.message.substr(0, row.message.find(" after t = "))];
  return counts;
}

bool has_engines(const std::vector<SweepRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) { return !row.engine.empty(); });
}
}  // namespace

Json to_json(const Study& study, const std::vector<SweepRow>& rows) {
  Json list = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].done) continue;
    Json parameters = Json::object(), measures = Json::object();
    for (std::size_t k = 0; k < study.varied.size(); ++k) parameters[study.varied[k]] = study.runs[i][k];
    for (std::size_t k = 0; k < study.measures.size(); ++k)
      measures[study.measures[k].name] = std::isfinite(rows[i].measures[k]) ? Json(rows[i].measures[k]) : Json(nullptr);
    list.push_back({{"run", i},
                    {"parameters", parameters},
                    {"status", rows[i].status},
                    {"verdict", rows[i].verdict},
                    {"message", rows[i].message},
                    {"measures", measures}});
    if (!rows[i].engine.empty()) list.back()["engine"] = rows[i].engine;
  }
  return {{"study", study.file},
          {"model", study.model_file},
          {"runs", study.runs.size()},
          {"rows", list},
          {"version", version()}};
}

std::string to_csv(const Study& study, const std::vector<SweepRow>& rows) {
  std::string text = "run";
  for (const std::string& name : study.varied) text += "," + name;
  for (const auto& measure : study.measures) text += "," + measure.name;
  const bool engines = has_engines(rows);
  text += engines ? ",status,verdict,message,engine\n" : ",status,verdict,message\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].done) continue;
    text += fmt::format("{}", i);
    for (const double x : study.runs[i]) fmt::format_to(std::back_inserter(text), ",{:.17g}", x);
    for (const double x : rows[i].measures) text += std::isfinite(x) ? fmt::format(",{:.17g}", x) : ",";
    std::string message = rows[i].message;
    for (std::size_t at = 0; (at = message.find('"', at)) != std::string::npos; at += 2) message.insert(at, 1, '"');
    fmt::format_to(std::back_inserter(text), ",{},{},\"{}\"", rows[i].status, rows[i].verdict, message);
    if (engines) text += "," + rows[i].engine;
    text += "\n";
  }
  return text;
}

std::string to_text(const Study& study, const std::vector<SweepRow>& rows, std::size_t most_rows) {
  std::vector<std::string> names{"run"};
  names.insert(names.end(), study.varied.begin(), study.varied.end());
  for (const auto& measure : study.measures) names.push_back(measure.name);
  std::string text;
  auto cell = [&](std::size_t column, const std::string& words) {
    fmt::format_to(std::back_inserter(text), "{}{:>{}}", column ? "  " : "", words,
                   std::max<std::size_t>(names[column].size(), column ? 12 : 6));
  };
  for (std::size_t k = 0; k < names.size(); ++k) cell(k, names[k]);
  text += "\n";
  std::size_t shown = 0, failed = 0, suspect = 0, undone = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    undone += !rows[i].done;
    failed += rows[i].done && (rows[i].status == "failed" || rows[i].status == "refused");
    suspect += rows[i].done && rows[i].verdict == "suspect";
    if (!rows[i].done || ++shown > most_rows) continue;
    std::size_t k = 0;
    cell(k++, fmt::format("{}", i));
    for (const double x : study.runs[i]) cell(k++, fmt::format("{:.6g}", x));
    if (rows[i].status == "failed" || rows[i].status == "refused") {
      text += fmt::format("  {}: {}", rows[i].status, rows[i].message);
    } else {
      for (const double x : rows[i].measures) cell(k++, fmt::format("{:.6g}", x));
      if (rows[i].verdict == "suspect") text += "  suspect";
    }
    text += "\n";
  }
  if (shown > most_rows) text += fmt::format("... and {} more\n", shown - most_rows);
  // over all runs that completed
  for (std::size_t k = 0; k < study.measures.size(); ++k) {
    double n = 0, sum = 0, low = std::numeric_limits<double>::infinity(), high = -low;
    for (const SweepRow& row : rows) {
      if (!row.done || !std::isfinite(row.measures[k])) continue;
      n += 1;
      sum += row.measures[k];
      low = std::min(low, row.measures[k]);
      high = std::max(high, row.measures[k]);
    }
    if (n > 1)
      text += fmt::format("{}: from {:.6g} to {:.6g}, mean {:.6g} of {} runs\n", study.measures[k].name, low, high,
                          sum / n, n);
  }
  if (failed > 0) text += fmt::format("{} of {} runs failed\n", failed, rows.size());
  for (const auto& [why, count] : reasons(rows)) text += fmt::format("  {}: {}\n", count, why);
  if (suspect > 0) text += fmt::format("{} of {} runs are suspect: their rows say so\n", suspect, rows.size());
  if (undone > 0) text += fmt::format("{} of {} runs were not made\n", undone, rows.size());
  return text;
}

void write_sweep(const Study& study, const std::vector<SweepRow>& rows, const std::filesystem::path& path) {
  ResultTable table;
  ResultTable::Numbers run{"run", {}};
  std::vector<ResultTable::Numbers> parameters, measures;
  for (const std::string& name : study.varied) parameters.push_back({"parameters/" + name, {}});
  for (const auto& measure : study.measures) measures.push_back({"measures/" + measure.name, {}});
  ResultTable::Texts status{"status", {}}, verdict{"verdict", {}}, message{"message", {}}, engine{"engine", {}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].done) continue;
    run.values.push_back(static_cast<double>(i));
    for (std::size_t k = 0; k < parameters.size(); ++k) parameters[k].values.push_back(study.runs[i][k]);
    for (std::size_t k = 0; k < measures.size(); ++k) measures[k].values.push_back(rows[i].measures[k]);
    status.values.push_back(rows[i].status);
    verdict.values.push_back(rows[i].verdict);
    message.values.push_back(rows[i].message);
    engine.values.push_back(rows[i].engine);
  }
  table.groups = {"parameters", "measures"};
  table.numbers.push_back(std::move(run));
  table.numbers.insert(table.numbers.end(), parameters.begin(), parameters.end());
  table.numbers.insert(table.numbers.end(), measures.begin(), measures.end());
  table.texts = {std::move(status), std::move(verdict), std::move(message)};
  if (has_engines(rows)) table.texts.push_back(std::move(engine));
  table.attributes = {{"study", study.file}, {"model", study.model_file}, {"version", version()}};
  write_table(table, path);
}

}  // namespace escapement
