#include "model/collision/simple_touch.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline model {

namespace {

// a ball of this radius about a centre over a plane; a corner has radius 0
template <int D>
void touch_plane(const Vector<D>& n, const SolidPlace<D>& plane, const Vector<D>& centre, double radius, std::uint32_t feature,
                 double margin, std::vector<TouchPoint<D>>& points) {
  const double gap = n.dot(centre - plane.x) - radius;
  if (gap <= margin) points.push_back({feature, centre - (radius + 0.5 * gap) * n, n, gap});
}

}  // namespace

template <int D>
void touch_balls(const Solid<D>& a, const SolidPlace<D>& at_a, const Solid<D>& b, const SolidPlace<D>& at_b, double margin,
                 std::vector<TouchPoint<D>>& points) {
  const Vector<D> d = at_b.x - at_a.x;
  const double square = d.squaredNorm(), apart = a.radius + b.radius + margin;
  if (square > apart * apart) return;
  const double length = std::sqrt(square);
  const Vector<D> n = length > 0 ? Vector<D>(d / length) : Vector<D>(Vector<D>::Unit(D - 1));  // concentric: any way out is as good
  const double gap = length - a.radius - b.radius;
  points.push_back({0, at_a.x + (a.radius + 0.5 * gap) * n, n, gap});
}

template <int D>
void touch_plane_ball(const Solid<D>& plane, const SolidPlace<D>& at_plane, const Solid<D>& ball, const SolidPlace<D>& at_ball,
                      double margin, std::vector<TouchPoint<D>>& points) {
  touch_plane<D>(at_plane.R * plane.normal, at_plane, at_ball.x, ball.radius, 0, margin, points);
}

template <int D>
void touch_plane_box(const Solid<D>& plane, const SolidPlace<D>& at_plane, const Solid<D>& box, const SolidPlace<D>& at_box,
                     double margin, std::vector<TouchPoint<D>>& points) {
  const Vector<D> n = at_plane.R * plane.normal;
  for (std::uint32_t k = 0; k < (1u << D); ++k) {
    Vector<D> corner = at_box.x;
    for (int i = 0; i < D; ++i) corner += (k >> i & 1 ? box.half[i] : -box.half[i]) * at_box.R.col(i);
    touch_plane<D>(n, at_plane, corner, 0, k, margin, points);
  }
}

template <int D>
void touch_plane_capsule(const Solid<D>& plane, const SolidPlace<D>& at_plane, const Solid<D>& capsule, const SolidPlace<D>& at_capsule,
                         double margin, std::vector<TouchPoint<D>>& points) {
  const Vector<D> n = at_plane.R * plane.normal, half = capsule.half_length * at_capsule.R.col(D == 2 ? 0 : 2);
  touch_plane<D>(n, at_plane, at_capsule.x - half, capsule.radius, 0, margin, points);
  touch_plane<D>(n, at_plane, at_capsule.x + half, capsule.radius, 1, margin, points);
}

template <int D>
void touch_plane_hull(const Solid<D>& plane, const SolidPlace<D>& at_plane, const Solid<D>& hull, const SolidPlace<D>& at_hull,
                      double margin, std::vector<TouchPoint<D>>& points) {
  const Vector<D> n = at_plane.R * plane.normal;
  for (std::size_t k = 0; k < hull.corners.size(); ++k)
    touch_plane<D>(n, at_plane, at_hull.x + at_hull.R * hull.corners[k], 0, static_cast<std::uint32_t>(k), margin, points);
}

void touch_plane_cylinder(const Solid<3>& plane, const SolidPlace<3>& at_plane, const Solid<3>& cylinder, const SolidPlace<3>& at_cylinder,
                          double margin, std::vector<TouchPoint<3>>& points) {
  const Vector<3> n = at_plane.R * plane.normal, axis = at_cylinder.R.col(2);
  Vector<3> down = axis.dot(n) * axis - n;  // along the rim's plane
  // upright, all of the rim is as low: the points stay where they are in the cylinder
  const double tilt = down.norm();
  down = tilt > little::upright ? Vector<3>(down / tilt) : Vector<3>(at_cylinder.R.col(0));
  const Vector<3> side = axis.cross(down);
  std::uint32_t feature = 0;
  for (double end : {-1.0, 1.0})
    for (const Vector<3>& way : {down, side, Vector<3>(-down), Vector<3>(-side)})
      touch_plane<3>(n, at_plane, at_cylinder.x + end * cylinder.half_length * axis + cylinder.radius * way, 0, feature++, margin, points);
}

template void touch_balls<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_balls<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);
template void touch_plane_ball<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_plane_ball<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);
template void touch_plane_box<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_plane_box<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);

template void touch_plane_capsule<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_plane_capsule<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);
template void touch_plane_hull<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_plane_hull<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);

}  // namespace escapement
