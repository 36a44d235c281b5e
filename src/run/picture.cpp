#include "run/picture.hpp"

#include <algorithm>
#include <utility>

namespace escapement::inline run {

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

void Picture::add_columns(const std::vector<std::string>& paths, std::function<void(const State&, double*)> values) {
  evaluate = [before = std::move(evaluate), first = columns.size(), values = std::move(values)](const State& s, double* out) {
    if (before) before(s, out);
    values(s, out + first);
  };
  columns.insert(columns.end(), paths.begin(), paths.end());
}

Picture make_picture(const Drawing& drawing, Picture scene) {
  Picture picture = std::move(scene);
  if (drawing.shapes.empty()) return picture;
  if (picture.bodies.empty()) picture.dimension = drawing.dimension;
  const std::size_t first = picture.columns.size();
  std::vector<std::string> paths;
  for (int i = 0; i < drawing.values.size(); ++i) paths.push_back("drawing/" + std::to_string(i));
  picture.add_columns(paths, [values = drawing.values](const State& s, double* out) mutable { values.evaluate(s, out); });
  for (const Drawing::Shape& shape : drawing.shapes) {
    Picture::Primitive primitive{shape.name, kind_of(shape), {}};
    int next = shape.first;
    for (int k = 0; k < shape.points; ++k) {
      Picture::Point& point = primitive.points.emplace_back();
      for (int i = 0; i < drawing.dimension; ++i) point.emplace_back(picture.columns[first + static_cast<std::size_t>(next++)]);
    }
    if (shape.kind == Drawing::Shape::Kind::circle) primitive.radius = picture.columns[first + static_cast<std::size_t>(next)];
    picture.primitives.push_back(std::move(primitive));
  }
  return picture;
}

Picture with_fewer_bodies(const Picture& picture, std::size_t most) {
  Picture fewer = picture;
  const std::size_t stride = (picture.bodies.size() + most - 1) / most;
  if (stride <= 1) return fewer;
  fewer.every = static_cast<int>(stride);
  fewer.bodies.clear();
  for (std::size_t i = 0; i < picture.bodies.size(); i += stride) fewer.bodies.push_back(picture.bodies[i]);
  const auto left_out = [&](int body) { return body >= 0 && body % fewer.every != 0; };
  for (auto* joints : {&fewer.joints, &fewer.links}) {
    std::erase_if(*joints, [&](const Picture::Joint& joint) { return std::ranges::any_of(joint.bodies, left_out); });
    for (Picture::Joint& joint : *joints)
      for (int& body : joint.bodies)
        if (body >= 0) body /= fewer.every;
  }
  return fewer;
}

}  // namespace escapement
