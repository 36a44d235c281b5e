#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>

#include "cli/answers.hpp"
#include "cli/model_arguments.hpp"
#include "cli/progress.hpp"
#include "cli/run_action.hpp"
#include "io/compare.hpp"
#include "io/report.hpp"

namespace escapement::cli {

namespace {

namespace fs = std::filesystem;

struct CompareArguments {
  ModelArguments model;
  Contest contest;
  RunOutput output;
};

// ID or ID:key=value:key=value
struct SchemeChoice {
  std::string label, id;
  std::vector<std::pair<std::string, std::string>> options;
};

SchemeChoice scheme_choice(const std::string& text) {
  SchemeChoice choice;
  choice.label = text;
  std::size_t start = text.find(':');
  choice.id = text.substr(0, start);
  while (start != std::string::npos) {
    const std::size_t end = text.find(':', start + 1);
    const std::string option = text.substr(start + 1, end == std::string::npos ? end : end - start - 1);
    const std::size_t equals = option.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == option.size())
      throw UsageError(fmt::format("--schemes takes ID or ID:key=value, not '{:.60}'", text));
    choice.options.emplace_back(option.substr(0, equals), option.substr(equals + 1));
    start = end;
  }
  return choice;
}

// one scheme's runs; options of the model file and of --option go to the schemes that know them
std::vector<ComparedRun> runs_of(const LoadModel& load, Overrides overrides, const Contest& arguments,
                                 const SchemeChoice& choice, std::vector<std::string>& unused) {
  overrides.scheme = choice.id;
  overrides.lenient_options = true;
  overrides.options.insert(overrides.options.end(), choice.options.begin(), choice.options.end());
  (arguments.steps.empty() ? overrides.tolerance : overrides.step) = "1e-3";
  const Model model = load(overrides);
  Settings settings = settings_for(model.settings, choice.id);
  for (const auto& [name, value] : choice.options)
    if (!settings.options.contains(name))
      settings.options[name] = model.settings.options.at(name);  // refused below, by name
  std::erase_if(unused, [&](const std::string& name) { return settings.options.contains(name); });

  const bool estimates = find_scheme(choice.id)->info.error_power > 0;
  const bool by_tolerance = !arguments.tolerances.empty() && (estimates || arguments.steps.empty());
  if (by_tolerance && !estimates)
    throw UsageError(
        fmt::format("scheme '{}' has no error estimate and takes fixed steps only: give --steps, alone for all schemes "
                    "or beside --tolerances for those without an estimate",
                    choice.id));
  std::vector<ComparedRun> runs;
  for (const double size : by_tolerance ? arguments.tolerances : arguments.steps) {
    settings.then.reset();
    settings.step.reset();
    settings.tolerance.reset();
    (by_tolerance ? settings.tolerance : settings.step) = size;
    check_options(settings);
    runs.push_back({choice.label, settings});
  }
  return runs;
}

void need_positive(const std::vector<double>& values, const char* flag) {
  for (const double x : values)
    if (!(x > 0) || !std::isfinite(x)) throw UsageError(fmt::format("{} takes positive numbers, not {:g}", flag, x));
}

}  // namespace

std::vector<ComparedRun> contest_runs(const LoadModel& load, const Overrides& overrides, const Contest& contest) {
  if (contest.schemes.empty()) throw UsageError("give --schemes, such as --schemes hem5,bdf");
  if (contest.tolerances.empty() && contest.steps.empty())
    throw UsageError("give --tolerances or --steps, such as --tolerances 1e-4,1e-6,1e-8");
  need_positive(contest.tolerances, "--tolerances");
  need_positive(contest.steps, "--steps");
  std::vector<std::string> unused;
  for (const auto& [name, value] : overrides.options) unused.push_back(name);
  std::vector<ComparedRun> runs;
  for (const std::string& text : contest.schemes)
    for (ComparedRun& run : runs_of(load, overrides, contest, scheme_choice(text), unused)) runs.push_back(std::move(run));
  if (!unused.empty())
    throw UsageError(fmt::format("none of these schemes takes the option '{:.40}'; 'escapement schemes' lists them",
                                 unused.front()));
  return runs;
}

Model contest_model(const LoadModel& load, const Overrides& given, const std::vector<ComparedRun>& runs) {
  Overrides overrides = given;
  overrides.scheme = runs.front().settings.scheme;
  overrides.lenient_options = true;
  return load(overrides);
}

Comparison hold_contest(Model& model, const std::vector<ComparedRun>& runs, const Contest& contest, const CompareHooks& hooks) {
  Reference reference;
  if (contest.no_reference)
    reference.how = "none was asked for";
  else
    reference = make_reference(model, contest.reference, hooks);
  return compare(model, runs, std::move(reference), hooks);
}

namespace {

int compare_and_write(const CompareArguments& arguments) {
  const LoadModel load = [&](const Overrides& o) { return load_model(arguments.model.file, o); };
  const std::vector<ComparedRun> runs = contest_runs(load, arguments.model.overrides(), arguments.contest);
  Model model = contest_model(load, arguments.model.overrides(), runs);
  const std::string name = arguments.output.name.empty() ? fs::path(arguments.model.file).stem().string() + "_compare"
                                                         : arguments.output.name;
  need_writable(name);

  const bool visible = !arguments.output.quiet && isatty(STDERR_FILENO) != 0;
  Progress progress(model.settings.start, model.settings.end, visible);
  CompareHooks hooks;
  hooks.interrupt = stop_on_signals();
  hooks.observers = {&progress};
  hooks.on_run = [&](const std::string& what, std::size_t done, std::size_t of) {
    progress.begin_run(of > 0 ? fmt::format("{}/{} {}", done + 1, of, what) : what);
  };
  const Comparison comparison = hold_contest(model, runs, arguments.contest, hooks);
  progress.clear();
  if (comparison.rows.empty()) throw UsageError("interrupted before the first run ended; nothing was written");

  // printed first: a full disk does not take it
  const bool speaks = !arguments.output.json && !arguments.output.quiet;
  if (arguments.output.json) fmt::print("{}\n", to_json(comparison).dump(2));
  if (speaks) fmt::print("{}", to_text(comparison));
  if (arguments.output.csv) write_text(name + ".csv", to_csv(comparison));
  if (!arguments.output.no_report) write_study_page(study_json(comparison).dump(), name + ".html");
  if (speaks && !arguments.output.no_report) fmt::print("report: {}.html\n", name);
  if (hooks.interrupt->load()) return interrupted;
  bool any = false, suspect = false;
  for (const ComparisonRow& row : comparison.rows) {
    any = any || row.status != "failed";
    suspect = suspect || row.suspect();
  }
  return any && !(arguments.output.strict && suspect) ? completed : simulation_failed;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("compare", "Run a model with several schemes: work, drift and error side by side");
  auto arguments = std::make_shared<CompareArguments>();
  arguments->model.add_file(*command);
  command->add_option("--schemes", arguments->contest.schemes, "schemes, such as hem5,rkf45:projection=none")
      ->delimiter(',')
      ->required()
      ->type_name("ID,...");
  command->add_option("--tolerances", arguments->contest.tolerances, "tolerances of the schemes that have an error estimate")
      ->delimiter(',')
      ->type_name("TOL,...");
  command
      ->add_option("--steps", arguments->contest.steps,
                   "fixed steps; beside --tolerances: of the schemes without an error estimate")
      ->delimiter(',')
      ->type_name("H,...");
  command->add_option("--end", arguments->model.end, "end time in seconds")->type_name("T");
  command
      ->add_option("--option", arguments->model.options,
                   "an option, for every scheme that knows it: --option key=value (may be repeated)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  arguments->model.add_parameters(*command);
  command->add_option("--reference", arguments->contest.reference, "tolerance of the reference solution")
      ->check(CLI::Range(1e-15, 1e-8))
      ->type_name("TOL");
  command->add_flag("--no-reference", arguments->contest.no_reference, "no reference solution, no errors");
  add_output_flags(*command, arguments->output);
  command->callback([=, &action] { action = [=] { return compare_and_write(*arguments); }; });
}

}  // namespace escapement::cli
