// Contacts of the shapes of two bodies.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "io/shape_pairs.hpp"
#include "model/contact_measure.hpp"

namespace escapement::inline io {

namespace {

// the points where the shapes of two bodies touch
template <int D>
class ShapeContactReader {
 public:
  ShapeContactReader(MechanismReading<D>& r, const YamlNode::Entry& entry, const Block& block, bool rubs)
      : r_(r), entry_(entry), block_(block), between_(*block.find("between")), rubs_(rubs) {}

  Between<D> pair() {
    for (const char* key : {"gap", "slip", "at"})
      if (const auto* given = block_.find(key))
        r_.reading.fail(given->key_offset, fmt::format("a contact of shapes has no '{}', its shapes say that; remove it", key));
    const Between<D> pair = r_.pair(between_, "contact", entry_.key);
    if (!r_.touching.insert({std::min(pair.a, pair.b), std::max(pair.a, pair.b)}).second)
      r_.reading.fail(*between_.value, fmt::format("another contact is between {} and {} already; remove one of them", quote(name(0)), quote(name(1))));
    return pair;
  }

  std::vector<ShapeContact<D>> read() { return read(pair()); }
  std::vector<ShapeContact<D>> read(const Between<D>& pair) {
    for (const TouchingShape& a : shapes(pair.a, 0))
      for (const TouchingShape& b : shapes(pair.b, 1)) add(pair.a, a, pair.b, b);
    return std::move(contacts_);
  }
  // of two bodies whose points are found
  std::shared_ptr<const SoftTouch> read_found(const Between<D>& pair, const CompliantContact& contact, const std::string& why) requires(D == 3) {
    if (contact.has_bristles())
      r_.reading.fail(block_.find("friction_law")->key_offset,
                      fmt::format("contact {} {}, where points come and go, and bristles belong to points that stay; take 'regularised' or 'stribeck'", quote(entry_.key), why));
    std::vector<Solid<3>> solids[2];
    for (const int which : {0, 1})
      for (const TouchingShape& shape : shapes(which == 0 ? pair.a : pair.b, which)) solids[which].push_back(solid_of<3>(which == 0 ? pair.a : pair.b, shape));
    try {
      return std::make_shared<SoftTouch>(r_.reading.graph, solids[0], solids[1], contact.law);
    } catch (const std::invalid_argument& remedy) {
      r_.reading.fail(*between_.value, fmt::format("contact {} is between shapes of {} and {} that never touch: {}", quote(entry_.key), quote(name(0)), quote(name(1)), remedy.what()));
    }
  }
  // the shape that each of them is drawn at, and its body
  const std::vector<std::pair<int, Picture::Shape>>& drawn() const { return drawn_; }

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
      // drawn where its line meets the simpler shape: a curve may be hollow, and a plane has no end
      const auto simple = [](const TouchingShape& shape) { return !shape.curve && shape.shape.kind != Picture::Shape::Kind::plane; };
      drawn_.resize(contacts_.size(), simple(b) || !simple(a) ? std::pair(body_b, b.shape) : std::pair(body_a, a.shape));
    } catch (const std::invalid_argument& remedy) {
      r_.reading.fail(*between_.value, fmt::format("contact {} is between a {} of {} and a {} of {}, which is not available: {}",
                                                   quote(entry_.key), a.key, quote(name(0)), b.key, quote(name(1)), remedy.what()));
    }
  }

  ShapeContacts<D> make(std::size_t k) const {
    return {r_.reading.graph, r_.vocabulary.t, fmt::format("{} contact {}", entry_.key, k), rubs_};
  }

  MechanismReading<D>& r_;
  const YamlNode::Entry& entry_;
  const Block& block_;
  const YamlNode::Entry& between_;
  bool rubs_;
  std::vector<ShapeContact<D>> contacts_;
  std::vector<std::pair<int, Picture::Shape>> drawn_;
};

// half of what a point passes through that goes straight across a shape where it is thinnest
double half_thickness(const Picture::Shape& shape) {
  using Kind = Picture::Shape::Kind;
  switch (shape.kind) {
    case Kind::circle:
    case Kind::sphere:
      return shape.size[0];
    case Kind::capsule:
      return shape.size[1];
    case Kind::cylinder:
      return std::min(shape.size[0] / 2, shape.size[1]);
    case Kind::box:
      return *std::min_element(shape.size.begin(), shape.size.end()) / 2;
    case Kind::polygon: {
      double least = std::numeric_limits<double>::infinity();
      const std::size_t n = shape.points.size();
      for (std::size_t k = 0; k < n; ++k) {
        const auto &p = shape.points[k], &q = shape.points[(k + 1) % n];
        const double x = q[0] - p[0], y = q[1] - p[1], length = std::hypot(x, y);
        double farthest = 0;
        for (const auto& c : shape.points) farthest = std::max(farthest, std::abs(x * (c[1] - p[1]) - y * (c[0] - p[0])) / length);
        if (length > 0) least = std::min(least, farthest / 2);
      }
      return least;
    }
    case Kind::hull: {  // along the direction in which its corners lie closest together
      Vec3 middle = Vec3::Zero();
      for (const auto& c : shape.points) middle += Vec3(c[0], c[1], c[2]) / static_cast<double>(shape.points.size());
      Mat3 spread = Mat3::Zero();
      for (const auto& c : shape.points) spread += (Vec3(c[0], c[1], c[2]) - middle) * (Vec3(c[0], c[1], c[2]) - middle).transpose();
      const Vec3 across = Eigen::SelfAdjointEigenSolver<Mat3>(spread).eigenvectors().col(0);
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const auto& c : shape.points) {
        low = std::min(low, across.dot(Vec3(c[0], c[1], c[2])));
        high = std::max(high, across.dot(Vec3(c[0], c[1], c[2])));
      }
      return (high - low) / 2;
    }
    case Kind::plane:
      break;
  }
  return std::numeric_limits<double>::infinity();
}

// how far from the body's centre of mass its turning moves a shape
double reach(const Picture::Shape& shape) {
  using Kind = Picture::Shape::Kind;
  const auto length = [](const auto& v) { return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0)); };
  double own = 0;
  if (shape.kind == Kind::capsule || shape.kind == Kind::cylinder) own = shape.size[0] / 2 + shape.size[1];
  if (shape.kind == Kind::box) own = length(shape.size) / 2;
  for (const auto& p : shape.points) own = std::max(own, length(p));
  return length(shape.at) + own;
}

// A step is looked at in a few places, and what happens to gaps between them is taken for smooth. So that nothing passes through
// something thin between two of them, bodies go no farther in a step than a part of that
template <int D>
void keep_steps_short(MechanismReading<D>& r, const YamlNode::Entry& entry, const Between<D>& pair) {
  ExpressionGraph& graph = r.reading.graph;
  double thickness = 0;
  for (const int body : {pair.a, pair.b}) {
    double least = std::numeric_limits<double>::infinity();
    for (const TouchingShape& one : r.shapes.at(body)) least = std::min(least, half_thickness(one.shape));
    thickness += least;
  }
  const auto watch = [&](Expr e, double factor) {
    if (std::isfinite(factor)) r.reading.said.push_back({graph.function(Op::sin, graph.scale(e, factor)), entry.key_offset});
  };
  const auto value = [&](MeasurePtr<D> measure, const std::string& what) {
    const std::string name = entry.key + " " + what;
    const Expr x = graph.variable(name);
    r.vocabulary.add({std::move(measure), x, graph.variable(name + "'")});
    return x;
  };
  if (std::isfinite(thickness))
    for (int i = 0; i < D; ++i) {
      Expr apart = graph.constant(0);
      for (const int body : {pair.a, pair.b})
        if (body != ground)
          apart = graph.add(graph.neg(apart), value(offset_along<D>(ground, Vector<D>::Unit(i), Vector<D>::Zero(), body, Vector<D>::Zero()),
                                                    fmt::format("{} of {}", "xyz"[i], body)));
      watch(apart, 2 / thickness);
    }
  for (const int body : {pair.a, pair.b}) {
    double farthest = 0;
    for (const TouchingShape& one : r.shapes.at(body)) farthest = std::max(farthest, reach(one.shape));
    if (body == ground || farthest == 0) continue;
    const double factor = std::isfinite(thickness) ? std::max(1.0, 2 * farthest / thickness) : 1;
    if constexpr (D == 2) {
      watch(value(relative_angle(ground, body), fmt::format("angle of {}", body)), factor);
    } else {
      for (int i = 0; i < 4; ++i) watch(value(quaternion_component(body, i), fmt::format("turn {} of {}", i, body)), 2 * factor);
    }
  }
}

// Steps end where the nearest point of two bodies comes to touch, like at a corner of any expression
void name_soft_touch(MechanismReading<3>& r, const YamlNode::Entry& entry, const CompliantContact& contact, std::shared_ptr<const SoftTouch> touch) {
  ExpressionGraph& graph = r.reading.graph;
  const auto name = [&](MeasurePtr<3> measure, const std::string& text, bool has_rate) {
    const NamedMeasure<3> one{std::move(measure), graph.variable(text), graph.variable(text + "'")};
    r.vocabulary.add(one);
    r.reading.outcome_names.emplace_back(text, one.value);
    if (has_rate) r.reading.outcome_names.emplace_back(text + "'", one.rate);
    return one;
  };
  const NamedMeasure<3> gap = name(soft_touch_gap(touch), entry.key + ".gap", true);
  name(soft_touch_sum(touch), entry.key + ".force", false);
  r.reading.said.push_back({contact_force(graph, contact.law, gap.value, gap.rate, {}, {}).normal, entry.key_offset});
  r.soft_touch[entry.key] = std::move(touch);
}

std::string point_name(const YamlNode::Entry& entry, std::size_t k, std::size_t points) {
  return points == 1 ? entry.key : fmt::format("{}.{}", entry.key, k + 1);
}

}  // namespace

template <int D>
void read_shape_contact(MechanismReading<D>& r, const YamlNode::Entry& entry, const Block& block) {
  read_contact_law(r.reading, entry, block);  // refuses what belongs to compliant contacts
  const double friction = block.number("friction", 0);
  ShapeContactReader<D> reader(r, entry, block, friction > 0);
  std::vector<ShapeContact<D>> contacts = reader.read();
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const std::string name = point_name(entry, k, contacts.size());
    r.contact_places[name] = entry.key_offset;
    r.model.scene.contacts.push_back({name, {}, {}, fmt::format("contacts/{}/force", name), reader.drawn()[k].first, {reader.drawn()[k].second}});
    r.mechanism->add_contact(std::move(contacts[k].gap), {name, block.number("restitution", 0), friction}, std::move(contacts[k].slips));
  }
}

template <int D>
void make_soft_points(MechanismReading<D>& r) {
  ExpressionGraph& graph = r.reading.graph;
  for (const auto& entry : r.top.named("contacts")) {
    const Block block(r.reading, entry, "mechanism.contacts.*");
    if (!is_compliant(entry) || !block.find("between")) continue;
    for (const char* key : {"rolling_friction", "spinning_friction"})
      if (const auto* given = block.find(key)) r.reading.fail(given->key_offset, fmt::format("a compliant contact has no '{}'; remove it", key));
    const CompliantContact law{*read_contact_law(r.reading, entry, block)};
    ShapeContactReader<D> reader(r, entry, block, law.has_friction());
    const Between<D> pair = reader.pair();
    if constexpr (D == 3)
      if (const std::string why = why_no_rows(r, pair); !why.empty()) {
        name_soft_touch(r, entry, law, reader.read_found(pair, law, why));
        keep_steps_short(r, entry, pair);
        continue;
      }
    std::vector<ShapeContact<D>> contacts = reader.read(pair);
    keep_steps_short(r, entry, pair);
    std::vector<SoftPoint>& points = r.soft[entry.key];
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      SoftPoint point{point_name(entry, k, contacts.size())};
      const auto name = [&](MeasurePtr<D> measure, const std::string& text) {
        const NamedMeasure<D> one{std::move(measure), graph.variable(text), graph.variable(text + "'")};
        r.vocabulary.add(one);
        return one;
      };
      const NamedMeasure<D> gap = name(gap_measure(std::move(contacts[k].gap)), point.name + ".gap");
      point.gap = gap.value;
      point.gap_rate = gap.rate;
      for (std::unique_ptr<SlipRow<D>>& slip : contacts[k].slips)
        point.slips.push_back(name(slip_measure(std::move(slip)), fmt::format("{} slip {}", point.name, point.slips.size())).rate);
      points.push_back(std::move(point));
    }
  }
}

template void make_soft_points<2>(MechanismReading<2>&);
template void make_soft_points<3>(MechanismReading<3>&);

template void read_shape_contact<2>(MechanismReading<2>&, const YamlNode::Entry&, const Block&);
template void read_shape_contact<3>(MechanismReading<3>&, const YamlNode::Entry&, const Block&);

}  // namespace escapement
