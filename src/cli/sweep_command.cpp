#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "cli/answers.hpp"
#include "cli/model_arguments.hpp"
#include "cli/output_name.hpp"
#include "cli/run_action.hpp"
#include "cli/study_engine.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"
#include "io/study_journal.hpp"
#include "io/sweep.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct SweepArguments {
  ModelArguments model;
  RunOutput output;
  int threads = 0;
  std::string on = "cores";
};

void tell_of(const StudyJournal& journal, const std::string& name, std::size_t runs) {
  if (journal.set_aside()) fmt::print(stderr, "escapement: {0}.rows is of another study; it is kept as {0}.rows.old\n", name);
  if (journal.taken() > 0)
    fmt::print(stderr, "escapement: goes on with {} of {} runs from {}.rows{}\n", journal.taken(), runs, name,
               journal.cut_short() > 0 ? fmt::format("; {} that were cut short are made again", journal.cut_short()) : "");
}

int sweep(const SweepArguments& arguments) {
  const StudyEngine engine = read_engine(arguments.on);
  check_launcher(engine);
  if (engine.elsewhere() && !run_elsewhere()) hand_over(engine, program_words().argc, program_words().argv);
  const Study study = load_study(arguments.model.file, arguments.model.overrides());
  const std::string name =
      arguments.output.name.empty() ? fs::path(arguments.model.file).stem().string() : arguments.output.name;
  need_writable(name);
  const int threads = arguments.threads > 0 ? arguments.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  const std::atomic<bool>* interrupt = stop_on_signals();
  std::vector<SweepRow> rows;
  std::optional<StudyJournal> journal;
  if (!engine.together()) {
    journal.emplace(name + ".rows", study, rows);
    if (!arguments.output.quiet) tell_of(*journal, name, rows.size());
  }

  const bool visible = !arguments.output.quiet && isatty(STDERR_FILENO) != 0;
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t of = rows.size() - (journal ? journal->taken() : 0);
  std::size_t done = 0;
  const auto show = [&](std::size_t now, std::size_t all) {
    if (!visible || now == 0) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print(stderr, "\r\033[K{} of {} runs, {:.0f} s left{}", now, all,
               seconds / static_cast<double>(now) * static_cast<double>(all - now), now == all ? "\r\033[K" : "");
    std::fflush(stderr);
  };
  const auto begun = [&](std::span<const std::size_t> runs) { journal->start(runs); };
  const auto made = [&](std::span<const std::size_t> runs) {
    journal->add(runs, rows);
    show(done += runs.size(), of);
  };
  if (engine.name == "cores") {
    run_sweep(study, threads, {.interrupt = interrupt, .on_run = {}, .on_start = begun, .on_rows = made}, rows);
  } else if (engine.together()) {
    SweepHooks hooks;
    hooks.interrupt = interrupt;
    hooks.on_run = [&](std::size_t now, std::size_t all) { show(now, all); };
    rows = run_ensemble(study, engine.name, threads, hooks);
  } else {
    std::vector<std::size_t> todo;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!rows[i].done) todo.push_back(i);
    run_elsewhere()(engine.name, engine.address, study, todo, begun,
                    [&](std::size_t run, SweepRow row) {
                      if (rows.at(run).done) return;
                      rows[run] = std::move(row);
                      made(std::span(&run, 1));
                    },
                    *interrupt);
  }

  // printed first: a full disk does not take it
  if (arguments.output.json)
    fmt::print("{}\n", to_json(study, rows).dump(2, ' ', false, Json::error_handler_t::replace));
  else if (!arguments.output.quiet)
    fmt::print("{}", to_text(study, rows));
  write_sweep(study, rows, name + ".h5");
  write_text(name + ".csv", to_csv(study, rows));
  const bool page = !arguments.output.no_report;
  if (page) write_study_page(sweep_page(study, rows).dump(-1, ' ', false, Json::error_handler_t::replace), name + ".html");
  if (!arguments.output.json && !arguments.output.quiet) fmt::print("files: {0}.h5, {0}.csv{1}\n", name, page ? ", " + name + ".html" : "");
  const bool whole = std::all_of(rows.begin(), rows.end(), [](const SweepRow& row) { return row.done; });
  if (whole && journal) journal->remove();
  if (!whole && journal && !arguments.output.quiet) fmt::print(stderr, "escapement: the same command goes on from here\n");
  if (interrupt->load()) return interrupted;
  bool any = false, suspect = false;
  for (const SweepRow& row : rows) {
    any = any || (row.done && (row.status == "completed" || row.status == "stopped"));
    suspect = suspect || row.verdict == "suspect";
  }
  return any && !(arguments.output.strict && suspect) ? completed : simulation_failed;
}

}  // namespace

RunElsewhere& run_elsewhere() {
  static RunElsewhere engine;
  return engine;
}

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("sweep", "Run a parameter study in parallel, here or on many machines");
  auto arguments = std::make_shared<SweepArguments>();
  command->add_option("STUDY", arguments->model.file, "study file (YAML)")->required();
  command->add_option("-j,--jobs", arguments->threads, "runs at a time; as many as there are cores unless given")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command->add_option("--on", arguments->on,
                      "where: cores (whole runs), dask:ADDRESS or mpi (the same on many machines), lanes or gpu (many members of a formula "
                      "model at once, with fixed steps); docs/studies.md says how")
      ->type_name("ENGINE");
  arguments->model.add_simulation(*command);
  arguments->model.add_parameters(*command);
  add_output_name(*command, arguments->output.name, "name of the files written, without extension");
  command->add_flag("--no-report", arguments->output.no_report, "do not write NAME.html");
  command->add_flag("--json", arguments->output.json, "print exactly one JSON object instead of the table");
  command->add_flag("--quiet", arguments->output.quiet, "print nothing");
  command->add_flag("--strict", arguments->output.strict, "exit with status 1 where a run is suspect");
  command->callback([=, &action] { action = [=] { return sweep(*arguments); }; });
}

}  // namespace escapement::cli
