#include "io/mjcf.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

#include "io/mesh_box.hpp"
#include "io/mjcf_bodies.hpp"
#include "io/model_file.hpp"
#include "math/expression_parser.hpp"
#include "math/nearest_name.hpp"

namespace escapement::inline io {

namespace {

class MjcfWriter {
 public:
  explicit MjcfWriter(MjcfTree& tree) : tree_(tree), bodies_(tree) {}

  Import make() {
    write();
    tell_what_is_left_out();
    check();
    return {lines_.text, tree_.warnings()};
  }

 private:
  using Numbers = std::vector<double>;

  std::string body_name(int body) { return body < 0 ? "ground" : names_("", bodies_.all()[static_cast<std::size_t>(body)].name); }
  std::string joint_name(const MjcfJoint& joint, const MjcfBody& of) { return names_("joint", joint.name.empty() ? of.name : joint.name); }

  void write() {
    const std::size_t top = MjcfTree::offset_of(tree_.root());
    const auto add = [&](const std::string& line) { lines_.add(top, line); };
    const std::string name = tree_.root().attribute("model").value();
    add("escapement: 1");
    add(fmt::format("name: \"{}\"", import_quoted(name.empty() ? "model" : name)));
    add(fmt::format("# Imported from {}. Every joint stands where the file draws it.", std::filesystem::path(tree_.file()).filename().string()));
    read_forces();
    if (!parameters_.text.empty()) add("parameters:");
    lines_.add(parameters_);
    add("dimension: 3");
    add("gravity: " + import_list(tree_.vector({tree_.root().child("option"), ""}, "gravity", Vec3(0, 0, -9.81))));
    add("bodies:");
    if (bodies_.all().empty()) tree_.fail(tree_.root().child("worldbody"), "nothing moves: no body has a joint; add one");
    write_shapes("  ground:", bodies_.world(), {});
    for (std::size_t k = 0; k < bodies_.all().size(); ++k) write_body(static_cast<int>(k));
    add_section("joints:", joints_);
    add_section("forces:", forces_);
    write_contacts();
    add("simulation: {end: 1}");
  }

  void add_section(const char* title, const ImportLines& of) {
    if (of.text.empty()) return;
    lines_.add(MjcfTree::offset_of(tree_.root()), title);
    lines_.add(of);
  }

  void write_body(int number) {
    const MjcfBody& body = bodies_.all()[static_cast<std::size_t>(number)];
    const std::size_t place = MjcfTree::offset_of(body.node);
    const Mat3 I = body.inertia_about_centre();
    lines_.add(place, fmt::format("  {}:", body_name(number)));
    lines_.add(place, fmt::format("    mass: {}", import_number(body.mass)));
    lines_.add(place, fmt::format("    inertia: [{}, {}, {}, {}, {}, {}]", import_number(I(0, 0)), import_number(I(1, 1)), import_number(I(2, 2)),
                                  import_number(I(0, 1)), import_number(I(0, 2)), import_number(I(1, 2))));
    lines_.add(place, "    position: " + import_list(body.centre()));
    write_shapes("", body, body.centre());
  }

  // body frames have the world's axes at the start
  void write_shapes(const std::string& title, const MjcfBody& body, const Vec3& centre) {
    ImportLines shapes;
    for (const MjcfShape& shape : body.shapes) {
      const std::string size = size_text(shape);
      if (size.empty()) continue;
      std::string line = fmt::format("      - {{{}, at: {}, orientation: {}", size, import_list(Vec3(shape.at.x + shape.at.R * shape.middle() - centre)), import_list(quaternion(shape.at.R)));
      if (!shape.touches) line += ", touch: false";
      else if (const std::string material = material_of(shape); !material.empty()) line += ", material: " + material;
      shapes.add(MjcfTree::offset_of(shape.element.node), line + "}");
    }
    if (shapes.text.empty()) return;
    if (!title.empty()) lines_.add(MjcfTree::offset_of(body.node), title);
    lines_.add(MjcfTree::offset_of(body.node), "    shapes:");
    lines_.add(shapes);
  }

  std::string size_text(const MjcfShape& shape) {
    const Vec3& s = shape.size;
    if (shape.kind == "sphere") return "sphere: " + import_number(s[0]);
    if (shape.kind == "box") return "box: " + import_list(Vec3(2 * s));
    if (shape.kind == "capsule" || shape.kind == "cylinder") return fmt::format("{}: [{}, {}]", shape.kind, import_number(2 * s[1]), import_number(s[0]));
    if (shape.kind == "plane") return "half_space: [0, 0, 1]";
    if (shape.kind == "mesh" && !shape.points.empty()) {
      if (shape.points.size() > most_hull_corners) {
        tree_.warn(shape.element.node, fmt::format("this mesh's hull has {} corners and became the box around it; its weight is that of its hull", shape.points.size()));
        return "box: " + import_list(Vec3(shape.greatest - shape.least));
      }
      std::string points;
      for (const Vec3& p : shape.points) points += (points.empty() ? "" : ", ") + import_list(Vec3(p - shape.middle()));
      return fmt::format("hull: [{}]", points);
    }
    tree_.warn(shape.element.node, shape.kind == "mesh" ? "this mesh could not be read as STL or OBJ, or encloses nothing; its shape and weight are left out"
                                                        : fmt::format("a shape of the type {} is not there; it is left out, its weight is not", quote(shape.kind)));
    return "";
  }

  // --- joints and what acts along them

  // several joints of one body are one of the format where there is one
  void write_joints(int number) {
    const MjcfBody& body = bodies_.all()[static_cast<std::size_t>(number)];
    if (body.joints.empty()) return;
    const std::size_t place = MjcfTree::offset_of(body.joints[0].element.node);
    const std::string pair = fmt::format("[{}, {}]", body_name(body.parent), body_name(number));
    const auto line = [&](const std::string& kind, const std::string& rest) {
      joints_.add(place, fmt::format("  {}: {{{}: {}, at: {}{}}}", joint_name(body.joints[0], body), kind, pair, import_list(body.joints[0].at), rest));
    };
    const auto axis = [&](const MjcfJoint& joint) { return ", axis: " + import_list(joint.axis); };
    std::vector<const MjcfJoint*> hinges, slides;
    for (const MjcfJoint& joint : body.joints) {
      if (joint.kind == "ball" && body.joints.size() == 1) return line("spherical", "");
      (joint.kind == "hinge" ? hinges : slides).push_back(&joint);
    }
    const std::size_t turns = hinges.size(), ways = slides.size();
    const auto across = [](const Vec3& a, const Vec3& b) { return std::abs(a.dot(b)) < 1e-9; };
    const auto same_place = [&] { return std::all_of(hinges.begin(), hinges.end(), [&](const MjcfJoint* j) { return (j->at - hinges[0]->at).norm() < 1e-9; }); };
    if (turns == 1 && ways == 0) return write_single(number, "revolute", axis(*hinges[0]));
    if (turns == 0 && ways == 1) return write_single(number, "prismatic", axis(*slides[0]));
    if (body.joints.size() > 1) note_several(body);
    if (turns == 3 && ways == 0 && same_place()) return line("spherical", "");
    if (turns == 2 && ways == 0 && same_place() && across(hinges[0]->axis, hinges[1]->axis))
      return line("universal", axis(*hinges[0]) + ", axis2: " + import_list(hinges[1]->axis));
    if (turns == 1 && ways == 1 && hinges[0]->axis.cross(slides[0]->axis).norm() < 1e-9) return line("cylindrical", axis(*hinges[0]));
    if (turns == 1 && ways == 2 && across(hinges[0]->axis, slides[0]->axis) && across(hinges[0]->axis, slides[1]->axis)) return line("planar", axis(*hinges[0]));
    if (turns == 3 && ways == 3) return;  // free
    tree_.fail(body.joints[0].element.node, fmt::format("the {} joints of body {} together are none of the format's; put light bodies between them", body.joints.size(), quote(body.name)));
  }

  void note_several(const MjcfBody& body) {
    tree_.warn(body.joints[0].element.node,
               fmt::format("the {} joints of body {} became one; their springs, dampers, friction and limits are left out", body.joints.size(), quote(body.name)));
  }

  void write_single(int number, const char* kind, const std::string& axis) {
    const MjcfBody& body = bodies_.all()[static_cast<std::size_t>(number)];
    const MjcfJoint& joint = body.joints[0];
    const bool hinge = joint.kind == "hinge";
    const std::size_t place = MjcfTree::offset_of(joint.element.node);
    const std::string name = joint_name(joint, body);
    const double unit = hinge ? tree_.angle_unit() : 1;
    const Numbers range = tree_.numbers(joint.element, "range");
    const std::string limited = tree_.word(joint.element, "limited", "auto");
    std::string limits;
    if (range.size() == 2 && range[0] < range[1] && limited != "false") {
      if (range[0] > 0 || range[1] < 0) tree_.warn(joint.element.node, "the joint stands outside its limits; they are left out");
      else limits = fmt::format(", {}: [{}, {}]", hinge ? "angle_limits" : "length_limits", import_number(unit * range[0]), import_number(unit * range[1]));
    }
    joints_.add(place, fmt::format("  {}: {{{}: [{}, {}], at: {}{}{}}}", name, kind, body_name(body.parent), body_name(number), import_list(joint.at), axis, limits));
    const double stiffness = tree_.number(joint.element, "stiffness", 0), damping = tree_.number(joint.element, "damping", 0);
    if (stiffness > 0 || damping > 0)
      forces_.add(place, fmt::format("  {}: {{actuator: {}, stiffness: {}, damping: {}, {}: {}}}", names_("spring", name), name, import_number(stiffness),
                                     import_number(damping), hinge ? "angle" : "length", import_number(unit * tree_.number(joint.element, "springref", 0))));
    if (const double friction = tree_.number(joint.element, "frictionloss", 0); friction > 0)
      forces_.add(place, fmt::format("  {}: {{friction: {}, size: {}}}", names_("friction", name), name, import_number(friction)));
    if (tree_.number(joint.element, "armature", 0) != 0) tree_.warn(joint.element.node, "the armature of this joint is left out");
  }

  const MjcfBody* owner_of(const std::string& joint, int& number) const {
    for (number = 0; number < static_cast<int>(bodies_.all().size()); ++number) {
      const MjcfBody& body = bodies_.all()[static_cast<std::size_t>(number)];
      if (body.joints.size() == 1 && body.joints[0].name == joint && body.joints[0].kind != "ball") return &body;
    }
    return nullptr;
  }

  void need_joint(pugi::xml_node node, const std::string& joint) const {
    std::vector<std::string> known;
    for (const auto& one : tree_.root().child("worldbody").select_nodes(".//joint | .//freejoint")) known.push_back(one.node().attribute("name").value());
    if (std::find(known.begin(), known.end(), joint) == known.end()) tree_.fail(node, fmt::format("there is no joint {}{}", quote(joint), did_you_mean(joint, known)));
  }

  // inputs are parameters that begin at 0
  void write_actuator(const MjcfElement& e) {
    const std::string kind = e.node.name(), joint = e.node.attribute("joint").value();
    int number = 0;
    const MjcfBody* body = joint.empty() ? nullptr : owner_of(joint, number);
    if (!joint.empty()) need_joint(e.node, joint);
    if (!body || (kind != "motor" && kind != "position" && kind != "velocity")) {
      tree_.warn(e.node, fmt::format("this actuator (<{}>) is left out; motor, position and velocity of a single hinge or slide are taken over", kind));
      return;
    }
    const MjcfJoint& at = body->joints[0];
    const bool hinge = at.kind == "hinge";
    const std::size_t place = MjcfTree::offset_of(e.node);
    const std::string own = e.node.attribute("name").as_string(joint.c_str());
    const std::string name = names_("drive", own), input = names_("u", own), on = joint_name(at, *body);
    const Numbers gears = tree_.numbers(e, "gear");
    const double gear = gears.empty() ? 1 : gears[0];
    parameters_.add(place, fmt::format("  {}: 0", input));
    if (kind == "motor") {
      const Vec3 along = gear * at.axis;
      forces_.add(place, fmt::format("  {}: {{{}: [{}, {}]{}, frame: body, value: [{}*{}, {}*{}, {}*{}]}}", name, hinge ? "torque" : "force", body_name(body->parent),
                                     body_name(number), hinge ? "" : ", at: " + import_list(at.at), import_number(along[0]), input, import_number(along[1]), input,
                                     import_number(along[2]), input));
      return;
    }
    const bool position = kind == "position";
    const double stiffness = position ? tree_.number(e, "kp", 1) : 0, damping = tree_.number(e, "kv", position ? 0 : 1);
    // a velocity is followed by the integral of it, which t times the input is
    forces_.add(place, fmt::format("  {}: {{actuator: {}, stiffness: {}, damping: {}, {}: {}}}", name, on, import_number(gear * gear * stiffness),
                                   import_number(gear * gear * damping), hinge ? "angle" : "length",
                                   fmt::format("{}{}/{}", input, position ? "" : "*t", import_number(gear))));
  }

  void write_equality(pugi::xml_node node) {
    const std::string kind = node.name(), a = node.attribute("body1").value(), b = node.attribute("body2").value();
    const int first = bodies_.find(a), second = bodies_.find(b);
    if ((kind != "connect" && kind != "weld") || a.empty() || first == -2 || second == -2) {
      tree_.warn(node, fmt::format("this <{}> is left out; connect and weld of two bodies are taken over", kind));
      return;
    }
    if (first == second) return;
    const Place3 frame = bodies_.frame(a);
    const Vec3 at = frame.x + frame.R * tree_.vector({node, ""}, "anchor", Vec3::Zero());
    joints_.add(MjcfTree::offset_of(node), fmt::format("  {}: {{{}: [{}, {}], at: {}}}", names_(kind, node.attribute("name").as_string((a + "_" + b).c_str())),
                                                       kind == "weld" ? "fixed" : "spherical", body_name(first), body_name(second), import_list(at)));
  }

  void read_forces() {
    for (std::size_t k = 0; k < bodies_.all().size(); ++k) write_joints(static_cast<int>(k));
    for (const auto& all : tree_.root().children("actuator"))
      for (const auto& node : all.children()) write_actuator(tree_.element(node, ""));
    for (const auto& all : tree_.root().children("equality"))
      for (const auto& node : all.children()) write_equality(node);
  }

  // --- contacts

  template <class F>
  void for_each_touching(F&& f) const {
    const auto look = [&](const MjcfBody& body, int number) {
      for (const MjcfShape& shape : body.shapes)
        if (shape.touches) f(shape, number);
    };
    look(bodies_.world(), -1);
    for (std::size_t k = 0; k < bodies_.all().size(); ++k) look(bodies_.all()[k], static_cast<int>(k));
  }
  std::set<int> touching_bodies() const {
    std::set<int> all;
    for_each_touching([&](const MjcfShape&, int number) { all.insert(number); });
    return all;
  }
  bool touches() const { return touching_bodies().size() > 1; }

  using Rubbing = std::array<double, 3>;
  static Rubbing rubbing(const MjcfShape& shape) { return {shape.friction, shape.spinning, shape.rolling}; }
  std::vector<Rubbing> materials() const {
    std::vector<Rubbing> all;
    for_each_touching([&](const MjcfShape& shape, int) {
      if (std::find(all.begin(), all.end(), rubbing(shape)) == all.end()) all.push_back(rubbing(shape));
    });
    return all;
  }
  std::string material_of(const MjcfShape& shape) const {
    const std::vector<Rubbing> all = materials();
    if (all.size() < 2 || !touches()) return "";
    return fmt::format("m{}", std::find(all.begin(), all.end(), rubbing(shape)) - all.begin() + 1);
  }
  static std::string rubbing_text(const Rubbing& a, const Rubbing& b) {
    std::string text = "friction: " + import_number(std::max(a[0], b[0]));
    if (const double x = std::max(a[1], b[1]); x > 0) text += ", spinning_friction: " + import_number(x);
    if (const double x = std::max(a[2], b[2]); x > 0) text += ", rolling_friction: " + import_number(x);
    return text;
  }

  // every pair, with the larger friction of both
  void write_contacts() {
    if (!touches()) return;
    const std::size_t place = MjcfTree::offset_of(tree_.root());
    std::string names;
    for (const int number : touching_bodies()) names += (names.empty() ? "" : ", ") + body_name(number);
    const std::vector<Rubbing> all = materials();
    lines_.add(place, "contacts:");
    lines_.add(place, fmt::format("  touching: {{among: [{}]{}}}", names, all.size() == 1 ? ", " + rubbing_text(all[0], all[0]) : ""));
    if (all.size() < 2) return;
    lines_.add(place, "materials:");
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i; j < all.size(); ++j) lines_.add(place, fmt::format("  m{}-m{}: {{{}}}", i + 1, j + 1, rubbing_text(all[i], all[j])));
  }

  void tell_what_is_left_out() {
    for (const char* key : {"tendon", "sensor", "keyframe", "contact", "deformable", "custom", "extension"})
      if (const auto node = tree_.root().child(key)) tree_.warn(node, fmt::format("<{}> is left out", key));
  }

  // what the model's reader refuses is told where it stands in the file
  void check() const {
    try {
      read_model(tree_.file(), lines_.text);
    } catch (const ModelError& error) {
      const std::size_t line = static_cast<std::size_t>(error.place.line) - 1;
      tree_.fail(line < lines_.offsets.size() ? lines_.offsets[line] : 0, error.message);
    }
  }

  MjcfTree& tree_;
  MjcfBodies bodies_;
  ImportNames names_;
  ImportLines lines_, parameters_, joints_, forces_;
};

Import import_from(SourceText source) {
  MjcfTree tree(std::move(source));
  return MjcfWriter(tree).make();
}

}  // namespace

bool is_mjcf(const std::string& path) {
  pugi::xml_document document;
  return document.load_file(path.c_str()) && document.child("mujoco");
}

Import import_mjcf(const std::string& path) { return import_from(SourceText::read(path)); }
Import import_mjcf(const std::string& file, const std::string& text) { return import_from(SourceText(file, text)); }

}  // namespace escapement
