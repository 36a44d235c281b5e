#include "model/collision/touch.hpp"

#include <gtest/gtest.h>

namespace escapement::touch_test {
namespace {

using Kind = Solid<3>::Kind;

Solid<3> ball(double radius) {
  Solid<3> solid;
  solid.radius = radius;
  return solid;
}

Solid<3> plane(const Vector<3>& normal) {
  Solid<3> solid;
  solid.kind = Kind::plane;
  solid.normal = normal.normalized();
  return solid;
}

SolidPlace<3> at(double x, double y, double z) { return {Vector<3>(x, y, z), Rotation<3>::Identity()}; }

std::vector<TouchPoint<3>> points_of(const Solid<3>& a, const SolidPlace<3>& at_a, const Solid<3>& b, const SolidPlace<3>& at_b, double margin) {
  std::vector<TouchPoint<3>> points;
  touch_function<3>(a.kind, b.kind)(a, at_a, b, at_b, margin, points);
  return points;
}

TEST(Touch, BallsTouchMidwayBetweenTheirSurfaces) {
  const auto points = points_of(ball(1), at(0, 0, 0), ball(2), at(0, 0, 3.5), 0.6);
  ASSERT_EQ(points.size(), 1u);
  EXPECT_DOUBLE_EQ(points[0].gap, 0.5);
  EXPECT_EQ(points[0].point, Vector<3>(0, 0, 1.25));
  EXPECT_EQ(points[0].normal, Vector<3>(0, 0, 1));
  EXPECT_TRUE(points_of(ball(1), at(0, 0, 0), ball(2), at(0, 0, 3.5), 0.4).empty());
}

TEST(Touch, ExchangingAPairTurnsItsNormalAlone) {
  const Vector<3> n(1, 2, 2);
  Solid<3> box;
  box.kind = Kind::box;
  box.half = Vector<3>(1, 2, 3);
  for (const Solid<3>& one : {ball(0.5), box}) {
    const auto there = points_of(plane(n), at(0, 0, 0), one, at(0.1, 0.2, 0.3), 1e3), back = points_of(one, at(0.1, 0.2, 0.3), plane(n), at(0, 0, 0), 1e3);
    ASSERT_EQ(there.size(), one.kind == Kind::box ? 8u : 1u);
    ASSERT_EQ(there.size(), back.size());
    for (std::size_t k = 0; k < there.size(); ++k) {
      EXPECT_EQ(there[k].feature, back[k].feature);
      EXPECT_EQ(there[k].gap, back[k].gap);
      EXPECT_EQ(there[k].point, back[k].point);
      EXPECT_EQ(there[k].normal, Vector<3>(-back[k].normal));
    }
  }
}

TEST(Touch, ABoxTouchesAPlaneByTheCornersThatAreNear) {
  Solid<3> box;
  box.kind = Kind::box;
  box.half = Vector<3>(1, 1, 0.5);
  const auto points = points_of(plane({0, 0, 1}), at(0, 0, 0), box, at(4, 0, 0.6), 0.2);
  ASSERT_EQ(points.size(), 4u);
  for (std::uint32_t k = 0; k < 4; ++k) {
    EXPECT_EQ(points[k].feature, k);
    EXPECT_NEAR(points[k].gap, 0.1, 1e-15);
    EXPECT_NEAR(points[k].point[0], k & 1 ? 5 : 3, 1e-15);
    EXPECT_NEAR(points[k].point[2], 0.05, 1e-15);
  }
}

}  // namespace
}  // namespace escapement
