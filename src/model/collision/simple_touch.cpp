#include "model/collision/simple_touch.hpp"

#include <cmath>

namespace escapement {

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

template void touch_balls<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_balls<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);
template void touch_plane_ball<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_plane_ball<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);
template void touch_plane_box<2>(const Solid<2>&, const SolidPlace<2>&, const Solid<2>&, const SolidPlace<2>&, double, std::vector<TouchPoint<2>>&);
template void touch_plane_box<3>(const Solid<3>&, const SolidPlace<3>&, const Solid<3>&, const SolidPlace<3>&, double, std::vector<TouchPoint<3>>&);

}  // namespace escapement
