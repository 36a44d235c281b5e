// The `shapes` of a body.
#include <cmath>

#include "io/mechanism_reading.hpp"
#include "io/mesh_box.hpp"
#include "io/named_file.hpp"
#include "model/collision/polytope.hpp"

namespace escapement::inline io {

namespace {

struct ShapeKey {
  const char* key;
  Picture::Shape::Kind kind;
  int dimension;  // 0: both
};
constexpr ShapeKey shape_keys[] = {
    {"box", Picture::Shape::Kind::box, 0},           {"circle", Picture::Shape::Kind::circle, 2},
    {"sphere", Picture::Shape::Kind::sphere, 3},     {"capsule", Picture::Shape::Kind::capsule, 0},
    {"cylinder", Picture::Shape::Kind::cylinder, 3}, {"polygon", Picture::Shape::Kind::polygon, 2},
    {"segment", Picture::Shape::Kind::polygon, 2},   {"half_plane", Picture::Shape::Kind::plane, 2},
    {"half_space", Picture::Shape::Kind::plane, 3},  {"curve", Picture::Shape::Kind::polygon, 2},
    {"cam", Picture::Shape::Kind::polygon, 2},       {"hull", Picture::Shape::Kind::hull, 3}};


// the curve's own variable, as a name that expressions inside it know
Symbols with_variable(Reading& reading, const std::string& name, std::size_t offset, Expr phi) {
  reading.check_name(name, "curve's variable", offset);
  Symbols symbols = reading.constants;
  symbols.add(name, phi);
  return symbols;
}

Expr curve_expression(Reading& reading, const YamlNode::Entry& entry, const Symbols& symbols) {
  const Expr e = reading.parse(entry, symbols);
  reading.refuse_linear_tables(entry, e, "a curve");
  return e;
}

// {x, y, over: [phi, from, to]}
CurveFormula read_curve(Reading& reading, const YamlNode::Entry& entry, Expr phi) {
  const Block block(reading, entry, "mechanism.bodies.*.shapes.*.curve");
  const YamlNode::Entry& over = block.require("over");
  if (!over.value->is_sequence() || over.value->entries.size() != 3 || !over.value->entries[0].value->is_scalar())
    reading.fail(over.value->is_null() ? over.key_offset : over.value->offset, "'over' is a variable and its range, like [phi, 0, 2*pi]");
  const auto& list = over.value->entries;
  const Symbols symbols = with_variable(reading, list[0].value->text, list[0].value->offset, phi);
  const CurveFormula formula{curve_expression(reading, block.require("x"), symbols), curve_expression(reading, block.require("y"), symbols),
                             phi, reading.constant(list[1]), reading.constant(list[2])};
  if (!(formula.to > formula.from))
    reading.fail(*list[2].value, fmt::format("the range of a curve ends behind its beginning, but {:g} is not greater than {:g}",
                                             formula.to, formula.from));
  return formula;
}

// {radius}: an expression of phi, all around or over a range
CurveFormula read_cam(Reading& reading, const YamlNode::Entry& entry, Expr phi) {
  const Block block(reading, entry, "mechanism.bodies.*.shapes.*.cam");
  const YamlNode::Entry& radius = block.require("radius");
  const Expr r = curve_expression(reading, radius, with_variable(reading, "phi", radius.value->offset, phi));
  ExpressionGraph& g = reading.graph;
  for (int k = 0; k < 360; ++k)
    if (const double here = g.evaluate(r, {{phi, k * M_PI / 180}}); !(here > 0))
      reading.fail(*radius.value, fmt::format("the radius of a cam must be greater than 0 all around, but at phi = {} degrees it is {:g}", k, here));
  return {g.mul(r, g.cos(phi)), g.mul(r, g.sin(phi)), phi, 0, 2 * M_PI};
}

// closed ones as polygons; along open ones there and back
void draw_curve(const Curve& curve, Picture::Shape& shape) {
  for (const Vector<2>& p : curve.outline()) shape.points.push_back({p[0], p[1]});
  if (!curve.closed()) shape.points.insert(shape.points.end(), shape.points.rbegin() + 1, shape.points.rend() - 1);
}

template <int D>
std::shared_ptr<const Curve> make_curve(MechanismReading<D>& r, const YamlNode::Entry& entry) {
  Reading& reading = r.reading;
  const Expr phi = reading.graph.variable(fmt::format("phi of the curve at {}", entry.key_offset));
  const CurveFormula formula = entry.key == "cam" ? read_cam(reading, entry, phi) : read_curve(reading, entry, phi);
  try {
    return std::make_shared<Curve>(reading.graph, formula);
  } catch (const std::invalid_argument& error) {
    reading.fail(*entry.value, fmt::format("this {} {}", entry.key, error.what()));
  }
}

// [[x, y, z], ...], or {file, scale}: the points of a mesh
template <int D>
void read_hull(MechanismReading<D>& r, const YamlNode::Entry& entry, Picture::Shape& shape) {
  std::vector<Vector<3>> points;
  if (entry.value->is_map()) {
    const Block block(r.reading, entry, "mechanism.bodies.*.shapes.*.hull");
    const YamlNode::Entry& file = block.require("file");
    const double scale = block.number("scale", 1);
    for (const Vec3& p : mesh_points(*block.text("file"), read_named_file(r.reading, file, "hull"))) points.push_back(scale * p);
    if (points.empty()) r.reading.fail(*file.value, "no points could be read from this file; give an STL, OBJ or Collada mesh");
  } else {
    if (!entry.value->is_sequence() || entry.value->entries.size() < 4)
      r.reading.fail(*entry.value, "a hull is a list of at least four points, like [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], or a {file: part.stl}");
    if constexpr (D == 3)
      for (const auto& item : entry.value->entries) points.push_back(r.vector(item));
  }
  try {
    const Polytope hull = convex_hull(points);
    if (hull.corners.size() > most_hull_corners)
      r.reading.fail(*entry.value, fmt::format("this hull has {} corners, more than {}; give it a coarser mesh", hull.corners.size(), most_hull_corners));
    for (const Vector<3>& corner : hull.corners) shape.points.emplace_back(corner.data(), corner.data() + 3);
    for (const Polytope::Face& face : hull.faces) shape.faces.push_back(face.corners);
  } catch (const std::invalid_argument& error) {
    r.reading.fail(*entry.value, fmt::format("this hull encloses nothing: {}", error.what()));
  }
}

template <int D>
Picture::Shape read_shape(MechanismReading<D>& r, const YamlNode::Entry& entry, const std::string& body, int index) {
  const Block block(r.reading, entry, "mechanism.bodies.*.shapes.*");
  Picture::Shape shape;
  const YamlNode::Entry* size = nullptr;
  for (const ShapeKey& one : shape_keys) {
    const YamlNode::Entry* found = block.find(one.key);
    if (!found) continue;
    if (size)
      r.reading.fail(found->key_offset,
                     fmt::format("a shape is either a {} or a {}; make two of them", size->key, one.key));
    if (one.dimension != 0 && one.dimension != D)
      r.reading.fail(found->key_offset,
                     fmt::format("a {} is a shape in {}; take {}", one.key, one.dimension == 2 ? "the plane" : "space",
                                 D == 2 ? "a box, circle, capsule, polygon, segment, half_plane, curve or cam" : "a box, sphere, capsule, cylinder, half_space or hull"));
    size = found;
    shape.kind = one.kind;
  }
  if (!size)
    r.reading.fail(entry.value->offset, fmt::format("a shape of body {} is a map like {{box: {}}}", quote(body),
                                                    D == 2 ? "[1, 0.1]" : "[1, 0.1, 0.1]"));
  using Kind = Picture::Shape::Kind;
  std::shared_ptr<const Curve> curve;
  switch (shape.kind) {
    case Kind::box:
      shape.size = r.numbers(*size, D, D, D == 2 ? "[1, 0.1]" : "[1, 0.1, 0.1]");
      break;
    case Kind::capsule:
    case Kind::cylinder:
      shape.size = r.numbers(*size, 2, 2, "[length, radius]");
      break;
    case Kind::plane: {
      const Vector<D> normal = r.axis(*size).normalized();
      shape.size.assign(normal.data(), normal.data() + D);
      break;
    }
    case Kind::polygon:
      if (size->key == "curve" || size->key == "cam") {
        curve = make_curve(r, *size);
        draw_curve(*curve, shape);
        break;
      }
      if (size->key == "segment" && (!size->value->is_sequence() || size->value->entries.size() != 2))
        r.reading.fail(*size->value, "a segment is a list of two points, like [[0, 0], [1, 0]]");
      if (size->key == "polygon" && (!size->value->is_sequence() || size->value->entries.size() < 3))
        r.reading.fail(*size->value, "a polygon is a list of at least three points, like [[0, 0], [1, 0], [0, 1]]");
      for (const auto& item : size->value->entries) {
        const Vector<D> p = r.vector(item);
        shape.points.emplace_back(p.data(), p.data() + D);
      }
      break;
    case Kind::hull:
      read_hull(r, *size, shape);
      break;
    default:
      shape.size = {*block.number(size->key)};
  }
  for (double length : shape.size)
    if (!(length > 0) && shape.kind != Kind::plane)
      r.reading.fail(*size->value, fmt::format("the lengths of a {} must be greater than 0", size->key));
  if (const auto* at = block.find("at")) {
    const Vector<D> p = r.vector(*at);
    shape.at.assign(p.data(), p.data() + D);
  }
  if constexpr (D == 2) {
    shape.angle = block.number("angle", 0);
  } else if (const auto* orientation = block.find("orientation")) {
    const Vec4 p = read_orientation(r, *orientation, "mechanism.bodies.*.shapes.*.orientation");
    shape.orientation.assign(p.data(), p.data() + 4);
  }
  if (block.flag("touch", true)) r.shapes[index].push_back({size->key, shape, size->key_offset, curve, block.text("material").value_or("")});
  return shape;
}

}  // namespace

template <int D>
void read_shapes(MechanismReading<D>& r, const Block& block, Picture::Body& drawn, int index) {
  const auto* shapes = block.find("shapes");
  if (!shapes || shapes->value->is_null()) return;
  if (!shapes->value->is_sequence()) r.reading.fail(*shapes->value, "'shapes' is a list, like [{box: [1, 0.1]}]");
  for (const auto& item : shapes->value->entries) drawn.shapes.push_back(read_shape(r, item, drawn.name, index));
}

template void read_shapes<2>(MechanismReading<2>&, const Block&, Picture::Body&, int);
template void read_shapes<3>(MechanismReading<3>&, const Block&, Picture::Body&, int);

}  // namespace escapement
