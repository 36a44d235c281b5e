#include "io/mjcf_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

#include "io/mesh_box.hpp"
#include "math/expression_parser.hpp"
#include "math/nearest_name.hpp"
#include "model/collision/polytope.hpp"

namespace escapement::inline io {

namespace {

struct Solidity {
  double volume = 0;
  Vec3 centre = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();  // about the centre, of density 1
};

Solidity around(double volume, double x, double y, double z) { return {volume, Vec3::Zero(), Vec3(x, y, z).asDiagonal()}; }

// cylinder, and two half balls at its ends
Solidity of_capsule(double r, double half) {
  const double tube = M_PI * r * r * 2 * half, balls = 4.0 / 3 * M_PI * r * r * r;
  const double across = tube * (r * r / 4 + half * half / 3) + balls * (0.4 * r * r + half * half + 0.75 * half * r);
  return around(tube + balls, across, across, tube * r * r / 2 + balls * 0.4 * r * r);
}

// tetrahedra from the origin to the triangles of the hull's faces
Solidity of_hull(const std::vector<Vec3>& points) {
  const Polytope hull = convex_hull(std::vector<Vector<3>>(points.begin(), points.end()));
  Solidity sum;
  Mat3 second = Mat3::Zero();  // integral of x x^T
  for (const Polytope::Face& face : hull.faces)
    for (std::size_t k = 2; k < face.corners.size(); ++k) {
      Mat3 corners;
      for (int i = 0; i < 3; ++i) corners.col(i) = hull.corners[static_cast<std::size_t>(face.corners[i == 0 ? 0 : k - 2 + static_cast<std::size_t>(i)])];
      const double volume = corners.determinant() / 6;
      const Vec3 total = corners.rowwise().sum();
      sum.volume += volume;
      sum.centre += volume / 4 * total;
      second += volume / 20 * (total * total.transpose() + corners * corners.transpose());
    }
  sum.centre /= sum.volume;
  second -= sum.volume * sum.centre * sum.centre.transpose();
  sum.inertia = second.trace() * Mat3::Identity() - second;
  return sum;
}

Solidity solidity_of(const MjcfShape& shape) {
  const auto [x, y, z] = std::tuple(shape.size[0], shape.size[1], shape.size[2]);
  if (shape.kind == "sphere") return around(4.0 / 3 * M_PI * x * x * x, 1, 1, 1);
  if (shape.kind == "box") return around(8 * x * y * z, (y * y + z * z) / 3, (x * x + z * z) / 3, (x * x + y * y) / 3);
  if (shape.kind == "ellipsoid") return around(4.0 / 3 * M_PI * x * y * z, (y * y + z * z) / 5, (x * x + z * z) / 5, (x * x + y * y) / 5);
  if (shape.kind == "cylinder") return around(2 * M_PI * x * x * y, x * x / 4 + y * y / 3, x * x / 4 + y * y / 3, x * x / 2);
  return {};
}

Solidity solid(const MjcfShape& shape) {
  if (shape.kind == "mesh") return shape.points.empty() ? Solidity() : of_hull(shape.points);
  if (shape.kind == "capsule") return of_capsule(shape.size[0], shape.size[1]);
  Solidity one = solidity_of(shape);
  if (shape.kind == "sphere") one.inertia *= 0.4 * shape.size[0] * shape.size[0];
  one.inertia *= one.volume;
  return one;
}

void add_mass(MjcfBody& body, double mass, const Vec3& at, const Mat3& inertia) {
  body.mass += mass;
  body.moment += mass * at;
  body.inertia += inertia + mass * (at.squaredNorm() * Mat3::Identity() - at * at.transpose());
}

}  // namespace

MjcfBodies::MjcfBodies(MjcfTree& tree) : tree_(tree) {
  world_.node = tree.root().child("worldbody");
  if (!world_.node) tree.fail(tree.root(), "the model has no <worldbody>; give it bodies");
  read(world_.node, {}, -1, "");
}

int MjcfBodies::find(const std::string& name) const {
  if (name.empty() || name == "world") return -1;
  const auto found = std::find_if(named_.begin(), named_.end(), [&](const Named& one) { return one.name == name; });
  return found == named_.end() ? -2 : found->body;
}

Place3 MjcfBodies::frame(const std::string& name) const {
  const auto found = std::find_if(named_.begin(), named_.end(), [&](const Named& one) { return one.name == name; });
  return found == named_.end() ? Place3() : found->frame;
}

// shapes and inner bodies of an element that stands in this frame and belongs to this body
void MjcfBodies::read(pugi::xml_node node, const Place3& frame, int number, const std::string& of_class) {
  const auto inertial = node.child("inertial");
  const std::string wanted = tree_.compiler().attribute("inertiafromgeom").as_string("auto");
  const bool by_shapes = wanted == "true" || (wanted == "auto" && !inertial);
  if (number >= 0 && inertial && !by_shapes) read_inertial({inertial, of_class}, frame, body(number));
  for (const auto& child : node.children("geom")) read_shape(tree_.element(child, of_class), frame, body(number), number >= 0 && by_shapes);
  for (const auto& child : node.children("body")) read_child(child, frame, number, of_class);
}

void MjcfBodies::read_child(pugi::xml_node node, const Place3& parent, int number, const std::string& of_class) {
  const std::string inner = node.attribute("childclass").as_string(of_class.c_str()), name = node.attribute("name").value();
  const Place3 frame = parent * tree_.place({node, ""});
  std::vector<MjcfJoint> joints;
  bool is_free = static_cast<bool>(node.child("freejoint"));
  for (const auto& child : node.children("joint")) {
    const MjcfElement e = tree_.element(child, inner);
    MjcfJoint joint{e, child.attribute("name").value(), tree_.word(e, "type", "hinge"), {}, {}};
    if (joint.kind == "free") {
      is_free = true;
      continue;
    }
    if (joint.kind != "hinge" && joint.kind != "slide" && joint.kind != "ball") tree_.fail(child, fmt::format("a joint of the type {} is not known; take hinge, slide, ball or free", quote(joint.kind)));
    joint.at = frame.x + frame.R * tree_.vector(e, "pos", Vec3::Zero());
    joint.axis = frame.R * tree_.vector(e, "axis", Vec3::UnitZ());
    if (!(joint.axis.norm() > 0)) tree_.fail(child, "the axis of this joint is zero; give its direction");
    joint.axis.normalize();
    joints.push_back(joint);
  }
  int here = number;
  if (is_free || !joints.empty()) {
    here = static_cast<int>(bodies_.size());
    MjcfBody& fresh = bodies_.emplace_back();
    fresh.node = node;
    fresh.name = name.empty() ? fmt::format("body{}", here + 1) : name;
    fresh.parent = is_free ? -1 : number;
    fresh.joints = std::move(joints);
    fresh.is_free = is_free;
  }
  named_.push_back({name, here, frame});
  read(node, frame, here, inner);
  if (here != number && !(body(here).mass > 0))
    tree_.fail(node, fmt::format("body {} moves and has no mass; give it an <inertial> or shapes with a density", quote(body(here).name)));
}

void MjcfBodies::read_inertial(const MjcfElement& e, const Place3& frame, MjcfBody& body) {
  const Place3 at = frame * tree_.place(e);
  Mat3 inertia = Mat3::Zero();
  if (const auto full = tree_.numbers(e, "fullinertia"); full.size() == 6)
    inertia << full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2];
  else
    inertia = tree_.vector(e, "diaginertia", Vec3::Zero()).asDiagonal();
  add_mass(body, tree_.number(e, "mass", 0), at.x, at.R * inertia * at.R.transpose());
}

// sizes that the kind of shape takes, in space; fromto gives the length of some
void MjcfBodies::check_size(const MjcfShape& shape) const {
  static const std::map<std::string, int> needed{{"plane", 0}, {"mesh", 0}, {"hfield", 0}, {"sphere", 1}, {"capsule", 2}, {"cylinder", 2}, {"box", 3}, {"ellipsoid", 3}};
  const auto found = needed.find(shape.kind);
  if (found == needed.end()) {
    std::vector<std::string> known;
    for (const auto& [kind, count] : needed) known.push_back(kind);
    tree_.fail(shape.element.node, fmt::format("there is no <geom> of the type {}{}", quote(shape.kind), did_you_mean(shape.kind, known)));
  }
  for (int i = 0; i < found->second; ++i)
    if (!(shape.size[i] > 0))
      tree_.fail(shape.element.node, fmt::format("a <geom> of the type {} has {} in its 'size', greater than 0 each; correct it", shape.kind,
                                                 found->second == 1 ? "one number" : fmt::format("{} numbers", found->second)));
}

void MjcfBodies::read_shape(const MjcfElement& e, const Place3& frame, MjcfBody& body, bool weighs) {
  MjcfShape shape{e, frame * tree_.place(e), tree_.word(e, "type", tree_.attribute(e, "mesh") ? "mesh" : "sphere")};
  const std::vector<double> size = tree_.numbers(e, "size");
  for (std::size_t i = 0; i < size.size() && i < 3; ++i) shape.size[static_cast<int>(i)] = size[i];
  if (const std::vector<double> ends = tree_.numbers(e, "fromto"); ends.size() == 6) {
    // from the first point to the second lies z
    const Vec3 a(ends[0], ends[1], ends[2]), b(ends[3], ends[4], ends[5]), z = (b - a).normalized(), axis = Vec3::UnitZ().cross(z);
    const Mat3 R = axis.norm() > 0 ? rotation_matrix(quaternion(axis.normalized(), std::atan2(axis.norm(), z[2]))) : Mat3(Vec3(1, z[2], z[2]).asDiagonal());
    shape.at = frame * Place3{0.5 * (a + b), R};
    shape.size[shape.kind == "box" || shape.kind == "ellipsoid" ? 2 : 1] = 0.5 * (b - a).norm();
    if (shape.kind == "box" || shape.kind == "ellipsoid") shape.size[1] = shape.size[0];
  }
  check_size(shape);
  if (shape.kind == "mesh") read_mesh(shape);
  shape.touches = tree_.number(e, "contype", 1) != 0 || tree_.number(e, "conaffinity", 1) != 0;
  const std::vector<double> friction = tree_.numbers(e, "friction");
  const double directions = tree_.number(e, "condim", 3);
  const auto of = [&](std::size_t k, double fallback) { return friction.size() > k ? friction[k] : fallback; };
  shape.friction = directions >= 3 ? of(0, 1) : 0;
  shape.spinning = directions >= 4 ? of(1, 0.005) : 0;
  shape.rolling = directions >= 6 ? of(2, 1e-4) : 0;
  const Solidity one = solid(shape);
  if (weighs && one.volume > 0) {
    const double mass = tree_.number(e, "mass", tree_.number(e, "density", 1000) * one.volume);
    add_mass(body, mass, shape.at.x + shape.at.R * one.centre, mass / one.volume * (shape.at.R * one.inertia * shape.at.R.transpose()));
  }
  body.shapes.push_back(std::move(shape));
}

void MjcfBodies::read_mesh(MjcfShape& shape) {
  const std::string name = tree_.word(shape.element, "mesh", "");
  std::vector<std::string> known;
  for (const auto& assets : tree_.root().children("asset"))
    for (const auto& node : assets.children("mesh")) {
      const MjcfElement mesh = tree_.element(node, "");
      const std::string file = node.attribute("file").value();
      known.push_back(node.attribute("name").as_string(std::filesystem::path(file).stem().c_str()));
      if (known.back() != name) continue;
      const Vec3 scale = tree_.vector(mesh, "scale", Vec3::Ones());
      if (const std::vector<double> own = tree_.numbers(mesh, "vertex"); !own.empty()) {
        for (std::size_t i = 0; i + 2 < own.size(); i += 3) shape.points.push_back(scale.cwiseProduct(Vec3(own[i], own[i + 1], own[i + 2])));
      } else {
        namespace fs = std::filesystem;
        const fs::path path = fs::absolute(tree_.file()).parent_path() / tree_.compiler().attribute("meshdir").value() / file;
        std::ifstream in(path, std::ios::binary);
        for (const Vec3& p : mesh_points(file, {std::istreambuf_iterator<char>(in), {}})) shape.points.push_back(scale.cwiseProduct(p));
      }
      try {
        // its corners alone
        if (shape.points.size() >= 4) {
          const Polytope hull = convex_hull(std::vector<Vector<3>>(shape.points.begin(), shape.points.end()));
          shape.points.assign(hull.corners.begin(), hull.corners.end());
          shape.least = shape.greatest = shape.points[0];
          for (const Vec3& p : shape.points) {
            shape.least = shape.least.cwiseMin(p);
            shape.greatest = shape.greatest.cwiseMax(p);
          }
          return;
        }
      } catch (const std::invalid_argument&) {
      }
      shape.points.clear();
      return;
    }
  tree_.fail(shape.element.node, fmt::format("there is no <mesh> {}{}", quote(name), did_you_mean(name, known)));
}

}  // namespace escapement
