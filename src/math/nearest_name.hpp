// The known name a misspelt one most likely stands for.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace escapement::inline math {

// number of single-character insertions, deletions, replacements and swaps of neighbours
std::size_t edit_distance(std::string_view a, std::string_view b);

// the nearest of the known names, the first one among equals, or one that goes on where this one ends; empty if none is near
std::string nearest_name(std::string_view name, std::span<const std::string> known);

// "; did you mean 'NAME'?" or nothing, to end a message with
std::string did_you_mean(std::string_view name, std::span<const std::string> known);

}  // namespace escapement
