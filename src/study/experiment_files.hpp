// The files of the experiments, built into the program.
#pragma once

#include <vector>

#include "io/examples.hpp"

namespace escapement::inline study {

const std::vector<ExampleFile>& experiment_files();  // sorted by name

}  // namespace escapement
