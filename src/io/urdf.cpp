#include "io/urdf.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include "io/mesh_box.hpp"
#include "io/model_file.hpp"
#include "io/source_text.hpp"
#include "math/expression_parser.hpp"

namespace escapement {

namespace {

namespace fs = std::filesystem;

struct Place3 {  // of a frame in another
  Vec3 x = Vec3::Zero();
  Mat3 R = Mat3::Identity();
  Place3 operator*(const Place3& inner) const { return {x + R * inner.x, R * inner.R}; }
  Place3 inverse() const { return {-(R.transpose() * x), R.transpose()}; }
};

std::string number(double x) { return fmt::format("{}", std::abs(x) < 1e-15 ? 0.0 : x); }
// a list like [0, 0, 1]
template <int N>
std::string list(const Eigen::Matrix<double, N, 1>& p) {
  std::string result;
  for (int i = 0; i < N; ++i) result += (i == 0 ? "[" : ", ") + number(p[i]);
  return result + "]";
}

// lines of the model file, with the places in the robot's file they come from
struct Lines {
  std::string text;
  std::vector<std::size_t> offsets;
  void add(std::size_t offset, const std::string& line) {
    text += line + "\n";
    offsets.push_back(offset);
  }
  void add(const Lines& lines) {
    text += lines.text;
    offsets.insert(offsets.end(), lines.offsets.begin(), lines.offsets.end());
  }
};

class UrdfReader {
 public:
  UrdfReader(const SourceText& source) : source_(source) {
    const pugi::xml_parse_result result = document_.load_buffer(source.text().data(), source.text().size());
    if (!result)
      fail(static_cast<std::size_t>(result.offset),
           fmt::format("this is not well-formed XML ({}); correct it", result.description()));
    robot_ = document_.child("robot");
    if (!robot_) fail(0, "a URDF file has a <robot> element, and this one has none");
  }

  Import read() {
    read_links();
    read_joints();
    for (UrdfJoint& joint : joints_) find_position(joint);
    place_links();
    write();
    check();
    return std::move(import_);
  }

 private:
  struct Link {
    pugi::xml_node node;
    std::string name;
    bool placed = false, has_mass = false, is_ground = false;
    Place3 world;     // of the link's frame at the start
    Place3 inertial;  // of its centre of mass and inertia axes, in the link's frame
    double mass = 0;
    Mat3 inertia = Mat3::Zero();
    std::string body;  // the body it belongs to: itself, the link it is welded to, or ground
  };
  struct UrdfJoint {
    pugi::xml_node node;
    std::string name, type, parent, child;
    Place3 origin;
    Vec3 axis{1, 0, 0};                                    // of length 1
    enum { unknown, being_found, found } state = unknown;  // of what follows
    double position = 0;                                   // angle or length at the start
    double lower = 0, upper = 0;
    bool limited = false;
    bool held = false;  // it never leaves its position: both links are one body
    const UrdfJoint* follows = nullptr;
    double ratio = 1;

    bool turns() const { return type == "revolute" || type == "continuous"; }
    bool moves_along_axis() const { return turns() || type == "prismatic"; }
    bool welds() const { return type == "fixed" || held; }
    Place3 motion() const {  // from its zero to where it starts
      if (turns()) return {Vec3::Zero(), rotation_matrix(quaternion(axis, position))};
      return {position * axis, Mat3::Identity()};
    }
  };

  [[noreturn]] void fail(std::size_t offset, const std::string& message) const { source_.fail(offset, message); }
  [[noreturn]] void fail(pugi::xml_node node, const std::string& message) const { fail(offset_of(node), message); }
  static std::size_t offset_of(pugi::xml_node node) {
    return node.offset_debug() > 0 ? static_cast<std::size_t>(node.offset_debug()) - 1 : 0;
  }
  void warn(pugi::xml_node node, const std::string& message) {
    import_.warnings.push_back(ModelError(source_.file(), source_.place(offset_of(node)), message).what());
  }

  double value(pugi::xml_node node, const char* key, double fallback) const {
    const auto attribute = node.attribute(key);
    if (!attribute) return fallback;
    char* end = nullptr;
    const double x = std::strtod(attribute.value(), &end);
    if (end == attribute.value() || *end != '\0' || !std::isfinite(x))
      fail(node, fmt::format("'{}' is {} but must be a number", key, quote(attribute.value())));
    return x;
  }

  Vec3 vector(pugi::xml_node node, const char* key, const Vec3& fallback) const {
    const auto attribute = node.attribute(key);
    if (!attribute) return fallback;
    std::istringstream items(attribute.value());
    Vec3 p;
    std::string rest;
    if (!(items >> p[0] >> p[1] >> p[2]) || items >> rest || !p.allFinite())
      fail(node, fmt::format("'{}' is {} but must be three numbers", key, quote(attribute.value())));
    return p;
  }

  Place3 origin(pugi::xml_node node) const {
    const auto given = node.child("origin");
    const Vec3 rpy = vector(given, "rpy", Vec3::Zero());
    Place3 place;
    place.x = vector(given, "xyz", Vec3::Zero());
    place.R = rotation_matrix(quaternion(Vec3::UnitZ(), rpy[2])) * rotation_matrix(quaternion(Vec3::UnitY(), rpy[1])) *
              rotation_matrix(quaternion(Vec3::UnitX(), rpy[0]));
    return place;
  }

  // a name of the format, letters, digits and _, for a thing of the robot; kind: in front of the name
  std::string clean(const std::string& kind, const std::string& name) {
    const auto [known, is_new] = clean_.try_emplace({kind, name});
    if (!is_new) return known->second;
    std::string result = kind.empty() ? "" : kind + "_", lower;
    for (char c : name) result += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (result.empty() || !std::isalpha(static_cast<unsigned char>(result[0]))) result = "b_" + result;
    for (char c : result) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == "null") result += "_";  // a word of YAML
    while (used_.contains(result) || is_reserved_name(result) || result == "t" || result == "ground") result += "_";
    used_.insert(result);
    return known->second = result;
  }
  std::string body_name(const std::string& link) { return clean("", link); }

  void read_links() {
    for (const auto& node : robot_.children("link")) {
      Link link;
      link.node = node;
      link.name = node.attribute("name").value();
      if (link.name.empty()) fail(node, "a <link> needs a name; add it");
      if (const auto inertial = node.child("inertial")) read_inertial(inertial, link);
      if (!links_.emplace(link.name, link).second)
        fail(node, fmt::format("a second link has the name {}; rename one", quote(link.name)));
      order_.push_back(link.name);
    }
    if (links_.empty()) fail(robot_, "the robot has no <link>");
  }

  void read_inertial(pugi::xml_node inertial, Link& link) {
    link.inertial = origin(inertial);
    link.mass = value(inertial.child("mass"), "value", 0);
    const auto I = inertial.child("inertia");
    const double xy = value(I, "ixy", 0), xz = value(I, "ixz", 0), yz = value(I, "iyz", 0);
    link.inertia << value(I, "ixx", 0), xy, xz, xy, value(I, "iyy", 0), yz, xz, yz, value(I, "izz", 0);
    link.has_mass = link.mass > 0;
    if (link.mass < 0) fail(inertial, fmt::format("the mass of link {} is negative; correct it", quote(link.name)));
    const Eigen::LLT<Mat3> cholesky(link.inertia);
    if (link.has_mass && cholesky.info() != Eigen::Success) {
      warn(inertial, fmt::format("the inertia of link {} is not positive definite; a ball of 1 cm took its place",
                                 quote(link.name)));
      link.inertia = 0.4 * link.mass * 1e-4 * Mat3::Identity();
    }
  }

  void read_joints() {
    std::set<std::string> names;
    for (const auto& node : robot_.children("joint")) {
      UrdfJoint joint;
      joint.node = node;
      joint.name = node.attribute("name").value();
      joint.type = node.attribute("type").value();
      if (joint.name.empty()) fail(node, "a <joint> needs a name; add it");
      if (!names.insert(joint.name).second)
        fail(node, fmt::format("a second joint has the name {}; rename one", quote(joint.name)));
      joint.parent = node.child("parent").attribute("link").value();
      joint.child = node.child("child").attribute("link").value();
      joint.origin = origin(node);
      joint.axis = vector(node.child("axis"), "xyz", joint.axis);
      for (const std::string& end : {joint.parent, joint.child})
        if (!links_.contains(end))
          fail(node, fmt::format("joint {} names link {}, which does not exist", quote(joint.name), quote(end)));
      if (!joint.moves_along_axis() && joint.type != "fixed" && joint.type != "planar" && joint.type != "floating")
        fail(node, fmt::format("joint {} has the unknown type {}", quote(joint.name), quote(joint.type)));
      if (!(joint.axis.norm() > 0)) fail(node, fmt::format("the axis of joint {} is zero", quote(joint.name)));
      joint.axis.normalize();
      if (!children_.insert(joint.child).second)
        fail(node, fmt::format("link {} has two parents; a robot is a tree", quote(joint.child)));
      joints_.push_back(joint);
    }
  }

  // where a joint stands at the start: at its zero, in the middle of limits that exclude it, or where it has to follow
  void find_position(UrdfJoint& joint) {
    if (joint.state == UrdfJoint::found) return;
    const auto mimic = joint.node.child("mimic");
    if (joint.state == UrdfJoint::being_found)
      fail(mimic,
           fmt::format("joint {} mimics itself in the end; let one of the joints move freely", quote(joint.name)));
    joint.state = UrdfJoint::being_found;
    if (joint.type == "revolute" || joint.type == "prismatic") read_limits(joint);
    if (joint.limited && (joint.lower > 0 || joint.upper < 0)) joint.position = (joint.lower + joint.upper) / 2;
    if (mimic) follow(joint, mimic);
    if (joint.position != 0 && !joint.held)
      warn(joint.node, fmt::format("joint {} starts at {:g} and not at 0; its {} in the model counts from there",
                                   quote(joint.name), joint.position, joint.turns() ? "angle" : "length"));
    joint.state = UrdfJoint::found;
  }

  void read_limits(UrdfJoint& joint) {
    const auto limit = joint.node.child("limit");
    if (!limit.attribute("lower") && !limit.attribute("upper")) {
      if (!joint.node.child("mimic"))
        warn(joint.node, fmt::format("joint {} has no lower and no upper limit; it moves freely", quote(joint.name)));
      return;
    }
    joint.lower = value(limit, "lower", 0);
    joint.upper = value(limit, "upper", 0);
    joint.limited = joint.lower < joint.upper;
    if (joint.lower > joint.upper)
      warn(limit,
           fmt::format("the lower limit of joint {} is above the upper one; both are left out", quote(joint.name)));
    if (joint.lower == joint.upper) hold(limit, joint, joint.lower, "its limits are equal");
  }

  void hold(pugi::xml_node node, UrdfJoint& joint, double position, const char* why) {
    warn(node, fmt::format("joint {} cannot move, because {}; its links became one body", quote(joint.name), why));
    joint.held = true;
    joint.limited = false;
    joint.position = position;
  }

  void follow(UrdfJoint& joint, pugi::xml_node mimic) {
    const std::string name = mimic.attribute("joint").value();
    const auto other =
        std::find_if(joints_.begin(), joints_.end(), [&](const UrdfJoint& one) { return one.name == name; });
    if (other == joints_.end())
      fail(mimic, fmt::format("joint {} mimics joint {}, which does not exist", quote(joint.name), quote(name)));
    if (!other->moves_along_axis())
      fail(mimic, fmt::format("joint {} mimics joint {}, which is {} and has no single angle or length; remove it",
                              quote(joint.name), quote(name), other->type));
    if (!joint.moves_along_axis() || joint.held)
      return warn(mimic, fmt::format("joint {} {} and cannot mimic another; this is left out", quote(joint.name),
                                     joint.held ? "cannot move" : "is " + joint.type));
    find_position(*other);
    joint.ratio = value(mimic, "multiplier", 1);
    joint.position = joint.ratio * other->position + value(mimic, "offset", 0);
    if (joint.ratio == 0 || other->held) return hold(mimic, joint, joint.position, "what it mimics does not");
    joint.follows = &*other;
    if (joint.limited && !(joint.lower <= joint.position && joint.position <= joint.upper)) {
      warn(mimic, fmt::format("joint {} follows joint {} to {}, outside its limits; these are left out",
                              quote(joint.name), quote(name), number(joint.position)));
      joint.limited = false;
    }
  }

  // from the root to the leaves: where every link stands, and which links are one body
  void place_links() {
    std::string root;
    for (const std::string& name : order_)
      if (!children_.contains(name)) {
        if (!root.empty())
          fail(links_[name].node,
               fmt::format("links {} and {} both have no parent; join them", quote(root), quote(name)));
        root = name;
      }
    if (root.empty()) fail(robot_, "the joints go round in a circle; a robot is a tree");
    Link& base = links_[root];
    base.placed = base.is_ground = true;
    base.body = "ground";
    if (base.has_mass) warn(base.node, fmt::format("the root link {} stands on the ground", quote(root)));
    std::size_t placed = 1;
    for (bool progress = true; progress;) {
      progress = false;
      for (const UrdfJoint& joint : joints_) {
        const Link& parent = links_[joint.parent];
        Link& child = links_[joint.child];
        if (!parent.placed || child.placed) continue;
        child.world = parent.world * joint.origin * joint.motion();
        child.placed = progress = true;
        ++placed;
        attach(joint, parent, child);
      }
    }
    if (placed < links_.size()) fail(robot_, "some joints go round in a circle; a robot is a tree");
    for (const std::string& name : order_) {
      if (links_[name].body == name) give_mass(links_[name]);
      collect_shapes(links_[name]);
    }
  }

  void attach(const UrdfJoint& joint, const Link& parent, Link& child) {
    if (joint.welds()) {
      child.body = parent.body;
      child.is_ground = parent.is_ground;
      if (child.has_mass && !child.is_ground) weld(child, links_[parent.body]);
      return;
    }
    child.body = child.name;
  }

  // a body cannot do without; called when everything is welded
  void give_mass(Link& body) {
    if (body.mass > 0) return;
    warn(body.node,
         fmt::format("link {} moves but has no mass; 1 g and a ball of 1 cm took its place", quote(body.name)));
    body.inertial = {};
    body.mass = 1e-3;
    body.inertia = 0.4 * body.mass * 1e-4 * Mat3::Identity();
  }

  // two rigidly joined masses as one, in the frame of the body's link
  void weld(const Link& part, Link& body) {
    const Place3 at = body.world.inverse() * part.world * part.inertial;
    const double mass = body.mass + part.mass;
    const Vec3 centre = (body.mass * body.inertial.x + part.mass * at.x) / mass;
    const auto about = [&](double m, const Mat3& I, const Mat3& R, const Vec3& x) -> Mat3 {
      const Vec3 d = x - centre;
      return R * I * R.transpose() + m * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    };
    const Mat3 I =
        about(body.mass, body.inertia, body.inertial.R, body.inertial.x) + about(part.mass, part.inertia, at.R, at.x);
    body.inertial = {centre, Mat3::Identity()};
    body.inertia = I;
    body.mass = mass;
  }

  void collect_shapes(const Link& link) {
    if (link.is_ground) return;
    Link& body = links_[link.body];
    auto visuals = link.node.children("visual");
    const bool drawn = visuals.begin() != visuals.end();
    for (const auto& visual : link.node.children(drawn ? "visual" : "collision")) {
      // known only when all parts are welded: relative to the body's link now, to its centre of mass when written
      shapes_.push_back({link.body, body.world.inverse() * link.world * origin(visual), visual.child("geometry")});
    }
  }

  std::string shape_text(const Place3& at, pugi::xml_node geometry) {
    Vec3 shift = Vec3::Zero();
    std::string size;
    if (const auto box = geometry.child("box")) {
      size = fmt::format("box: {}", list(vector(box, "size", Vec3::Zero())));
    } else if (const auto sphere = geometry.child("sphere")) {
      size = fmt::format("sphere: {}", number(value(sphere, "radius", 0)));
    } else if (const auto cylinder = geometry.child("cylinder")) {
      size =
          fmt::format("cylinder: [{}, {}]", number(value(cylinder, "length", 0)), number(value(cylinder, "radius", 0)));
    } else if (const auto mesh = geometry.child("mesh")) {
      const auto bounds = find_mesh(mesh.attribute("filename").value());
      if (!bounds || !(bounds->size().minCoeff() >= 0) || bounds->size().norm() == 0) {
        warn(mesh,
             fmt::format("the mesh {} could not be read and is left out", quote(mesh.attribute("filename").value())));
        return {};
      }
      warn(mesh, fmt::format("the mesh {} became the box around it", quote(mesh.attribute("filename").value())));
      const Vec3 scale = vector(mesh, "scale", Vec3::Ones());
      shift = at.R * scale.cwiseProduct(bounds->centre());
      size = fmt::format("box: {}", list(Vec3(scale.cwiseProduct(bounds->size()).cwiseAbs().cwiseMax(1e-6))));
    } else {
      warn(geometry, "a shape of unknown kind is left out");
      return {};
    }
    return fmt::format("{{{}, at: {}, orientation: {}}}", size, list(Vec3(at.x + shift)), list(quaternion(at.R)));
  }

  std::optional<MeshBox> find_mesh(std::string file) const {
    const std::string package = "package://";
    const fs::path folder = fs::absolute(source_.file()).parent_path();
    if (file.starts_with("file://")) file = file.substr(7);
    if (!file.starts_with(package)) return read_mesh_box((folder / file).string());
    // package://NAME/rest: beside the robot, or in one of the folders above it
    const fs::path inside = file.substr(package.size());
    fs::path rest;
    for (auto it = inside.begin(); it != inside.end(); ++it)
      if (it != inside.begin()) rest /= *it;
    std::error_code unreadable;
    for (fs::path at = folder;; at = at.parent_path()) {
      for (const fs::path& candidate : {at / rest, at / inside})
        if (fs::is_regular_file(candidate, unreadable)) return read_mesh_box(candidate.string());
      if (at == at.parent_path()) return std::nullopt;
    }
  }

  void write() {
    const std::string name = robot_.attribute("name").value();
    const bool at_zero =
        std::all_of(joints_.begin(), joints_.end(), [](const UrdfJoint& joint) { return joint.position == 0; });
    const auto add = [&](const std::string& line) { lines_.add(offset_of(robot_), line); };
    add("escapement: 1");
    add(fmt::format("name: \"{}\"", yaml_text(name.empty() ? "robot" : name)));
    add(fmt::format("# Imported from {}. The root link is the ground; every joint stands at its zero{}.",
                    fs::path(source_.file()).filename().string(), at_zero ? "" : ", or where its line says"));
    add("dimension: 3");
    add("gravity: [0, 0, -9.81]");
    add("bodies:");
    bool any = false;
    for (const std::string& link : order_)
      if (links_[link].body == link) {
        write_body(links_[link]);
        any = true;
      }
    if (!any) fail(robot_, "nothing moves: all links are fixed to the root");
    write_joints();
    add("simulation: {end: 1}");
    import_.yaml = lines_.text;
  }

  // what the model's reader refuses is told where it stands in the robot's file
  void check() const {
    try {
      read_model(source_.file(), lines_.text);
    } catch (const ModelError& error) {
      const std::size_t line = static_cast<std::size_t>(error.place.line) - 1;
      fail(line < lines_.offsets.size() ? lines_.offsets[line] : 0, error.message);
    }
  }

  static std::string yaml_text(const std::string& text) {
    std::string result;
    for (char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      if (static_cast<unsigned char>(c) >= 32) result += c;
    }
    return result;
  }

  void write_body(const Link& link) {
    const Place3 at = link.world * link.inertial;
    const Mat3& I = link.inertia;
    const auto inertial = link.node.child("inertial");
    const std::size_t place = offset_of(inertial ? inertial : link.node);
    lines_.add(offset_of(link.node), fmt::format("  {}:", body_name(link.name)));
    lines_.add(place, fmt::format("    mass: {}", number(link.mass)));
    lines_.add(place, fmt::format("    inertia: [{}, {}, {}, {}, {}, {}]", number(I(0, 0)), number(I(1, 1)),
                                  number(I(2, 2)), number(I(0, 1)), number(I(0, 2)), number(I(1, 2))));
    lines_.add(place, fmt::format("    position: {}", list(at.x)));
    lines_.add(place, fmt::format("    orientation: {}", list(quaternion(at.R))));
    Lines shapes;
    for (const auto& shape : shapes_) {
      if (shape.body != link.name) continue;
      const std::string text = shape_text(link.inertial.inverse() * shape.at, shape.geometry);
      if (!text.empty()) shapes.add(offset_of(shape.geometry), fmt::format("      - {}", text));
    }
    if (shapes.text.empty()) return;
    lines_.add(offset_of(link.node), "    shapes:");
    lines_.add(shapes);
  }

  void write_joints() {
    Lines joints, mimics, forces;
    for (const UrdfJoint& joint : joints_) {
      if (!joint.welds() && joint.type != "floating") write_joint(joint, joints, mimics);
      write_dynamics(joint, forces);
    }
    if (!joints.text.empty()) lines_.add(offset_of(robot_), "joints:");
    lines_.add(joints);
    lines_.add(mimics);
    if (!forces.text.empty()) lines_.add(offset_of(robot_), "forces:");
    lines_.add(forces);
  }

  void write_joint(const UrdfJoint& joint, Lines& joints, Lines& mimics) {
    const Link &parent = links_[joint.parent], &child = links_[joint.child];
    const std::string name = clean("joint", joint.name);
    std::string line =
        fmt::format("  {}: {{{}: [{}, {}], at: {}, axis: {}", name, joint.turns() ? "revolute" : joint.type,
                    parent.is_ground ? "ground" : body_name(parent.body), body_name(child.body), list(child.world.x),
                    list(Vec3(child.world.R * joint.axis)));
    if (joint.limited)
      line += fmt::format(", {}: [{}, {}]", joint.turns() ? "angle_limits" : "length_limits",
                          number(joint.lower - joint.position), number(joint.upper - joint.position));
    line += "}";
    if (joint.position != 0) line += fmt::format("  # counts from {} of the robot", number(joint.position));
    joints.add(offset_of(joint.node), line);
    if (joint.follows)
      mimics.add(offset_of(joint.node.child("mimic")),
                 fmt::format("  {}: {{gear: [{}, {}], ratio: {}}}", clean("mimic", joint.name),
                             clean("joint", joint.follows->name), name, number(joint.ratio)));
  }

  void write_dynamics(const UrdfJoint& joint, Lines& forces) {
    const auto dynamics = joint.node.child("dynamics");
    const double damping = value(dynamics, "damping", 0), friction = value(dynamics, "friction", 0);
    if (damping == 0 && friction == 0) return;
    if (joint.welds()) return;
    if (!joint.moves_along_axis())
      return warn(dynamics, fmt::format("the damping and friction of the {} joint {} are left out", joint.type,
                                        quote(joint.name)));
    const std::string name = clean("joint", joint.name);
    const std::string damper = joint.turns() ? "torsional_spring_damper: " + name : "actuator: " + name + ", length: 0";
    if (damping != 0)
      forces.add(offset_of(dynamics),
                 fmt::format("  {}: {{{}, damping: {}}}", clean("damping", joint.name), damper, number(damping)));
    if (friction != 0)
      forces.add(offset_of(dynamics), fmt::format("  {}: {{friction: {}, size: {}}}", clean("friction", joint.name),
                                                  name, number(friction)));
  }

  const SourceText& source_;
  pugi::xml_document document_;
  pugi::xml_node robot_;
  std::map<std::string, Link> links_;
  std::vector<std::string> order_;
  std::vector<UrdfJoint> joints_;
  std::set<std::string> children_;
  struct PlacedShape {
    std::string body;
    Place3 at;
    pugi::xml_node geometry;
  };
  std::vector<PlacedShape> shapes_;
  std::map<std::pair<std::string, std::string>, std::string> clean_;
  std::set<std::string> used_;
  Lines lines_;
  Import import_;
};

}  // namespace

Import import_urdf(const std::string& path) { return UrdfReader(SourceText::read(path)).read(); }

Import import_urdf(const std::string& file, const std::string& text) {
  return UrdfReader(SourceText(file, text)).read();
}

}  // namespace escapement
