// Runs for a page that does not wait: a new request ends the run before it, whatever that was doing. Each has a process of its own,
// so that neither a model that takes for ever to read nor a crash ends the page.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <string>

#include "run/result.hpp"

namespace escapement::inline studio {

class LiveRun {
 public:
  explicit LiveRun(std::filesystem::path file) : file_(std::move(file)) {}

  // As JSON: what the picture in the run's report is made of (docs/report-data.md) with its parameters' values, or `error` with `message`, `line` and
  // `column`, or `superseded`. Every file that the model names must lie in the model's folder.
  std::string run(const std::string& text, const Overrides&);
  void cancel();

 private:
  void end_process();
  std::string wait_for(int pipe, long mine);

  std::filesystem::path file_;
  std::atomic<long> newest_{0};
  std::mutex one_at_a_time_, of_process_;
  int process_ = 0;  // of the run that goes on; 0: none
};

}  // namespace escapement
