// Contacts of the shapes of two bodies.
#include <algorithm>

#include "io/shape_pairs.hpp"

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
  const std::string& name(int which) const { return between_.value->entries[static_cast<std::size_t>(which)].value->text; }

  const std::vector<TouchingShape>& shapes(int body, int which) {
    const auto found = r_.shapes.find(body);
    if (found != r_.shapes.end()) return found->second;
    r_.reading.fail(*between_.value->entries[static_cast<std::size_t>(which)].value,
                    fmt::format("{} has no shape that could touch; give it one, like shapes: [{{{}}}]", quote(name(which)),
                                D == 2 ? "circle: 0.1" : "sphere: 0.1"));
  }

  void add(int body_a, const TouchingShape& a, int body_b, const TouchingShape& b) {
    const std::size_t before = contacts_.size();
    try {
      for (ShapeContact<D>& one : pair_contacts<D>({body_a, a}, {body_b, b}, [&](std::size_t k) { return make(before + k); }))
        contacts_.push_back(std::move(one));
    } catch (const std::invalid_argument& remedy) {
      r_.reading.fail(*between_.value, fmt::format("contact {} is between a {} of {} and a {} of {}, which is not available: {}",
                                                   quote(entry_.key), a.key, quote(name(0)), b.key, quote(name(1)), remedy.what()));
    }
  }

  ShapeContacts<D> make(std::size_t k) const {
    return {r_.reading.graph, r_.vocabulary.t, fmt::format("{} contact {}", entry_.key, k), friction_ > 0};
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
