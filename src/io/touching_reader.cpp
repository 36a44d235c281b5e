// Contacts of shapes that are found anew in each step: every pair among some bodies, with materials.
#include <algorithm>
#include <set>

#include "io/shape_pairs.hpp"
#include "math/nearest_name.hpp"
#include "model/polygon.hpp"

namespace escapement::inline io {

namespace {

// `*` stands for any text
bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') return fits(pattern.substr(1), name) || (!name.empty() && fits(pattern, name.substr(1)));
  return !name.empty() && pattern.front() == name.front() && fits(pattern.substr(1), name.substr(1));
}

template <int D>
class TouchingReader {
 public:
  explicit TouchingReader(MechanismReading<D>& r) : r_(r) {}

  void read(std::string why) {
    rules_.set_reason(std::move(why));
    add_solids();
    read_materials();
    for (const auto& entry : r_.top.named("contacts")) read_contact(entry);
    for (const Joint<D>& joint : r_.mechanism->joints()) rules_.keep_apart(joint.a, joint.b);
    std::vector<std::string> names;
    for (const Body<D>& body : r_.mechanism->bodies()) names.push_back(body.name);
    rules_.finish(std::move(names));
    refuse_missing_pairs();
    r_.mechanism->set_touching(std::move(rules_));
  }

 private:
  const std::string& name_of(int body) const {
    static const std::string of_ground = "ground";
    return body == ground ? of_ground : r_.mechanism->bodies()[static_cast<std::size_t>(body)].name;
  }

  void add_solids() {
    for (const auto& [body, shapes] : r_.shapes)
      for (const TouchingShape& shape : shapes) {
        if (shape.key == "polygon") need_convex(shape);
        const auto found = std::find(materials_.begin(), materials_.end(), shape.material);
        if (!shape.material.empty() && found == materials_.end()) materials_.push_back(shape.material);
        rules_.add(solid_of<D>(body, shape), material(shape.material));
        kinds_.push_back(shape.key);
      }
  }

  void need_convex(const TouchingShape& shape) const {
    ConvexPolygon polygon;
    for (const auto& corner : shape.shape.points) polygon.corners.emplace_back(corner[0], corner[1]);
    polygon.turn_counter_clockwise();
    if (!polygon.is_convex()) r_.reading.fail(shape.offset, "a polygon that touches is convex, without corners that are straight; divide it into convex ones, or give it 'touch: false'");
  }

  int material(const std::string& name) const {
    const auto found = std::find(materials_.begin(), materials_.end(), name);
    return found == materials_.end() ? -1 : static_cast<int>(found - materials_.begin());
  }

  TouchNumbers numbers(const Block& block) const {
    TouchNumbers numbers;
    numbers.restitution = block.number("restitution");
    numbers.friction = block.number("friction");
    numbers.rolling = block.number("rolling_friction");
    numbers.spinning = block.number("spinning_friction");
    return numbers;
  }

  void read_materials() {
    std::set<std::pair<int, int>> known;
    for (const auto& entry : r_.top.named("materials")) {
      const auto [a, b] = materials_of(entry);
      if (!known.insert({std::min(a, b), std::max(a, b)}).second)
        r_.reading.fail(entry.key_offset, fmt::format("these materials have numbers already; remove {}", quote(entry.key)));
      rules_.set_materials(a, b, numbers(Block(r_.reading, entry, "mechanism.materials.*")));
    }
  }

  // steel-rubber: names may have a hyphen of their own
  std::pair<int, int> materials_of(const YamlNode::Entry& entry) const {
    const std::string& key = entry.key;
    for (std::size_t at = key.find('-'); at != std::string::npos; at = key.find('-', at + 1)) {
      const int a = material(key.substr(0, at)), b = material(key.substr(at + 1));
      if (a >= 0 && b >= 0) return {a, b};
    }
    const std::size_t at = key.find('-');
    if (at == std::string::npos)
      r_.reading.fail(entry.key_offset, fmt::format("{} names one material; numbers belong to a pair, like {}-{}", quote(key), key, key));
    const std::string unknown = material(key.substr(0, at)) < 0 ? key.substr(0, at) : key.substr(at + 1);
    r_.reading.fail(entry.key_offset, fmt::format("no shape is of the material {}{}", quote(unknown), did_you_mean(unknown, materials_)));
  }

  void read_contact(const YamlNode::Entry& entry) {
    const Block block(r_.reading, entry, "mechanism.contacts.*");
    const YamlNode::Entry *among = block.find("among"), *between = block.find("between");
    if (!among && !between) return;
    if (among && between) r_.reading.fail(between->key_offset, "a contact is either 'between' two bodies or 'among' several; make two of them");
    if (between && is_compliant(entry)) {  // a force, with points of its own
      const Between<D> pair = r_.pair(*between, "contact", entry.key);
      rules_.keep_apart(pair.a, pair.b);
      return;
    }
    refuse_keys(block);
    const int contact = rules_.add_contact(entry.key, numbers(block));
    r_.contact_places[entry.key] = entry.key_offset;
    if (among) {
      rules_.let_touch_among(contact, bodies(*among));
      return;
    }
    const Between<D> pair = r_.pair(*between, "contact", entry.key);
    if (!r_.touching.insert({std::min(pair.a, pair.b), std::max(pair.a, pair.b)}).second)
      r_.reading.fail(*between->value, fmt::format("another contact is between {} and {} already; remove one of them", quote(name_of(pair.a)), quote(name_of(pair.b))));
    for (std::size_t k = 0; k < 2; ++k) need_shapes(k == 0 ? pair.a : pair.b, *between->value->entries[k].value);
    rules_.let_touch(contact, pair.a, pair.b);
  }

  void refuse_keys(const Block& block) const {
    for (const char* key : {"gap", "slip", "at", "stiffness", "damping", "exponent", "law", "friction_law"})
      if (const auto* given = block.find(key))
        r_.reading.fail(given->key_offset, fmt::format("contacts of shapes that come and go have no '{}'; remove it", key));
  }

  void need_shapes(int body, const YamlNode& node) const {
    if (!r_.shapes.contains(body))
      r_.reading.fail(node, fmt::format("{} has no shape that could touch; give it one, like shapes: [{{{}}}]", quote(name_of(body)),
                                        D == 2 ? "circle: 0.1" : "sphere: 0.1"));
  }

  std::vector<int> bodies(const YamlNode::Entry& among) const {
    if (!among.value->is_sequence() || among.value->entries.empty())
      r_.reading.fail(*among.value, "'among' is a list of bodies, in which * stands for any text, like [\"ball*\", ground]");
    std::set<int> all;
    for (const auto& item : among.value->entries) {
      const std::string& pattern = item.value->text;
      if (pattern.find('*') == std::string::npos) {
        const int body = pattern == "ground" ? ground : r_.body(*item.value, "contact", "among");
        need_shapes(body, *item.value);
        all.insert(body);
        continue;
      }
      bool found = false;
      for (const auto& [name, body] : r_.bodies)
        if (fits(pattern, name) && r_.shapes.contains(body)) {
          all.insert(body);
          found = true;
        }
      if (!found) r_.reading.fail(*item.value, fmt::format("no body with shapes that touch has a name like {}; * stands for any text", quote(pattern)));
    }
    if (all.size() < 2) r_.reading.fail(*among.value, "'among' names one body alone; a contact needs two");
    return {all.begin(), all.end()};
  }

  void refuse_missing_pairs() const {
    const auto missing = rules_.missing_function();
    if (!missing) return;
    const int a = rules_.solids()[static_cast<std::size_t>(missing->first)].body, b = rules_.solids()[static_cast<std::size_t>(missing->second)].body;
    const std::string& contact = rules_.bodies().contacts[static_cast<std::size_t>(rules_.contact_of(a, b))];
    r_.reading.fail(r_.contact_places.find(contact)->second,
                    fmt::format("contact {} is between a {} of {} and a {} of {}, which is not available in this version; {}, or give one of them "
                                "'touch: false'",
                                quote(contact), kinds_[static_cast<std::size_t>(missing->first)], quote(name_of(a)),
                                kinds_[static_cast<std::size_t>(missing->second)], quote(name_of(b)),
                                rules_.solids()[static_cast<std::size_t>(missing->first)].kind == Solid<D>::Kind::plane
                                    ? "give one of them a shape that ends, and that is not hollow"
                                    : "divide curves into ones that are convex everywhere, or hollow, and let two of them touch only where both are convex"));
  }

  MechanismReading<D>& r_;
  TouchRules<D> rules_;
  std::vector<std::string> materials_, kinds_;  // kinds: what each solid is called
};

}  // namespace

template <int D>
std::string why_found(MechanismReading<D>& r) {
  for (const auto& entry : r.top.named("contacts"))
    for (const char* key : {"among", "rolling_friction", "spinning_friction"})
      if (entry.value->is_map() && entry.value->find(key)) return fmt::format("'{}'", key);
  if (!r.top.named("materials").empty()) return "'materials'";
  for (const auto& entry : r.top.named("contacts")) {
    const Block block(r.reading, entry, "mechanism.contacts.*");
    const YamlNode::Entry* between = block.find("between");
    if (!between || is_compliant(entry)) continue;
    const Between<D> pair = r.pair(*between, "contact", entry.key);
    if (const std::string why = why_no_rows(r, pair); !why.empty()) return fmt::format("contact {} {}", quote(entry.key), why);
  }
  return {};
}

template <int D>
void read_touching(MechanismReading<D>& r, std::string why) {
  TouchingReader<D>(r).read(std::move(why));
}

template std::string why_found<2>(MechanismReading<2>&);
template std::string why_found<3>(MechanismReading<3>&);
template void read_touching<2>(MechanismReading<2>&, std::string);
template void read_touching<3>(MechanismReading<3>&, std::string);

}  // namespace escapement
