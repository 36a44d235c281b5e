// The program as a function: for main() and for the Python module.
#pragma once

namespace escapement::cli {

int run_program(int argc, char** argv);

}  // namespace escapement::cli
