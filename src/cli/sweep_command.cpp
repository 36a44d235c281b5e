#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "cli/model_arguments.hpp"
#include "cli/output_name.hpp"
#include "cli/run_action.hpp"
#include "io/result_file.hpp"
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

// the processes of one mpirun share the runs; they meet in files beside the result
struct Ranks {
  std::size_t rank = 0, size = 1;
  std::string job;

  static Ranks of_environment() {
    for (const auto& [rank, size] :
         {std::pair{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, std::pair{"PMI_RANK", "PMI_SIZE"}}) {
      const char *r = std::getenv(rank), *s = std::getenv(size);
      if (!r || !s) continue;
      Ranks ranks{std::strtoul(r, nullptr, 10), std::max(1ul, std::strtoul(s, nullptr, 10)), "job"};
      for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "PMI_JOBID", "SLURM_JOB_ID"})
        if (const char* job = std::getenv(name)) {
          ranks.job = job;
          break;
        }
      for (char& c : ranks.job)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
      return ranks;
    }
    return {};
  }
  fs::path part(const std::string& name, std::size_t k) const {
    return fmt::format("{}.{}.{}of{}.part", name, job, k, size);
  }
};

// NaN and infinities are not JSON: bits are
void write_part(const std::vector<SweepRow>& rows, const fs::path& path) {
  Json list = Json::array();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].done) continue;
    Json bits = Json::array();
    for (const double x : rows[i].measures) bits.push_back(std::bit_cast<std::uint64_t>(x));
    list.push_back({i, rows[i].status, rows[i].verdict, rows[i].message, bits});
  }
  const fs::path draft = path.string() + ".draft";
  std::ofstream out(draft, std::ios::binary);
  out << list.dump(-1, ' ', false, Json::error_handler_t::replace);
  out.close();
  fs::rename(draft, path);
}

void read_part(const fs::path& path, std::vector<SweepRow>& rows) {
  std::ifstream in(path, std::ios::binary);
  for (const Json& item : Json::parse(in)) {
    SweepRow& row = rows.at(item.at(0).get<std::size_t>());
    row.done = true;
    row.status = item.at(1).get<std::string>();
    row.verdict = item.at(2).get<std::string>();
    row.message = item.at(3).get<std::string>();
    for (const Json& bits : item.at(4)) row.measures.push_back(std::bit_cast<double>(bits.get<std::uint64_t>()));
  }
  fs::remove(path);
}

int sweep(const SweepArguments& arguments) {
  const Ranks ranks = Ranks::of_environment();
  const Study study = load_study(arguments.model.file, arguments.model.overrides());
  const std::string name =
      arguments.output.name.empty() ? fs::path(arguments.model.file).stem().string() : arguments.output.name;
  need_writable(name);
  const int threads = arguments.threads > 0 ? arguments.threads
                      : ranks.size > 1      ? 1
                                            : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  SweepHooks hooks;
  hooks.interrupt = stop_on_signals();
  const bool visible = !arguments.output.quiet && ranks.rank == 0 && isatty(STDERR_FILENO) != 0;
  const auto begin = std::chrono::steady_clock::now();
  hooks.on_run = [&](std::size_t done, std::size_t of) {
    if (!visible) return;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fmt::print(stderr, "\r\033[K{} of {} runs, {:.0f} s left{}", done, of,
               seconds / static_cast<double>(done) * static_cast<double>(of - done), done == of ? "\r\033[K" : "");
    std::fflush(stderr);
  };
  const bool together = arguments.on != "cores";
  if (together && ranks.size > 1) throw OverrideError(fmt::format("--on {} runs on one machine; start it without mpirun", arguments.on));
  std::vector<SweepRow> rows =
      together ? run_ensemble(study, arguments.on, threads, hooks) : run_sweep(study, threads, hooks, ranks.rank, ranks.size);
  if (ranks.rank > 0) {
    write_part(rows, ranks.part(name, ranks.rank));
    return completed;
  }
  for (std::size_t k = 1; k < ranks.size; ++k) {
    while (!fs::exists(ranks.part(name, k)) && !hooks.interrupt->load())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (fs::exists(ranks.part(name, k))) read_part(ranks.part(name, k), rows);
  }

  // printed first: a full disk does not take it
  if (arguments.output.json)
    fmt::print("{}\n", to_json(study, rows).dump(2, ' ', false, Json::error_handler_t::replace));
  else if (!arguments.output.quiet)
    fmt::print("{}", to_text(study, rows));
  write_sweep(study, rows, name + ".h5");
  write_text(name + ".csv", to_csv(study, rows));
  if (!arguments.output.json && !arguments.output.quiet) fmt::print("files: {0}.h5, {0}.csv\n", name);
  if (hooks.interrupt->load()) return interrupted;
  bool any = false, suspect = false;
  for (const SweepRow& row : rows) {
    any = any || (row.done && (row.status == "completed" || row.status == "stopped"));
    suspect = suspect || row.verdict == "suspect";
  }
  return any && !(arguments.output.strict && suspect) ? completed : simulation_failed;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("sweep", "Run a parameter study in parallel; under mpirun on all ranks");
  auto arguments = std::make_shared<SweepArguments>();
  command->add_option("STUDY", arguments->model.file, "study file (YAML)")->required();
  command->add_option("-j,--jobs", arguments->threads, "runs at a time; as many as there are cores unless given")
      ->check(CLI::Range(1, 4096))
      ->type_name("N");
  command->add_option("--on", arguments->on, "cores: whole runs; lanes, gpu: many members of a formula model at once, with fixed steps")
      ->check(CLI::IsMember({"cores", "lanes", "gpu"}))
      ->type_name("ENGINE");
  arguments->model.add_simulation(*command);
  arguments->model.add_parameters(*command);
  add_output_name(*command, arguments->output.name, "name of the files written, without extension");
  command->add_flag("--json", arguments->output.json, "print exactly one JSON object instead of the table");
  command->add_flag("--quiet", arguments->output.quiet, "print nothing");
  command->add_flag("--strict", arguments->output.strict, "exit with status 1 where a run is suspect");
  command->callback([=, &action] { action = [=] { return sweep(*arguments); }; });
}

}  // namespace escapement::cli
