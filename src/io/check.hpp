// What can be said of a model without simulating it.
#pragma once

#include <nlohmann/json.hpp>

#include "io/model_file.hpp"

namespace escapement {

nlohmann::ordered_json check_model(const Model&);
// how far assemble moved the start: {moved, most_moved, changed, most_changed}, null when the model did not ask for it
nlohmann::ordered_json assembled_json(const Model&);
std::string assembled_text(const nlohmann::ordered_json& assembled);  // not null
std::vector<std::string> redundant_constraints(const System&, const State&);  // names of dependent bilateral rows

}  // namespace escapement
