#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>

#include "cli/model_arguments.hpp"
#include "cli/output_name.hpp"
#include "cli/progress.hpp"
#include "cli/run_action.hpp"
#include "io/check.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"
#include "io/run.hpp"
#include "io/version.hpp"
#include "io/vtk.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

std::atomic<bool> stop_asked{false};

void on_interrupt(int) { stop_asked.store(true); }

// writes what has been reached now and then, so that a killed run leaves a readable file and can go on from there: at once, at
// the times asked for, and about every second as long as that takes less than a tenth of the time
class Flusher {
 public:
  Flusher(fs::path path, double every, double t) : path_(std::move(path)), every_(every), next_(every > 0 ? every * std::floor(t / every) + every : 0) {}
  bool due(double t) {
    if (every_ > 0 && t >= next_) {
      next_ = every_ * std::floor(t / every_) + every_;
      return true;
    }
    return first_ || Clock::now() - last_ >= std::max<Clock::duration>(std::chrono::seconds(1), 10 * cost_);
  }
  void write(const Result& result) {
    const auto before = Clock::now();
    write_result(result, path_);
    last_ = Clock::now();
    cost_ = last_ - before;
    first_ = false;
  }

 private:
  using Clock = std::chrono::steady_clock;
  fs::path path_;
  double every_, next_;
  bool first_ = true;
  Clock::time_point last_ = Clock::now();
  Clock::duration cost_{};
};

// drafts of runs that were killed while they wrote: NAME.h5.PID.part of processes that are gone
void remove_old_drafts(const fs::path& result) {
  const fs::path folder = result.has_parent_path() ? result.parent_path() : fs::path(".");
  const std::string prefix = result.filename().string() + ".";
  std::vector<fs::path> old;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || !name.ends_with(".part")) continue;
    const int pid = std::atoi(name.c_str() + prefix.size());
    if (pid > 0 && kill(pid, 0) != 0 && errno == ESRCH) old.push_back(entry.path());
  }
  std::error_code ignored;
  for (const fs::path& path : old) fs::remove(path, ignored);
}

}  // namespace

const std::atomic<bool>* stop_on_signals() {
  stop_asked = false;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return &stop_asked;
}

void need_writable(const fs::path& path) {
  if (!path.has_filename()) throw UsageError(fmt::format("'{}' is a folder; give a name for the files in it", path.string()));
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) throw UsageError(fmt::format("there is no folder '{}' to write to", folder.string()));
  if (access(folder.c_str(), W_OK) != 0) throw UsageError(fmt::format("cannot write to the folder '{}'", folder.string()));
}

void print_warnings(const std::vector<std::string>& warnings) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i) fmt::print(stderr, "warning: {}\n", warnings[i]);
  if (warnings.size() > most) fmt::print(stderr, "warning: and {} more; --json lists them all\n", warnings.size() - most);
}

std::string verdict_text(const nlohmann::ordered_json& s) {
  const std::string verdict = s["verdict"].get<std::string>(), status = s["status"].get<std::string>();
  const char* reach = status == "failed" ? " up to its failure" : status == "interrupted" ? " up to its interruption" : "";
  return verdict + reach + (verdict == "sound" ? "" : ": do not trust this result before you have looked into");
}

std::string finding_text(const nlohmann::ordered_json& f) {
  const std::string where = f["where"].get<std::string>();
  return fmt::format("{}{} at t = {:.6g} s: {:.2g}, limit {:.2g}; {}", f["what"].get<std::string>(),
                     where.empty() ? "" : fmt::format(" ('{}')", where), f["t"].get<double>(), f["value"].get<double>(),
                     f["limit"].get<double>(), f["remedy"].get<std::string>());
}

int exit_status(const nlohmann::ordered_json& summary, bool strict) {
  const std::string status = summary["status"].get<std::string>();
  if (status == "failed") return simulation_failed;
  if (status == "interrupted") return interrupted;
  return strict && summary["verdict"] != "sound" ? simulation_failed : completed;
}

void print_summary(const nlohmann::ordered_json& s) {
  auto row = [](const char* label, const std::string& value) { fmt::print("  {:<18} {}\n", label, value); };
  fmt::print("{}\n", s["model"].get<std::string>());
  row("scheme", s["scheme"].get<std::string>());
  if (const std::string choice = s["scheme_choice"].get<std::string>(); !choice.empty()) row("chosen", choice);
  row("status", fmt::format("{} at t = {:.9g} s", s["status"].get<std::string>(), s["t"].get<double>()));
  row("verdict", verdict_text(s));
  for (const auto& finding : s["findings"]) row("", finding_text(finding));
  row("steps", fmt::format("{} ({} rejected), {:.3g} s on average", s["steps"].get<long>(), s["rejected_steps"].get<long>(), s["average_step"].get<double>()));
  row("work", fmt::format("{} evaluations and solves, {:.3g} s", s["work"].get<long>(), s["wall_seconds"].get<double>()));
  if (!s["drift_by_constraint"].empty())
    row("drift", fmt::format("position {:.2e}, velocity {:.2e}", s["max_drift"]["position"].get<double>(), s["max_drift"]["velocity"].get<double>()));
  if (s["has_contacts"].get<bool>())
    row("contact", fmt::format("{} impacts, penetration {:.2e} m", s["impacts"].get<long>(), s["max_penetration"].get<double>()));
  if (s["impacts_with_energy_gain"].get<long>() > 0) row("warning", fmt::format("{} impacts raised the energy", s["impacts_with_energy_gain"].get<long>()));
  if (!s["assembled"].is_null()) row("assembled", assembled_text(s["assembled"]));
  if (!s["redundant_constraints"].empty()) {
    std::string names;
    for (const auto& name : s["redundant_constraints"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    row("redundant", names + " (how joints share these forces is a choice)");
  }
  row("energy", fmt::format("{:.9g} J -> {:.9g} J, balance within {:.2e} J", s["energy"]["initial"].get<double>(), s["energy"]["final"].get<double>(),
                            s["energy"]["max_error"].get<double>()));
}

Ran run_and_write(Model& model, const RunOutput& output, Result* resume) {
  need_writable(output.name);
  const fs::path result_path = output.name + ".h5";
  remove_old_drafts(result_path);
  RunHooks hooks;
  hooks.interrupt = stop_on_signals();
  Flusher flusher(result_path, output.checkpoint, resume && !resume->time.empty() ? resume->time.back() : 0);
  hooks.wants_result = [&](double t) { return flusher.due(t); };
  hooks.take_result = [&](const Result& result) { flusher.write(result); };
  hooks.resume = resume;
  Progress progress(model.settings.start, model.settings.end, !output.quiet && isatty(STDERR_FILENO));
  hooks.observers.push_back(&progress);
  RunReport report = run_model(model, hooks);
  progress.clear();

  write_result(report.result, result_path);
  std::vector<std::string> files{result_path.string()};
  if (output.csv) write_csv(report.result, files.emplace_back(output.name + ".csv"));
  if (output.vtk) write_vtk(report.result, make_picture(model.drawing, model.scene), output.name);
  if (output.vtk) files.push_back(output.name + ".pvd");
  if (!output.no_report) write_report(report.result, make_picture(model.drawing, model.scene), files.emplace_back(output.name + ".html"));
  if (!output.json && !output.quiet) {
    print_summary(report.summary);
    fmt::print("  {:<18} {}\n", "files", fmt::join(files, ", "));
  }
  if (!output.quiet) print_warnings(model.warnings);
  if (report.outcome.status == Outcome::Status::failed)
    fmt::print(stderr, "{}: {}\n", model.file, report.outcome.message);
  if (report.outcome.interrupted())
    fmt::print(stderr, "{}: {}; 'escapement run --resume {}' goes on from there\n", model.file, report.outcome.message,
               result_path.string());
  const int status = exit_status(report.summary, output.strict);
  return {status, std::move(report.summary)};
}

int run_and_print(Model& model, const RunOutput& output) {
  const Ran ran = run_and_write(model, output);
  if (output.json) fmt::print("{}\n", ran.summary.dump(2));
  return ran.status;
}

namespace {

struct RunArguments {
  ModelArguments model;
  std::vector<std::string> files;
  std::string resume;
  RunOutput output;
};

int resume_run(const RunArguments& arguments) {
  const ModelArguments& m = arguments.model;
  if (!m.sets.empty() || !m.options.empty() || !m.scheme.empty() || !m.step.empty() || !m.tolerance.empty() || !m.end.empty())
    throw UsageError("--resume goes on with what the result file says; leave out --scheme, --step, --tolerance, --end, --set and --option");
  if (arguments.files.size() > 1) throw UsageError("--resume takes one model at most");
  Result so_far = read_result(arguments.resume);
  if (so_far.checkpoint.empty()) throw UsageError(fmt::format("{} holds no checkpoint: its run has come to its end", arguments.resume));
  if (so_far.version != version()) throw UsageError(fmt::format("{} was written by version {} and cannot go on with the same bits in {}; run the model again", arguments.resume, so_far.version, version()));
  // tables are looked for beside the model, or beside the result
  const std::string file = arguments.files.empty() ? (fs::path(arguments.resume).parent_path() / so_far.model_file).string() : arguments.files.front();
  Model model = read_model_of(so_far, file);
  RunOutput output = arguments.output;
  if (output.name.empty()) output.name = fs::path(arguments.resume).replace_extension().string();
  const Ran ran = run_and_write(model, output, &so_far);
  if (output.json) fmt::print("{}\n", ran.summary.dump(2));
  return ran.status;
}

// one model, or several one after the other
int run_all(const RunArguments& arguments) {
  if (!arguments.resume.empty()) return resume_run(arguments);
  if (arguments.files.empty()) throw UsageError("give a model file, or --resume and a result file");
  if (arguments.files.size() > 1 && !arguments.output.name.empty()) throw UsageError("-o names the files of one model; leave it out with several");
  // read all before the first is run: bad input writes nothing
  std::vector<Model> models;
  std::vector<std::string> names;
  for (const std::string& file : arguments.files) {
    models.push_back(load_model(file, arguments.model.overrides()));
    const std::string own_name = file == "-" ? "model" : fs::path(file).stem().string();
    names.push_back(arguments.output.name.empty() ? own_name : arguments.output.name);
    if (std::count(names.begin(), names.end(), names.back()) > 1) throw UsageError(fmt::format("two models would write {}.h5; run them one by one with -o", names.back()));
  }
  int worst = completed;
  nlohmann::ordered_json summaries = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < models.size(); ++i) {
    RunOutput output = arguments.output;
    output.name = names[i];
    Ran ran = run_and_write(models[i], output);
    worst = std::max(worst, ran.status);
    summaries.push_back(std::move(ran.summary));
    if (ran.status == interrupted) break;
  }
  if (arguments.output.json) fmt::print("{}\n", (models.size() == 1 ? summaries[0] : nlohmann::ordered_json{{"runs", summaries}}).dump(2));
  return worst;
}

}  // namespace

void add_output_flags(CLI::App& command, RunOutput& output) {
  add_output_name(command, output.name, "name of the files written, without extension");
  command.add_flag("--csv", output.csv, "also write NAME.csv");
  command.add_flag("--no-report", output.no_report, "do not write NAME.html");
  command.add_flag("--json", output.json, "print exactly one JSON object instead of the summary");
  command.add_flag("--quiet", output.quiet, "print nothing");
  command.add_flag("--strict", output.strict, "exit with status 1 where the verdict is suspect");
}

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate models and write their results");
  auto arguments = std::make_shared<RunArguments>();
  command->add_option("MODEL", arguments->files, "model files (YAML); - reads standard input and writes model.h5");
  arguments->model.add_simulation(*command);
  arguments->model.add_parameters(*command);
  command->add_option("--checkpoint", arguments->output.checkpoint, "write the result file every EVERY simulated seconds; a killed run goes on from there")
      ->check(CLI::PositiveNumber)->type_name("EVERY");
  command->add_option("--resume", arguments->resume, "go on with an unfinished run, with the same bits as if it had not stopped")->type_name("RESULT.h5");
  add_output_flags(*command, arguments->output);
  command->add_flag("--vtk", arguments->output.vtk, "also write NAME.pvd for ParaView");
  command->callback([=, &action] { action = [=] { return run_all(*arguments); }; });
}

}  // namespace escapement::cli
