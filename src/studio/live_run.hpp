// Runs for a page that does not wait: a new request cancels the run before it.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "run/result.hpp"

namespace escapement {

class LiveRun {
 public:
  explicit LiveRun(std::filesystem::path file) : file_(std::move(file)) {}

  // The data of the run's report (docs/report-data.md) with its parameters' values, or `error` with `message`, `line` and `column`,
  // or `superseded`. Every file that the model names must lie in the model's folder.
  nlohmann::ordered_json run(const std::string& text, const Overrides&);
  void cancel();

 private:
  std::filesystem::path file_;
  std::atomic<long> newest_{0};
  std::atomic<bool> stop_{false};
  std::mutex one_at_a_time_;
};

}  // namespace escapement
