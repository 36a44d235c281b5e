// Warnings of expressions of the time that change faster than the length of the run, or its fixed step, lets expect.
#pragma once

#include <span>

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// after the simulation's settings are read
void warn_of_short_times(const Reading&, std::span<const Said> laws, Model&);

}  // namespace escapement
