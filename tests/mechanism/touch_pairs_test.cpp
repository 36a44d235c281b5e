// Every pair of the narrow phase: gaps and normals against searches over both surfaces, exchange, and manifolds.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>
#include <tuple>

#include "model/collision/polytope.hpp"

namespace escapement::touch_pairs_test {
namespace {

using Kind = Solid<3>::Kind;

Solid<3> solid(Kind kind) {
  Solid<3> one;
  one.kind = kind;
  one.radius = 0.3;
  one.half_length = 0.7;
  one.half = {0.5, 0.4, 0.8};
  one.normal = Vector<3>(1, 2, 2) / 3;
  one.corners = {{0.6, 0, -0.3}, {-0.4, 0.5, -0.3}, {-0.4, -0.5, -0.3}, {0.1, 0, 0.7}, {0, 0.1, 0}};
  if (kind == Kind::box || kind == Kind::hull) one.make_polytope();
  return one;
}

// random points of the core, which is what is rounded by `radius`
Vector<3> lowest(const Solid<3>& s, const SolidPlace<3>& at, const Vector<3>& n) {
  const Vector<3> u = at.R.transpose() * n;
  Vector<3> p = Vector<3>::Zero();
  if (s.kind == Kind::capsule) p[2] = u[2] > 0 ? -s.half_length : s.half_length;
  if (s.kind == Kind::cylinder) {
    const double across = std::hypot(u[0], u[1]);
    p = {-s.radius * u[0] / across, -s.radius * u[1] / across, u[2] > 0 ? -s.half_length : s.half_length};
  }
  if (s.kind == Kind::box)
    for (int i = 0; i < 3; ++i) p[i] = u[i] > 0 ? -s.half[i] : s.half[i];
  if (s.kind == Kind::hull) {
    p = s.corners[0];
    for (const Vector<3>& one : s.corners)
      if (u.dot(one) < u.dot(p)) p = one;
  }
  return at.x + at.R * p;
}
double rounding(const Solid<3>& s) { return s.kind == Kind::ball || s.kind == Kind::capsule ? s.radius : 0; }

// how far a direction separates two solids; the distance of two convex ones is the most that any does
double separation(const Solid<3>& a, const SolidPlace<3>& at_a, const Solid<3>& b, const SolidPlace<3>& at_b, const Vector<3>& n) {
  return n.dot(lowest(b, at_b, n)) - n.dot(lowest(a, at_a, Vector<3>(-n))) - rounding(a) - rounding(b);
}

// a point belongs to a convex solid if no direction separates it
void expect_on(const Solid<3>& s, const SolidPlace<3>& at, const Vector<3>& p) {
  std::mt19937 random(1);
  std::normal_distribution<> normal;
  for (int k = 0; k < 300; ++k) {
    const Vector<3> n = Vector<3>(normal(random), normal(random), normal(random)).normalized();
    EXPECT_GE(n.dot(p) - n.dot(lowest(s, at, n)) + rounding(s), -1e-12);
  }
}

SolidPlace<3> place(std::mt19937& random, double spread) {
  std::normal_distribution<> normal;
  const Eigen::Quaterniond q = Eigen::Quaterniond(normal(random), normal(random), normal(random), normal(random)).normalized();
  return {spread * Vector<3>(normal(random), normal(random), normal(random)), q.toRotationMatrix()};
}

// none: endlessly far
TouchPoint<3> nearest(const std::vector<TouchPoint<3>>& points) {
  TouchPoint<3> least;
  least.gap = INFINITY;
  for (const auto& one : points)
    if (one.gap < least.gap) least = one;
  return least;
}

const std::pair<Kind, Kind> rounded[] = {{Kind::ball, Kind::capsule}, {Kind::ball, Kind::cylinder}, {Kind::ball, Kind::box},
                                         {Kind::ball, Kind::hull},    {Kind::capsule, Kind::capsule}, {Kind::capsule, Kind::box},
                                         {Kind::capsule, Kind::hull}};

// the gap of two solids that are apart is realised by two of their points, and no pair is nearer: the normal separates them by it
TEST(TouchPairs, GapsOfRoundedSolidsAreDistances) {
  std::mt19937 random(7);
  for (const auto& [a, b] : rounded) {
    const Solid<3> one = solid(a), other = solid(b);
    int apart = 0;
    for (int k = 0; k < 40; ++k) {
      const SolidPlace<3> at_a = place(random, 0.4), at_b = place(random, 1);
      std::vector<TouchPoint<3>> points;
      touch_function<3>(a, b)(one, at_a, other, at_b, 10, points);
      const TouchPoint<3> least = nearest(points);
      if (least.gap < 0) continue;
      ++apart;
      SCOPED_TRACE(std::to_string(int(a)) + " " + std::to_string(int(b)) + " " + std::to_string(k));
      EXPECT_NEAR(least.gap, separation(one, at_a, other, at_b, least.normal), 1e-12);
      expect_on(one, at_a, least.point - 0.5 * least.gap * least.normal);
      expect_on(other, at_b, least.point + 0.5 * least.gap * least.normal);
    }
    EXPECT_GT(apart, 5);
  }
}

// brought together along a line, boxes and hulls touch where a direction just separates them
TEST(TouchPairs, SharpSolidsTouchWhereTheyDo) {
  std::mt19937 random(11);
  const std::pair<Kind, Kind> sharp[] = {{Kind::box, Kind::box}, {Kind::box, Kind::hull}, {Kind::hull, Kind::hull}};
  for (const auto& [a, b] : sharp) {
    const Solid<3> one = solid(a), other = solid(b);
    for (int k = 0; k < 60; ++k) {
      SCOPED_TRACE(std::to_string(int(a)) + " " + std::to_string(int(b)) + " " + std::to_string(k));
      const SolidPlace<3> at_a = place(random, 0.2);
      SolidPlace<3> at_b = place(random, 1);
      const Vector<3> way = (at_b.x - at_a.x).normalized();
      double near = 0, far = 5;
      std::vector<TouchPoint<3>> points;
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (near + far);
        at_b.x = at_a.x + middle * way;
        points.clear();
        touch_function<3>(a, b)(one, at_a, other, at_b, 10, points);
        (nearest(points).gap > 0 ? far : near) = middle;
      }
      at_b.x = at_a.x + near * way;
      points.clear();
      touch_function<3>(a, b)(one, at_a, other, at_b, 10, points);
      const TouchPoint<3> least = nearest(points);
      EXPECT_NEAR(least.gap, 0, 1e-12);
      expect_on(one, at_a, least.point);
      expect_on(other, at_b, least.point);
      // nearly parallel faces are taken for parallel: two degrees
      EXPECT_GE(separation(one, at_a, other, at_b, least.normal), -0.04);
    }
  }
}

TEST(TouchPairs, ExchangeTurnsNormalsAlone) {
  std::mt19937 random(3);
  const Kind kinds[] = {Kind::ball, Kind::plane, Kind::box, Kind::capsule, Kind::cylinder, Kind::hull};
  for (Kind a : kinds)
    for (Kind b : kinds) {
      const auto touch = touch_function<3>(a, b), back = touch_function<3>(b, a);
      ASSERT_EQ(touch == nullptr, back == nullptr);
      if (!touch) continue;
      const Solid<3> one = solid(a), other = solid(b);
      for (int k = 0; k < 20; ++k) {
        const SolidPlace<3> at_a = place(random, 0.2), at_b = place(random, 0.8);
        std::vector<TouchPoint<3>> there, here;
        touch(one, at_a, other, at_b, 0.1, there);
        back(other, at_b, one, at_a, 0.1, here);
        ASSERT_EQ(there.size(), here.size()) << int(a) << " " << int(b);
        const auto order = [](const auto& p, const auto& q) { return p.gap < q.gap; };
        std::sort(there.begin(), there.end(), order);
        std::sort(here.begin(), here.end(), order);
        for (std::size_t i = 0; i < there.size(); ++i) EXPECT_NEAR(there[i].gap, here[i].gap, 1e-12);
        if (there.size() == 1) EXPECT_LT((there[0].normal + here[0].normal).norm(), 1e-9);
      }
    }
}

// Apart, cylinders touch others where two of their points are as far from each other as a direction separates the solids: no pair is
// nearer. Faces within two degrees of each other are taken for parallel, and have several points
TEST(TouchPairs, CylindersAreApartByTheirDistance) {
  std::mt19937 random(7);
  for (const Kind b : {Kind::capsule, Kind::box, Kind::hull, Kind::cylinder}) {
    const Solid<3> one = solid(Kind::cylinder), other = solid(b);
    int apart = 0, faces = 0;
    for (int k = 0; k < 100; ++k) {
      SCOPED_TRACE(std::to_string(int(b)) + " " + std::to_string(k));
      const SolidPlace<3> at_a = place(random, 0.4), at_b = place(random, 1);
      std::vector<TouchPoint<3>> points;
      touch_function<3>(Kind::cylinder, b)(one, at_a, other, at_b, 10, points);
      const TouchPoint<3> least = nearest(points);
      if (least.gap < 0) continue;
      ++apart;
      const double separated = separation(one, at_a, other, at_b, least.normal);
      if (points.size() > 1) {
        ++faces;
        EXPECT_NEAR(separated, least.gap, 0.04);
        continue;
      }
      EXPECT_NEAR(separated, least.gap, 1e-12);
      for (const auto& [is, at, p] : {std::tuple(&one, &at_a, Vector<3>(least.point - 0.5 * least.gap * least.normal)), std::tuple(&other, &at_b, Vector<3>(least.point + 0.5 * least.gap * least.normal))}) {
        std::normal_distribution<> normal;
        for (int i = 0; i < 300; ++i) {
          const Vector<3> n = Vector<3>(normal(random), normal(random), normal(random)).normalized();
          EXPECT_GE(n.dot(p) - n.dot(lowest(*is, *at, n)) + rounding(*is), -1e-12);
        }
      }
    }
    EXPECT_GT(apart, 50);
    EXPECT_LT(faces, 10);
  }
}

// standing, lying and leaning: which points there are
TEST(TouchPairs, CylindersStandOnCapsAndLieOnTheirSides) {
  const Solid<3> can = solid(Kind::cylinder), box = solid(Kind::box), capsule = solid(Kind::capsule);
  const Rotation<3> upright = Rotation<3>::Identity(), lying = Eigen::AngleAxisd(M_PI / 2, Eigen::Vector3d::UnitX()).toRotationMatrix();
  const auto touching = [&](const Solid<3>& a, const Solid<3>& b, const Vector<3>& x, const Rotation<3>& R) {
    std::vector<TouchPoint<3>> points;
    touch_function<3>(a.kind, b.kind)(a, {Vector<3>::Zero(), upright}, b, {x, R}, 0.01, points);
    for (const auto& one : points) EXPECT_NEAR(one.gap, 0, 1e-12);
    return points;
  };
  const auto on_box = touching(box, can, {0, 0, 1.5}, upright);
  EXPECT_EQ(on_box.size(), 4u);
  for (const auto& one : on_box) EXPECT_NEAR(std::hypot(one.point[0], one.point[1]), 0.3, 1e-12);
  EXPECT_EQ(touching(can, box, {0, 0, 1.5}, upright).size(), 4u);
  // over the corner of the box: the corner, where its sides leave the cap, and what of the rim is over it
  const auto over_corner = touching(box, can, {0.45, 0.3, 1.5}, upright);
  EXPECT_EQ(over_corner.size(), 5u);
  for (const auto& one : over_corner) {
    EXPECT_LE(one.point[0], 0.5 + 1e-12);
    EXPECT_LE(one.point[1], 0.4 + 1e-12);
    EXPECT_LE(std::hypot(one.point[0] - 0.45, one.point[1] - 0.3), 0.3 + 1e-12);
  }
  const auto lies = touching(box, can, {0, 0, 1.1}, lying);  // longer than the box is broad
  ASSERT_EQ(lies.size(), 2u);
  EXPECT_NEAR(std::abs(lies[0].point[1] - lies[1].point[1]), 0.8, 1e-12);
  EXPECT_EQ(touching(can, can, {0.2, 0, 1.4}, upright).size(), 4u);        // two of the rims' points, and where the rims cross
  const auto beside = touching(can, can, {0.6, 0, 0.3}, upright);
  ASSERT_EQ(beside.size(), 2u);
  EXPECT_NEAR(std::abs(beside[0].point[2] - beside[1].point[2]), 1.1, 1e-12);
  EXPECT_EQ(touching(can, can, {0.6, 0, 0.3}, lying).size(), 1u);
  EXPECT_EQ(touching(can, capsule, {0.1, 0, 1}, lying).size(), 2u);
  EXPECT_EQ(touching(can, capsule, {0.6, 0, 0.2}, upright).size(), 2u);
}

// a box on a box has four points, and the same four when it is pushed a little
TEST(TouchPairs, ABoxOnABoxKeepsItsFourPoints) {
  const Solid<3> box = solid(Kind::box);
  std::vector<std::uint32_t> features;
  for (int k = 0; k < 50; ++k) {
    const SolidPlace<3> below{Vector<3>::Zero(), Rotation<3>::Identity()};
    const Eigen::AngleAxisd turn(1e-3 * std::sin(k), Vector<3>(1, 0.3 * k, 2).normalized());
    const SolidPlace<3> above{Vector<3>(0.1 + 1e-4 * k, 0.05, 1.6 + 1e-9 * k), turn.toRotationMatrix()};
    std::vector<TouchPoint<3>> points;
    touch_function<3>(Kind::box, Kind::box)(box, below, box, above, 0.01, points);
    ASSERT_EQ(points.size(), 4u) << k;
    std::vector<std::uint32_t> here;
    for (const auto& one : points) {
      here.push_back(one.feature);
      EXPECT_GT(one.normal[2], 0.999);
      EXPECT_NEAR(one.point[2], 0.8, 2e-3);
    }
    if (k == 0) features = here;
    EXPECT_EQ(here, features) << k;
  }
}

TEST(TouchPairs, AHullHasFacesAndEdgesOfItsCorners) {
  std::vector<Vector<3>> points;
  for (int k = 0; k < 8; ++k) points.emplace_back(k & 1, k >> 1 & 1, k >> 2 & 1);
  points.emplace_back(0.5, 0.5, 0.5);
  points.emplace_back(0.5, 0.5, 1);
  const Polytope cube = convex_hull(points);
  EXPECT_EQ(cube.faces.size(), 6u);
  EXPECT_EQ(cube.edges.size(), 12u);
  EXPECT_EQ(cube.directions.size(), 3u);
  EXPECT_EQ(cube.corners.size(), 8u);
  EXPECT_THROW(convex_hull({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}), std::invalid_argument);
}

// polygons in the plane: the gap is what its normal separates them by, and no direction separates them more
TEST(TouchPairs, PolygonsInThePlane) {
  using Kind2 = Solid<2>::Kind;
  const auto flat = [](Kind2 kind) {
    Solid<2> one;
    one.kind = kind;
    one.radius = 0.3;
    one.half_length = 0.7;
    one.half = {0.5, 0.4};
    one.corners = {{0.6, 0}, {0, 0.5}, {-0.4, -0.5}};
    return one;
  };
  const auto corners = [](const Solid<2>& s, const SolidPlace<2>& at) {
    std::vector<Vector<2>> all;
    if (s.kind == Kind2::ball) all = {{0, 0}};
    if (s.kind == Kind2::capsule) all = {{-s.half_length, 0}, {s.half_length, 0}};
    if (s.kind == Kind2::box) all = {{s.half[0], s.half[1]}, {-s.half[0], s.half[1]}, {s.half[0], -s.half[1]}, {-s.half[0], -s.half[1]}};
    if (s.kind == Kind2::hull) all = s.corners;
    for (Vector<2>& p : all) p = at.x + at.R * p;
    return all;
  };
  std::mt19937 random(5);
  std::uniform_real_distribution<> uniform(-1, 1);
  for (Kind2 a : {Kind2::ball, Kind2::box, Kind2::capsule, Kind2::hull})
    for (Kind2 b : {Kind2::box, Kind2::capsule, Kind2::hull}) {
      const Solid<2> one = flat(a), other = flat(b);
      const bool round_a = a == Kind2::ball || a == Kind2::capsule, round_b = b == Kind2::capsule;
      for (int k = 0; k < 40; ++k) {
        const auto placed = [&](double spread) {
          return SolidPlace<2>{spread * Vector<2>(uniform(random), uniform(random)), Eigen::Rotation2Dd(3 * uniform(random)).toRotationMatrix()};
        };
        const SolidPlace<2> at_a = placed(0.1), at_b = placed(2);
        const auto separated = [&](const Vector<2>& n) {
          double low = INFINITY, high = -INFINITY;
          for (const Vector<2>& p : corners(other, at_b)) low = std::min(low, n.dot(p));
          for (const Vector<2>& p : corners(one, at_a)) high = std::max(high, n.dot(p));
          return low - high - (round_a ? 0.3 : 0) - (round_b ? 0.3 : 0);
        };
        double most = -INFINITY;
        for (int i = 0; i < 2000; ++i) most = std::max(most, separated({std::cos(M_PI * i / 1000), std::sin(M_PI * i / 1000)}));
        std::vector<TouchPoint<2>> points;
        touch_function<2>(a, b)(one, at_a, other, at_b, 10, points);
        TouchPoint<2> least = points[0];
        for (const auto& p : points)
          if (p.gap < least.gap) least = p;
        if (most <= 0) continue;
        EXPECT_GT(least.gap, 0);
        if (!round_a && !round_b) continue;  // corners that face each other are counted by their faces: nearer than they are
        EXPECT_GE(least.gap, most - 1e-3);   // what the search sees
        EXPECT_NEAR(least.gap, separated(least.normal), 1e-12);
      }
    }
}

}  // namespace
}  // namespace escapement
