// What can be said of a model without simulating it.
#pragma once

#include <nlohmann/json.hpp>

#include "io/model_file.hpp"

namespace escapement::inline io {

nlohmann::ordered_json check_model(const Model&);

}  // namespace escapement
