#include <fmt/format.h>

#include <filesystem>
#include <functional>

#include "cli/answers.hpp"
#include "cli/equilibrium_text.hpp"
#include "cli/model_arguments.hpp"
#include "cli/output_name.hpp"
#include "cli/run_action.hpp"
#include "io/result_file.hpp"
#include "run/statics_run.hpp"
#include "run/version.hpp"

namespace escapement::cli {

namespace {

using Json = nlohmann::ordered_json;

struct StaticsArguments {
  ModelArguments model;
  int steps = 0;
  std::string name;
  bool json = false, quiet = false, csv = false;
};

void check_load(const Model& model, int steps) {
  if (steps == 0) return;
  if (model.load == Model::Load::own)
    throw UsageError(fmt::format(
        "--steps: 'load' is a name of the model {} itself, so there is no load factor to step; rename it", model.name));
  if (model.load == Model::Load::unused)
    throw UsageError(
        fmt::format("--steps: no expression of the model {} uses 'load', the factor that would grow from 0 to 1; "
                    "multiply the loads by it",
                    model.name));
}

int statics_of(const StaticsArguments& arguments) {
  const std::string name =
      arguments.name.empty() ? std::filesystem::path(arguments.model.file).stem().string() : arguments.name;
  need_writable(name);
  Statics statics = find_statics([&](const Overrides& o) { return load_model(arguments.model.file, o); },
                                 arguments.model.overrides(), arguments.steps);
  const Model& model = statics.model;
  StaticsReport& report = statics.report;
  const std::string& message = statics.message;
  const Json summary = to_json(statics);
  std::vector<std::string> files;
  if (report.steps > 0) {
    write_result(report.result, files.emplace_back(name + ".h5"));
    if (arguments.csv) write_csv(report.result, files.emplace_back(name + ".csv"));
  }
  if (arguments.json) {
    fmt::print("{}\n", summary.dump(2));
  } else if (!arguments.quiet && report.found) {
    fmt::print(
        "{}\n  static equilibrium at load = {:g} ({} found on the way, unbalanced force {:.1e} of the largest)\n",
        model.name, report.load, report.steps, report.equilibrium.residual);
    print_equilibrium(model, report.equilibrium);
    for (std::size_t i = 0; i < report.outputs.size(); ++i)
      fmt::print("    {:<20} {:>16.9g}\n", model.output_names[i], report.outputs[i]);
    if (const auto rubbing = with_friction(model); !rubbing.empty())
      fmt::print("  friction is left out: {}\n", fmt::join(rubbing, ", "));
    fmt::print("  {:<18} {}\n", "files", fmt::join(files, ", "));
  }
  if (!arguments.quiet) print_warnings(model.warnings);
  if (report.found) return completed;
  fmt::print(stderr, "{}: {}\n", arguments.model.file, message);
  return simulation_failed;
}

}  // namespace

Statics find_statics(const LoadModel& load, const Overrides& overrides, int steps) {
  const auto make = [&](double factor) {
    Overrides loaded = overrides;
    loaded.load = factor;
    return load(loaded);
  };
  Statics statics;
  statics.model = make(1);
  check_load(statics.model, steps);
  StaticsReport& report = statics.report = find_equilibria(make, steps);
  if (!report.found)
    statics.message = fmt::format("{}{}", report.steps > 0 ? fmt::format("beyond load = {:.6g} ", report.load) : "",
                                  why_not(statics.model, report.equilibrium));
  report.result.summary = to_json(statics).dump();
  return statics;
}

Json to_json(const Statics& statics) {
  const StaticsReport& report = statics.report;
  const Model& model = statics.model;
  Json outputs = Json::object();
  for (std::size_t i = 0; i < report.outputs.size(); ++i) outputs[model.output_names[i]] = report.outputs[i];
  return {{"model", model.name},
          {"status", report.found ? "completed" : "failed"},
          {"message", statics.message},
          {"load", report.load},
          {"steps", report.steps},
          {"iterations", report.iterations},
          {"equilibrium", equilibrium_json(model, report.equilibrium)},
          {"outputs", outputs},
          {"friction_left_out", with_friction(model)},
          {"warnings", model.warnings},
          {"version", version()}};
}

void add_statics(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("statics", "Find the static equilibrium of a model, over a growing load or at once");
  auto arguments = std::make_shared<StaticsArguments>();
  arguments->model.add_file(*command);
  arguments->model.add_parameters(*command);
  command->add_option("--steps", arguments->steps, "equilibria at load = 0, 1/N ... 1, each from the one before")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  add_output_name(*command, arguments->name, "name of the file written, without extension");
  command->add_flag("--csv", arguments->csv, "also write NAME.csv");
  command->add_flag("--json", arguments->json, "print one JSON object");
  command->add_flag("--quiet", arguments->quiet, "print nothing");
  command->callback([=, &action] { action = [=] { return statics_of(*arguments); }; });
}

}  // namespace escapement::cli
