// Every joint at all three levels, with all derivatives, against differences; and what each joint allows.
#include <gtest/gtest.h>

#include "model/mechanism.hpp"
#include "support/derivative_check.hpp"

namespace escapement::joint_test {
namespace {

using testing::DerivativeCheck;
using testing::random_state;

Body<2> planar_body(const std::string& name, double x, double y, double angle) {
  return {name, 1.3, Turn<2>(0.4), make_pose(Vector<2>(x, y), angle)};
}
Body<3> spatial_body(const std::string& name, const Vector<3>& x, const Vec4& orientation) {
  Turn<3> J;
  J << 0.5, 0.05, 0.02, 0.05, 0.7, -0.03, 0.02, -0.03, 0.9;
  return {name, 1.3, J, make_pose(x, orientation)};
}

// ground - a - b, with the joint under test between a and b and one more between ground and a
struct Planar {
  Mechanism<2> m{Vector<2>(0, -9.81)};
  int a = m.add(planar_body("a", 0.3, 0.1, 0.4)), b = m.add(planar_body("b", 1.1, -0.4, -1.2));
};
struct Spatial {
  Mechanism<3> m{Vector<3>(0, 0, -9.81)};
  int a = m.add(spatial_body("a", {0.3, 0.1, -0.2}, quaternion(Vec3(1, 2, 3), 0.7)));
  int b = m.add(spatial_body("b", {1.1, -0.4, 0.3}, quaternion(Vec3(-1, 0.5, 2), -1.3)));
};

template <int D>
void check(Mechanism<D>& m, int rows) {
  for (Storage storage : {Storage::dense, Storage::sparse}) {
    m.finish(storage);
    EXPECT_EQ(m.dim().bilateral, rows);
    const State start = m.start();
    Terms T;
    m.prepare(T);
    m.evaluate(start, Need::gap, T);
    EXPECT_LT(T.g.cwiseAbs().maxCoeff(), 1e-15) << "the start as given satisfies the joint";
    for (int sample = 0; sample < 3; ++sample) DerivativeCheck(m, random_state(m, start, 0.3, 2)).run();
  }
}

// whatever the multipliers: forces on both bodies cancel, and so do their moments about any point
template <int D>
void expect_reaction(const Mechanism<D>& m) {
  const State s = m.start();
  Terms T;
  m.prepare(T);
  m.evaluate(s, Need::jacobian, T);
  const Vec mu = Vec::Random(m.dim().rows());
  Vec f = Vec::Zero(m.dim().v);
  T.G.add_transposed_product(1, mu, f);
  EXPECT_GT(f.norm(), 1e-3);
  Vector<D> force = Vector<D>::Zero();
  Angular<D> about_origin = Angular<D>::Zero();
  for (std::size_t b = 0; b < m.bodies().size(); ++b) {
    const Vector<D> on_body = f.segment<D>(width<D> * b);
    Angular<D> torque = f.segment<angular<D>>(width<D> * b + D);
    if constexpr (D == 3) torque = m.bodies()[b].pose.R * torque;
    force += on_body;
    about_origin += moment(m.bodies()[b].pose.x, on_body) + torque;
  }
  EXPECT_LT(force.norm(), 1e-14);
  EXPECT_LT(about_origin.norm(), 1e-14);
}

SignalPtr drive() {
  return make_signal([](double t) {
    return std::array{0.3 * std::sin(2 * t), 0.6 * std::cos(2 * t), -1.2 * std::sin(2 * t)};
  });
}

TEST(PlanarJoints, Revolute) {
  Planar p;
  p.m.add(revolute("pin", p.m.between(p.a, p.b), Vector<2>(0.7, 0.2)));
  check(p.m, 2);
  expect_reaction(p.m);
}
TEST(PlanarJoints, RevoluteWithTheGroundOnEitherSide) {
  Planar p;
  p.m.add(revolute("pin", p.m.between(ground, p.b), Vector<2>(0.7, 0.2)));
  p.m.add(revolute("pin2", p.m.between(p.a, ground), Vector<2>(0.1, 0.2)));
  check(p.m, 4);
}
TEST(PlanarJoints, Prismatic) {
  Planar p;
  p.m.add(prismatic("slide", p.m.between(p.b, p.a), Vector<2>(0.7, 0.2), Vector<2>(2, 1)));
  check(p.m, 2);
  expect_reaction(p.m);
}
TEST(PlanarJoints, Fixed) {
  Planar p;
  p.m.add(fixed<2>("weld", p.m.between(p.a, p.b), Vector<2>(0.7, 0.2)));
  check(p.m, 3);
  expect_reaction(p.m);
}
TEST(PlanarJoints, Distance) {
  Planar p;
  p.m.add(distance<2>("rod", p.m.between(p.a, p.b), Vector<2>(0.7, 0.2), Vector<2>(-0.2, 0.5)));
  p.m.add(distance<2>("rod2", p.m.between(ground, p.b), Vector<2>(0.7, 0.2), Vector<2>(-0.2, 0.5)));
  check(p.m, 2);
}
TEST(PlanarJoints, Slot) {
  Planar p;
  p.m.add(slot("slot", p.m.between(p.a, p.b), Vector<2>(0.7, 0.2), Vector<2>(1, -3)));
  check(p.m, 1);
  expect_reaction(p.m);
}
TEST(PlanarJoints, Gear) {
  Planar p;
  const int pin1 = p.m.add(revolute("pin1", p.m.between(ground, p.a), Vector<2>(0.3, 0.1)));
  const int pin2 = p.m.add(revolute("pin2", p.m.between(p.a, p.b), Vector<2>(1.1, -0.4)));
  const auto first = p.m.angle(pin1), second = p.m.angle(pin2);
  p.m.add(gear<2>("gear", first, p.m.at_start(*first), second, p.m.at_start(*second), -2.5));
  check(p.m, 5);
}
TEST(PlanarJoints, DrivenAngleAndLength) {
  Planar p;
  p.m.add(Body<2>(planar_body("c", 0, 0, 0)));
  const int pin = p.m.add(revolute("pin", p.m.between(ground, 2), Vector<2>(0.3, 0.1)));
  p.m.drive_angle(pin, drive());
  const int slide = p.m.add(prismatic("slide", p.m.between(p.a, p.b), Vector<2>(0.7, 0.2), Vector<2>(2, 1)));
  p.m.drive_length(slide, drive());
  check(p.m, 6);
}

TEST(SpatialJoints, Revolute) {
  Spatial p;
  p.m.add(revolute("pin", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(1, 2, -1)));
  check(p.m, 5);
  expect_reaction(p.m);
}
TEST(SpatialJoints, RevoluteWithTheGroundOnEitherSide) {
  Spatial p;
  p.m.add(revolute("pin", p.m.between(ground, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(0, 0, 1)));
  p.m.add(revolute("pin2", p.m.between(p.a, ground), Vector<3>(0.1, 0.2, 0.3), Vector<3>(0, 1, 0)));
  check(p.m, 10);
}
TEST(SpatialJoints, Prismatic) {
  Spatial p;
  p.m.add(prismatic("slide", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(1, 2, -1)));
  check(p.m, 5);
  expect_reaction(p.m);
}
TEST(SpatialJoints, Cylindrical) {
  Spatial p;
  p.m.add(cylindrical("sleeve", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(1, 2, -1)));
  check(p.m, 4);
  expect_reaction(p.m);
}
TEST(SpatialJoints, Spherical) {
  Spatial p;
  p.m.add(spherical("ball", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1)));
  check(p.m, 3);
  expect_reaction(p.m);
}
TEST(SpatialJoints, Universal) {
  Spatial p;
  p.m.add(universal("cardan", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(1, 0, 0), Vector<3>(0, 1, 1)));
  check(p.m, 4);
  expect_reaction(p.m);
}
TEST(SpatialJoints, Planar) {
  Spatial p;
  p.m.add(planar("table", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(1, 2, -1)));
  check(p.m, 3);
  expect_reaction(p.m);
}
TEST(SpatialJoints, Fixed) {
  Spatial p;
  p.m.add(fixed<3>("weld", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1)));
  check(p.m, 6);
  expect_reaction(p.m);
}
TEST(SpatialJoints, Distance) {
  Spatial p;
  p.m.add(distance<3>("rod", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(-0.2, 0.5, 1)));
  check(p.m, 1);
  expect_reaction(p.m);
}
TEST(SpatialJoints, Gear) {
  Spatial p;
  const int pin1 = p.m.add(revolute("pin1", p.m.between(ground, p.a), Vector<3>(0.3, 0.1, 0), Vector<3>(0, 0, 1)));
  const int pin2 = p.m.add(revolute("pin2", p.m.between(p.a, p.b), Vector<3>(1.1, -0.4, 0), Vector<3>(1, 0, 2)));
  const auto first = p.m.angle(pin1), second = p.m.angle(pin2);
  p.m.add(gear<3>("gear", first, 0, second, 0, -2.5));
  check(p.m, 11);
}
TEST(SpatialJoints, Screw) {
  Spatial p;
  const int thread = p.m.add(screw("thread", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(1, 2, -1)));
  p.m.add_row(thread, pitch_row(p.m.joint(thread), p.m.angle(thread), 0.4));
  check(p.m, 5);
  expect_reaction(p.m);
}
TEST(SpatialJoints, DrivenAngleAndLength) {
  Spatial p;
  const int sleeve =
      p.m.add(cylindrical("sleeve", p.m.between(p.a, p.b), Vector<3>(0.7, 0.2, 0.1), Vector<3>(1, 2, -1)));
  p.m.drive_angle(sleeve, drive());
  p.m.drive_length(sleeve, drive());
  check(p.m, 6);
}

}  // namespace
}  // namespace escapement
