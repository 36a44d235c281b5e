// The keys of formula systems.
#include "io/schema_parts.hpp"

namespace escapement::inline io {

namespace {

using enum ValueType;

using namespace ranges;
using namespace choices;

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
    {"formula.coordinates.*", "unit", text, "The unit that plots show, of its rate per second; numbers are not changed.", false, "SI"},
    {"formula.forces", "*", expression, "The force that belongs to this coordinate."},
    {"formula.constraints", "*", expression, "An expression that is zero."},
    {"formula.contacts", "*", map, "A contact."},
    {"formula.contacts.*", "gap", expression, "The distance, of coordinates and t; it stays at or above zero.", true},
    {"formula.contacts.*", "restitution", number, "Newton's coefficient of restitution.", false, "0", fraction},
    {"formula.contacts.*", "friction", number, "Coulomb's coefficient of friction.", false, "0", not_negative},
    {"formula.contacts.*", "slip", any, "The tangential velocity, affine in the rates; in space a list of two across each other, [one, other], whose friction is limited by a disc. Needed when friction > 0."},
    {"formula.contacts.*", "stiffness", number, "Makes it compliant: a force of this size per depth (to the exponent) in place of a rigid contact.", false, "", positive},
    {"formula.contacts.*", "damping", number, "Of a compliant contact: force per rate of the depth; of hunt_crossley over the elastic force.", false, "0", not_negative},
    {"formula.contacts.*", "exponent", number, "Of the depth.", false, "1, of hertz and hunt_crossley 1.5", exponents},
    {"formula.contacts.*", "law", word, "Of a compliant contact.", false, "linear", {}, contact_laws},
    {"formula.contacts.*", "friction_law", word, "coulomb is the set-valued law of rigid contacts; the others are forces of compliant ones.", false, "coulomb, of compliant contacts regularised", {}, contact_friction_laws},
    {"formula.contacts.*", "velocity", number, "Of regularised and stribeck friction: below this slip it is smoothed.", false, "1e-3", positive},
    {"formula.contacts.*", "mu_k", number, "Of stribeck and lugre: the coefficient of friction at large slip.", false, "friction", not_negative},
    {"formula.contacts.*", "mu_s", number, "Of stribeck and lugre: the coefficient at small slip.", false, "mu_k", not_negative},
    {"formula.contacts.*", "v_s", number, "Of stribeck and lugre: the slip at which the one becomes the other.", false, "1e-3", positive},
    {"formula.contacts.*", "gamma", number, "Of stribeck and lugre: the exponent of the slip over v_s.", false, "2", positive},
    {"formula.contacts.*", "sigma0", number, "Of lugre: stiffness of the bristles over the normal force, per length.", false, "", positive},
    {"formula.contacts.*", "sigma1", number, "Of lugre: damping of the bristles over the normal force, time per length.", false, "0", not_negative},
    {"formula.contacts.*", "sigma2", number, "Of stribeck and lugre: viscous friction over the normal force, time per length.", false, "0", not_negative},
    {"formula.contacts.*", "unit", text, "The unit of the gap that plots show: m, or rad where it is an angle; numbers are not changed.", false, "m"},
    {"formula.contacts.*", "at", list, "Where the picture draws its force: a point [x, y] or [x, y, z] of expressions."},
};
// clang-format on

}  // namespace

std::span<const KeyInfo> formula_schema() { return keys; }

}  // namespace escapement
