// Simulating a model and writing what came of it: shared by run and demo.
#pragma once

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "io/model_file.hpp"

namespace escapement::cli {

struct RunOutput {
  std::string name;  // without extension
  bool csv = false, no_report = false, json = false, quiet = false;
};

// a flag that turns true on Ctrl-C and SIGTERM
const std::atomic<bool>* stop_on_signals();
void need_writable(const std::filesystem::path&);  // throws UsageError when its folder is missing or closed
void add_output_flags(CLI::App&, RunOutput&);
int run_and_write(Model&, const RunOutput&);
void print_summary(const nlohmann::ordered_json& summary);

}  // namespace escapement::cli
