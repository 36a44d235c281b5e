#include "io/picture_reader.hpp"

#include <algorithm>
#include <cstring>

namespace escapement::inline io {

namespace {

struct PictureShapeKey {
  const char* key;
  Drawing::Shape::Kind kind;
};
constexpr PictureShapeKey picture_shape_keys[] = {{"point", Drawing::Shape::Kind::point},
                                   {"segment", Drawing::Shape::Kind::segment},
                                   {"circle", Drawing::Shape::Kind::circle},
                                   {"polyline", Drawing::Shape::Kind::polyline}};

using Point = std::vector<Expr>;

Point read_point(Reading& reading, const YamlNode::Entry& entry) {
  if (!entry.value->is_sequence() || entry.value->entries.size() < 2 || entry.value->entries.size() > 3)
    reading.fail(entry.value->is_null() ? entry.key_offset : entry.value->offset,
                 "a point is a list of two or three expressions, like [x, y]");
  Point point;
  for (const auto& item : entry.value->entries) point.push_back(reading.expression(item, reading.states));
  return point;
}

struct DrawnShape {
  Drawing::Shape shape;
  std::vector<Point> points;
  Expr radius{};
};

DrawnShape read_shape(Reading& reading, const YamlNode::Entry& entry) {
  const Block block(reading, entry, "model.drawing.*");
  DrawnShape drawn;
  drawn.shape.name = entry.key;
  const YamlNode::Entry* points = nullptr;
  for (const auto& found : block.entries())
    for (const auto& [key, kind] : picture_shape_keys) {
      if (found.key != key) continue;
      if (points)
        reading.fail(found.key_offset, fmt::format("the shape {} already is a {}; draw a second shape for the {}",
                                                   quote(entry.key), points->key, key));
      points = &found;
      drawn.shape.kind = kind;
    }
  if (!points)
    reading.fail(entry.key_offset,
                 fmt::format("the shape {} must be a point, segment, circle or polyline", quote(entry.key)));

  const bool single =
      drawn.shape.kind == Drawing::Shape::Kind::point || drawn.shape.kind == Drawing::Shape::Kind::circle;
  if (single) {
    drawn.points.push_back(read_point(reading, *points));
  } else {
    if (!points->value->is_sequence())
      reading.fail(*points->value, fmt::format("a {} is a list of points, like [[0, 0], [x, y]]", points->key));
    for (const auto& item : points->value->entries) drawn.points.push_back(read_point(reading, item));
    const bool segment = drawn.shape.kind == Drawing::Shape::Kind::segment;
    if (segment ? drawn.points.size() != 2 : drawn.points.size() < 2)
      reading.fail(*points->value,
                   fmt::format("a {} has {} points, but {} given", points->key, segment ? "two" : "at least two",
                               drawn.points.size() == 1 ? "one is" : fmt::format("{} are", drawn.points.size())));
  }
  drawn.shape.points = static_cast<int>(drawn.points.size());

  const YamlNode::Entry* radius = block.find("radius");
  const bool circle = drawn.shape.kind == Drawing::Shape::Kind::circle;
  if (circle && !radius) reading.fail(points->key_offset, "a circle needs a 'radius'; add one");
  if (!circle && radius) reading.fail(radius->key_offset, "only a circle has a 'radius'; remove it");
  if (radius) {
    drawn.radius = reading.expression(*radius, reading.states);
    if (reading.graph.is_constant(drawn.radius))
      check_range(*find_key("model.drawing.*", "radius"), reading.graph.value(drawn.radius),
                  [&](const std::string& message) { reading.fail(*radius->value, message); });
  }
  drawn.shape.closed = block.flag("closed", false);
  if (drawn.shape.closed && drawn.shape.kind != Drawing::Shape::Kind::polyline)
    reading.fail(block.find("closed")->key_offset, "only a polyline can be 'closed'; remove it");
  return drawn;
}

}  // namespace

void read_outputs(Reading& reading, const Block& top, Model& model) {
  std::vector<Expr> outputs;
  for (const auto& entry : top.named("outputs")) {
    reading.check_name(entry.key, "output", entry.key_offset);
    const char* owner = reading.what_is(entry.key);
    if (owner && std::strcmp(owner, "coordinate") == 0)
      reading.fail(entry.key_offset,
                   fmt::format("the output {} has the name of a coordinate, which is recorded anyway; rename it",
                               quote(entry.key)));
    model.output_names.push_back(entry.key);
    if (entry.value->is_map()) {
      const Block block(reading, entry, "model.outputs.*");
      outputs.push_back(reading.expression(block.require("value"), reading.outcomes));
      model.output_units.push_back(block.text("unit").value_or(""));
    } else {
      outputs.push_back(reading.expression(entry, reading.outcomes));
      model.output_units.emplace_back();
    }
  }
  model.outputs = StateFunction(reading.shared_graph, reading.outcome_inputs, outputs, reading.outcome_source);
}

void read_drawing(Reading& reading, const Block& top, Model& model) {
  std::vector<DrawnShape> shapes;
  for (const auto& entry : top.named("drawing")) shapes.push_back(read_shape(reading, entry));
  Drawing& drawing = model.drawing;
  for (const DrawnShape& drawn : shapes)
    for (const Point& point : drawn.points)
      drawing.dimension = std::max(drawing.dimension, static_cast<int>(point.size()));

  std::vector<Expr> values;
  for (DrawnShape& drawn : shapes) {
    drawn.shape.first = static_cast<int>(values.size());
    for (Point& point : drawn.points) {
      point.resize(static_cast<std::size_t>(drawing.dimension));  // a plane figure in space lies at z = 0
      values.insert(values.end(), point.begin(), point.end());
    }
    if (drawn.shape.kind == Drawing::Shape::Kind::circle) values.push_back(drawn.radius);
    drawing.shapes.push_back(drawn.shape);
  }
  drawing.values = StateFunction(reading.shared_graph, reading.inputs, values, reading.state_inputs);
}

}  // namespace escapement
