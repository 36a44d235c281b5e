// What a model says in expressions, for steps that resolve it.
#pragma once

#include "io/model_file.hpp"
#include "io/reading.hpp"

namespace escapement::inline io {

// laws: the expressions that the motion or its end follows
void read_explicit_terms(const Reading&, std::span<const Said> laws, Model&);

}  // namespace escapement
