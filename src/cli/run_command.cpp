#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>

#include "cli/model_arguments.hpp"
#include "cli/output_name.hpp"
#include "cli/progress.hpp"
#include "cli/run_action.hpp"
#include "io/check.hpp"
#include "io/readable.hpp"
#include "io/report.hpp"
#include "io/run.hpp"
#include "io/running_result.hpp"
#include "io/vtk.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

std::atomic<bool> stop_asked{false};

void on_interrupt(int) { stop_asked.store(true); }

// writes what has been reached now and then, so that a killed run leaves a readable file and can go on from there: at the times
// asked for, about every second as long as that takes less than a tenth of the time, and before samples fill the memory. The first
// file waits for a second of the processor's time: before that little is lost, and of short runs it would be half of the work
class Flusher {
 public:
  Flusher(fs::path path, double every) : file_(std::move(path)), every_(every) { start(0); }
  void take_name() { file_.take_name(); }
  Result go_on_from(const std::string& file) {
    Result result = file_.go_on_from(file);
    if (!result.steps.time.empty()) start(result.steps.time.back());
    return result;
  }
  void start(double t) { next_ = every_ > 0 ? every_ * std::floor(t / every_) + every_ : 0; }
  bool due(double t, const Result& result) {
    if (every_ > 0 && t >= next_) {
      start(t);
      return true;
    }
    if (file_.is_long(result)) return Clock::now() - last_ >= 10 * failed_;
    if (first_) return std::clock() - begun_ >= CLOCKS_PER_SEC;
    return Clock::now() - last_ >= std::max<Clock::duration>(std::chrono::seconds(1), 10 * cost_);
  }
  // what cannot be written now is kept, and tried again
  void write(Result& result) {
    const auto before = Clock::now();
    failed_ = {};
    try {
      file_.write(result);
    } catch (const WriteError&) {
      failed_ = std::chrono::seconds(1);
    }
    last_ = Clock::now();
    cost_ = last_ - before;
    first_ = false;
  }
  void finish(RunReport& report) { file_.finish(report); }

 private:
  using Clock = std::chrono::steady_clock;
  RunningResult file_;
  double every_, next_ = 0;
  bool first_ = true;
  std::clock_t begun_ = std::clock();
  Clock::time_point last_ = Clock::now();
  Clock::duration cost_{}, failed_{};
};

}  // namespace

const std::atomic<bool>* stop_on_signals() {
  stop_asked = false;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return &stop_asked;
}

void need_folder(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code unseen;
  const fs::file_type kind = fs::status(folder, unseen).type();
  // of a folder that may not be looked at the system says why when it is written to
  if (kind != fs::file_type::directory && kind != fs::file_type::none)
    throw UsageError(fmt::format("there is no folder '{}' to write to", folder.string()));
}

void need_writable(const fs::path& path) {
  if (!path.has_filename()) throw UsageError(fmt::format("'{}' is a folder; give a name for the files in it", path.string()));
  need_folder(path);
  // what the system says of it: a folder or a disk that takes nothing, a name that is too long
  const fs::path probe = draft_of(path.string() + ".html");
  const int file = open(probe.c_str(), O_CREAT | O_WRONLY | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) throw UsageError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  close(file);
  unlink(probe.c_str());
}

void write_given(const fs::path& path, std::string_view text) {
  try {
    write_text(path, text);
  } catch (const WriteError& error) {
    throw UsageError(error.what());
  }
}

void print_warnings(const std::vector<std::string>& warnings) {
  constexpr std::size_t most = 5;
  for (std::size_t i = 0; i < std::min(most, warnings.size()); ++i) fmt::print(stderr, "warning: {}\n", warnings[i]);
  if (warnings.size() > most) fmt::print(stderr, "warning: and {} more; --json lists them all\n", warnings.size() - most);
}

int exit_status(const Summary& summary, bool strict) {
  if (summary.status == Outcome::Status::failed) return simulation_failed;
  if (summary.status == Outcome::Status::interrupted) return interrupted;
  return strict && !summary.sound ? simulation_failed : completed;
}

namespace {

// the result file and the others, as far as the disk takes them; names what was written and what was not
struct Saved {
  std::vector<std::string> files, failures;
  template <class Write>
  void save(const std::string& file, Write write) {
    try {
      write();
      files.push_back(file);
    } catch (const WriteError& error) {
      failures.push_back(error.what());
    }
  }
};

Saved save(const Model& model, RunReport& report, Flusher& flusher, const RunOutput& output) {
  Saved saved;
  const std::string result_file = output.name + ".h5";
  saved.save(result_file, [&] { flusher.finish(report); });
  // of long runs the samples are in the file alone
  const bool in_memory = report.result.first == 0;
  if (!in_memory && !saved.failures.empty()) return saved;
  std::optional<ResultReader> file;
  if (!in_memory && (output.csv || output.vtk || !output.no_report)) file.emplace(result_file);
  if (output.csv)
    saved.save(output.name + ".csv", [&] { file ? write_csv(*file, output.name + ".csv") : write_csv(report.result, output.name + ".csv"); });
  const Picture picture = output.vtk || !output.no_report ? make_picture(model.drawing, model.scene) : Picture();
  if (output.vtk)
    saved.save(output.name + ".pvd", [&] { write_vtk(file ? read_result(result_file) : report.result, picture, output.name); });
  if (!output.no_report)
    saved.save(output.name + ".html", [&] { file ? write_report(*file, picture, output.name + ".html") : write_report(report.result, picture, output.name + ".html"); });
  return saved;
}

}  // namespace

Ran run_and_write(Model& model, const RunOutput& output, const std::string& resume) {
  need_writable(output.name);
  const fs::path result_path = output.name + ".h5";
  remove_old_drafts(result_path);
  RunHooks hooks;
  hooks.interrupt = stop_on_signals();
  Flusher flusher(result_path, output.checkpoint);
  Result so_far;
  if (!resume.empty()) {
    so_far = flusher.go_on_from(resume);
    hooks.resume = &so_far;
  }
  std::error_code none;
  if (!fs::equivalent(resume, result_path, none)) flusher.take_name();
  hooks.wants_result = [&](double t, const Result& result) { return flusher.due(t, result); };
  hooks.take_result = [&](Result& result) { flusher.write(result); };
  Progress progress(model.settings.start, model.settings.end, !output.quiet && isatty(STDERR_FILENO));
  hooks.observers.push_back(&progress);
  RunReport report = run_model(model, hooks);
  progress.clear();

  const Saved saved = save(model, report, flusher, output);
  if (!output.json && !output.quiet) {
    fmt::print("{}", to_text(report.summary));
    fmt::print("  {:<18} {}\n", "files", saved.files.empty() ? "none" : fmt::format("{}", fmt::join(saved.files, ", ")));
  }
  if (!output.quiet) print_warnings(model.warnings);
  if (report.outcome.status == Outcome::Status::failed)
    fmt::print(stderr, "{}: {}\n", model.file, report.outcome.message);
  if (report.outcome.interrupted())
    fmt::print(stderr, "{}: {}; 'escapement run --resume {}' goes on from there\n", model.file, report.outcome.message,
               result_path.string());
  for (const std::string& failure : saved.failures) fmt::print(stderr, "escapement: {}\n", failure);
  const int status = exit_status(report.summary, output.strict);
  return {status == completed && !saved.failures.empty() ? simulation_failed : status, std::move(report.summary)};
}

int run_and_print(Model& model, const RunOutput& output) {
  const Ran ran = run_and_write(model, output);
  if (output.json) fmt::print("{}\n", to_json(ran.summary).dump(2));
  return ran.status;
}

namespace {

struct RunArguments {
  ModelArguments model;
  std::vector<std::string> files;
  std::string resume;
  bool force = false;
  RunOutput output;
};

int resume_run(const RunArguments& arguments) {
  const ModelArguments& m = arguments.model;
  if (!m.sets.empty() || !m.options.empty() || !m.scheme.empty() || !m.step.empty() || !m.tolerance.empty() || !m.end.empty())
    throw UsageError("--resume goes on with what the result file says; leave out --scheme, --step, --tolerance, --end, --set and --option");
  if (arguments.files.size() > 1) throw UsageError("--resume takes one model at most");
  const Result so_far = ResultReader(arguments.resume).head();
  if (so_far.checkpoint.empty()) throw UsageError(fmt::format("{} holds no checkpoint: its run has come to its end", arguments.resume));
  // tables are looked for beside the model, or beside the result
  const std::string file = arguments.files.empty() ? (fs::path(arguments.resume).parent_path() / so_far.origin.model_file).string() : arguments.files.front();
  if (!arguments.files.empty())
    if (const std::string why = why_unreadable(file); !why.empty()) throw UsageError(fmt::format("{}: {}", file, why));
  Model model = read_model_of(so_far, file);
  if (const auto found = changes_since(so_far, model, file); !found.empty() && !arguments.force)
    throw UsageError(fmt::format("{} would not go on with the same bits: {}; --force goes on all the same, with the model that it holds and the tables as they are now",
                                 arguments.resume, fmt::join(found, ", ")));
  RunOutput output = arguments.output;
  if (output.name.empty()) output.name = fs::path(arguments.resume).replace_extension().string();
  const Ran ran = run_and_write(model, output, arguments.resume);
  if (output.json) fmt::print("{}\n", to_json(ran.summary).dump(2));
  return ran.status;
}

// one model, or several one after the other
int run_all(const RunArguments& arguments) {
  if (!arguments.resume.empty()) return resume_run(arguments);
  if (arguments.force) throw UsageError("--force belongs to --resume");
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
    summaries.push_back(to_json(ran.summary));
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
  command->add_flag("--force", arguments->force, "with --resume: go on although the model, a table or the program has changed since");
  add_output_flags(*command, arguments->output);
  command->add_flag("--vtk", arguments->output.vtk, "also write NAME.pvd for ParaView");
  command->callback([=, &action] { action = [=] { return run_all(*arguments); }; });
}

}  // namespace escapement::cli
