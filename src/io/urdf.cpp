#include "io/urdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/import_text.hpp"
#include "io/mesh_box.hpp"
#include "io/model_file.hpp"
#include "io/urdf_robot.hpp"
#include "math/expression_parser.hpp"

namespace escapement::inline io {

namespace {

namespace fs = std::filesystem;

class ModelWriter {
 public:
  explicit ModelWriter(UrdfRobot& robot) : robot_(robot) {}

  Import make() {
    write();
    check();
    return {lines_.text, robot_.warnings()};
  }

 private:
  std::string body_name(const std::string& link) { return clean_("", link); }

  std::string shape_text(const Place3& at, pugi::xml_node geometry) {
    Vec3 shift = Vec3::Zero();
    std::string size;
    if (const auto box = geometry.child("box")) {
      size = fmt::format("box: {}", import_list(robot_.vector(box, "size", Vec3::Zero())));
    } else if (const auto sphere = geometry.child("sphere")) {
      size = fmt::format("sphere: {}", import_number(robot_.value(sphere, "radius", 0)));
    } else if (const auto cylinder = geometry.child("cylinder")) {
      size = fmt::format("cylinder: [{}, {}]", import_number(robot_.value(cylinder, "length", 0)),
                         import_number(robot_.value(cylinder, "radius", 0)));
    } else if (const auto capsule = geometry.child("capsule")) {  // not in the format's first version, but written by many
      size = fmt::format("capsule: [{}, {}]", import_number(robot_.value(capsule, "length", 0)), import_number(robot_.value(capsule, "radius", 0)));
    } else if (const auto mesh = geometry.child("mesh")) {
      const auto bounds = find_mesh(mesh.attribute("filename").value());
      if (!bounds || !(bounds->size().minCoeff() >= 0) || bounds->size().norm() == 0) {
        robot_.warn(mesh, fmt::format("the mesh {} could not be read and is left out",
                                      quote(mesh.attribute("filename").value())));
        return {};
      }
      robot_.warn(mesh, fmt::format("the mesh {} became the box around it", quote(mesh.attribute("filename").value())));
      const Vec3 scale = robot_.vector(mesh, "scale", Vec3::Ones());
      shift = at.R * scale.cwiseProduct(bounds->centre());
      size = fmt::format("box: {}", import_list(Vec3(scale.cwiseProduct(bounds->size()).cwiseAbs().cwiseMax(1e-6))));
    } else {
      const auto given = geometry.first_child();
      robot_.warn(geometry, given ? fmt::format("a shape of the kind <{}> is not there; it is left out", given.name()) : "a <geometry> without a shape is left out");
      return {};
    }
    return fmt::format("{{{}, at: {}, orientation: {}}}", size, import_list(Vec3(at.x + shift)), import_list(quaternion(at.R)));
  }

  std::optional<MeshBox> find_mesh(std::string file) const {
    const std::string package = "package://";
    const fs::path folder = fs::absolute(robot_.file()).parent_path();
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
    const std::string name = robot_.node().attribute("name").value();
    const bool at_zero = std::all_of(robot_.joints().begin(), robot_.joints().end(),
                                     [](const UrdfJoint& joint) { return joint.position == 0; });
    const auto add = [&](const std::string& line) { lines_.add(UrdfRobot::offset_of(robot_.node()), line); };
    add("escapement: 1");
    add(fmt::format("name: \"{}\"", import_quoted(name.empty() ? "robot" : name)));
    add(fmt::format("# Imported from {}. The root link is the ground; every joint stands at its zero{}.",
                    fs::path(robot_.file()).filename().string(), at_zero ? "" : ", or where its line says"));
    add("dimension: 3");
    add("gravity: [0, 0, -9.81]");
    add("bodies:");
    write_ground();
    bool any = false;
    for (const std::string& link : robot_.order())
      if (robot_.link(link).body == link) {
        write_body(robot_.link(link));
        any = true;
      }
    if (!any) robot_.fail(robot_.node(), "nothing moves: all links are fixed to the root; give a joint another type");
    write_joints();
    add("simulation: {end: 1}");
  }

  // what the model's reader refuses is told where it stands in the robot's file
  void check() const {
    try {
      read_model(robot_.file(), lines_.text);
    } catch (const ModelError& error) {
      const std::size_t line = static_cast<std::size_t>(error.place.line) - 1;
      robot_.fail(line < lines_.offsets.size() ? lines_.offsets[line] : 0, error.message);
    }
  }

  void write_ground() {
    ImportLines shapes;
    write_shapes(robot_.ground_shapes(), Place3(), shapes);
    if (shapes.text.empty()) return;
    const std::size_t place = UrdfRobot::offset_of(robot_.ground_shapes()[0].geometry);
    lines_.add(place, "  ground:");
    lines_.add(place, "    shapes:");
    lines_.add(shapes);
  }

  // of a body whose frame, seen from its link, is the inverse of this
  void write_shapes(const std::vector<UrdfShape>& all, const Place3& from_link, ImportLines& shapes) {
    for (const UrdfShape& shape : all) {
      const std::string text = shape_text(from_link * shape.at, shape.geometry);
      if (text.empty()) continue;
      // {box: ...}
      const std::string line = shape.touches ? text : text.substr(0, text.size() - 1) + ", touch: false}";
      shapes.add(UrdfRobot::offset_of(shape.geometry), fmt::format("      - {}", line));
    }
  }

  void write_body(const UrdfLink& link) {
    const Place3 at = link.world * link.inertial;
    const Mat3& I = link.inertia;
    const auto inertial = link.node.child("inertial");
    const std::size_t place = UrdfRobot::offset_of(inertial ? inertial : link.node);
    lines_.add(UrdfRobot::offset_of(link.node), fmt::format("  {}:", body_name(link.name)));
    lines_.add(place, fmt::format("    mass: {}", import_number(link.mass)));
    lines_.add(place, fmt::format("    inertia: [{}, {}, {}, {}, {}, {}]", import_number(I(0, 0)), import_number(I(1, 1)),
                                  import_number(I(2, 2)), import_number(I(0, 1)), import_number(I(0, 2)), import_number(I(1, 2))));
    lines_.add(place, fmt::format("    position: {}", import_list(at.x)));
    lines_.add(place, fmt::format("    orientation: {}", import_list(quaternion(at.R))));
    ImportLines shapes;
    write_shapes(link.shapes, link.inertial.inverse(), shapes);
    if (shapes.text.empty()) return;
    lines_.add(UrdfRobot::offset_of(link.node), "    shapes:");
    lines_.add(shapes);
  }

  void write_joints() {
    ImportLines joints, mimics, forces;
    for (const UrdfJoint& joint : robot_.joints()) {
      if (!joint.welds() && joint.type != "floating") write_joint(joint, joints, mimics);
      write_dynamics(joint, forces);
    }
    if (!joints.text.empty()) lines_.add(UrdfRobot::offset_of(robot_.node()), "joints:");
    lines_.add(joints);
    lines_.add(mimics);
    if (!forces.text.empty()) lines_.add(UrdfRobot::offset_of(robot_.node()), "forces:");
    lines_.add(forces);
  }

  void write_joint(const UrdfJoint& joint, ImportLines& joints, ImportLines& mimics) {
    const UrdfLink &parent = robot_.link(joint.parent), &child = robot_.link(joint.child);
    const std::string name = clean_("joint", joint.name);
    std::string line =
        fmt::format("  {}: {{{}: [{}, {}], at: {}, axis: {}", name, joint.turns() ? "revolute" : joint.type,
                    parent.is_ground ? "ground" : body_name(parent.body), body_name(child.body), import_list(child.world.x),
                    import_list(Vec3(child.world.R * joint.axis)));
    if (joint.limited)
      line += fmt::format(", {}: [{}, {}]", joint.turns() ? "angle_limits" : "length_limits",
                          import_number(joint.lower - joint.position), import_number(joint.upper - joint.position));
    line += "}";
    if (joint.position != 0) line += fmt::format("  # counts from {} of the robot", import_number(joint.position));
    joints.add(UrdfRobot::offset_of(joint.node), line);
    if (joint.follows)
      mimics.add(UrdfRobot::offset_of(joint.node.child("mimic")),
                 fmt::format("  {}: {{gear: [{}, {}], ratio: {}}}", clean_("mimic", joint.name),
                             clean_("joint", joint.follows->name), name, import_number(joint.ratio)));
  }

  void write_dynamics(const UrdfJoint& joint, ImportLines& forces) {
    const auto dynamics = joint.node.child("dynamics");
    const double damping = robot_.value(dynamics, "damping", 0), friction = robot_.value(dynamics, "friction", 0);
    if (damping == 0 && friction == 0) return;
    if (joint.welds()) return;
    if (!joint.moves_along_axis())
      return robot_.warn(dynamics, fmt::format("the damping and friction of the {} joint {} are left out", joint.type,
                                               quote(joint.name)));
    const std::string name = clean_("joint", joint.name);
    const std::string damper = joint.turns() ? "torsional_spring_damper: " + name : "actuator: " + name + ", length: 0";
    if (damping != 0)
      forces.add(UrdfRobot::offset_of(dynamics),
                 fmt::format("  {}: {{{}, damping: {}}}", clean_("damping", joint.name), damper, import_number(damping)));
    if (friction != 0)
      forces.add(UrdfRobot::offset_of(dynamics), fmt::format("  {}: {{friction: {}, size: {}}}",
                                                             clean_("friction", joint.name), name, import_number(friction)));
  }

  UrdfRobot& robot_;
  ImportNames clean_;
  ImportLines lines_;
};

Import import_robot(const SourceText& source) {
  UrdfRobot robot(source);
  return ModelWriter(robot).make();
}

}  // namespace

Import import_urdf(const std::string& path) { return import_robot(SourceText::read(path)); }

Import import_urdf(const std::string& file, const std::string& text) { return import_robot(SourceText(file, text)); }

}  // namespace escapement
