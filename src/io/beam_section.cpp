// The section of a beam: its numbers as they are given, or from a material and a shape.
#include <cmath>
#include <numbers>

#include "io/beam_reading.hpp"

namespace escapement::inline io {

namespace {

using std::numbers::pi;

class SectionReader {
 public:
  SectionReader(Reading& reading, const YamlNode::Entry& entry, int dimension)
      : reading_(reading), entry_(entry), dimension_(dimension), block_(reading, entry, "mechanism.beams.*.section") {}

  SectionNumbers read() {
    const YamlNode::Entry *number = first_of({"EA", "GA", "GJ", "EI", "mass", "inertia"}),
                          *material = first_of({"E", "G", "density", "rectangle", "circle", "tube"});
    if (number && material)
      reading_.fail(
          material->key_offset,
          fmt::format(
              "a section has either '{}' and other numbers, or '{}' and a material with a shape; remove one of both",
              number->key, material->key));
    if (material) {
      read_material();
    } else {
      read_numbers();
    }
    set_inertia();
    return s_;
  }

 private:
  const YamlNode::Entry* first_of(std::initializer_list<const char*> keys) const {
    for (const char* key : keys)
      if (const auto* found = block_.find(key)) return found;
    return nullptr;
  }

  double number(const char* key) const {
    block_.require(key);
    return *block_.number(key);
  }

  double positive(const YamlNode::Entry& entry, const std::string& key) const {
    const double value = reading_.constant(entry);
    if (!(value > 0)) reading_.fail(*entry.value, fmt::format("{} is {:g} but must be greater than 0", key, value));
    return value;
  }

  // one number for all, or in space a list of them
  template <std::size_t N>
  std::array<double, N> several(const char* key, const char* example) const {
    const YamlNode::Entry& entry = block_.require(key);
    const YamlNode& node = *entry.value;
    std::array<double, N> out{};
    if (node.is_sequence() && dimension_ == 2) reading_.fail(node, fmt::format("in the plane '{}' is one number", key));
    if (!node.is_sequence()) {
      if (N == 3 && dimension_ == 3)
        reading_.fail(node.is_null() ? entry.key_offset : node.offset,
                      fmt::format("'{}' is a list like {} in space", key, example));
      out.fill(positive(entry, key));
      return out;
    }
    if (node.entries.size() != N)
      reading_.fail(node, fmt::format("'{}' is a list like {}, or one number for all", key, example));
    for (std::size_t i = 0; i < N; ++i) out[i] = positive(node.entries[i], key);
    return out;
  }

  void read_numbers() {
    s_.EA = number("EA");
    s_.GA = several<2>("GA", "[along 2, along 3]");
    s_.EI = several<2>("EI", "[about 2, about 3]");
    s_.mass = number("mass");
    if (dimension_ == 3) {
      s_.GJ = number("GJ");
    } else if (const auto* extra = block_.find("GJ")) {
      reading_.fail(extra->key_offset, "in the plane a beam does not twist; remove 'GJ'");
    }
  }

  std::vector<double> two(const YamlNode::Entry& entry, const char* example) const {
    const YamlNode& list = *entry.value;
    if (!list.is_sequence() || list.entries.size() != 2)
      reading_.fail(list.is_null() ? entry.key_offset : list.offset,
                    fmt::format("'{}' takes two lengths, {}", entry.key, example));
    return {positive(list.entries[0], entry.key), positive(list.entries[1], entry.key)};
  }

  // shear correction: Cowper's factors without lateral contraction
  void read_material() {
    const double E = number("E"), G = number("G"), density = number("density");
    const YamlNode::Entry* shape = nullptr;
    for (const char* key : {"rectangle", "circle", "tube"}) {
      const auto* found = block_.find(key);
      if (found && shape)
        reading_.fail(found->key_offset, fmt::format("the section is a {} already; remove '{}'", shape->key, key));
      if (found) shape = found;
    }
    if (!shape)
      reading_.fail(entry_.key_offset, "the section has a material but no shape; add 'rectangle', 'circle' or 'tube'");
    double area = 0, torsion = 0, factor = 0;
    std::array<double, 2> moment{};  // of area, about 2 and 3
    if (shape->key == "rectangle") {
      const std::vector<double> side = two(*shape, "[along 2, along 3]");
      area = side[0] * side[1];
      moment = {area * side[1] * side[1] / 12, area * side[0] * side[0] / 12};
      torsion = rectangle_torsion(std::max(side[0], side[1]), std::min(side[0], side[1]));
      factor = 5.0 / 6;
    } else {
      double outer = 0, inner = 0;
      if (shape->key == "circle") {
        outer = *block_.number("circle");
      } else {
        const std::vector<double> radius = two(*shape, "[outer, inner]");
        outer = radius[0];
        inner = radius[1];
        if (!(inner < outer))
          reading_.fail(*shape->value,
                        "the inner radius of a tube must be smaller than the outer one, which stands first");
      }
      area = pi * (outer * outer - inner * inner);
      const double of_area = pi / 4 * (std::pow(outer, 4) - std::pow(inner, 4));
      moment = {of_area, of_area};
      torsion = 2 * of_area;
      const double m = inner * inner / (outer * outer), round = (1 + m) * (1 + m);
      factor = 6 * round / (7 * round + 20 * m);
    }
    s_.EA = E * area;
    s_.GA = {factor * G * area, factor * G * area};
    s_.EI = {E * moment[0], E * moment[1]};
    s_.GJ = G * torsion;
    s_.mass = density * area;
  }

  // Saint-Venant's series
  static double rectangle_torsion(double a, double b) {
    double sum = 0;
    for (int n = 1; n < 60; n += 2) sum += std::tanh(n * pi * a / (2 * b)) / std::pow(n, 5);
    return a * b * b * b / 3 * (1 - 192 / std::pow(pi, 5) * b / a * sum);
  }

  // that of a homogeneous section unless it is given
  void set_inertia() {
    if (block_.find("inertia")) {
      s_.inertia = several<3>("inertia", "[about 1, about 2, about 3]");
      return;
    }
    const double about_2 = s_.mass * s_.EI[0] / s_.EA, about_3 = s_.mass * s_.EI[1] / s_.EA;
    s_.inertia = {about_2 + about_3, about_2, about_3};
  }

  Reading& reading_;
  const YamlNode::Entry& entry_;
  int dimension_;
  Block block_;
  SectionNumbers s_;
};

}  // namespace

SectionNumbers read_section_numbers(Reading& reading, const YamlNode::Entry& entry, int dimension) {
  return SectionReader(reading, entry, dimension).read();
}

}  // namespace escapement
