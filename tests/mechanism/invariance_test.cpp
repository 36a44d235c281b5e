// What must not depend on how a mechanism is written down, and what a free mechanism conserves.
#include <gtest/gtest.h>

#include "support/energy_watch.hpp"
#include "support/fixed_run.hpp"
#include "support/mechanisms.hpp"

namespace escapement::invariance_test {
namespace {

using namespace testing;

// a double pendulum in space with a spring and a motor, seen from a frame turned by Q and shifted by c; the bodies' own
// frames are turned by B
Mechanism<3> seen_from(const Mat3& Q, const Vec3& c, const Mat3& B) {
  const auto there = [&](const Vec3& p) -> Vector<3> { return Q * p + c; };
  Mechanism<3> m(Vector<3>(Q * Vec3(0, -9.81, 0)));
  const Mat3 J = Vec3(0.02, 0.05, 0.06).asDiagonal();
  const auto body = [&](const char* name, const Vec3& x) {
    Body<3> b;
    b.name = name;
    b.mass = 1.5;
    b.inertia = B.transpose() * J * B;
    b.pose = {there(x), Mat3(Q * B), 0};
    return m.add(b);
  };
  const int first = body("first", {0.5, 0, 0}), second = body("second", {1, 0.5, 0});
  m.add(revolute("shoulder", m.between(ground, first), there({0, 0, 0}), Vector<3>(Q * Vec3(0, 0.3, 1))));
  const int sleeve =
      m.add(cylindrical("sleeve", m.between(first, second), there({1, 0, 0}), Vector<3>(Q * Vec3(1, 1, 0))));
  m.add(make_measure_force<3>(m.angle(sleeve), spring_damper(2, 0.1, 0.4)));
  m.add(make_measure_force<3>(m.joint(sleeve).length, spring_damper(50, 0.2, 0.1)));
  m.add(make_measure_force<3>(
      distance_between<3>(ground, there({2, 1, 0}), second, m.between(ground, second).point_b(there({1.2, 0.5, 0.1}))),
      spring_damper(5, 0, 0.5)));
  m.finish();
  return m;
}

TEST(Frames, DoNotChangeTheMotion) {
  const Mat3 Q = rotation_matrix(quaternion(Vec3(1, -2, 0.5), 1.1)),
             B = rotation_matrix(quaternion(Vec3(0.2, 1, 3), -2.0));
  const Vec3 c(3, -1, 2);
  const Mechanism<3> plain = seen_from(Mat3::Identity(), Vec3::Zero(), Mat3::Identity()), turned = seen_from(Q, c, B);
  const State one = fixed_run(plain, plain.start(), "hem5", {}, 1e-3, 1, [](const State&) {});
  const State two = fixed_run(turned, turned.start(), "hem5", {}, 1e-3, 1, [](const State&) {});
  EXPECT_GT((one.q - plain.start().q).norm(), 0.5);
  for (int b = 0; b < 2; ++b) {
    const Vec3 x = one.q.segment<3>(7 * b), seen = two.q.segment<3>(7 * b);
    EXPECT_LT((Q * x + c - seen).norm(), 1e-11);
    const Mat3 R = rotation_matrix(one.q.segment<4>(7 * b + 3)), seen_R = rotation_matrix(two.q.segment<4>(7 * b + 3));
    EXPECT_LT((Q * R * B - seen_R).norm(), 1e-11);
    EXPECT_LT((Q * one.v.segment<3>(6 * b) - two.v.segment<3>(6 * b)).norm(), 1e-10);
    EXPECT_LT((B.transpose() * one.v.segment<3>(6 * b + 3) - two.v.segment<3>(6 * b + 3)).norm(), 1e-10);
  }
  EXPECT_NEAR(one.z[0], two.z[0], 1e-11);
}

// linear and angular momentum about the origin
struct Momentum {
  Vec3 linear = Vec3::Zero(), angular_about_origin = Vec3::Zero();
  Momentum(const Mechanism<3>& m, const State& s) {
    for (std::size_t b = 0; b < m.bodies().size(); ++b) {
      const Vec3 x = s.q.segment<3>(7 * b), p = m.bodies()[b].mass * s.v.segment<3>(6 * b);
      const Mat3 R = rotation_matrix(s.q.segment<4>(7 * b + 3));
      linear += p;
      angular_about_origin += x.cross(p) + R * (m.bodies()[b].inertia * s.v.segment<3>(6 * b + 3));
    }
  }
};

TEST(FreeMechanism, KeepsItsMomentum) {
  Mechanism<3> m;
  for (int b = 0; b < 4; ++b) {
    Body<3> body{"b" + std::to_string(b), 1.0 + b, brick_inertia(1, 1, 0.3, 0.2),
                 make_pose(Vector<3>(b, 0, 0), Vec4(1, 0, 0, 0))};
    m.add(body);
  }
  m.add(revolute("pin", m.between(0, 1), Vector<3>(0.5, 0, 0), Vector<3>(0, 0, 1)));
  m.add(universal("cardan", m.between(1, 2), Vector<3>(1.5, 0, 0), Vector<3>(0, 1, 0), Vector<3>(0, 0, 1)));
  m.add(spherical("ball", m.between(2, 3), Vector<3>(2.5, 0, 0)));
  m.add(make_measure_force<3>(distance_between<3>(0, Vector<3>(0, 0.2, 0), 3, Vector<3>(0, 0, 0.1)),
                              spring_damper(20, 0.5, 1)));
  m.finish();
  State s = m.start();
  // whole mechanism turns and flies; consistent because it moves as one body
  const Vec3 w(0.7, -1.2, 2), v(0.3, 0.1, -0.5);
  for (int b = 0; b < 4; ++b) s.v.segment<6>(6 * b) << v + w.cross(Vec3(s.q.segment<3>(7 * b))), w;
  const Momentum before(m, s);
  double linear = 0, turning = 0, unit = 0;
  fixed_run(m, s, "hem5", {}, 2e-3, 2, [&](const State& now) {
    const Momentum p(m, now);
    linear = std::max(linear, (p.linear - before.linear).norm());
    turning = std::max(turning, (p.angular_about_origin - before.angular_about_origin).norm());
    for (int b = 0; b < 4; ++b) unit = std::max(unit, std::abs(now.q.segment<4>(7 * b + 3).norm() - 1));
  });
  EXPECT_LT(linear, 1e-12 * before.linear.norm() * 10);
  EXPECT_LT(turning, 1e-9 * before.angular_about_origin.norm());
  EXPECT_LT(unit, 1e-15);
}

TEST(FreeMechanism, ABodyTurnsAsEulerSays) {
  // torque-free rotation of an asymmetric body: kinetic energy and angular momentum stay, order 5
  Mechanism<3> m;
  m.add({"body", 1, Vec3(1, 2, 3).asDiagonal() * Turn<3>::Identity(), {}});
  m.finish();
  State s = m.start();
  s.v.tail<3>() << 0.1, 2, 0.1;  // about the unstable axis: it flips over
  const auto run = [&](double h) { return fixed_run(m, s, "hem5", {}, h, 8, [](const State&) {}); };
  const State fine = run(1e-3), one = run(0.02), two = run(0.01);
  EXPECT_LT(fine.v[4], 0) << "it has flipped";
  const auto error = [&](const State& x) { return (x.q - fine.q).norm() + (x.v - fine.v).norm(); };
  EXPECT_NEAR(std::log2(error(one) / error(two)), 5, 0.4);
}

// planar and spatial models of one mechanism move alike, dense and sparse storage too
TEST(Dimensions, GiveTheSameMotion) {
  Mechanism<2> plane(down_y<2>());
  Mechanism<3> space(down_y<3>());
  build_four_bars(plane, 2);
  build_four_bars(space, 2);
  plane.finish(Storage::sparse);
  space.finish();
  EXPECT_TRUE(space.is_sparse());
  const State one = fixed_run(plane, plane.start(), "hem5", {}, 2e-3, 1, [](const State&) {});
  const State two = fixed_run(space, space.start(), "hem5", {}, 2e-3, 1, [](const State&) {});
  plane.finish(Storage::dense);
  const State three = fixed_run(plane, plane.start(), "hem5", {}, 2e-3, 1, [](const State&) {});
  for (int b = 0; b < 5; ++b) {
    EXPECT_LT((one.q.segment<2>(3 * b) - two.q.segment<2>(7 * b)).norm(), 1e-9);
    EXPECT_LT((one.q.segment<3>(3 * b) - three.q.segment<3>(3 * b)).norm(), 1e-12);
    EXPECT_NEAR(one.v[3 * b + 2], two.v[6 * b + 5], 1e-8);
  }
}

// two rotors in space, geared 2 : -3; in 3 s they make 0.95 and 1.43 turns at constant rates, with every scheme
TEST(Turns, OfGearedAnglesAreCountedByEveryScheme) {
  Mechanism<3> m;
  for (double rate : {2.0, -3.0}) {
    Body<3> body;
    body.name = rate > 0 ? "a" : "b";
    body.mass = 1;
    body.inertia = Turn<3>::Identity();
    body.angular_velocity = Vector<3>(0, 0, rate);
    const int b = m.add(body);
    m.add(revolute(body.name + "_pin", m.between(ground, b), Vector<3>(0, 0, 0), Vector<3>(0, 0, 1)));
  }
  const auto first = m.angle(0), second = m.angle(1);
  m.add(gear<3>("gear", first, 0, second, 0, -1.5));
  m.finish();
  Terms T;
  m.prepare(T);
  const auto check = [&](const std::string& scheme, const std::map<std::string, OptionValue>& options) {
    double apart = 0;
    const State end = fixed_run(m, m.start(), scheme, options, 0.01, 3, [&](const State& s) {
      m.evaluate(s, Need::gap, T);
      apart = std::max(apart, T.g.lpNorm<Eigen::Infinity>());
    });
    EXPECT_LT(apart, 1e-9) << scheme;
    EXPECT_NEAR(end.v[5], 2, 1e-9) << scheme;
    EXPECT_NEAR(end.v[11], -3, 1e-9) << scheme;
    EXPECT_NEAR(end.z[0], 6, 1e-8) << scheme;
    EXPECT_NEAR(end.z[1], -9, 1e-8) << scheme;
  };
  for (const SchemeEntry& entry : all_schemes()) check(entry.info.id, {});
  for (double degree : {3.0, 4.0}) check("structural-conditional", {{"degree", degree}});
}

}  // namespace
}  // namespace escapement
