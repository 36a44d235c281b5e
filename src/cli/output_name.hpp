// The option -o NAME. Every file gets its own extension after the name, so one that is given is taken off: NAME.h5 says
// the same as NAME.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace escapement::cli {

CLI::Option* add_output_name(CLI::App&, std::string& name, const std::string& description);

}  // namespace escapement::cli
