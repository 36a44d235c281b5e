#include "io/mjcf_tree.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <sstream>

#include "io/model_error.hpp"
#include "math/expression_parser.hpp"
#include "math/nearest_name.hpp"

namespace escapement::inline io {

namespace {

constexpr const char* outermost_class = "main";

Vec3 unit(char axis) { return Vec3::Unit(std::tolower(static_cast<unsigned char>(axis)) - 'x'); }

}  // namespace

MjcfTree::MjcfTree(SourceText source) : source_(std::move(source)), buffer_(source_.text()) {
  const pugi::xml_parse_result result = document_.load_buffer_inplace(buffer_.data(), buffer_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result) fail(static_cast<std::size_t>(result.offset), fmt::format("this is not well-formed XML ({}); correct it", result.description()));
  root_ = document_.child("mujoco");
  if (!root_) fail(0, "an MJCF file has a <mujoco> element, and this one has none; give a model in MuJoCo's format");
  if (const auto include = root_.child("include")) fail(include, "<include> is not read; put the file's elements in its place");
  degrees_ = std::string_view(compiler().attribute("angle").as_string("degree")) == "degree";
  euler_order_ = compiler().attribute("eulerseq").as_string("xyz");
  if (euler_order_.size() != 3 || euler_order_.find_first_not_of("xyzXYZ") != std::string::npos) fail(compiler(), "'eulerseq' is three of x, y, z, X, Y, Z");
  classes_[outermost_class] = {};
  for (const auto& defaults : root_.children("default")) read_defaults(defaults, classes_[outermost_class], true);
}

void MjcfTree::read_defaults(pugi::xml_node node, const Class& outer, bool outermost) {
  Class one = outer;
  for (const auto& child : node.children()) {
    if (std::string_view(child.name()) == "default") continue;
    Attributes& of_element = one[child.name()];
    for (const auto& attribute : child.attributes()) of_element[attribute.name()] = attribute;
  }
  const std::string name = node.attribute("class").as_string(outermost ? outermost_class : "");
  if (name.empty()) fail(node, "a <default> inside another needs a class; add it");
  classes_[name] = one;
  if (outermost) classes_[outermost_class] = one;
  for (const auto& inner : node.children("default")) read_defaults(inner, one, false);
}

MjcfElement MjcfTree::element(pugi::xml_node node, const std::string& class_of_parent) const {
  const std::string given = node.attribute("class").value();
  if (!given.empty() && !classes_.contains(given)) {
    std::vector<std::string> known;
    for (const auto& [name, what] : classes_) known.push_back(name);
    fail(node, fmt::format("there is no class {}{}", quote(given), did_you_mean(given, known)));
  }
  return {node, !given.empty() ? given : class_of_parent.empty() ? outermost_class : class_of_parent};
}

pugi::xml_attribute MjcfTree::attribute(const MjcfElement& e, const char* key) const {
  if (const auto own = e.node.attribute(key)) return own;
  const auto of_class = classes_.find(e.of_class);
  if (of_class == classes_.end()) return {};
  const auto of_element = of_class->second.find(e.node.name());
  if (of_element == of_class->second.end()) return {};
  const auto found = of_element->second.find(key);
  return found == of_element->second.end() ? pugi::xml_attribute() : found->second;
}

std::string MjcfTree::word(const MjcfElement& e, const char* key, const std::string& fallback) const {
  const auto given = attribute(e, key);
  return given ? given.value() : fallback;
}

std::vector<double> MjcfTree::numbers(const MjcfElement& e, const char* key) const {
  const auto given = attribute(e, key);
  std::vector<double> values;
  if (!given) return values;
  std::istringstream items(given.value());
  std::string item;
  while (items >> item) {
    std::size_t used = 0;
    double x = NAN;
    try {
      x = std::stod(item, &used);
    } catch (const std::exception&) {
    }
    if (used != item.size() || !std::isfinite(x))
      fail(e.node, fmt::format("'{}' of <{}> holds {}, which is no number", key, e.node.name(), quote(item)));
    values.push_back(x);
  }
  return values;
}

double MjcfTree::number(const MjcfElement& e, const char* key, double fallback) const {
  const std::vector<double> values = numbers(e, key);
  return values.empty() ? fallback : values[0];
}

Vec3 MjcfTree::vector(const MjcfElement& e, const char* key, const Vec3& fallback) const {
  const std::vector<double> values = numbers(e, key);
  if (values.empty()) return fallback;
  if (values.size() != 3) fail(e.node, fmt::format("'{}' of <{}> must be three numbers", key, e.node.name()));
  return {values[0], values[1], values[2]};
}

Place3 MjcfTree::place(const MjcfElement& e) const { return {vector(e, "pos", Vec3::Zero()), rotation(e)}; }

Mat3 MjcfTree::rotation(const MjcfElement& e) const {
  const auto of = [&](const char* key, std::size_t count) {
    std::vector<double> values = numbers(e, key);
    if (!values.empty() && values.size() != count) fail(e.node, fmt::format("'{}' of <{}> must be {} numbers", key, e.node.name(), count));
    return values;
  };
  const auto direction = [&](double x, double y, double z) {
    const Vec3 d(x, y, z);
    if (!(d.norm() > 0)) fail(e.node, fmt::format("a direction of <{}> is zero", e.node.name()));
    return Vec3(d.normalized());
  };
  if (const auto q = of("quat", 4); !q.empty()) {
    const Vec4 p(q[0], q[1], q[2], q[3]);
    if (!(p.norm() > 0)) fail(e.node, fmt::format("the quaternion of <{}> is zero", e.node.name()));
    return rotation_matrix(Vec4(p.normalized()));
  }
  if (const auto a = of("axisangle", 4); !a.empty()) return rotation_matrix(quaternion(direction(a[0], a[1], a[2]), angle_unit() * a[3]));
  if (const auto a = of("euler", 3); !a.empty()) {
    // small letters: about axes that turn along, capital ones: about those that stand still
    Mat3 R = Mat3::Identity();
    for (std::size_t i = 0; i < 3; ++i) {
      const Mat3 turn = rotation_matrix(quaternion(unit(euler_order_[i]), angle_unit() * a[i]));
      R = std::islower(static_cast<unsigned char>(euler_order_[i])) ? Mat3(R * turn) : Mat3(turn * R);
    }
    return R;
  }
  if (const auto a = of("xyaxes", 6); !a.empty()) {
    const Vec3 x = direction(a[0], a[1], a[2]), along(a[3], a[4], a[5]);
    const Vec3 across = along - along.dot(x) * x, y = direction(across[0], across[1], across[2]);
    Mat3 R;
    R << x, y, x.cross(y);
    return R;
  }
  if (const auto a = of("zaxis", 3); !a.empty()) {
    const Vec3 z = direction(a[0], a[1], a[2]), axis = Vec3::UnitZ().cross(z);
    const double angle = std::atan2(axis.norm(), z[2]);
    return axis.norm() > 0 ? rotation_matrix(quaternion(axis.normalized(), angle)) : rotation_matrix(quaternion(Vec3::UnitX(), angle));
  }
  return Mat3::Identity();
}

void MjcfTree::warn(pugi::xml_node node, const std::string& message) {
  warnings_.push_back(ModelError(source_.file(), source_.place(offset_of(node)), message).what());
}

}  // namespace escapement
