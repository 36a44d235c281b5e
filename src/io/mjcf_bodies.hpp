// The bodies of an MJCF file where they stand at the start. What no joint moves is one body with what it stands in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/mjcf_tree.hpp"

namespace escapement::inline io {

struct MjcfShape {
  MjcfElement element;
  Place3 at;         // in the world
  std::string kind;  // as MJCF says it
  Vec3 size = Vec3::Zero();
  std::vector<Vec3> points{};  // corners of a mesh's hull, in its frame, and the box around them
  Vec3 least = Vec3::Zero(), greatest = Vec3::Zero();
  Vec3 middle() const { return 0.5 * (least + greatest); }  // 0 but of a mesh
  bool touches = true;
  double friction = 1, spinning = 0, rolling = 0;
};

struct MjcfJoint {
  MjcfElement element;
  std::string name, kind;  // hinge, slide, ball
  Vec3 at, axis;           // in the world; axis of length 1
};

struct MjcfBody {
  pugi::xml_node node;
  std::string name;
  int parent = -1;  // number of the body it hangs from, -1: the world
  std::vector<MjcfJoint> joints;
  bool is_free = false;
  std::vector<MjcfShape> shapes;
  // of all its parts, in the world's axes: mass, mass times place, inertia about the origin
  double mass = 0;
  Vec3 moment = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();

  Vec3 centre() const { return moment / mass; }
  Mat3 inertia_about_centre() const { return inertia - mass * (centre().squaredNorm() * Mat3::Identity() - centre() * centre().transpose()); }
};

class MjcfBodies {
 public:
  explicit MjcfBodies(MjcfTree&);

  const MjcfBody& world() const { return world_; }
  const std::vector<MjcfBody>& all() const { return bodies_; }
  int find(const std::string& name) const;    // of a <body> by its name; -1: the world; -2: there is none
  Place3 frame(const std::string& name) const;  // of that <body>, at the start

 private:
  void read(pugi::xml_node, const Place3& frame, int body, const std::string& of_class);
  void read_child(pugi::xml_node, const Place3& parent, int body, const std::string& of_class);
  void read_shape(const MjcfElement&, const Place3& frame, MjcfBody&, bool weighs);
  void read_mesh(MjcfShape&);
  void check_size(const MjcfShape&) const;
  void read_inertial(const MjcfElement&, const Place3& frame, MjcfBody&);
  MjcfBody& body(int number) { return number < 0 ? world_ : bodies_[static_cast<std::size_t>(number)]; }

  MjcfTree& tree_;
  MjcfBody world_;
  std::vector<MjcfBody> bodies_;
  struct Named {
    std::string name;
    int body;
    Place3 frame;
  };
  std::vector<Named> named_;
};

}  // namespace escapement
