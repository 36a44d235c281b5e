#include "cli/model_arguments.hpp"

#include <fmt/format.h>

namespace escapement::cli {

void ModelArguments::add_file(CLI::App& command) { command.add_option("MODEL", file, "model file (YAML), - for standard input")->required(); }

void ModelArguments::add_parameters(CLI::App& command) {
  command.add_option("--set", sets, "change a parameter: --set name=value (may be repeated)")->type_name("NAME=VALUE")->allow_extra_args(false);
}

void ModelArguments::add_simulation(CLI::App& command) {
  command.add_option("--scheme", scheme, "time-integration scheme ('escapement schemes' lists them)")->type_name("ID");
  command.add_option("--step", step, "fixed step size in seconds")->type_name("H");
  command.add_option("--tolerance", tolerance, "tolerance of error-controlled steps")->type_name("TOL");
  command.add_option("--end", end, "end time in seconds")->type_name("T");
  command.add_option("--option", options, "an option of the scheme: --option key=value (may be repeated)")->type_name("KEY=VALUE")->allow_extra_args(false);
}

Overrides ModelArguments::overrides() const {
  auto split = [](const std::string& text, const char* flag) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos || equals + 1 == text.size())
      throw UsageError(fmt::format("{} takes name=value, not '{:.60}'", flag, text));
    return std::pair{text.substr(0, equals), text.substr(equals + 1)};
  };
  if (!step.empty() && !tolerance.empty()) throw UsageError("give --step or --tolerance, not both");
  Overrides result;
  for (const std::string& text : sets) result.parameters.push_back(split(text, "--set"));
  for (const std::string& text : options) result.options.push_back(split(text, "--option"));
  if (!scheme.empty()) result.scheme = scheme;
  if (!step.empty()) result.step = step;
  if (!tolerance.empty()) result.tolerance = tolerance;
  if (!end.empty()) result.end = end;
  return result;
}

}  // namespace escapement::cli
