// What commands find out, without printing it: for the commands themselves, and for the Python module.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/program.hpp"
#include "io/compare.hpp"
#include "io/sweep.hpp"
#include "run/statics_run.hpp"

namespace escapement::cli {

using LoadModel = std::function<Model(const Overrides&)>;

// there is no answer: one sentence
struct NoAnswer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// equilibrium and natural frequencies, as `modes --json` prints them; throws NoAnswer. count: of large models, 0: a few
nlohmann::ordered_json find_modes_of(const Model&, int count = 0);

struct Statics {
  StaticsReport report;  // its result has the summary
  Model model;
  std::string message;  // why there is none
};
nlohmann::ordered_json to_json(const Statics&);
Statics find_statics(const LoadModel&, const Overrides&, int steps);  // throws UsageError

struct Contest {
  std::vector<std::string> schemes;  // ID or ID:key=value:key=value
  std::vector<double> tolerances, steps;
  double reference = 1e-13;
  bool no_reference = false;
};
// throws UsageError, OptionError before anything runs
std::vector<ComparedRun> contest_runs(const LoadModel&, const Overrides&, const Contest&);
Model contest_model(const LoadModel&, const Overrides&, const std::vector<ComparedRun>&);
Comparison hold_contest(Model&, const std::vector<ComparedRun>&, const Contest&, const CompareHooks&);

using RunsBegun = std::function<void(std::span<const std::size_t> runs)>;
using RowDone = std::function<void(std::size_t run, SweepRow)>;
// what makes the runs of a study that are not done on another engine, says which have begun and what rows came of them, and returns
// when all are there or the study is interrupted; set by the Python module, null in the program alone
using RunElsewhere = std::function<void(const std::string& engine, const std::string& address, const Study&, const std::vector<std::size_t>& rows,
                                        const RunsBegun&, const RowDone&, const std::atomic<bool>& interrupt)>;
RunElsewhere& run_elsewhere();

struct ProgramWords {
  int argc = 0;
  char** argv = nullptr;
};
ProgramWords& program_words();  // that it was called with

}  // namespace escapement::cli
