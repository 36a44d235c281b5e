// Simulating a model and writing what came of it: shared by run and demo.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "cli/command.hpp"
#include "io/model_file.hpp"
#include "run/summary.hpp"

namespace escapement::cli {

struct RunOutput {
  std::string name;  // without extension
  bool csv = false, vtk = false, no_report = false, json = false, quiet = false, strict = false;
  double checkpoint = 0;  // simulated seconds between writings of the result file; 0: about once a second of real time
};

struct Ran {
  int status = completed;
  Summary summary;
};

// a flag that turns true on Ctrl-C and SIGTERM
const std::atomic<bool>* stop_on_signals();
void need_folder(const std::filesystem::path&);    // throws UsageError when there is no folder for such a file
void need_writable(const std::filesystem::path&);  // throws UsageError when its folder is missing or closed
// a file that was asked for by name: whole or not at all; throws UsageError with the system's reason
void write_given(const std::filesystem::path&, std::string_view text);
void add_output_flags(CLI::App&, RunOutput&);
// resume: a result file with a checkpoint that the run goes on from
Ran run_and_write(Model&, const RunOutput&, const std::string& resume = "");
// prints the summary unless JSON is wanted: then the object, once all runs are done
int run_and_print(Model&, const RunOutput&);
void print_warnings(const std::vector<std::string>&);  // the first few, and how many more
int exit_status(const Summary&, bool strict);

}  // namespace escapement::cli
