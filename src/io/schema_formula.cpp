// The keys of formula systems.
#include "io/schema_parts.hpp"

namespace escapement {

namespace {

using enum ValueType;

constexpr Range not_negative{.min = 0};
constexpr Range positive{.min = 0, .open = true};
constexpr Range fraction{.min = 0, .max = 1};

// clang-format off
constexpr KeyInfo keys[] = {
    {"formula", "coordinates", map, "The generalized coordinates.", true},
    {"formula", "kinetic_energy", expression, "Quadratic in the rates (plus linear and constant terms when t appears).", true},
    {"formula", "potential_energy", expression, "Of coordinates and t.", false, "0"},
    {"formula", "forces", map, "Generalized forces, one per coordinate, of t, coordinates and rates.", false, "{}"},
    {"formula", "constraints", map, "Expressions of coordinates and t that are zero.", false, "{}"},
    {"formula", "contacts", map, "Gaps that stay at or above zero.", false, "{}"},
    {"formula.coordinates", "*", map, "A coordinate."},
    {"formula.coordinates.*", "start", number, "Its value at t = 0.", false, "0"},
    {"formula.coordinates.*", "rate", number, "Its rate at t = 0.", false, "0"},
    {"formula.coordinates.*", "scale", number, "What counts as one in it: tolerances bound errors over scale + size, in its rate per second.", false, "1", positive},
    {"formula.forces", "*", expression, "The force that belongs to this coordinate."},
    {"formula.constraints", "*", expression, "An expression that is zero."},
    {"formula.contacts", "*", map, "A contact."},
    {"formula.contacts.*", "gap", expression, "The distance, of coordinates and t; it stays at or above zero.", true},
    {"formula.contacts.*", "restitution", number, "Newton's coefficient of restitution.", false, "0", fraction},
    {"formula.contacts.*", "friction", number, "Coulomb's coefficient of friction.", false, "0", not_negative},
    {"formula.contacts.*", "slip", any, "The tangential velocity, affine in the rates; in space a list of two across each other, [one, other], whose friction is limited by a disc. Needed when friction > 0."},
    {"formula.contacts.*", "at", list, "Where the picture draws its force: a point [x, y] or [x, y, z] of expressions."},
};
// clang-format on

}  // namespace

std::span<const KeyInfo> formula_schema() { return keys; }

}  // namespace escapement
