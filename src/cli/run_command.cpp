#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "cli/model_arguments.hpp"
#include "cli/progress.hpp"
#include "cli/run_action.hpp"
#include "io/report.hpp"
#include "io/result_file.hpp"
#include "io/run.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

std::atomic<bool> interrupted{false};

void on_interrupt(int) { interrupted.store(true); }

// writes what has been reached now and then, so that a killed run leaves a readable file; never spends more than a tenth
// of the time on it
class Flusher {
 public:
  explicit Flusher(fs::path path) : path_(std::move(path)) {}
  void operator()(const Result& result) {
    const auto now = Clock::now();
    if (now - last_ < std::max<Clock::duration>(std::chrono::seconds(1), 10 * cost_)) return;
    write_result(result, path_);
    last_ = Clock::now();
    cost_ = last_ - now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  fs::path path_;
  Clock::time_point last_ = Clock::now();
  Clock::duration cost_{};
};

}  // namespace

const std::atomic<bool>* stop_on_signals() {
  interrupted = false;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return &interrupted;
}

void need_writable(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!fs::is_directory(folder)) throw UsageError(fmt::format("there is no folder '{}' to write to", folder.string()));
  if (access(folder.c_str(), W_OK) != 0) throw UsageError(fmt::format("cannot write to the folder '{}'", folder.string()));
}

void print_summary(const nlohmann::ordered_json& s) {
  auto row = [](const char* label, const std::string& value) { fmt::print("  {:<18} {}\n", label, value); };
  fmt::print("{}\n", s["model"].get<std::string>());
  row("scheme", s["scheme"].get<std::string>());
  row("status", fmt::format("{} at t = {:.9g} s", s["status"].get<std::string>(), s["t"].get<double>()));
  row("steps", fmt::format("{} ({} rejected), {:.3g} s on average", s["steps"].get<long>(), s["rejected_steps"].get<long>(), s["average_step"].get<double>()));
  row("work", fmt::format("{} evaluations and solves, {:.3g} s", s["work"].get<long>(), s["wall_seconds"].get<double>()));
  if (!s["drift_by_constraint"].empty())
    row("drift", fmt::format("position {:.2e}, velocity {:.2e}", s["max_drift"]["position"].get<double>(), s["max_drift"]["velocity"].get<double>()));
  if (s["has_contacts"].get<bool>())
    row("contact", fmt::format("{} impacts, penetration {:.2e} m", s["impacts"].get<long>(), s["max_penetration"].get<double>()));
  if (s["impacts_with_energy_gain"].get<long>() > 0) row("warning", fmt::format("{} impacts raised the energy", s["impacts_with_energy_gain"].get<long>()));
  if (!s["redundant_constraints"].empty()) {
    std::string names;
    for (const auto& name : s["redundant_constraints"]) names += (names.empty() ? "" : ", ") + name.get<std::string>();
    row("redundant", names + " (their forces are the smallest of many possible)");
  }
  row("energy", fmt::format("{:.9g} J -> {:.9g} J, balance within {:.2e} J", s["energy"]["initial"].get<double>(), s["energy"]["final"].get<double>(),
                            s["energy"]["max_error"].get<double>()));
}

int run_and_write(Model& model, const RunOutput& output) {
  need_writable(output.name);
  const fs::path result_path = output.name + ".h5";
  RunHooks hooks;
  hooks.interrupt = stop_on_signals();
  Flusher flush(result_path);
  hooks.on_progress = [&](const Result& result) { flush(result); };
  Progress progress(model.settings.end, !output.quiet && isatty(STDERR_FILENO));
  hooks.observers.push_back(&progress);
  RunReport report = run_model(model, hooks);
  progress.clear();

  write_result(report.result, result_path);
  if (output.csv) write_csv(report.result, output.name + ".csv");
  if (!output.no_report) write_report(report.result, make_picture(model.drawing, model.scene), output.name + ".html");
  if (output.json) {
    fmt::print("{}\n", report.summary.dump(2));
  } else if (!output.quiet) {
    print_summary(report.summary);
    fmt::print("  {:<18} {}\n", "result", result_path.string());
    if (!output.no_report) fmt::print("  {:<18} {}\n", "report", output.name + ".html");
  }
  for (const std::string& warning : model.warnings)
    if (!output.quiet) fmt::print(stderr, "warning: {}\n", warning);
  if (report.outcome.status == Outcome::Status::failed) {
    fmt::print(stderr, "{}: {}\n", model.file, report.outcome.message);
    return simulation_failed;
  }
  return completed;
}

void add_output_flags(CLI::App& command, RunOutput& output) {
  command.add_option("-o,--output", output.name, "name of the files written, without extension")->type_name("NAME");
  command.add_flag("--csv", output.csv, "also write NAME.csv");
  command.add_flag("--no-report", output.no_report, "do not write NAME.html");
  command.add_flag("--json", output.json, "print exactly one JSON object instead of the summary");
  command.add_flag("--quiet", output.quiet, "print nothing");
}

void add_run(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("run", "Simulate a model and write its result");
  auto arguments = std::make_shared<ModelArguments>();
  auto output = std::make_shared<RunOutput>();
  arguments->add_file(*command);
  arguments->add_simulation(*command);
  arguments->add_parameters(*command);
  add_output_flags(*command, *output);
  command->callback([=, &action] {
    action = [=] {
      Model model = load_model(arguments->file, arguments->overrides());
      if (output->name.empty()) output->name = fs::path(arguments->file).stem().string();
      return run_and_write(model, *output);
    };
  });
}

}  // namespace escapement::cli
