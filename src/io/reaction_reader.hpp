// Names of what joints and contacts exert, for outputs and stop conditions.
#pragma once

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// fills reading.reactions and reading.outcomes, what outputs and the stop condition may use; needs the model's system
void name_reactions(Reading&, const Block& top, const Model&);
inline constexpr const char* reactions_stand = "reactions are known after a step; they may stand in outputs and the stop condition";
// a name that could be a reaction: "pin.force", "floor.friction" ...
bool may_be_reaction(const std::string& name);

}  // namespace escapement
