// The parts the schema is put together from.
#pragma once

#include "io/schema.hpp"

namespace escapement {

namespace ranges {
constexpr Range positive{.min = 0, .open = true};
constexpr Range not_negative{.min = 0};
constexpr Range fraction{.min = 0, .max = 1};
}  // namespace ranges

std::span<const KeyInfo> common_schema();
std::span<const KeyInfo> formula_schema();
std::span<const KeyInfo> mechanism_schema();  // without its joints, forces and contacts:
std::span<const KeyInfo> joint_schema();
std::span<const KeyInfo> force_schema();
std::span<const KeyInfo> contact_schema();
std::span<const KeyInfo> study_schema();  // of studies, which are no models

}  // namespace escapement
