#include "io/mechanism_reading.hpp"

#include <fmt/ranges.h>

#include <cmath>

#include "math/nearest_name.hpp"

namespace escapement::inline io {

namespace {

const char* example_vector(int size) { return size == 2 ? "[0, 1]" : size == 3 ? "[0, 0, 1]" : "[1, 0, 0, 0]"; }

std::vector<std::string> names_of(const std::map<std::string, int, std::less<>>& map) {
  std::vector<std::string> names;
  for (const auto& [name, index] : map) names.push_back(name);
  return names;
}

}  // namespace

template <int D>
const YamlNode::Entry* MechanismReading<D>::type_of(const Block& block, const char* what, const std::string& name,
                                                    std::span<const char* const> kinds) {
  const YamlNode::Entry* type = nullptr;
  for (const char* kind : kinds) {
    const YamlNode::Entry* found = block.find(kind);
    if (!found) continue;
    if (type)
      reading.fail(found->key_offset,
                   fmt::format("{} {} is a {} already; make a second {} for '{}'", what, quote(name), type->key, what, kind));
    type = found;
  }
  return type;
}

template <int D>
int MechanismReading<D>::body(const YamlNode& scalar, const char* what, const std::string& name) {
  if (!scalar.is_scalar())
    reading.fail(scalar, fmt::format("the {} {} needs the name of a body here, but this is {}", what, quote(name),
                                     scalar.kind_name()));
  if (scalar.text == "ground") return ground;
  const auto it = bodies.find(scalar.text);
  if (it != bodies.end()) return it->second;
  if (const int node = called_node(scalar); node != ground) return node;
  if (joints.contains(scalar.text))
    reading.fail(scalar, fmt::format("{} {} needs a body here, but {} is a joint; name one of its bodies", what,
                                     quote(name), quote(scalar.text)));
  if (const std::size_t dot = scalar.text.rfind('.'); dot != std::string::npos) {
    const std::string owner = scalar.text.substr(0, dot);
    const bool number = scalar.text.find_first_not_of("0123456789", dot + 1) == std::string::npos;
    for (const auto& beam : beams)
      if (beam->name == owner && (number || did_you_mean(scalar.text, names_of(bodies)).empty()))
        reading.fail(scalar, fmt::format("{0} {1} needs a node of the beam '{2}' here, but {3} is none; its nodes are {2}.0 to {2}.{4}, {2}.start and {2}.end",
                                         what, quote(name), owner, quote(scalar.text), beam->elements.size()));
    if (owner == "ground" || bodies.contains(owner)) {
      std::vector<std::string> named;
      for (const auto& [whole, point] : points)
        if (whole.starts_with(owner + ".")) named.push_back(whole.substr(dot + 1));
      reading.fail(scalar, fmt::format("{} {} needs the point {} here, but {}", what, quote(name), quote(scalar.text),
                                       named.empty() ? fmt::format("{} has no points; give it 'points: {{{}: ...}}'", quote(owner), scalar.text.substr(dot + 1))
                                                     : fmt::format("{} has {}", quote(owner), fmt::join(named, ", "))));
    }
  }
  std::vector<std::string> known = names_of(bodies);
  known.push_back("ground");
  const std::string near = did_you_mean(scalar.text, known);
  const char* missing = scalar.text.find('{') == std::string::npos
                            ? ", which does not exist; add it to 'bodies'"
                            : ", but braces stand for numbers only in entries with 'repeat: {k: [1, n]}'; add that";
  reading.fail(scalar, fmt::format("{} {} names body {}{}", what, quote(name), quote(scalar.text),
                                   near.empty() ? missing : near));
}

// NAME.node(k), NAME.at(fraction)
template <int D>
int MechanismReading<D>::called_node(const YamlNode& scalar) {
  const std::size_t open = scalar.text.find('(');
  if (open == std::string::npos || scalar.text.back() != ')') return ground;
  YamlNode argument;
  argument.kind = YamlNode::Kind::scalar;
  argument.offset = scalar.offset;
  argument.text = scalar.text.substr(open + 1, scalar.text.size() - open - 2);
  try {
    return find_node<D>(beams, reading.graph, scalar.text.substr(0, open),
                        {reading.graph.constant(reading.constant({"", scalar.offset, &argument}))});
  } catch (const std::invalid_argument& error) {
    reading.fail(scalar, error.what());
  }
}

template <int D>
int MechanismReading<D>::joint(const YamlNode& scalar, const char* what, const std::string& name) {
  if (!scalar.is_scalar())
    reading.fail(scalar, fmt::format("the {} {} needs the name of a joint here, but this is {}", what, quote(name),
                                     scalar.kind_name()));
  const auto it = joints.find(scalar.text);
  if (it != joints.end()) return it->second;
  if (bodies.contains(scalar.text))
    reading.fail(scalar, fmt::format("{} {} needs a joint here, but {} is a body; name a joint of that body", what,
                                     quote(name), quote(scalar.text)));
  const std::string near = did_you_mean(scalar.text, names_of(joints));
  reading.fail(scalar, fmt::format("{} {} names joint {}{}", what, quote(name), quote(scalar.text),
                                   near.empty() ? ", which does not exist before it; add it to 'joints'" : near));
}

template <int D>
Between<D> MechanismReading<D>::pair(const YamlNode::Entry& entry, const char* what, const std::string& name) {
  const YamlNode& list = *entry.value;
  if (!list.is_sequence() || list.entries.size() != 2)
    reading.fail(list.is_null() ? entry.key_offset : list.offset,
                 fmt::format("'{}' takes two bodies, like [ground, {}]", entry.key,
                             bodies.empty() ? std::string("crank") : bodies.begin()->first));
  const int a = body(*list.entries[0].value, what, name), b = body(*list.entries[1].value, what, name);
  if (a == b)
    reading.fail(list, fmt::format("{} {} joins {} with itself; name two different bodies", what, quote(name),
                                   quote(list.entries[0].value->text)));
  return mechanism->between(a, b);
}

template <int D>
Ends<D> MechanismReading<D>::ends(const YamlNode::Entry& entry, const char* what, const std::string& name) {
  const YamlNode& list = *entry.value;
  if (!list.is_sequence() || list.entries.size() != 2)
    return {pair(entry, what, name), std::nullopt, std::nullopt};  // says what is wrong
  std::optional<Vector<D>> at[2];
  int body_of[2];
  for (int i = 0; i < 2; ++i) {
    const YamlNode& item = *list.entries[static_cast<std::size_t>(i)].value;
    const auto found = item.is_scalar() && !bodies.contains(item.text) ? points.find(item.text) : points.end();
    if (found != points.end()) {
      body_of[i] = found->second.body;
      at[i] = found->second.at;
    } else {
      body_of[i] = body(item, what, name);
    }
  }
  if (body_of[0] == body_of[1])
    reading.fail(list, fmt::format("{} {} joins {} with itself; name two different bodies", what, quote(name),
                                   quote(body_of[0] == ground ? "ground" : mechanism->bodies()[body_of[0]].name)));
  return {mechanism->between(body_of[0], body_of[1]), at[0], at[1]};
}

template <int D>
Vector<D> MechanismReading<D>::in_world(const BodyPoint<D>& point) const {
  if (point.body == ground) return point.at;
  const Pose<D>& pose = mechanism->bodies()[point.body].pose;
  return pose.x + pose.R * point.at;
}

template <int D>
Vector<D> MechanismReading<D>::place(const YamlNode::Entry& entry) {
  if (!entry.value->is_scalar()) return vector(entry);
  const auto found = points.find(entry.value->text);
  if (found != points.end()) return in_world(found->second);
  std::vector<std::string> known;
  for (const auto& [name, point] : points) known.push_back(name);
  const std::string near = did_you_mean(entry.value->text, known);
  reading.fail(*entry.value, fmt::format("{} is no point of a body{}", quote(entry.value->text),
                                         near.empty() ? fmt::format("; write a list like {}, or add it to the 'points' "
                                                                    "of a body and write body.point",
                                                                    example_vector(D))
                                                      : near));
}

template <int D>
std::vector<double> MechanismReading<D>::numbers(const YamlNode::Entry& entry, std::size_t least, std::size_t most,
                                                 const char* example) {
  const YamlNode& list = *entry.value;
  if (!list.is_sequence() || list.entries.size() < least || list.entries.size() > most) {
    const std::string count = least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
    reading.fail(list.is_null() ? entry.key_offset : list.offset,
                 fmt::format("{}must be a list of {} numbers, like {}, but {}",
                             entry.key.empty() ? std::string("this ") : fmt::format("'{}' ", entry.key), count, example,
                             list.is_sequence() ? fmt::format("has {}", list.entries.size())
                                                : fmt::format("is {}", list.kind_name())));
  }
  std::vector<double> values;
  for (const YamlNode::Entry& item : list.entries) values.push_back(reading.constant(item));
  return values;
}

template <int D>
Vector<D> MechanismReading<D>::vector(const YamlNode::Entry& entry) {
  const std::vector<double> values = numbers(entry, D, D, example_vector(D));
  return Eigen::Map<const Vector<D>>(values.data());
}

template <int D>
Vector<D> MechanismReading<D>::axis(const YamlNode::Entry& entry) {
  const Vector<D> n = vector(entry);
  if (!(n.norm() > 0)) reading.fail(*entry.value, "an axis must not be zero; give it a direction");
  return n;
}

template <int D>
std::pair<Vector<D>, Vector<D>> MechanismReading<D>::two_points(const YamlNode::Entry& entry) {
  const YamlNode& list = *entry.value;
  const auto is_number = [](const YamlNode& item) {
    return item.is_scalar() && !item.text.empty() && item.text.find('.') == std::string::npos;
  };
  if (!list.is_sequence() || list.entries.size() != 2 || is_number(*list.entries[0].value))
    reading.fail(
        list.is_null() ? entry.key_offset : list.offset,
        fmt::format("'{}' takes two points here, like [{}, {}]", entry.key, example_vector(D), example_vector(D)));
  return {place(list.entries[0]), place(list.entries[1])};
}

template <int D>
std::pair<Vector<D>, Vector<D>> MechanismReading<D>::two_points(const Ends<D>& ends, const Block& block) {
  if (!ends.a && !ends.b) return two_points(block.require("at"));
  const auto* at = block.find("at");
  const auto given = [&](const std::optional<Vector<D>>& point, int body) {
    return point ? in_world({body, *point}) : place(block.require("at"));
  };
  if (at && ends.a && ends.b)
    reading.fail(at->key_offset, "the points that are named say where it is; remove 'at'");
  return {given(ends.a, ends.between.a), given(ends.b, ends.between.b)};
}

template <int D>
SignalPtr MechanismReading<D>::signal(const YamlNode::Entry& entry, bool of_a_row) {
  const Expr e = of_a_row ? reading.smooth_expression(entry, reading.times, "a drive")
                          : reading.expression(entry, reading.times);
  return make_signal(reading.graph, e, vocabulary.t);
}

template <int D>
void MechanismReading<D>::warn(std::size_t offset, const std::string& message) {
  model.warnings.push_back(ModelError(reading.source.file(), reading.source.place(offset), message).what());
}

Vec4 read_orientation(MechanismReading<3>& r, const YamlNode::Entry& entry, std::string_view where) {
  constexpr double rounded = 1e-6;  // digits that a quaternion is written with
  Reading& reading = r.reading;
  const YamlNode& node = *entry.value;
  const auto fail = [&] {
    reading.fail(node.is_null() ? entry.key_offset : node.offset,
                 "an orientation is a quaternion [w, x, y, z] or {axis: [x, y, z], angle: a}");
  };
  if (node.is_map()) {
    const Block block(reading, entry, where);
    const YamlNode& list = *block.require("axis").value;
    if (!list.is_sequence() || list.entries.size() != 3) fail();
    Vec3 axis;
    for (int i = 0; i < 3; ++i) axis[i] = reading.constant(list.entries[i]);
    if (!(axis.norm() > 0)) reading.fail(list, "an axis must not be zero; give it a direction");
    block.require("angle");
    return quaternion(axis, *block.number("angle"));
  }
  if (!node.is_sequence() || node.entries.size() != 4) fail();
  Vec4 p;
  for (int i = 0; i < 4; ++i) p[i] = reading.constant(node.entries[i]);
  if (!(p.norm() > 0)) reading.fail(node, "a quaternion must not be zero; the one of no rotation is [1, 0, 0, 0]");
  if (const double length = p.norm(); std::abs(length - 1) > rounded)
    r.warn(node.offset,
           fmt::format("the quaternion has length {:.6g} and is divided by it; check its numbers, w first", length));
  return p.normalized();
}

template struct MechanismReading<2>;
template struct MechanismReading<3>;

}  // namespace escapement
