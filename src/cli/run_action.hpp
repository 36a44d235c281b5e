// Simulating a model and writing what came of it: shared by run and demo.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/command.hpp"
#include "io/model_file.hpp"

namespace escapement::cli {

struct RunOutput {
  std::string name;  // without extension
  bool csv = false, no_report = false, json = false, quiet = false;
};

void add_output_flags(CLI::App&, RunOutput&);
int run_and_write(Model&, const RunOutput&);
void print_summary(const nlohmann::ordered_json& summary);

}  // namespace escapement::cli
