#include "cli/answers.hpp"

int main(int argc, char** argv) { return escapement::cli::run_program(argc, argv); }
