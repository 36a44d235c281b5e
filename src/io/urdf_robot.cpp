#include "io/urdf_robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "math/expression_parser.hpp"
#include "math/nearest_name.hpp"

namespace escapement::inline io {

UrdfRobot::UrdfRobot(SourceText source) : source_(std::move(source)), buffer_(source_.text()) {
  const pugi::xml_parse_result result =
      document_.load_buffer_inplace(buffer_.data(), buffer_.size(), pugi::parse_default, pugi::encoding_utf8);
  if (!result)
    fail(static_cast<std::size_t>(result.offset),
         fmt::format("this is not well-formed XML ({}); correct it", result.description()));
  robot_ = document_.child("robot");
  if (!robot_) fail(0, "a URDF file has a <robot> element, and this one has none; give a robot's description");
  for (const auto& node : robot_.children())
    if (std::string_view(node.name()).starts_with("xacro:"))
      fail(node,
           fmt::format("this is a xacro file (<{}>); expand it with the program xacro and import what that writes",
                       node.name()));
  for (const auto& node : robot_.children("gazebo"))
    if (const auto joint = node.child("joint"))
      warn(joint, "the joint of this <gazebo> element is left out; add it to the model where it closes a loop");
  read_links();
  read_joints();
  for (UrdfJoint& joint : joints_) find_position(joint);
  place_links();
}

template <int N>
Eigen::Matrix<double, N, 1> UrdfRobot::numbers(pugi::xml_node node, pugi::xml_attribute attribute) const {
  std::istringstream items(attribute.value());
  Eigen::Matrix<double, N, 1> p;
  for (double& x : p) items >> x;
  std::string rest;
  if (!items || items >> rest || !p.allFinite())
    fail(offset_of(attribute), fmt::format("'{}' of <{}> is {} but must be {}", attribute.name(), node.name(),
                                           quote(attribute.value()), N == 1 ? "a number" : "three numbers"));
  return p;
}

double UrdfRobot::value(pugi::xml_node node, const char* key, double fallback) const {
  const auto attribute = node.attribute(key);
  return attribute ? numbers<1>(node, attribute)[0] : fallback;
}

Vec3 UrdfRobot::vector(pugi::xml_node node, const char* key, const Vec3& fallback) const {
  const auto attribute = node.attribute(key);
  return attribute ? numbers<3>(node, attribute) : fallback;
}

Place3 UrdfRobot::origin(pugi::xml_node node) const {
  const auto given = node.child("origin");
  const Vec3 rpy = vector(given, "rpy", Vec3::Zero());
  Place3 place;
  place.x = vector(given, "xyz", Vec3::Zero());
  place.R = rotation_matrix(quaternion(Vec3::UnitZ(), rpy[2])) * rotation_matrix(quaternion(Vec3::UnitY(), rpy[1])) *
            rotation_matrix(quaternion(Vec3::UnitX(), rpy[0]));
  return place;
}

void UrdfRobot::read_links() {
  for (const auto& node : robot_.children("link")) {
    UrdfLink link;
    link.node = node;
    link.name = node.attribute("name").value();
    if (link.name.empty()) fail(node, "a <link> needs a name; add it");
    if (const auto inertial = node.child("inertial")) read_inertial(inertial, link);
    if (!links_.emplace(link.name, link).second)
      fail(node, fmt::format("a second link has the name {}; rename one", quote(link.name)));
    order_.push_back(link.name);
  }
  if (links_.empty()) fail(robot_, "the robot has no <link>; add its bodies");
}

void UrdfRobot::read_inertial(pugi::xml_node inertial, UrdfLink& link) {
  link.inertial = origin(inertial);
  link.mass = value(inertial.child("mass"), "value", 0);
  const auto I = inertial.child("inertia");
  const double xy = value(I, "ixy", 0), xz = value(I, "ixz", 0), yz = value(I, "iyz", 0);
  link.inertia << value(I, "ixx", 0), xy, xz, xy, value(I, "iyy", 0), yz, xz, yz, value(I, "izz", 0);
  link.has_mass = link.mass > 0;
  if (link.mass < 0)
    fail(inertial.child("mass"), fmt::format("the mass of link {} is negative; correct it", quote(link.name)));
  const Eigen::LLT<Mat3> cholesky(link.inertia);
  if (link.has_mass && cholesky.info() != Eigen::Success) {
    warn(inertial, fmt::format("the inertia of link {} is not positive definite; a ball of 1 cm took its place",
                               quote(link.name)));
    link.inertia = 0.4 * link.mass * 1e-4 * Mat3::Identity();
  }
}

void UrdfRobot::read_joints() {
  std::set<std::string> names;
  for (const auto& node : robot_.children("joint")) {
    UrdfJoint joint;
    joint.node = node;
    joint.name = node.attribute("name").value();
    joint.type = node.attribute("type").value();
    if (joint.name.empty()) fail(node, "a <joint> needs a name; add it");
    if (!names.insert(joint.name).second)
      fail(node, fmt::format("a second joint has the name {}; rename one", quote(joint.name)));
    joint.parent = end_of(joint, "parent");
    joint.child = end_of(joint, "child");
    joint.origin = origin(node);
    joint.axis = vector(node.child("axis"), "xyz", joint.axis);
    if (!joint.moves_along_axis() && joint.type != "fixed" && joint.type != "planar" && joint.type != "floating")
      fail(
          node,
          fmt::format(
              "joint {} has the unknown type {}; known are revolute, continuous, prismatic, fixed, planar and floating",
              quote(joint.name), quote(joint.type)));
    if (!(joint.axis.norm() > 0))
      fail(node.child("axis"), fmt::format("the axis of joint {} is zero; give its direction", quote(joint.name)));
    joint.axis.normalize();
    if (!children_.insert(joint.child).second)
      fail(node,
           fmt::format("link {} has two parents; a robot is a tree: remove one of the joints", quote(joint.child)));
    joints_.push_back(joint);
  }
  for (UrdfJoint& joint : joints_) by_name_.emplace(joint.name, &joint);
}

// the link that a joint's <parent> or <child> names
std::string UrdfRobot::end_of(const UrdfJoint& joint, const char* which) const {
  const auto end = joint.node.child(which);
  const std::string link = end.attribute("link").value();
  if (link.empty())
    fail(end ? end : joint.node,
         fmt::format("joint {0} names no {1} link; add <{1} link=\"...\"/>", quote(joint.name), which));
  if (!links_.contains(link)) {
    const std::string near = did_you_mean(link, order_);
    fail(end, fmt::format("joint {} names link {}, which does not exist{}", quote(joint.name), quote(link),
                          near.empty() ? "; correct the name or add the link" : near));
  }
  return link;
}

// where joints stand at the start: at their zero, in the middle of limits that exclude it, or where they have to follow
void UrdfRobot::find_position(UrdfJoint& joint) {
  std::vector<UrdfJoint*> chain;  // each follows the next
  for (UrdfJoint* one = &joint; one && one->state != UrdfJoint::found; one = one->follows) {
    if (one->state == UrdfJoint::being_found)
      fail(one->node.child("mimic"),
           fmt::format("joint {} mimics itself in the end; let one of the joints move freely", quote(one->name)));
    one->state = UrdfJoint::being_found;
    if (one->type == "revolute" || one->type == "prismatic") read_limits(*one);
    if (const auto mimic = one->node.child("mimic")) one->follows = followed(*one, mimic);
    chain.push_back(one);
  }
  for (; !chain.empty(); chain.pop_back()) stand(*chain.back());
}

// the joint that this one follows is found
void UrdfRobot::stand(UrdfJoint& joint) {
  if (joint.limited && (joint.lower > 0 || joint.upper < 0)) joint.position = (joint.lower + joint.upper) / 2;
  if (joint.follows) follow(joint, joint.node.child("mimic"));
  if (joint.position != 0 && !joint.held)
    warn(joint.node, fmt::format("joint {} starts at {:g} and not at 0; its {} in the model counts from there",
                                 quote(joint.name), joint.position, joint.turns() ? "angle" : "length"));
  joint.state = UrdfJoint::found;
}

void UrdfRobot::read_limits(UrdfJoint& joint) {
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

void UrdfRobot::hold(pugi::xml_node node, UrdfJoint& joint, double position, const char* why) {
  warn(node, fmt::format("joint {} cannot move, because {}; its links became one body", quote(joint.name), why));
  joint.held = true;
  joint.limited = false;
  joint.position = position;
}

// the joint that a <mimic> names, if this one can follow
UrdfJoint* UrdfRobot::followed(const UrdfJoint& joint, pugi::xml_node mimic) {
  const std::string name = mimic.attribute("joint").value();
  const auto other = by_name_.find(name);
  if (other == by_name_.end()) {
    std::vector<std::string> known;
    for (const UrdfJoint& one : joints_) known.push_back(one.name);
    const std::string near = did_you_mean(name, known);
    fail(mimic, fmt::format("joint {} mimics joint {}, which does not exist{}", quote(joint.name), quote(name),
                            near.empty() ? "; correct the name" : near));
  }
  if (!other->second->moves_along_axis())
    fail(mimic, fmt::format("joint {} mimics joint {}, which is {} and has no single angle or length; remove it",
                            quote(joint.name), quote(name), other->second->type));
  if (joint.moves_along_axis() && !joint.held) return other->second;
  warn(mimic, fmt::format("joint {} {} and cannot mimic another; this is left out", quote(joint.name),
                          joint.held ? "cannot move" : "is " + joint.type));
  return nullptr;
}

void UrdfRobot::follow(UrdfJoint& joint, pugi::xml_node mimic) {
  const UrdfJoint& other = *joint.follows;
  joint.ratio = value(mimic, "multiplier", 1);
  joint.position = joint.ratio * other.position + value(mimic, "offset", 0);
  if (joint.ratio == 0 || other.held) {
    joint.follows = nullptr;
    return hold(mimic, joint, joint.position, "what it mimics does not");
  }
  if (joint.limited && !(joint.lower <= joint.position && joint.position <= joint.upper)) {
    warn(mimic, fmt::format("joint {} follows joint {} to {:g}, outside its limits; these are left out",
                            quote(joint.name), quote(other.name), joint.position));
    joint.limited = false;
  }
}

// from the root to the leaves: where every link stands, and which links are one body
void UrdfRobot::place_links() {
  std::string root;
  for (const std::string& name : order_)
    if (!children_.contains(name)) {
      if (!root.empty())
        fail(links_[name].node,
             fmt::format("links {} and {} both have no parent; join them", quote(root), quote(name)));
      root = name;
    }
  std::map<std::string, std::vector<const UrdfJoint*>> below;  // the joints of each parent
  for (const UrdfJoint& joint : joints_) below[joint.parent].push_back(&joint);
  if (!root.empty()) {
    UrdfLink& base = links_[root];
    base.placed = base.is_ground = true;
    base.body = "ground";
    if (base.has_mass)
      warn(base.node,
           fmt::format(
               "the root link {} stands on the ground; to leave it free, join it to another link by a floating joint",
               quote(root)));
    std::vector<const UrdfLink*> placed{&base};
    for (std::size_t i = 0; i < placed.size(); ++i)
      for (const UrdfJoint* joint : below[placed[i]->name]) {
        const UrdfLink& parent = *placed[i];
        UrdfLink& child = links_[joint->child];
        child.world = parent.world * joint->origin * joint->motion();
        child.placed = true;
        attach(*joint, parent, child);
        placed.push_back(&child);
      }
  }
  for (const UrdfJoint& joint : joints_)
    if (!links_[joint.child].placed) fail_round(joint);
  for (const std::string& name : order_) {
    if (links_[name].body == name) give_mass(links_[name]);
    collect_shapes(links_[name]);
  }
}

// the way up from a joint that does not hang from the root ends in a circle
void UrdfRobot::fail_round(const UrdfJoint& joint) const {
  std::map<std::string, const UrdfJoint*> above;
  for (const UrdfJoint& one : joints_) above[one.child] = &one;
  const UrdfJoint* up = &joint;
  for (std::size_t i = 0; i < joints_.size(); ++i) up = above[up->parent];
  fail(up->node, fmt::format("joint {} goes round in a circle; a robot is a tree: remove one of the circle's joints",
                             quote(up->name)));
}

void UrdfRobot::attach(const UrdfJoint& joint, const UrdfLink& parent, UrdfLink& child) {
  if (joint.welds()) {
    child.body = parent.body;
    child.is_ground = parent.is_ground;
    if (child.has_mass && !child.is_ground) weld(child, links_[parent.body]);
    return;
  }
  child.body = child.name;
}

// a body cannot do without; called when everything is welded
void UrdfRobot::give_mass(UrdfLink& body) {
  if (body.mass > 0) return;
  warn(body.node,
       fmt::format("link {} moves but has no mass; 1 g and a ball of 1 cm took its place", quote(body.name)));
  body.inertial = {};
  body.mass = 1e-3;
  body.inertia = 0.4 * body.mass * 1e-4 * Mat3::Identity();
}

// two rigidly joined masses as one, in the frame of the body's link
void UrdfRobot::weld(const UrdfLink& part, UrdfLink& body) {
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

namespace {

std::string text_of(const pugi::xml_node& node) {
  std::ostringstream text;
  node.print(text, "", pugi::format_raw);
  return text.str();
}

}  // namespace

void UrdfRobot::collect_shapes(const UrdfLink& link) {
  static const Place3 origin_of_world;
  std::vector<UrdfShape>& shapes = link.is_ground ? ground_shapes_ : links_[link.body].shapes;
  const Place3 base = link.is_ground ? origin_of_world : links_[link.body].world.inverse();
  const bool collides = static_cast<bool>(link.node.child("collision"));
  const std::size_t first = shapes.size();
  // known only when all parts are welded: relative to the body's link now, to its centre of mass when written
  const auto place = [&](const pugi::xml_node& one) { return base * link.world * origin(one); };
  for (const auto& visual : link.node.children("visual")) shapes.push_back({place(visual), visual.child("geometry"), !collides});
  for (const auto& collision : link.node.children("collision")) {
    const UrdfShape shape{place(collision), collision.child("geometry"), true};
    const auto same = std::find_if(shapes.begin() + static_cast<std::ptrdiff_t>(first), shapes.end(), [&](const UrdfShape& seen) {
      return seen.at.x == shape.at.x && seen.at.R == shape.at.R && text_of(seen.geometry) == text_of(shape.geometry);
    });
    if (same == shapes.end()) shapes.push_back(shape);
    else same->touches = true;
  }
}

}  // namespace escapement
