// Contacts of the shapes of two bodies.
#include <algorithm>

#include "io/mechanism_reading.hpp"
#include "model/shape_contact.hpp"

namespace escapement {

namespace {

template <int D>
class ShapeContactReader {
 public:
  ShapeContactReader(MechanismReading<D>& r, const YamlNode::Entry& entry, const Block& block)
      : r_(r), entry_(entry), block_(block), between_(*block.find("between")), friction_(block.number("friction", 0)) {}

  void read() {
    for (const char* key : {"gap", "slip", "at"})
      if (const auto* given = block_.find(key))
        r_.reading.fail(given->key_offset, fmt::format("a contact of shapes has no '{}', its shapes say that; remove it", key));
    const Between<D> pair = r_.pair(between_, "contact", entry_.key);
    if (!r_.touching.insert({std::min(pair.a, pair.b), std::max(pair.a, pair.b)}).second)
      r_.reading.fail(*between_.value, fmt::format("another contact is between {} and {} already; remove one of them", quote(name(0)), quote(name(1))));
    for (const TouchingShape& a : shapes(pair.a, 0))
      for (const TouchingShape& b : shapes(pair.b, 1)) add(pair.a, a, pair.b, b);
    for (std::size_t k = 0; k < contacts_.size(); ++k) {
      const std::string name = contacts_.size() == 1 ? entry_.key : fmt::format("{}.{}", entry_.key, k + 1);
      r_.contact_places[name] = entry_.key_offset;
      r_.mechanism->add_contact(std::move(contacts_[k].gap), {name, block_.number("restitution", 0), friction_},
                                std::move(contacts_[k].slips));
    }
  }

 private:
  using Kind = Picture::Shape::Kind;

  const std::string& name(int which) const { return between_.value->entries[static_cast<std::size_t>(which)].value->text; }

  const std::vector<TouchingShape>& shapes(int body, int which) {
    const auto found = r_.shapes.find(body);
    if (found != r_.shapes.end()) return found->second;
    r_.reading.fail(*between_.value->entries[static_cast<std::size_t>(which)].value,
                    fmt::format("{} has no shape that could touch; give it one, like shapes: [{{{}}}]", quote(name(which)),
                                D == 2 ? "circle: 0.1" : "sphere: 0.1"));
  }

  void add(int body_a, const TouchingShape& a, int body_b, const TouchingShape& b) {
    const bool plane_a = a.shape.kind == Kind::plane, plane_b = b.shape.kind == Kind::plane;
    if (plane_a != plane_b) {
      const Plane<D> plane = plane_a ? plane_of(body_a, a.shape) : plane_of(body_b, b.shape);
      const auto balls = plane_a ? balls_of(body_b, b.shape) : balls_of(body_a, a.shape);
      for (const Ball<D>& ball : balls) contacts_.push_back(make().over(plane, ball));
      if (!balls.empty()) return;
    } else if (is_ball(a.shape) && is_ball(b.shape)) {
      contacts_.push_back(make().beside(balls_of(body_a, a.shape)[0], balls_of(body_b, b.shape)[0]));
      return;
    }
    r_.reading.fail(*between_.value,
                    fmt::format("contact {} is between a {} of {} and a {} of {}, which is not available in this version; change "
                                "one of them, or give it 'touch: false'",
                                quote(entry_.key), a.key, quote(name(0)), b.key, quote(name(1))));
  }

  ShapeContacts<D> make() const {
    return {r_.reading.graph, r_.vocabulary.t, fmt::format("{} contact {}", entry_.key, contacts_.size()), friction_ > 0};
  }

  static bool is_ball(const Picture::Shape& shape) { return shape.kind == Kind::circle || shape.kind == Kind::sphere; }

  static Vector<D> at(const Picture::Shape& shape) {
    return shape.at.empty() ? Vector<D>(Vector<D>::Zero()) : Vector<D>(Eigen::Map<const Vector<D>>(shape.at.data()));
  }
  static Rotation<D> turned(const Picture::Shape& shape) {
    if constexpr (D == 2) return make_pose(Vector<2>(Vector<2>::Zero()), shape.angle).R;
    else return shape.orientation.empty() ? Rotation<3>(Rotation<3>::Identity()) : Rotation<3>(rotation_matrix(Vec4(shape.orientation.data())));
  }

  static Plane<D> plane_of(int body, const Picture::Shape& shape) {
    return {body, at(shape), turned(shape) * Eigen::Map<const Vector<D>>(shape.size.data())};
  }

  // the balls and corners of a shape that a plane may touch; none: it is not made of them
  static std::vector<Ball<D>> balls_of(int body, const Picture::Shape& shape) {
    std::vector<Ball<D>> balls;
    const auto add = [&](const Vector<D>& p, double radius) { balls.push_back({body, at(shape) + turned(shape) * p, radius}); };
    switch (shape.kind) {
      case Kind::circle:
      case Kind::sphere:
        add(Vector<D>::Zero(), shape.size[0]);
        break;
      case Kind::capsule:
        for (double end : {-0.5, 0.5}) add(Vector<D>(end * shape.size[0] * Vector<D>::Unit(D == 2 ? 0 : 2)), shape.size[1]);
        break;
      case Kind::polygon:
        for (const auto& corner : shape.points) add(Eigen::Map<const Vector<D>>(corner.data()), 0);
        break;
      case Kind::box:
        for (int k = 0; k < (1 << D); ++k) {
          Vector<D> corner;
          for (int i = 0; i < D; ++i) corner[i] = (k >> i & 1 ? 0.5 : -0.5) * shape.size[static_cast<std::size_t>(i)];
          add(corner, 0);
        }
        break;
      default:
        break;
    }
    return balls;
  }

  MechanismReading<D>& r_;
  const YamlNode::Entry& entry_;
  const Block& block_;
  const YamlNode::Entry& between_;
  double friction_;
  std::vector<ShapeContact<D>> contacts_;
};

}  // namespace

template <int D>
void read_shape_contact(MechanismReading<D>& r, const YamlNode::Entry& entry, const Block& block) {
  ShapeContactReader<D>(r, entry, block).read();
}

template void read_shape_contact<2>(MechanismReading<2>&, const YamlNode::Entry&, const Block&);
template void read_shape_contact<3>(MechanismReading<3>&, const YamlNode::Entry&, const Block&);

}  // namespace escapement
