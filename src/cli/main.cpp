#include "cli/program.hpp"

int main(int argc, char** argv) { return escapement::cli::run_program(argc, argv); }
