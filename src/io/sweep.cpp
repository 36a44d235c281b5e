#include "io/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "io/result_file.hpp"
#include "io/study_runs.hpp"
#include "run/version.hpp"

namespace escapement::inline io {

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// A thread takes as many runs at a time as fill about this long, so that short ones do not wait for each other where rows are
// kept; what a killed study has to make again is not more than that, or one run
constexpr double taken_seconds = 0.02;

// runs that are left, handed out to threads
class Handout {
 public:
  Handout(std::vector<std::size_t> runs, int threads) : runs_(std::move(runs)), threads_(static_cast<std::size_t>(threads)) {}
  // no more than leave enough for the others
  std::span<const std::size_t> take(std::size_t wanted) {
    std::size_t first = next_.load(), count = 0;
    do {
      const std::size_t left = runs_.size() - first;
      count = std::min(left, std::clamp<std::size_t>(left / (2 * threads_), 1, wanted));
    } while (!next_.compare_exchange_weak(first, first + count));
    return std::span(runs_).subspan(first, count);
  }

 private:
  std::vector<std::size_t> runs_;
  std::size_t threads_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

void run_sweep(const Study& study, int threads, const SweepHooks& hooks, std::vector<SweepRow>& rows) {
  rows.resize(study.runs.size());
  std::vector<std::size_t> todo;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (!rows[i].done) todo.push_back(i);
  threads = std::max(1, std::min(threads, static_cast<int>(todo.size())));
  const StudyRuns runs(study);
  Handout handout(std::move(todo), threads);
  std::atomic<bool> broken{false};
  const auto stopped = [&] { return broken || (hooks.interrupt && hooks.interrupt->load()); };
  std::mutex telling;
  const auto tell = [&](const auto& hook, std::span<const std::size_t> some) {
    const std::lock_guard lock(telling);
    if (hook && !some.empty()) hook(some);
  };
  const auto make = [&] {
    std::size_t wanted = 1;
    for (auto some = handout.take(wanted); !some.empty() && !stopped(); some = handout.take(wanted)) {
      tell(hooks.on_start, some);
      auto begin = Clock::now();
      std::size_t made = 0, told = 0;
      double fitting = 1;
      const auto tell_rows = [&](double seconds) {
        fitting = taken_seconds / seconds * static_cast<double>(made - told);
        tell(hooks.on_rows, some.subspan(told, made - told));
        told = made;
        begin = Clock::now();
      };
      while (made < some.size() && !stopped()) {
        SweepRow& row = rows[some[made]];
        row = runs.row(study.runs[some[made]], hooks.interrupt);
        if (!row.done) break;
        ++made;
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (made == some.size() || seconds > taken_seconds) tell_rows(seconds);  // slower ones than those before are not kept back
      }
      if (made > told) tell_rows(taken_seconds);
      wanted = static_cast<std::size_t>(std::clamp(fitting, 1.0, 2.0 * static_cast<double>(wanted)));
    }
  };
  // rows that cannot be kept end the study: the others stop, and the reason goes on from here
  std::exception_ptr reason;
  const auto work = [&] {
    try {
      make();
    } catch (...) {
      const std::lock_guard lock(telling);
      if (!broken.exchange(true)) reason = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int k = 1; k < threads; ++k) others.emplace_back(work);
    work();
  }
  if (reason) std::rethrow_exception(reason);
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
    for (const double x : study.runs[i]) text += fmt::format(",{:.17g}", x);
    for (const double x : rows[i].measures) text += std::isfinite(x) ? fmt::format(",{:.17g}", x) : ",";
    std::string message = rows[i].message;
    for (std::size_t at = 0; (at = message.find('"', at)) != std::string::npos; at += 2) message.insert(at, 1, '"');
    text += fmt::format(",{},{},\"{}\"", rows[i].status, rows[i].verdict, message);
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
    text += fmt::format("{}{:>{}}", column ? "  " : "", words, std::max<std::size_t>(names[column].size(), column ? 12 : 6));
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
