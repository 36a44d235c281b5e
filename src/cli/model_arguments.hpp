// The arguments every command that loads a model shares: MODEL.yaml, --set, --scheme, --step, --tolerance, --end, --option.
#pragma once

#include "cli/command.hpp"
#include "io/model_file.hpp"

namespace escapement::cli {

struct ModelArguments {
  std::string file;
  std::vector<std::string> sets, options;
  std::string scheme, step, tolerance, end;

  void add_file(CLI::App&);
  void add_parameters(CLI::App&);  // --set
  void add_simulation(CLI::App&);  // --scheme, --step, --tolerance, --end, --option
  Overrides overrides() const;     // throws UsageError
};

}  // namespace escapement::cli
