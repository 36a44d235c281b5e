// The commands of the program: each one file that adds itself to the command line and returns an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <stdexcept>
#include <string>

namespace escapement::cli {

// 0 completed or stopped, 1 the simulation failed or (with --strict) is suspect, 2 bad usage or bad input, 130 Ctrl-C
enum ExitStatus { completed = 0, simulation_failed = 1, bad_input = 2, interrupted = 130 };

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Action = std::function<int()>;

// each adds a subcommand to the app and sets its action
void add_run(CLI::App&, Action&);
void add_compare(CLI::App&, Action&);
void add_sweep(CLI::App&, Action&);
void add_check(CLI::App&, Action&);
void add_schemes(CLI::App&, Action&);
void add_new(CLI::App&, Action&);
void add_examples(CLI::App&, Action&);
void add_demo(CLI::App&, Action&);
void add_report(CLI::App&, Action&);
void add_export(CLI::App&, Action&);
void add_reproduce(CLI::App&, Action&);
void add_help(CLI::App&, Action&);
void add_schema(CLI::App&, Action&);
void add_modes(CLI::App&, Action&);
void add_statics(CLI::App&, Action&);
void add_studio(CLI::App&, Action&);
void add_import(CLI::App&, Action&);
void add_manual(CLI::App&, Action&);

}  // namespace escapement::cli
