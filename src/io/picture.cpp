#include "io/picture.hpp"

#include <utility>

namespace escapement {

namespace {

Picture::Primitive::Kind kind_of(const Drawing::Shape& shape) {
  switch (shape.kind) {
    case Drawing::Shape::Kind::point:
      return Picture::Primitive::Kind::point;
    case Drawing::Shape::Kind::segment:
      return Picture::Primitive::Kind::segment;
    case Drawing::Shape::Kind::circle:
      return Picture::Primitive::Kind::circle;
    case Drawing::Shape::Kind::polyline:
      break;
  }
  return shape.closed ? Picture::Primitive::Kind::polygon : Picture::Primitive::Kind::polyline;
}

}  // namespace

Picture make_picture(const Drawing& drawing, Picture scene) {
  Picture picture = std::move(scene);
  if (drawing.shapes.empty()) return picture;
  if (picture.bodies.empty()) picture.dimension = drawing.dimension;
  for (int i = 0; i < drawing.values.size(); ++i) picture.columns.push_back("drawing/" + std::to_string(i));
  picture.evaluate = [values = drawing.values](const State& s, double* out) mutable { values.evaluate(s, out); };
  for (const Drawing::Shape& shape : drawing.shapes) {
    Picture::Primitive primitive{shape.name, kind_of(shape), {}, {}};
    int next = shape.first;
    for (int k = 0; k < shape.points; ++k) {
      Picture::Point& point = primitive.points.emplace_back();
      for (int i = 0; i < drawing.dimension; ++i) point.emplace_back(picture.columns[next++]);
    }
    if (shape.kind == Drawing::Shape::Kind::circle) primitive.radius = picture.columns[next];
    picture.primitives.push_back(std::move(primitive));
  }
  return picture;
}

}  // namespace escapement
