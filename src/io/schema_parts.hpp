// The parts the schema is put together from.
#pragma once

#include <array>

#include "io/schema.hpp"

namespace escapement::inline io {

namespace ranges {
constexpr Range positive{.min = 0, .open = true};
constexpr Range not_negative{.min = 0};
constexpr Range fraction{.min = 0, .max = 1};
constexpr Range exponents{.min = 1};
}  // namespace ranges

// of contacts that are forces, in both kinds of model
namespace choices {
constexpr std::array<std::string_view, 3> contact_laws{"linear", "hertz", "hunt_crossley"};
constexpr std::array<std::string_view, 4> contact_friction_laws{"coulomb", "regularised", "stribeck", "lugre"};
}  // namespace choices

std::span<const KeyInfo> common_schema();
std::span<const KeyInfo> formula_schema();
std::span<const KeyInfo> mechanism_schema();  // without its joints, forces and contacts:
std::span<const KeyInfo> joint_schema();
std::span<const KeyInfo> force_schema();
std::span<const KeyInfo> contact_schema();
std::span<const KeyInfo> study_schema();  // of studies, which are no models

}  // namespace escapement
