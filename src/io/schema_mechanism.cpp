// The keys of mechanisms.
#include <array>

#include "io/schema_parts.hpp"

namespace escapement {

namespace {

using enum ValueType;

constexpr Range positive{.min = 0, .open = true};
constexpr Range not_negative{.min = 0};
constexpr Range fraction{.min = 0, .max = 1};
constexpr std::array<std::string_view, 2> frame_words{"world", "body"};
constexpr std::array<std::string_view, 2> joint_coordinates{"angle", "length"};
constexpr std::array<std::string_view, 2> friction_laws{"regularised", "coulomb"};

// clang-format off
constexpr KeyInfo keys[] = {
    {"mechanism", "dimension", number, "2 in the plane, 3 in space.", true},
    {"mechanism", "length_scale", number, "What counts as one in lengths: tolerances bound errors over length_scale + size, in velocities per second.", false, "1", positive},
    {"mechanism", "gravity", list, "The acceleration of gravity.", false, "0"},
    {"mechanism", "bodies", map, "Rigid bodies.", true},
    {"mechanism", "joints", map, "Joints between bodies or with the ground.", false, "{}"},
    {.where = "mechanism", .key = "beams", .type = map, .doc = "Flexible beams.", .built = false},
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
    {"mechanism.bodies.*", "shapes", list, "What it looks like.", false, "[]"},
    {"mechanism.bodies.*.orientation", "axis", list, "The axis of the rotation.", true},
    {"mechanism.bodies.*.orientation", "angle", number, "The angle of the rotation.", true},
    {"mechanism.bodies.*.shapes.*", "box", list, "The lengths of its sides."},
    {"mechanism.bodies.*.shapes.*", "circle", number, "In the plane: a radius.", false, "", positive},
    {"mechanism.bodies.*.shapes.*", "sphere", number, "In space: a radius.", false, "", positive},
    {"mechanism.bodies.*.shapes.*", "capsule", list, "Length between the centres of its ends and radius; along x in the plane, z in space."},
    {"mechanism.bodies.*.shapes.*", "cylinder", list, "In space: length and radius; along z."},
    {"mechanism.bodies.*.shapes.*", "polygon", list, "In the plane: its corners."},
    {"mechanism.bodies.*.shapes.*", "at", list, "Its centre in the body frame.", false, "0"},
    {"mechanism.bodies.*.shapes.*", "angle", number, "In the plane: turned in the body frame.", false, "0"},
    {"mechanism.bodies.*.shapes.*", "orientation", any, "In space: turned in the body frame.", false, "[1, 0, 0, 0]"},

    {"mechanism.bodies.*.shapes.*.orientation", "axis", list, "The axis of the rotation.", true},
    {"mechanism.bodies.*.shapes.*.orientation", "angle", number, "The angle of the rotation.", true},

    {"mechanism.joints", "*", map, "A joint; its type is a key with the two bodies, ground being the body that does not move, or with two points of bodies that 'assemble' brings together, like {revolute: [crank.tip, rod.root]}."},
    {"mechanism.joints.*", "repeat", map, "{k: [first, last]}: one joint per k, with more counters a grid. k is a number in its expressions; {k}, {k - 1} ... in names stand for their values."},
    {"mechanism.joints.*", "revolute", list, "[a, b]: b turns about a point of a; in space about an axis."},
    {"mechanism.joints.*", "prismatic", list, "[a, b]: b slides along an axis of a."},
    {"mechanism.joints.*", "fixed", list, "[a, b] move as one body."},
    {"mechanism.joints.*", "distance", list, "[a, b]: two points keep their distance."},
    {"mechanism.joints.*", "slot", list, "[a, b] in the plane: a point of b stays on a line of a."},
    {"mechanism.joints.*", "gear", list, "[pin1, pin2]: the second joint's angle (or length) is ratio times the first's, from the start on."},
    {"mechanism.joints.*", "cylindrical", list, "[a, b] in space: b slides along and turns about an axis of a."},
    {"mechanism.joints.*", "spherical", list, "[a, b] in space: b turns about a point of a."},
    {"mechanism.joints.*", "universal", list, "[a, b] in space: two points coincide, axis of a and axis2 of b stay perpendicular."},
    {"mechanism.joints.*", "planar", list, "[a, b] in space: b slides on a plane of a, whose normal is axis, and turns about the normal."},
    {"mechanism.joints.*", "screw", list, "[a, b] in space: a cylindrical joint that advances by pitch per turn."},
    {"mechanism.joints.*", "at", any, "Its place at the start, in the world frame or the name of a point; of a distance joint two of them. Not for joints between points."},
    {"mechanism.joints.*", "axis", list, "Its axis at the start, in the world frame."},
    {"mechanism.joints.*", "axis_frame", word, "In which frame the axis is: of the world at the start, or of each body, where it has the same components unless axis_b is given.", false, "world", {}, frame_words},
    {"mechanism.joints.*", "axis_b", list, "With axis_frame: body, the axis in the second body's frame.", false, "axis"},
    {"mechanism.joints.*", "relative_angle", number, "Of fixed and prismatic joints between points in the plane: angle of the second body less that of the first.", false, "0"},
    {"mechanism.joints.*", "relative_orientation", any, "The same in space: how the second body's frame is turned in the first's.", false, "[1, 0, 0, 0]"},
    {"mechanism.joints.*.relative_orientation", "axis", list, "The axis of the rotation.", true},
    {"mechanism.joints.*.relative_orientation", "angle", number, "The angle of the rotation.", true},
    {"mechanism.joints.*", "axis2", list, "Of a universal joint: the axis fixed in the second body."},
    {"mechanism.joints.*", "angle", expression, "Drives the joint's angle: an expression of t."},
    {"mechanism.joints.*", "length", expression, "Drives the joint's length: an expression of t."},
    {"mechanism.joints.*", "ratio", number, "Of a gear."},
    {"mechanism.joints.*", "pitch", number, "Of a screw: advance per turn."},
    {"mechanism.joints.*", "angle_limits", list, "[least, greatest] angle: the joint stops there like a contact."},
    {"mechanism.joints.*", "length_limits", list, "[least, greatest] length: the joint stops there like a contact."},
    {"mechanism.joints.*", "restitution", number, "Of the limits.", false, "0", fraction},

    {"mechanism.forces", "*", map, "A force; its type is a key with what it acts on."},
    {"mechanism.forces.*", "repeat", map, "{k: [first, last]}: one force per k, with more counters a grid. k is a number in its expressions; {k}, {k - 1} ... in names stand for their values."},
    {"mechanism.forces.*", "spring_damper", list, "[a, b]: a spring and a damper between two points given by 'at', or named here like [crank.tip, ground.post]."},
    {"mechanism.forces.*", "torsional_spring_damper", any, "A joint with an angle, or [a, b] in the plane."},
    {"mechanism.forces.*", "force", any, "A body, or [a, b]: on b, with its reaction on a."},
    {"mechanism.forces.*", "torque", any, "A body, or [a, b]: on b, with its reaction on a."},
    {"mechanism.forces.*", "bushing", list, "[a, b]: an elastic bearing, relaxed at the start."},
    {"mechanism.forces.*", "actuator", text, "A joint: follows an angle or a length with proportional and derivative gain."},
    {"mechanism.forces.*", "friction", text, "A joint: dry friction of constant size against its angle or length."},
    {"mechanism.forces.*", "at", any, "Where it acts at the start, in the world frame or the name of a point; of a spring two of them.", false, "the centre of mass"},
    {"mechanism.forces.*", "value", any, "Components, expressions of t, coordinates and rates; of a planar torque one."},
    {"mechanism.forces.*", "frame", word, "In which frame the components are.", false, "world", {}, frame_words},
    {"mechanism.forces.*", "stiffness", any, "Spring constant, or gain of an actuator; of a bushing one per axis or one for all.", false, "0"},
    {"mechanism.forces.*", "damping", any, "Damper constant, or gain of an actuator; of a bushing one per axis or one for all.", false, "0"},
    {"mechanism.forces.*", "turning_stiffness", any, "Of a bushing: about its axes.", false, "0"},
    {"mechanism.forces.*", "turning_damping", any, "Of a bushing: about its axes.", false, "0"},
    {"mechanism.forces.*", "length", expression, "Of a relaxed spring (the length at the start unless given); what an actuator follows, of t."},
    {"mechanism.forces.*", "angle", expression, "Of a relaxed torsional spring (the angle at the start unless given); what an actuator follows, of t."},
    {"mechanism.forces.*", "limit", number, "Of an actuator: the largest force or torque.", false, "", positive},
    {"mechanism.forces.*", "coordinate", word, "Of friction: which coordinate of the joint it brakes.", false, "the angle where there is one", {}, joint_coordinates},
    {"mechanism.forces.*", "size", number, "Of friction: its force or torque while sliding.", false, "", not_negative},
    {"mechanism.forces.*", "law", word, "Of friction: regularised, a smooth function of the rate; or coulomb, the set-valued law, under which it sticks.", false, "regularised", {}, friction_laws},
    {"mechanism.forces.*", "velocity", number, "Of regularised friction: below this rate it is regularised.", false, "1e-3", positive},

    {"mechanism.contacts", "*", map, "A contact: by a formula."},
    {"mechanism.contacts.*", "repeat", map, "{k: [first, last]}: one contact per k, with more counters a grid. k is a number in its expressions; {k}, {k - 1} ... in names stand for their values."},
    {"mechanism.contacts.*", "gap", expression, "The distance, of t and coordinates; it stays at or above zero."},
    {"mechanism.contacts.*", "restitution", number, "Newton's coefficient of restitution.", false, "0", fraction},
    {"mechanism.contacts.*", "friction", number, "Coulomb's coefficient of friction.", false, "0", not_negative},
    {"mechanism.contacts.*", "slip", any, "The tangential velocity, affine in the rates; in space a list of two across each other, [one, other], whose friction is limited by a disc. Needed when friction > 0."},
    {"mechanism.contacts.*", "at", list, "Where the picture draws its force: a point of expressions.", false, "where the force leaves the body's shapes"},
    {"mechanism.contacts.*", "between", list, "[a, b]: contact of shapes."},
};
// clang-format on

}  // namespace

std::span<const KeyInfo> mechanism_schema() { return keys; }

}  // namespace escapement
