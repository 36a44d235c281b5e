// Model files: YAML in, a model that can be run out.
#pragma once

#include <string>

#include "io/model_error.hpp"
#include "run/model.hpp"

namespace escapement {

// throws ModelError, or OverrideError for what the command line gave
Model load_model(const std::string& path, const Overrides& = {});
// the same from a text; file is its name in messages, and tables are looked for in its folder
Model read_model(const std::string& file, const std::string& text, const Overrides& = {});
// the model of a result, with the overrides it was run with; file: where its tables are
Model read_model_of(const Result&, const std::string& file);

}  // namespace escapement
