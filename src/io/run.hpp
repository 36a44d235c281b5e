// Models from files, their runs, and what is said of them: what every command that simulates shares.
#pragma once

#include "io/model_file.hpp"
#include "io/result_json.hpp"
#include "run/run.hpp"
