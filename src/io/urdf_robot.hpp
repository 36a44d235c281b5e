// A robot as a URDF file describes it: its links where they stand at the start, its joints, and which links are one
// body.
#pragma once

#include <map>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <vector>

#include "io/import_text.hpp"
#include "io/source_text.hpp"
#include "math/rotation.hpp"

namespace escapement::inline io {

// what a body shows
struct UrdfShape {
  Place3 at;  // in the frame of the body's link
  pugi::xml_node geometry;
  bool touches = true;  // false: only seen
};

struct UrdfLink {
  pugi::xml_node node;
  std::string name;
  bool placed = false, has_mass = false, is_ground = false;
  Place3 world;     // of the link's frame at the start
  Place3 inertial;  // of its centre of mass and inertia axes, in the link's frame
  double mass = 0;
  Mat3 inertia = Mat3::Zero();
  std::string body;               // the body it belongs to: itself, the link it is welded to, or ground
  std::vector<UrdfShape> shapes;  // of the body it is
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
  UrdfJoint* follows = nullptr;
  double ratio = 1;

  bool turns() const { return type == "revolute" || type == "continuous"; }
  bool moves_along_axis() const { return turns() || type == "prismatic"; }
  bool welds() const { return type == "fixed" || held; }
  Place3 motion() const {  // from its zero to where it starts
    if (turns()) return {Vec3::Zero(), rotation_matrix(quaternion(axis, position))};
    return {position * axis, Mat3::Identity()};
  }
};

class UrdfRobot {
 public:
  explicit UrdfRobot(SourceText source);  // throws ModelError

  const std::string& file() const { return source_.file(); }
  pugi::xml_node node() const { return robot_; }
  const std::vector<UrdfShape>& ground_shapes() const { return ground_shapes_; }  // in the world
  const std::vector<std::string>& order() const { return order_; }  // of the links' names in the file
  const UrdfLink& link(const std::string& name) const { return links_.find(name)->second; }
  const std::vector<UrdfJoint>& joints() const { return joints_; }
  const std::vector<std::string>& warnings() const { return warnings_; }

  // messages and numbers of an element
  [[noreturn]] void fail(std::size_t offset, const std::string& message) const { source_.fail(offset, message); }
  [[noreturn]] void fail(pugi::xml_node node, const std::string& message) const { fail(offset_of(node), message); }
  static std::size_t offset_of(pugi::xml_node node) {
    return node.offset_debug() > 0 ? static_cast<std::size_t>(node.offset_debug()) - 1 : 0;
  }
  std::size_t offset_of(pugi::xml_attribute attribute) const {  // of its value
    return static_cast<std::size_t>(attribute.value() - buffer_.data());
  }
  void warn(pugi::xml_node node, const std::string& message) {
    warnings_.push_back(ModelError(source_.file(), source_.place(offset_of(node)), message).what());
  }

  double value(pugi::xml_node, const char* key, double fallback) const;
  Vec3 vector(pugi::xml_node, const char* key, const Vec3& fallback) const;

 private:
  template <int N>
  Eigen::Matrix<double, N, 1> numbers(pugi::xml_node, pugi::xml_attribute) const;
  Place3 origin(pugi::xml_node) const;
  void read_links();
  void read_inertial(pugi::xml_node, UrdfLink&);
  void read_joints();
  std::string end_of(const UrdfJoint&, const char* which) const;
  void find_position(UrdfJoint&);
  void stand(UrdfJoint&);
  void read_limits(UrdfJoint&);
  void hold(pugi::xml_node, UrdfJoint&, double position, const char* why);
  UrdfJoint* followed(const UrdfJoint&, pugi::xml_node mimic);
  void follow(UrdfJoint&, pugi::xml_node mimic);
  void place_links();
  [[noreturn]] void fail_round(const UrdfJoint&) const;
  void attach(const UrdfJoint&, const UrdfLink& parent, UrdfLink& child);
  void give_mass(UrdfLink& body);
  void weld(const UrdfLink& part, UrdfLink& body);
  void collect_shapes(const UrdfLink&);

  SourceText source_;
  std::string buffer_;  // the text again, in which the document keeps its names and values
  pugi::xml_document document_;
  pugi::xml_node robot_;
  std::map<std::string, UrdfLink> links_;
  std::vector<UrdfShape> ground_shapes_;
  std::vector<std::string> order_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, UrdfJoint*> by_name_;
  std::set<std::string> children_;
  std::vector<std::string> warnings_;
};

}  // namespace escapement
