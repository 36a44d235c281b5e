// The keys of mechanisms; those of joints and forces stand beside their readers.
#include <array>

#include "io/schema_parts.hpp"

namespace escapement::inline io {

namespace {

using enum ValueType;
using namespace ranges;
using namespace choices;

constexpr Range at_least_one{.min = 1};
constexpr std::array<std::string_view, 2> frame_words{"world", "body"};

// clang-format off
constexpr KeyInfo keys[] = {
    {"mechanism", "dimension", number, "2 in the plane, 3 in space.", true},
    {"mechanism", "length_scale", number, "What counts as one in lengths: tolerances bound errors over length_scale + size, in velocities per second.", false, "1", positive},
    {"mechanism", "gravity", list, "The acceleration of gravity.", false, "0"},
    {"mechanism", "bodies", map, "Rigid bodies.", false, "{}"},
    {"mechanism", "joints", map, "Joints between bodies or with the ground.", false, "{}"},
    {"mechanism", "beams", map, "Flexible beams; their nodes are bodies.", false, "{}"},
    {"mechanism", "forces", map, "Springs, dampers, forces and torques.", false, "{}"},
    {"mechanism", "contacts", map, "Contacts.", false, "{}"},
    {"mechanism.bodies", "*", map, "A rigid body."},
    {"mechanism.bodies.*", "repeat", map, "{k: [first, last]}: one body per k, with more counters a grid. k is a number in its expressions; {k}, {k - 1} ... in names stand for their values."},
    {"mechanism.bodies.*", "mass", number, "Its mass.", true, "", positive},
    {"mechanism.bodies.*", "inertia", any, "About the centre of mass: a number in the plane; [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] in the body frame in space.", true},
    {"mechanism.bodies.*", "position", list, "The centre of mass at the start, in the world frame.", false, "0"},
    {"mechanism.bodies.*", "angle", number, "In the plane: the orientation at the start.", false, "0"},
    {"mechanism.bodies.*", "orientation", any, "In space: [w, x, y, z] or {axis: [x, y, z], angle: a}.", false, "[1, 0, 0, 0]"},
    {"mechanism.bodies.*", "velocity", list, "Of the centre of mass at the start, in the world frame.", false, "0"},
    {"mechanism.bodies.*", "angular_velocity", any, "At the start: a number in the plane; [x, y, z] in the body frame in space.", false, "0"},
    {"mechanism.bodies.*", "points", map, "Points with names, in the body's own frame: rod.tip in 'at' and joints, rod.tip.x and rod.tip.x' in expressions. The body 'ground' may have them too.", false, "{}"},
    {"mechanism.bodies.*.points", "*", list, "A point [x, y] or [x, y, z], from the centre of mass."},
    {"mechanism.bodies.*", "shapes", list, "What it looks like, and what contacts between bodies touch. The body 'ground' may have them too.", false, "[]"},
    {"mechanism.bodies.*.orientation", "axis", list, "The axis of the rotation.", true},
    {"mechanism.bodies.*.orientation", "angle", number, "The angle of the rotation.", true},
    {"mechanism.bodies.*.shapes.*", "box", list, "The lengths of its sides."},
    {"mechanism.bodies.*.shapes.*", "circle", number, "In the plane: a radius.", false, "", positive},
    {"mechanism.bodies.*.shapes.*", "sphere", number, "In space: a radius.", false, "", positive},
    {"mechanism.bodies.*.shapes.*", "capsule", list, "Length between the centres of its ends and radius; along x in the plane, z in space."},
    {"mechanism.bodies.*.shapes.*", "cylinder", list, "In space: length and radius; along z."},
    {"mechanism.bodies.*.shapes.*", "polygon", list, "In the plane: its corners."},
    {"mechanism.bodies.*.shapes.*", "segment", list, "In the plane: its two ends."},
    {"mechanism.bodies.*.shapes.*", "half_plane", list, "In the plane: all behind a line through 'at'; [nx, ny] points to the free side."},
    {"mechanism.bodies.*.shapes.*", "half_space", list, "In space: all behind a plane through 'at'; [nx, ny, nz] points to the free side."},
    {"mechanism.bodies.*.shapes.*", "curve", map, "In the plane: a curve by formulas, counter-clockwise around the solid; closed, or open with two ends."},
    {"mechanism.bodies.*.shapes.*.curve", "x", expression, "Of the curve's own variable, parameters and tables.", true},
    {"mechanism.bodies.*.shapes.*.curve", "y", expression, "Of the curve's own variable, parameters and tables.", true},
    {"mechanism.bodies.*.shapes.*.curve", "over", list, "Its variable and where it begins and ends: [phi, 0, 2*pi].", true},
    {"mechanism.bodies.*.shapes.*", "cam", map, "In the plane: a cam by its radius, all around."},
    {"mechanism.bodies.*.shapes.*.cam", "radius", expression, "Of phi, the direction from its centre, of parameters and tables.", true},
    {"mechanism.bodies.*.shapes.*", "hull", any, "In space: the convex hull of points [[x, y, z], ...], or of a mesh."},
    {"mechanism.bodies.*.shapes.*.hull", "file", text, "A mesh (STL, OBJ, Collada), relative to the model file.", true},
    {"mechanism.bodies.*.shapes.*.hull", "scale", number, "What its numbers are multiplied by: 1e-3 for millimetres.", false, "1", positive},
    {"mechanism.bodies.*.shapes.*", "material", text, "What it is made of: 'materials' has numbers for pairs of them."},
    {"mechanism.bodies.*.shapes.*", "touch", flag, "false: it is only seen.", false, "true"},
    {"mechanism.bodies.*.shapes.*", "at", list, "Its centre in the body frame.", false, "0"},
    {"mechanism.bodies.*.shapes.*", "angle", number, "In the plane: turned in the body frame.", false, "0"},
    {"mechanism.bodies.*.shapes.*", "orientation", any, "In space: turned in the body frame.", false, "[1, 0, 0, 0]"},

    {"mechanism.bodies.*.shapes.*.orientation", "axis", list, "The axis of the rotation.", true},
    {"mechanism.bodies.*.shapes.*.orientation", "angle", number, "The angle of the rotation.", true},

    {"mechanism.beams", "*", map, "A beam: nodes NAME.0 ... NAME.n (also NAME.start, NAME.end, NAME.node(k), NAME.at(fraction of its length)), relaxed at the start."},
    {"mechanism.beams.*", "repeat", map, "{k: [first, last]}: one beam per k. k is a number in its expressions; {k}, {k - 1} ... in names stand for their values."},
    {"mechanism.beams.*", "from", list, "Where a straight beam or an arc starts, in the world frame."},
    {"mechanism.beams.*", "to", list, "Where a straight beam ends."},
    {"mechanism.beams.*", "along", list, "In place of from and to: points that a curved beam goes through smoothly; each is a node."},
    {"mechanism.beams.*", "arc", map, "With from: an arc, or in space a helix, about a centre."},
    {"mechanism.beams.*", "normal", list, "In space: axis 2 of the section at the start, as far as it is across the beam; needed unless the section is symmetric."},
    {"mechanism.beams.*", "elements", number, "How many elements it has.", true, "", at_least_one},
    {"mechanism.beams.*", "section", map, "Stiffness and mass of its section: numbers, or a material with a rectangle, circle or tube.", true},
    {"mechanism.beams.*", "damping", number, "In seconds: stresses get damping x stiffness x strain rate.", false, "0", not_negative},
    {"mechanism.beams.*", "tension_only", flag, "true: a cable, without force along it while it is compressed.", false, "false"},
    {"mechanism.beams.*", "loads", list, "Forces and torques along it, per length."},
    {"mechanism.beams.*", "velocity", list, "Of its first node at the start, in the world frame.", false, "0"},
    {"mechanism.beams.*", "angular_velocity", any, "Of the whole beam at the start: a number in the plane; [x, y, z] in the world frame in space.", false, "0"},
    {"mechanism.beams.*.arc", "centre", list, "A point of its axis; in the plane its centre.", true},
    {"mechanism.beams.*.arc", "angle", number, "How far it turns, counter-clockwise about the axis.", true},
    {"mechanism.beams.*.arc", "axis", list, "In space: the axis it turns about."},
    {"mechanism.beams.*.arc", "rise", number, "In space: how far it advances along the axis from start to end.", false, "0"},
    {"mechanism.beams.*.section", "EA", number, "Stiffness against stretch.", false, "", positive},
    {"mechanism.beams.*.section", "GA", any, "Stiffness against shear: [along 2, along 3], or one for both.", false, ""},
    {"mechanism.beams.*.section", "GJ", number, "In space: stiffness against twist.", false, "", positive},
    {"mechanism.beams.*.section", "EI", any, "Stiffness against bending: [about 2, about 3], or one for both.", false, ""},
    {"mechanism.beams.*.section", "mass", number, "Per length.", false, "", positive},
    {"mechanism.beams.*.section", "inertia", any, "Of rotation, per length: [about 1, about 2, about 3]; in the plane one number.", false, "mass x EI/EA"},
    {"mechanism.beams.*.section", "E", number, "Young's modulus.", false, "", positive},
    {"mechanism.beams.*.section", "G", number, "Shear modulus.", false, "", positive},
    {"mechanism.beams.*.section", "density", number, "Mass per volume.", false, "", positive},
    {"mechanism.beams.*.section", "rectangle", list, "[along 2, along 3]: its sides."},
    {"mechanism.beams.*.section", "circle", number, "Its radius.", false, "", positive},
    {"mechanism.beams.*.section", "tube", list, "[outer, inner]: its radii."},
    {"mechanism.beams.*.loads.*", "force", list, "Per length: expressions of t, coordinates and rates, and of s, the length from the start of the beam."},
    {"mechanism.beams.*.loads.*", "torque", any, "Per length, likewise; in the plane one expression."},
    {"mechanism.beams.*.loads.*", "frame", word, "In which frame the components are: the world's, or the node's.", false, "world", {}, frame_words},
    {"mechanism.beams.*.loads.*", "from", number, "Where it begins, as a fraction of the length.", false, "0", fraction},
    {"mechanism.beams.*.loads.*", "to", number, "Where it ends, as a fraction of the length.", false, "1", fraction},
};

constexpr KeyInfo contact_keys[] = {
    {"mechanism.contacts", "*", map, "A contact: by a formula, or of the shapes of two bodies."},
    {"mechanism.contacts.*", "repeat", map, "{k: [first, last]}: one contact per k, with more counters a grid. k is a number in its expressions; {k}, {k - 1} ... in names stand for their values."},
    {"mechanism.contacts.*", "gap", expression, "The distance, of t and coordinates; it stays at or above zero."},
    {"mechanism.contacts.*", "restitution", number, "Newton's coefficient of restitution.", false, "0", fraction},
    {"mechanism.contacts.*", "friction", number, "Coulomb's coefficient of friction.", false, "0", not_negative},
    {"mechanism.contacts.*", "slip", any, "The tangential velocity, affine in the rates; in space a list of two across each other, [one, other], whose friction is limited by a disc. Needed when friction > 0."},
    {"mechanism.contacts.*", "stiffness", number, "Makes it compliant: a force of this size per depth (to the exponent) in place of a rigid contact.", false, "", positive},
    {"mechanism.contacts.*", "damping", number, "Of a compliant contact: force per rate of the depth; of hunt_crossley over the elastic force.", false, "0", not_negative},
    {"mechanism.contacts.*", "exponent", number, "Of the depth.", false, "1, of hertz and hunt_crossley 1.5", exponents},
    {"mechanism.contacts.*", "law", word, "Of a compliant contact.", false, "linear", {}, contact_laws},
    {"mechanism.contacts.*", "friction_law", word, "coulomb is the set-valued law of rigid contacts; the others are forces of compliant ones.", false, "coulomb, of compliant contacts regularised", {}, contact_friction_laws},
    {"mechanism.contacts.*", "velocity", number, "Of regularised and stribeck friction: below this slip it is smoothed.", false, "1e-3", positive},
    {"mechanism.contacts.*", "mu_k", number, "Of stribeck and lugre: the coefficient of friction at large slip.", false, "friction", not_negative},
    {"mechanism.contacts.*", "mu_s", number, "Of stribeck and lugre: the coefficient at small slip.", false, "mu_k", not_negative},
    {"mechanism.contacts.*", "v_s", number, "Of stribeck and lugre: the slip at which the one becomes the other.", false, "1e-3", positive},
    {"mechanism.contacts.*", "gamma", number, "Of stribeck and lugre: the exponent of the slip over v_s.", false, "2", positive},
    {"mechanism.contacts.*", "sigma0", number, "Of lugre: stiffness of the bristles over the normal force, per length.", false, "", positive},
    {"mechanism.contacts.*", "sigma1", number, "Of lugre: damping of the bristles over the normal force, time per length.", false, "0", not_negative},
    {"mechanism.contacts.*", "sigma2", number, "Of stribeck and lugre: viscous friction over the normal force, time per length.", false, "0", not_negative},
    {"mechanism.contacts.*", "at", list, "Where the picture draws its force: a point of expressions.", false, "where the force leaves the body's shapes"},
    {"mechanism.contacts.*", "between", list, "[a, b]: contact of the shapes of two bodies."},
    {"mechanism.contacts.*", "among", list, "Contacts of the shapes of every pair of some bodies, found anew in each step; * stands for any text: [\"ball*\", ground]."},
    {"mechanism.contacts.*", "rolling_friction", number, "Resistance to rolling: the moment over the normal force, a length.", false, "0", not_negative},
    {"mechanism.contacts.*", "spinning_friction", number, "In space: resistance to spinning about the normal, likewise.", false, "0", not_negative},
    {"mechanism", "materials", map, "Numbers for pairs of materials, either way round: {steel-rubber: {friction: 0.8}}. Those of a contact itself win.", false, "{}"},
    {"mechanism.materials", "*", map, "Two materials of shapes with a hyphen between them."},
    {"mechanism.materials.*", "restitution", number, "Newton's coefficient of restitution.", false, "0", fraction},
    {"mechanism.materials.*", "friction", number, "Coulomb's coefficient of friction.", false, "0", not_negative},
    {"mechanism.materials.*", "rolling_friction", number, "Resistance to rolling, a length.", false, "0", not_negative},
    {"mechanism.materials.*", "spinning_friction", number, "In space: resistance to spinning, a length.", false, "0", not_negative},
};
// clang-format on

}  // namespace

std::span<const KeyInfo> mechanism_schema() { return keys; }
std::span<const KeyInfo> contact_schema() { return contact_keys; }

}  // namespace escapement
