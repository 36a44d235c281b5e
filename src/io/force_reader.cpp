// The `forces` block of a mechanism: its keys and their reader.
#include <array>

#include "io/mechanism_reading.hpp"
#include "io/schema_parts.hpp"
#include "model/bushing.hpp"
#include "model/expression_force.hpp"

namespace escapement::inline io {

namespace {

using enum ValueType;
using namespace ranges;
constexpr std::array<std::string_view, 2> frames_of_forces{"world", "body"};
constexpr std::array<std::string_view, 2> coordinates_of_joints{"angle", "length"};
constexpr std::array<std::string_view, 2> friction_laws{"regularised", "coulomb"};

// clang-format off
constexpr KeyInfo force_keys[] = {
    {"mechanism.forces", "*", map, "A force; its type is a key with what it acts on."},
    {"mechanism.forces.*", "repeat", map, "{k: [first, last]}: one force per k, with more counters a grid. k is a number in its expressions; {k}, {k - 1} ... in names stand for their values."},
    {"mechanism.forces.*", "spring_damper", list, "[a, b]: a spring and a damper between two points given by 'at', or named here like [crank.tip, ground.post]."},
    {"mechanism.forces.*", "torsional_spring_damper", any, "A joint with an angle, or [a, b] in the plane."},
    {"mechanism.forces.*", "force", any, "A body, or [a, b]: on b, with its reaction on a."},
    {"mechanism.forces.*", "torque", any, "A body, or [a, b]: on b, with its reaction on a."},
    {"mechanism.forces.*", "bushing", list, "[a, b]: an elastic bearing, relaxed at the start."},
    {"mechanism.forces.*", "actuator", text, "A joint: follows an angle or a length with proportional and derivative gain."},
    {"mechanism.forces.*", "friction", text, "A joint: dry friction against its angle or length, of constant size or following the force that the joint carries."},
    {"mechanism.forces.*", "at", any, "Where it acts at the start, in the world frame or the name of a point; of a spring two of them.", false, "the centre of mass"},
    {"mechanism.forces.*", "value", any, "Components, expressions of t, coordinates and rates; of a planar torque one."},
    {"mechanism.forces.*", "frame", word, "In which frame the components are.", false, "world", {}, frames_of_forces},
    {"mechanism.forces.*", "stiffness", any, "Spring constant, or gain of an actuator; of a bushing one per axis or one for all.", false, "0"},
    {"mechanism.forces.*", "damping", any, "Damper constant, or gain of an actuator; of a bushing one per axis or one for all.", false, "0"},
    {"mechanism.forces.*", "turning_stiffness", any, "Of a bushing: about its axes.", false, "0"},
    {"mechanism.forces.*", "turning_damping", any, "Of a bushing: about its axes.", false, "0"},
    {"mechanism.forces.*", "length", expression, "Of a relaxed spring (the length at the start unless given); what an actuator follows, of t."},
    {"mechanism.forces.*", "angle", expression, "Of a relaxed torsional spring (the angle at the start unless given); what an actuator follows, of t."},
    {"mechanism.forces.*", "limit", number, "Of an actuator: the largest force or torque.", false, "", positive},
    {"mechanism.forces.*", "coordinate", word, "Of friction: which coordinate of the joint it brakes.", false, "the angle where there is one", {}, coordinates_of_joints},
    {"mechanism.forces.*", "size", number, "Of friction: its force or torque while sliding.", false, "", not_negative},
    {"mechanism.forces.*", "coefficient", number, "Of friction that follows the joint's force, in place of 'size': its limit is coefficient x force x radius, solved together with the force.", false, "", not_negative},
    {"mechanism.forces.*", "radius", number, "Of friction that follows the joint's force, against turning: radius of the journal.", false, "", positive},
    {"mechanism.forces.*", "law", word, "Of friction: regularised, a smooth function of the rate; or coulomb, the set-valued law, under which it sticks.", false, "regularised, with a coefficient coulomb", {}, friction_laws},
    {"mechanism.forces.*", "velocity", number, "Of regularised friction: below this rate it is regularised.", false, "1e-3", positive},
};
// clang-format on

constexpr const char* force_kinds[] = {
    "spring_damper", "torsional_spring_damper", "force", "torque", "bushing", "actuator", "friction"};

template <int D>
class ForceReader {
 public:
  ForceReader(MechanismReading<D>& r, const YamlNode::Entry& entry)
      : r_(r), entry_(entry), block_(r.reading, entry, "mechanism.forces.*") {}

  void read() {
    find_kind();
    const std::string& kind = type_->key;
    if (kind == "spring_damper") return spring();
    if (kind == "torsional_spring_damper") return torsional_spring();
    if (kind == "bushing") return bushing();
    if (kind == "actuator") return actuator();
    if (kind == "friction") return friction();
    expression();
  }

 private:
  void find_kind() {
    type_ = r_.type_of(block_, "force", entry_.key, force_kinds);
    if (!type_)
      r_.reading.fail(entry_.key_offset, fmt::format("force {} has no type; it is one of: {}", quote(entry_.key),
                                                     fmt::join(force_kinds, ", ")));
  }

  // keys this type does not take
  void allow(std::initializer_list<std::string_view> keys) {
    for (const auto& entry : block_.entries()) {
      if (&entry == type_ || entry.key == type_->key) continue;
      if (std::find(keys.begin(), keys.end(), entry.key) == keys.end())
        r_.reading.fail(entry.key_offset,
                        fmt::format("a {} has no '{}'; it takes {}", type_->key, entry.key, fmt::join(keys, ", ")));
    }
  }

  double not_negative(const char* key) {
    const auto* entry = block_.find(key);
    if (!entry) return 0;
    const double value = r_.reading.constant(*entry);
    if (value < 0) r_.reading.fail(*entry->value, fmt::format("{} is {:g} but must be at least 0", key, value));
    return value;
  }

  void spring() {
    allow({"at", "stiffness", "damping", "length"});
    const Ends<D> ends = r_.ends(*type_, "force", entry_.key);
    const Between<D>& between = ends.between;
    const auto [a, b] = r_.two_points(ends, block_);
    double length = (b - a).norm();
    if (const auto* given = block_.find("length")) length = r_.reading.constant(*given);
    if (a == b)
      r_.reading.fail(block_.find("at") ? *block_.find("at")->value : *type_->value,
                      "a spring of zero length at the start has no direction; move one of its points");
    const Vector<D> pa = ends.a.value_or(between.point_a(a)), pb = ends.b.value_or(between.point_b(b));
    r_.mechanism->add(make_measure_force<D>(distance_between<D>(between.a, pa, between.b, pb),
                                            spring_damper(not_negative("stiffness"), not_negative("damping"), length)));
    r_.model.scene.links.push_back(
        {entry_.key, "spring", {between.a, between.b}, {{pa.data(), pa.data() + D}, {pb.data(), pb.data() + D}}});
  }

  // the angle of a joint, or in the plane between two bodies
  MeasurePtr<D> angle() {
    if (type_->value->is_sequence()) {
      if constexpr (D == 2) {
        const Between<2> between = r_.pair(*type_, "force", entry_.key);
        return relative_angle(between.a, between.b);
      } else {
        r_.reading.fail(*type_->value,
                        fmt::format("in space a {} acts on a joint; name one with an angle", type_->key));
      }
    }
    const int joint = r_.joint(*type_->value, "force", entry_.key);
    if (!r_.mechanism->joint(joint).has_angle)
      r_.reading.fail(*type_->value,
                      fmt::format("joint {} has no angle; name one that has", quote(type_->value->text)));
    return r_.mechanism->angle(joint);
  }

  void torsional_spring() {
    allow({"stiffness", "damping", "angle"});
    const MeasurePtr<D> measure = angle();
    double rest = r_.mechanism->at_start(*measure);
    if (const auto* given = block_.find("angle")) rest = r_.reading.constant(*given);
    r_.mechanism->add(
        make_measure_force<D>(measure, spring_damper(not_negative("stiffness"), not_negative("damping"), rest)));
  }

  // the coordinate of a joint that this force acts along; wanted: "angle", "length" or nothing
  MeasurePtr<D> coordinate(const std::string& wanted) {
    const int index = r_.joint(*type_->value, "force", entry_.key);
    const Joint<D>& joint = r_.mechanism->joint(index);
    if (joint.has_angle && wanted != "length") return r_.mechanism->angle(index);
    if (joint.length && wanted != "angle") return joint.length;
    r_.reading.fail(*type_->value, fmt::format("joint {} has no {}; name one that has", quote(joint.name),
                                               wanted.empty() ? "angle and no length" : wanted));
  }

  void actuator() {
    allow({"angle", "length", "stiffness", "damping", "limit"});
    const auto *angle = block_.find("angle"), *length = block_.find("length");
    if ((angle == nullptr) == (length == nullptr))
      r_.reading.fail(entry_.key_offset,
                      fmt::format("actuator {} follows either an 'angle' or a 'length'; give one", quote(entry_.key)));
    const auto* target = angle ? angle : length;
    r_.mechanism->add(make_measure_force<D>(
        coordinate(target->key),
        tracking(not_negative("stiffness"), not_negative("damping"), r_.signal(*target, false), block_.number("limit", 0))));
  }

  // what friction acts against: the coordinate named, or the angle rather than the length
  MeasurePtr<D> rubbed() {
    const std::string wanted = block_.word("coordinate").value_or("");
    const MeasurePtr<D> result = coordinate(wanted);
    const Joint<D>& joint = r_.mechanism->joint(r_.joint(*type_->value, "force", entry_.key));
    const bool slides_freely = !joint.point && !joint.length;  // a planar joint
    if (wanted.empty() && joint.has_angle && (joint.length || slides_freely))
      r_.warn(entry_.key_offset,
              fmt::format("the friction {} brakes the turning of joint {} and not its sliding; {}", quote(entry_.key),
                          quote(joint.name),
                          slides_freely ? "say so with 'coordinate: angle'"
                                        : "say so with 'coordinate: angle', or choose 'coordinate: length'"));
    return result;
  }

  void friction() {
    allow({"coordinate", "size", "coefficient", "radius", "velocity", "law"});
    if (block_.find("coefficient")) return friction_by_reaction();
    if (const auto* radius = block_.find("radius"))
      r_.reading.fail(radius->key_offset, "a 'radius' belongs to friction that follows the joint's force; add its 'coefficient'");
    block_.require("size");
    if (block_.word("law").value_or("regularised") == "coulomb") return coulomb_friction();
    r_.mechanism->add(
        make_measure_force<D>(rubbed(), dry_friction(*block_.number("size"), block_.number("velocity", 1e-3))));
  }

  void coulomb_friction() {
    if (const auto* velocity = block_.find("velocity"))
      r_.reading.fail(velocity->key_offset,
                      "friction with 'law: coulomb' is not regularised and has no 'velocity'; leave it out");
    const double size = *block_.number("size");
    if (size == 0) return;
    r_.reading.declare(entry_.key, "friction", entry_.key_offset);
    r_.mechanism->add_brake(entry_.key, rubbed(), size);
  }

  // Coulomb's law with the force that the joint carries: its limit is coefficient x force x radius of the journal
  void friction_by_reaction() {
    const auto refuse = [&](const char* key, const std::string& why) {
      if (const auto* entry = block_.find(key)) r_.reading.fail(entry->key_offset, why);
    };
    refuse("size", fmt::format("the friction {} has a 'size' and a 'coefficient'; it is either given or follows the joint's force", quote(entry_.key)));
    refuse("velocity", "friction with a 'coefficient' is not regularised and has no 'velocity'; leave it out");
    if (block_.word("law").value_or("coulomb") != "coulomb")
      refuse("law", "regularised friction with a 'coefficient' is not available in this version; take 'law: coulomb'");
    const MeasurePtr<D> coordinate = rubbed();
    const int index = r_.joint(*type_->value, "force", entry_.key);
    const Joint<D>& joint = r_.mechanism->joint(index);
    if (joint.force_rows == 0)
      r_.reading.fail(*type_->value, fmt::format("joint {} carries no force that friction could follow; give the friction's 'size'", quote(joint.name)));
    const bool turns = coordinate != joint.length;
    if (turns)
      block_.require("radius");
    else
      refuse("radius", "friction against sliding has no 'radius'; leave it out");
    const double friction = not_negative("coefficient") * block_.number("radius", 1);
    if (friction == 0) return;
    r_.reading.declare(entry_.key, "friction", entry_.key_offset);
    r_.reading.followed.push_back({entry_.key, joint.name, type_->value->offset});
    r_.mechanism->add_brake(entry_.key, coordinate, index, friction);
  }

  // one number for all axes, or a list of one per axis
  template <int N>
  Eigen::Matrix<double, N, 1, Eigen::DontAlign> per_axis(const char* key) {
    Eigen::Matrix<double, N, 1, Eigen::DontAlign> result = decltype(result)::Zero();
    const auto* entry = block_.find(key);
    if (!entry) return result;
    if (entry->value->is_sequence()) {
      const std::vector<double> values = r_.numbers(*entry, N, N,
                                                    N == 1   ? "[100]"
                                                    : N == 2 ? "[100, 100]"
                                                             : "[100, 100, 100]");
      result = Eigen::Map<const Eigen::Matrix<double, N, 1>>(values.data());
    } else {
      result.setConstant(r_.reading.constant(*entry));
    }
    if (result.minCoeff() < 0) r_.reading.fail(*entry->value, fmt::format("{} must be at least 0", key));
    return result;
  }

  void bushing() {
    allow({"at", "stiffness", "damping", "turning_stiffness", "turning_damping"});
    BushingData<D> data;
    data.stiffness = per_axis<D>("stiffness");
    data.damping = per_axis<D>("damping");
    data.turning_stiffness = per_axis<angular<D>>("turning_stiffness");
    data.turning_damping = per_axis<angular<D>>("turning_damping");
    for (auto& force : make_bushing<D>(r_.pair(*type_, "force", entry_.key), r_.place(block_.require("at")), data))
      r_.mechanism->add(std::move(force));
  }

  void expression() {
    const bool torque = type_->key == "torque";
    if (torque) {
      allow({"value", "frame"});
    } else {
      allow({"at", "value", "frame"});
    }
    int on = ground, from = ground;
    if (type_->value->is_sequence()) {
      const Between<D> between = r_.pair(*type_, "force", entry_.key);
      from = between.a;
      on = between.b;
    } else {
      on = r_.body(*type_->value, "force", entry_.key);
      if (on == ground) r_.reading.fail(*type_->value, "a force on the ground moves nothing; name a body");
    }
    Action<D> action;
    action.body = on;
    action.in_body = block_.word("frame").value_or("world") == "body";
    if (action.in_body && from != ground)
      r_.reading.fail(block_.find("frame")->key_offset,
                      "a force between two bodies has its components in the world; remove 'frame'");
    read_components(torque, action);

    Vector<D> at =
        on == ground ? r_.mechanism->between(ground, from).pose_b.x : r_.mechanism->between(ground, on).pose_b.x;
    if (const auto* given = block_.find("at")) at = r_.place(*given);
    action.point = r_.mechanism->between(ground, on).point_b(at);
    std::vector<Action<D>> actions{action};
    if (on == ground) {  // only the reaction moves something: it keeps to a point of the body it acts on
      actions = {reaction_to(r_.reading.graph, action, from)};
      actions[0].point_of.reset();
      actions[0].point = r_.mechanism->between(ground, from).point_b(at);
    } else if (from != ground) {
      actions.push_back(reaction_to(r_.reading.graph, action, from));
    }
    r_.mechanism->add(make_expression_force<D>(r_.reading.graph, r_.vocabulary, std::move(actions)));
  }

  void read_components(bool torque, Action<D>& action) {
    const auto& value = block_.require("value");
    const std::size_t count = torque ? angular<D> : D;
    const auto component = [&](std::size_t i) -> Expr& { return torque ? action.torque[i] : action.force[i]; };
    if (count == 1 && !value.value->is_sequence()) {
      component(0) = r_.reading.expression(value, r_.reading.states);
      return;
    }
    if (!value.value->is_sequence() || value.value->entries.size() != count)
      r_.reading.fail(value.value->is_null() ? value.key_offset : value.value->offset,
                      fmt::format("'value' of a {} takes {}", type_->key,
                                  count == 1 ? "one expression" : fmt::format("a list of {} expressions", count)));
    for (std::size_t i = 0; i < count; ++i)
      component(i) = r_.reading.expression(value.value->entries[i], r_.reading.states);
  }

  MechanismReading<D>& r_;
  const YamlNode::Entry& entry_;
  Block block_;
  const YamlNode::Entry* type_ = nullptr;
};

}  // namespace

std::span<const KeyInfo> force_schema() { return force_keys; }

template <int D>
void read_forces(MechanismReading<D>& r) {
  for (const auto& entry : r.top.named("forces")) {
    r.reading.check_name(entry.key, "force", entry.key_offset);
    ForceReader<D>(r, entry).read();
    r.force_places.resize(static_cast<std::size_t>(r.mechanism->force_count()), entry.key_offset);
  }
}

template void read_forces<2>(MechanismReading<2>&);
template void read_forces<3>(MechanismReading<3>&);

}  // namespace escapement
