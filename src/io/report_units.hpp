// Units that a model's text gives to the columns of its results.
#pragma once

#include <map>
#include <string>

namespace escapement::inline io {

// by the columns' paths in a report, q/x, v/x, states/current, outputs/pull, contacts/stop/gap, brakes/rubbing/force: those that
// the text says, and those of friction in joints
std::map<std::string, std::string> units_in(const std::string& model_text);

}  // namespace escapement
