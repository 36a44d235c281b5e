// The `joints` block of a mechanism: its keys and their reader.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

#include "io/clearance.hpp"
#include "io/schema_parts.hpp"

namespace escapement::inline io {

namespace {

using enum ValueType;
using namespace ranges;
constexpr std::array<std::string_view, 2> frames_of_axes{"world", "body"};

// clang-format off
constexpr KeyInfo joint_keys[] = {
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
    {"mechanism.joints.*", "axis_frame", word, "In which frame the axis is: of the world at the start, or of each body, where it has the same components unless axis_b is given.", false, "world", {}, frames_of_axes},
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
    {"mechanism.joints.*", "restitution", number, "Of the limits, or of a joint with clearance.", false, "0", fraction},
    {"mechanism.joints.*", "clearance", number, "Play from the middle to each side: of a journal in its bearing (revolute in the plane, spherical in space; the second body is the journal) or of a slider in its guide (prismatic in the plane). Such a joint is a contact and holds nothing.", false, "", positive},
    {"mechanism.joints.*", "radius", number, "Of the journal of a joint with clearance; needed with friction.", false, "", positive},
    {"mechanism.joints.*", "friction", number, "Coulomb's coefficient of a joint with clearance.", false, "0", not_negative},
    {"mechanism.joints.*", "block", list, "[length, height], in space [length, breadth, height], of the slider of a prismatic joint with clearance, along its axis and across; it touches by its corners."},
};
// clang-format on

struct JointKind {
  const char* key;
  int dimension;                   // 0: both
  std::vector<const char*> takes;  // beside its bodies, drives and limits; required ones first
  int required;
};

const std::vector<JointKind>& joint_kinds() {
  static const std::vector<JointKind> kinds{{"revolute", 0, {"at", "axis"}, 1},
                                            {"prismatic", 0, {"at", "axis"}, 2},
                                            {"fixed", 0, {"at"}, 0},
                                            {"distance", 0, {"at"}, 1},
                                            {"slot", 2, {"at", "axis"}, 2},
                                            {"gear", 0, {"ratio"}, 1},
                                            {"cylindrical", 3, {"at", "axis"}, 2},
                                            {"spherical", 3, {"at"}, 1},
                                            {"universal", 3, {"at", "axis", "axis2"}, 3},
                                            {"planar", 3, {"at", "axis"}, 2},
                                            {"screw", 3, {"at", "axis", "pitch"}, 3}};
  return kinds;
}

const std::vector<const char*>& names_of_joint_kinds() {
  static const std::vector<const char*> names = [] {
    std::vector<const char*> all;
    for (const JointKind& one : joint_kinds()) all.push_back(one.key);
    return all;
  }();
  return names;
}

template <int D>
class JointReader {
 public:
  JointReader(MechanismReading<D>& r, const YamlNode::Entry& entry)
      : r_(r), entry_(entry), block_(r.reading, entry, "mechanism.joints.*") {}

  void read() {
    find_kind();
    const int index = r_.mechanism->add(make());
    r_.joints[entry_.key] = index;
    r_.joint_places.push_back(entry_.key_offset);
    if (kind_->key == std::string("screw")) {
      if constexpr (D == 3) {
        Mechanism<3>& m = *r_.mechanism;
        m.add_row(index, pitch_row(m.joint(index), m.angle(index), *block_.number("pitch")));
      }
    }
    if (has_clearance(block_)) {
      add_clearance(r_, entry_, block_, placed_);
    } else {
      drive(index);
      limit(index);
    }
    draw(index);
  }

 private:
  void find_kind() {
    type_ = r_.type_of(block_, "joint", entry_.key, names_of_joint_kinds());
    if (!type_)
      r_.reading.fail(entry_.key_offset,
                      fmt::format("joint {} has no type; write it like {{revolute: [ground, crank], at: {}}}",
                                  quote(entry_.key), D == 2 ? "[0, 0]" : "[0, 0, 0], axis: [0, 0, 1]"));
    for (const JointKind& one : joint_kinds())
      if (one.key == type_->key) kind_ = &one;
    if (kind_->dimension != 0 && kind_->dimension != D)
      r_.reading.fail(type_->key_offset, fmt::format("'{}' is a joint in {}; this mechanism has 'dimension: {}'",
                                                     kind_->key, kind_->dimension == 2 ? "the plane" : "space", D));
    if (kind_->key != std::string("gear")) place();
    for (const char* key : {"at", "axis", "axis2", "ratio", "pitch"}) {
      const auto place =
          std::find_if(kind_->takes.begin(), kind_->takes.end(), [&](const char* k) { return k == std::string(key); });
      const bool takes = place != kind_->takes.end() &&
                         !(D == 2 && kind_->key == std::string("revolute") && key == std::string("axis"));
      if (!takes && block_.find(key))
        r_.reading.fail(block_.find(key)->key_offset, fmt::format("a {} joint{} has no '{}'; remove it", kind_->key,
                                                                  D == 2 ? " in the plane" : "", key));
      const bool needed =
          place - kind_->takes.begin() < kind_->required || (D == 3 && kind_->key == std::string("revolute"));
      const bool said_by_points = key == std::string("at") && ends_.a && ends_.b;
      if (!takes || !needed || said_by_points) continue;
      if (key == std::string("at") && !block_.find(key) && kind_->key != std::string("distance"))
        r_.reading.fail(entry_.key_offset, fmt::format("a {} joint needs 'at', where it is at the start, or a point of each body, like {{{}: [a.tip, "
                                                       "b.root]}}", kind_->key, kind_->key));
      block_.require(key);
    }
    check_frames();
    check_clearance(r_, block_, kind_->key);
  }

  // which points it joins, where 'at' does not say so
  void place() {
    ends_ = r_.ends(*type_, "joint", entry_.key);
    if (const auto* at = block_.find("at"); at && ends_.a && ends_.b)
      r_.reading.fail(at->key_offset, "the points that are named say where it is; remove 'at'");
  }

  bool is(const char* kind) const { return kind_->key == std::string(kind); }
  bool between_points() const { return ends_.a || ends_.b; }
  bool holds_orientation() const { return is("fixed") || is("prismatic"); }
  bool in_body_frames() const { return block_.word("axis_frame").value_or("world") == "body"; }

  void check_frames() {
    const bool has_axis = block_.find("axis") != nullptr;
    const auto refuse_key = [&](const char* key, const std::string& why) {
      if (const auto* entry = block_.find(key)) r_.reading.fail(entry->key_offset, why);
    };
    if (!has_axis) refuse_key("axis_frame", "'axis_frame' says in which frame 'axis' is; add an 'axis', or remove it");
    if (!has_axis || !in_body_frames() || is("universal") || is("slot"))
      refuse_key("axis_b", is("universal") ? "the second axis of a universal joint is 'axis2'; remove 'axis_b'"
                           : is("slot")    ? "the axis of a slot belongs to its first body alone; remove 'axis_b'"
                                           : "'axis_b' is the axis in the second body's own frame; it goes with 'axis' "
                                             "and 'axis_frame: body'");
    const char* turn = D == 2 ? "relative_angle" : "relative_orientation";
    refuse_key(D == 2 ? "relative_orientation" : "relative_angle",
               fmt::format("a joint in {} has '{}'; write that", D == 2 ? "the plane" : "space", turn));
    if (!holds_orientation() || !between_points())
      refuse_key(turn, fmt::format("'{}' belongs to fixed and prismatic joints between points, like {{fixed: [a.tip, "
                                   "b.root]}}; remove it",
                                   turn));
    if (block_.find("axis_b"))
      refuse_key(turn, fmt::format("'axis_b' and '{}' both say how the bodies are turned; remove one of them", turn));
  }

  Vector<D> at() { return r_.place(block_.require("at")); }
  Vector<D> axis(const char* key = "axis") { return r_.axis(block_.require(key)); }

  // how the second body is turned against the first where their frames decide
  Pose<D> turned() {
    if constexpr (D == 2) {
      double angle = block_.number("relative_angle", 0);
      if (block_.find("axis_b")) {
        const Vector<2> a = axis(), b = axis("axis_b");
        angle = std::atan2(a[1], a[0]) - std::atan2(b[1], b[0]);
      }
      return make_pose(Vector<2>(Vector<2>::Zero()), angle);
    } else {
      Vec4 p(1, 0, 0, 0);
      if (const auto* given = block_.find("relative_orientation"))
        p = read_orientation(r_, *given, "mechanism.joints.*.relative_orientation");
      if (block_.find("axis_b")) p = shortest_turn(axis("axis_b").normalized(), axis().normalized());
      return make_pose(Vector<3>(Vector<3>::Zero()), p);
    }
  }

  static Vec4 shortest_turn(const Vec3& from, const Vec3& to) {
    const Eigen::Quaterniond p = Eigen::Quaterniond::FromTwoVectors(from, to);
    return {p.w(), p.x(), p.y(), p.z()};
  }

  // the two bodies put together as the joint holds them, its point at the origin: by the points that are named, and by
  // the frames of the bodies where these say what the joint holds
  Between<D> put_together(Vector<D>& axis_there) {
    Between<D> put = ends_.between;
    const Vector<D> a = ends_.a ? *ends_.a : put.point_a(at()), b = ends_.b ? *ends_.b : put.point_b(at());
    if (in_body_frames() || holds_orientation()) {
      if (block_.find("axis") && !in_body_frames()) axis_there = put.axis_a(axis_there);
      put.pose_a = {};
      put.pose_b = turned();
    }
    put.pose_a.x = -(put.pose_a.R * a);
    put.pose_b.x = -(put.pose_b.R * b);
    return put;
  }

  Joint<D> make() {
    const std::string kind = kind_->key, &name = entry_.key;
    if (kind == "gear") return make_gear();
    Between<D> between = ends_.between;
    if (kind == "distance") {
      const auto [a, b] = r_.two_points(ends_, block_);
      if (a == b)
        r_.reading.fail(block_.find("at") ? *block_.find("at")->value : *type_->value,
                        "the two points coincide; use a joint that holds a point, like revolute");
      Joint<D> joint = distance<D>(name, between, a, b);
      // limits in place of the length: a rope, which holds at its greatest length alone
      if (block_.find("length_limits") && !block_.find("length")) joint.rows.clear();
      return joint;
    }
    Vector<D> n = block_.find("axis") ? axis() : Vector<D>(Vector<D>::Zero()), p = Vector<D>::Zero();
    if (between_points() || (in_body_frames() && !holds_orientation())) {
      between = put_together(n);
    } else {
      if (in_body_frames()) n = between.pose_a.R * n;
      p = block_.find("at") ? at() : between.b == ground ? between.pose_a.x : between.pose_b.x;
    }
    if (has_clearance(block_)) {
      placed_ = {between, p, n};
      Joint<D> joint;
      joint.name = name;
      joint.a = between.a;
      joint.b = between.b;
      return joint;
    }
    if (kind == "fixed") return fixed<D>(name, between, p);
    if (kind == "prismatic") return prismatic(name, between, p, n);
    if constexpr (D == 2) {
      if (kind == "slot") return slot(name, between, p, n);
      return revolute(name, between, p);
    } else {
      if (kind == "cylindrical") return cylindrical(name, between, p, n);
      if (kind == "spherical") return spherical(name, between, p);
      if (kind == "planar") return planar(name, between, p, n);
      if (kind == "screw") return screw(name, between, p, n);
      if (kind == "universal") return universal(name, between, p, n, axis("axis2"));
      return revolute(name, between, p, n);
    }
  }

  // the coordinate of a joint (or in the plane a body) that a gear couples
  MeasurePtr<D> geared(const YamlNode& scalar) {
    if (D == 2 && scalar.is_scalar() && r_.bodies.contains(scalar.text)) {
      if constexpr (D == 2) return relative_angle(ground, r_.bodies.find(scalar.text)->second);
    }
    const int index = r_.joint(scalar, "joint", entry_.key);
    const Joint<D>& joint = r_.mechanism->joint(index);
    if (joint.has_angle) return r_.mechanism->angle(index);
    if (joint.length) return joint.length;
    r_.reading.fail(
        scalar, fmt::format("joint {} has neither an angle nor a length that a gear could couple", quote(scalar.text)));
  }

  Joint<D> make_gear() {
    const YamlNode& list = *type_->value;
    if (!list.is_sequence() || list.entries.size() != 2)
      r_.reading.fail(list.is_null() ? type_->key_offset : list.offset,
                      "'gear' takes two joints that stand before it, like [pin1, pin2]");
    const YamlNode &first = *list.entries[0].value, &second = *list.entries[1].value;
    if (first.is_scalar() && second.is_scalar() && first.text == second.text)
      r_.reading.fail(
          list, fmt::format("joint {} gears {} with itself; name two joints", quote(entry_.key), quote(first.text)));
    const MeasurePtr<D> a = geared(first), b = geared(second);
    const double ratio = *block_.number("ratio");
    if (ratio == 0)
      r_.reading.fail(*block_.find("ratio")->value, "ratio is 0 but must not be; a negative one turns the other way");
    return gear<D>(entry_.key, a, r_.mechanism->at_start(*a), b, r_.mechanism->at_start(*b), ratio);
  }

  void drive(int index) {
    const Joint<D>& joint = r_.mechanism->joint(index);
    if (const auto* angle = block_.find("angle")) {
      if (!joint.has_angle) refuse(*angle, "angle");
      r_.mechanism->drive_angle(index, r_.signal(*angle, true));
    }
    if (const auto* length = block_.find("length")) {
      if (!joint.length) refuse(*length, "length");
      r_.mechanism->drive_length(index, r_.signal(*length, true));
    }
  }

  void limit(int index) {
    const auto bounds = [&](const YamlNode::Entry& entry) {
      const std::vector<double> two = r_.numbers(entry, 2, 2, "[least, greatest]");
      if (!(two[0] < two[1]))
        r_.reading.fail(*entry.value, two[0] == two[1] ? "equal limits leave no room to move; take a fixed joint"
                                                       : "the first limit must be below the second; swap them");
      return two;
    };
    const double e = block_.number("restitution", 0);
    const auto *angle = block_.find("angle_limits"), *length = block_.find("length_limits");
    if (angle) {
      if (!r_.mechanism->joint(index).has_angle) refuse(*angle, "angle");
      const std::vector<double> two = bounds(*angle);
      r_.mechanism->limit_angle(index, two[0], two[1], e);
    }
    if (length) {
      if (!r_.mechanism->joint(index).length) refuse(*length, "length");
      const std::vector<double> two = bounds(*length);
      r_.mechanism->limit_length(index, two[0], two[1], e);
    }
    if (block_.find("restitution") && !angle && !length)
      r_.reading.fail(block_.find("restitution")->key_offset,
                      "'restitution' belongs to limits; add 'angle_limits' or 'length_limits'");
  }

  [[noreturn]] void refuse(const YamlNode::Entry& entry, const char* coordinate) {
    r_.reading.fail(entry.key_offset,
                    fmt::format("a {} joint has no {}; remove '{}'", kind_->key, coordinate, entry.key));
  }

  void draw(int index) {
    const Joint<D>& joint = r_.mechanism->joint(index);
    if (kind_->key == std::string("gear")) return;
    Picture::Joint drawn{entry_.key, kind_->key, {joint.a, joint.b}, {}};
    const Between<D> between = r_.mechanism->between(joint.a, joint.b);
    std::pair<Vector<D>, Vector<D>> points;
    if (kind_->key == std::string("distance")) {
      points = r_.two_points(ends_, block_);
    } else if (!(ends_.a && ends_.b)) {
      const Pose<D>& pose = between.b == ground ? between.pose_a : between.pose_b;
      points.first = points.second = block_.find("at") ? at() : pose.x;
    }
    const Vector<D> a = ends_.a.value_or(between.point_a(points.first)), b = ends_.b.value_or(between.point_b(points.second));
    drawn.at = {{a.data(), a.data() + D}, {b.data(), b.data() + D}};
    if (has_clearance(block_)) {  // its force is that of its contact
      r_.model.scene.joints.push_back(std::move(drawn));
      return;
    }
    Reaction like;
    const bool on_b = joint.b != ground;
    like.body = on_b ? joint.b : joint.a;
    like.sign = on_b ? 1 : -1;
    std::copy_n(on_b ? b.data() : a.data(), D, like.point.begin());
    r_.reading.joint_reactions.push_back({entry_.key, like});
    if (const auto* given = block_.find("at")) {
      if (!ends_.a && joint.a != ground)
        r_.reading.world_points.push_back({entry_.key, joint.a, drawn.at[0], given->key_offset});
      if (!ends_.b && joint.b != ground)
        r_.reading.world_points.push_back({entry_.key, joint.b, drawn.at[1], given->key_offset});
    }
    (kind_->key == std::string("distance") ? r_.model.scene.links : r_.model.scene.joints).push_back(std::move(drawn));
  }

  MechanismReading<D>& r_;
  const YamlNode::Entry& entry_;
  Block block_;
  const JointKind* kind_ = nullptr;
  const YamlNode::Entry* type_ = nullptr;
  Ends<D> ends_;
  PlacedJoint<D> placed_;
};

}  // namespace

std::span<const KeyInfo> joint_schema() { return joint_keys; }

template <int D>
void read_joints(MechanismReading<D>& r) {
  for (const auto& entry : r.top.named("joints")) JointReader<D>(r, entry).read();
}

template void read_joints<2>(MechanismReading<2>&);
template void read_joints<3>(MechanismReading<3>&);

}  // namespace escapement
