// The parts the schema is put together from.
#pragma once

#include "io/schema.hpp"

namespace escapement {

std::span<const KeyInfo> common_schema();
std::span<const KeyInfo> formula_schema();
std::span<const KeyInfo> mechanism_schema();
std::span<const KeyInfo> study_schema();  // of studies, which are no models

}  // namespace escapement
