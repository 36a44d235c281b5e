#include "io/shape_distance.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "math/rotation.hpp"

namespace escapement::inline io {

namespace {

// the point in the shape's own frame
Vec3 in_shape(const Picture::Shape& shape, const std::vector<double>& point) {
  Vec3 p = Vec3::Zero(), at = Vec3::Zero();
  std::copy(point.begin(), point.end(), p.data());
  std::copy(shape.at.begin(), shape.at.end(), at.data());
  p -= at;
  if (!shape.orientation.empty()) return rotation_matrix(Vec4(shape.orientation.data())).transpose() * p;
  const double c = std::cos(shape.angle), s = std::sin(shape.angle);
  return {c * p[0] + s * p[1], -s * p[0] + c * p[1], p[2]};
}

double to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double length = along.squaredNorm(), part = length > 0 ? std::clamp((p - a).dot(along) / length, 0.0, 1.0) : 0;
  return (p - a - part * along).norm();
}

double to_polygon(const Vec3& p, const std::vector<std::vector<double>>& corners) {
  bool inside = false;
  double nearest = INFINITY;
  for (std::size_t i = 0, k = corners.size() - 1; i < corners.size(); k = i++) {
    const Vec3 a(corners[k][0], corners[k][1], 0), b(corners[i][0], corners[i][1], 0);
    if ((a[1] > p[1]) != (b[1] > p[1]) && p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])) inside = !inside;
    nearest = std::min(nearest, to_segment(p, a, b));
  }
  return inside ? 0 : nearest;
}

}  // namespace

double distance_to(const Picture::Shape& shape, const std::vector<double>& point) {
  using Kind = Picture::Shape::Kind;
  const Vec3 p = in_shape(shape, point);
  const bool planar = point.size() == 2;
  switch (shape.kind) {
    case Kind::box: {
      Vec3 off = Vec3::Zero();
      for (std::size_t i = 0; i < shape.size.size(); ++i)
        off[static_cast<int>(i)] = std::max(0.0, std::abs(p[static_cast<int>(i)]) - shape.size[i] / 2);
      return off.norm();
    }
    case Kind::circle:
    case Kind::sphere:
      return std::max(0.0, p.norm() - shape.size[0]);
    case Kind::capsule: {
      const Vec3 end = (planar ? Vec3(Vec3::UnitX()) : Vec3(Vec3::UnitZ())) * (shape.size[0] / 2);
      return std::max(0.0, to_segment(p, -end, end) - shape.size[1]);
    }
    case Kind::cylinder:
      return std::hypot(std::max(0.0, std::abs(p[2]) - shape.size[0] / 2),
                        std::max(0.0, std::hypot(p[0], p[1]) - shape.size[1]));
    case Kind::polygon:
      return to_polygon(p, shape.points);
    case Kind::hull: {
      // inside where it lies behind every face; else the nearest face tells enough for a warning
      double out = 0;
      for (const std::vector<int>& face : shape.faces) {
        const auto corner = [&](std::size_t k) { return Vec3(shape.points[static_cast<std::size_t>(face[k])].data()); };
        const Vec3 n = (corner(1) - corner(0)).cross(corner(2) - corner(0)).normalized();
        out = std::max(out, n.dot(p - corner(0)));
      }
      return out;
    }
    case Kind::plane:
      break;
  }
  return 0;
}

double size_of(const Picture::Shape& shape) {
  double size = 0;
  for (double length : shape.size) size = std::max(size, length);
  for (const auto& corner : shape.points)
    for (double x : corner) size = std::max(size, 2 * std::abs(x));
  return size;
}

}  // namespace escapement
