#include "io/clearance.hpp"

#include <algorithm>

#include "model/shape_contact.hpp"

namespace escapement::inline io {

namespace {

template <int D>
Picture::Shape ball_shape(const Vector<D>& at, double radius) {
  Picture::Shape shape;
  shape.kind = D == 2 ? Picture::Shape::Kind::circle : Picture::Shape::Kind::sphere;
  shape.size = {radius};
  shape.at.assign(at.data(), at.data() + D);
  return shape;
}

// what a picture shows of a body beside its own shapes
template <int D>
void draw(MechanismReading<D>& r, int body, const Picture::Shape& shape) {
  std::vector<Picture::Body>& bodies = r.model.scene.bodies;
  const std::string name = body == ground ? "ground" : r.mechanism->bodies()[static_cast<std::size_t>(body)].name;
  auto drawn = std::find_if(bodies.begin(), bodies.end(), [&](const Picture::Body& one) { return one.name == name; });
  if (drawn == bodies.end()) drawn = bodies.insert(bodies.end(), {name, std::vector<Picture::Scalar>{0.0, 0.0, 0.0}, {}});  // the ground
  drawn->shapes.push_back(shape);
}

// across the axis of a slider, in the world: up in the plane; in space the next axis of the world, then what is across both
template <int D>
std::vector<Vector<D>> directions_across(const Vector<D>& axis) {
  const Vector<D> along = axis.normalized();
  if constexpr (D == 2) {
    return {Vector<2>(-along[1], along[0])};
  } else {
    int nearest = 0;
    along.cwiseAbs().maxCoeff(&nearest);
    const Vector<3> next = Vector<3>::Unit((nearest + 1) % 3);
    const Vector<3> breadth = (next - next.dot(along) * along).normalized();
    return {breadth, cross(along, breadth)};
  }
}

}  // namespace

template <int D>
void check_clearance(const MechanismReading<D>& r, const Block& block, std::string_view kind) {
  if (!has_clearance(block)) {
    for (const char* key : {"radius", "friction", "block"})
      if (const auto* entry = block.find(key))
        r.reading.fail(entry->key_offset, fmt::format("'{}' belongs to a joint with 'clearance'; add that, or remove it{}", key,
                                                      key == std::string_view("friction") ? " and give the joint a force, like {friction: pin, size: 1}" : ""));
    return;
  }
  const bool journal = kind == (D == 2 ? "revolute" : "spherical"), slider = kind == "prismatic";
  if (!journal && !slider)
    r.reading.fail(block.find("clearance")->key_offset,
                    fmt::format("a {} joint {} with clearance is not available in this version; take a {}", kind,
                                D == 2 ? "in the plane" : "in space", D == 2 ? "revolute or prismatic one" : "spherical or prismatic one"));
  for (const char* key : {"angle", "length", "angle_limits", "length_limits", slider ? "radius" : "block"})
    if (const auto* entry = block.find(key))
      r.reading.fail(entry->key_offset, fmt::format("a {} joint with clearance has no '{}'; remove it", kind, key));
  if (slider) block.require("block");
  if (journal && block.number("friction", 0) > 0) block.require("radius");
}

template <int D>
void add_clearance(MechanismReading<D>& r, const YamlNode::Entry& entry, const Block& block, const PlacedJoint<D>& placed) {
  const double clearance = *block.number("clearance"), friction = block.number("friction", 0);
  const Between<D>& between = placed.between;
  std::vector<ShapeContact<D>> contacts;
  std::vector<Picture::Shape> touching;  // of the second body
  const auto make = [&](std::size_t k) {
    return ShapeContacts<D>(r.reading.graph, r.vocabulary.t, fmt::format("{} contact {}", entry.key, k), friction > 0);
  };
  const Vector<D> a = between.point_a(placed.at), b = between.point_b(placed.at);
  if (block.find("prismatic")) {
    const std::vector<double> size = r.numbers(*block.find("block"), D, D, D == 2 ? "[length, height]" : "[length, breadth, height]");
    for (double length : size)
      if (!(length > 0)) r.reading.fail(*block.find("block")->value, "the lengths of a block must be greater than 0");
    const std::vector<Vector<D>> across = directions_across<D>(placed.axis);
    // every corner against the walls on its sides
    for (std::size_t i = 0; i < across.size(); ++i)
      for (int bits = 0; bits < 1 << D; ++bits) {
        // the wall's side changes last, the end along the axis first
        const auto sign = [&](std::size_t k) { return bits >> (k == i + 1 ? D - 1 : k > i ? k - 1 : k) & 1 ? 1.0 : -1.0; };
        const double side = -sign(i + 1);
        Vector<D> corner = b + sign(0) * size[0] / 2 * between.axis_b(placed.axis);
        for (std::size_t k = 0; k < across.size(); ++k)
          corner += (k == i ? side : sign(k + 1)) * size[k + 1] / 2 * between.axis_b(across[k]);
        const Vector<D> up = between.axis_a(across[i]);
        touching.push_back(ball_shape<D>(corner, 0));
        contacts.push_back(make(contacts.size()).over({between.a, a + side * (size[i + 1] / 2 + clearance) * up, -side * up}, {between.b, corner, 0}));
      }
  } else {
    const double radius = block.number("radius", 0);
    contacts.push_back(make(0).inside({between.a, a, radius + clearance}, {between.b, b, radius}, clearance));
    touching.push_back(ball_shape<D>(b, radius));
    if (D == 2 && radius > 0) {  // in space one would hide the other
      draw(r, between.b, touching.back());
      draw(r, between.a, ball_shape<D>(a, radius + clearance));
    }
  }
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const std::string name = contacts.size() == 1 ? entry.key : fmt::format("{}.{}", entry.key, k + 1);
    r.contact_places[name] = entry.key_offset;
    r.model.scene.contacts.push_back({name, {}, {}, fmt::format("contacts/{}/force", name), between.b, {touching[k]}});
    r.mechanism->add_contact(std::move(contacts[k].gap), {name, block.number("restitution", 0), friction}, std::move(contacts[k].slips));
  }
}

template void check_clearance<2>(const MechanismReading<2>&, const Block&, std::string_view);
template void check_clearance<3>(const MechanismReading<3>&, const Block&, std::string_view);
template void add_clearance<2>(MechanismReading<2>&, const YamlNode::Entry&, const Block&, const PlacedJoint<2>&);
template void add_clearance<3>(MechanismReading<3>&, const YamlNode::Entry&, const Block&, const PlacedJoint<3>&);

}  // namespace escapement
