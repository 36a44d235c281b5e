// The beam element: derivatives against differences, symmetry, objectivity, internal forces, energy balance.
#include "model/beam.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "model/mechanism.hpp"
#include "support/derivative_check.hpp"

namespace escapement::beam_test {
namespace {

using testing::DerivativeCheck;
using testing::random_state;

template <int D>
BeamSection<D> section(double damping = 0) {
  BeamSection<D> s;
  if constexpr (D == 2) {
    s.stretching << 30, 11;
    s.bending << 2;
    s.inertia << 0.1;
  } else {
    s.stretching << 30, 11, 7;
    s.bending << 1.5, 2, 3;
    s.inertia << 0.1, 0.2, 0.3;
  }
  s.mass = 1;
  s.damping = damping;
  return s;
}

Pose<2> turned(double x, double y, double angle) { return make_pose(Vector<2>(x, y), angle); }
Pose<3> turned(double x, double y, const Vec3& turn) { return make_pose(Vector<3>(x, y, 0.3), rotation_exp(turn)); }

// an element whose nodes are turned by `turn` against each other at rest
template <int D>
Mechanism<D> one_element(const BeamSection<D>& s, double turn) {
  Mechanism<D> m;
  Pose<D> a, b;
  Turn<D> J;
  if constexpr (D == 2) {
    a = turned(0.1, 0.2, 0.3);
    b = turned(0.7, 0.9, 0.3 + turn);
    J << 0.4;
  } else {
    a = turned(0.1, 0.2, Vec3(0.5, 0.4, -0.8));
    b = make_pose(Vector<3>(0.6, 0.9, -0.2), product(quaternion(Mat3(a.R)), rotation_exp(turn * Vec3(1, -2, 2) / 3)));
    J << 0.5, 0.05, 0.02, 0.05, 0.7, -0.03, 0.02, -0.03, 0.9;
  }
  m.add({"a", 1.3, J, a});
  m.add({"b", 0.7, J, b});
  m.add(std::make_unique<BeamElement<D>>(0, 1, a, b, 0.8, s));
  return m;
}

template <int D>
using Dimension = std::integral_constant<int, D>;
template <class T>
class BeamElements : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(BeamElements, Dimensions);

TYPED_TEST(BeamElements, DerivativesAgreeWithDifferences) {
  constexpr int D = TypeParam::value;
  for (double damping : {0.0, 0.07})
    for (double turn : {0.0, 0.01, 0.5, 2.0})
      for (Storage storage : {Storage::dense, Storage::sparse}) {
        Mechanism<D> m = one_element<D>(section<D>(damping), turn);
        m.finish(storage);
        for (double far : {1e-3, 0.2})
          for (int sample = 0; sample < 3; ++sample) DerivativeCheck(m, random_state(m, m.start(), far, 2)).run();
      }
}

TYPED_TEST(BeamElements, DerivativesOfSlackCables) {
  constexpr int D = TypeParam::value;
  BeamSection<D> cable = section<D>(0.05);
  cable.tension_only = true;
  Mechanism<D> m = one_element<D>(cable, 0);
  m.finish();
  for (int sample = 0; sample < 6; ++sample) DerivativeCheck(m, random_state(m, m.start(), 0.1, 2)).run();
}

template <int D>
struct Forces {
  Vec f;
  Mat K;
};

template <int D>
Forces<D> forces(const Mechanism<D>& m, const State& s) {
  Terms T;
  Tangent tangent;
  m.prepare(T);
  m.prepare(tangent);
  m.evaluate(s, Need::force, T);
  m.tangent(s, Vec::Zero(m.dim().v), Vec::Zero(0), Parts::force, tangent);
  return {T.f, tangent.K.dense()};
}

// pushed together it is as if EA were not there, pulled apart as if nothing else had been said
TYPED_TEST(BeamElements, SlackCablesPullOnly) {
  constexpr int D = TypeParam::value;
  BeamSection<D> plain = section<D>(), cable = plain, limp = plain;
  cable.tension_only = true;
  limp.stretching(0) = 0;
  Vec forces_of[2][3];
  Vec axis;  // both nodes have it
  if constexpr (D == 2)
    axis = turned(0, 0, 0.3).R.col(0);
  else
    axis = turned(0, 0, Vec3(0.5, 0.4, -0.8)).R.col(0);
  for (const double stretch : {-0.05, 0.05}) {
    Vec* found = forces_of[stretch > 0];
    for (const BeamSection<D>* one : {&cable, &plain, &limp}) {
      Mechanism<D> m = one_element<D>(*one, 0);
      m.finish();
      State s = m.start();
      Vec step = Vec::Zero(m.dim().v);
      step.segment(m.dim().v / 2, D) = stretch * axis;
      m.retract(m.start().q, step, s.q);
      *found++ = forces(m, s).f;
    }
  }
  EXPECT_LT((forces_of[0][0] - forces_of[0][2]).norm(), 1e-12);
  EXPECT_GT((forces_of[0][0] - forces_of[0][1]).norm(), 1);
  EXPECT_LT((forces_of[1][0] - forces_of[1][1]).norm(), 1e-12);
  EXPECT_GT((forces_of[1][0] - forces_of[1][2]).norm(), 1);
}

// the skew part of the tangent is that of the moments at the nodes
TEST(BeamElement, TangentIsSymmetricUpToTheMomentsOfTheNodes) {
  Mechanism<3> m = one_element<3>(section<3>(), 0.7);
  m.finish(Storage::dense);
  for (int sample = 0; sample < 10; ++sample) {
    State s = random_state(m, m.start(), 0.4, 0);
    s.v.setZero();
    const Forces<3> at = forces(m, s);
    Mat skews = Mat::Zero(12, 12);
    for (int node = 0; node < 2; ++node)
      skews.block<3, 3>(6 * node + 3, 6 * node + 3) = -skew(Vec3(at.f.segment<3>(6 * node + 3)));
    EXPECT_LT((at.K - at.K.transpose() - skews).norm(), 1e-12 * at.K.norm());
  }
  Mechanism<2> plane = one_element<2>(section<2>(), 0.7);
  plane.finish(Storage::dense);
  const Forces<2> at = forces(plane, random_state(plane, plane.start(), 0.4, 0));
  EXPECT_LT((at.K - at.K.transpose()).norm(), 1e-13 * at.K.norm());
}

// a rigid motion of both nodes turns the forces with them and changes no moment in the body frame
TEST(BeamElement, RigidMotionChangesNothing) {
  Mechanism<3> m = one_element<3>(section<3>(0.1), 0.7);
  m.finish(Storage::dense);
  for (int sample = 0; sample < 10; ++sample) {
    const State s = random_state(m, m.start(), 0.4, 1);
    const Vec3 shift = Vec3::Random(), spin = Vec3::Random();
    const Vec4 p = rotation_exp(3 * Vec3::Random());
    const Mat3 R = rotation_matrix(p);
    State moved = s;
    for (int node = 0; node < 2; ++node) {
      const Vec3 x = s.q.segment<3>(7 * node);
      moved.q.segment<3>(7 * node) = R * x + shift;
      moved.q.segment<4>(7 * node + 3) = product(p, s.q.segment<4>(7 * node + 3));
      moved.v.segment<3>(6 * node) = R * (s.v.segment<3>(6 * node) + spin.cross(x));
      moved.v.segment<3>(6 * node + 3) += rotation_matrix(s.q.segment<4>(7 * node + 3)).transpose() * spin;
    }
    const auto internal = [&](const State& at) {  // without the gyroscopic part
      Vec f = forces(m, at).f;
      for (int node = 0; node < 2; ++node) {
        const Vec3 w = at.v.segment<3>(6 * node + 3);
        f.segment<3>(6 * node + 3) += w.cross(Mat3(m.bodies()[static_cast<std::size_t>(node)].inertia) * w);
      }
      return f;
    };
    Vec f = internal(s), f1 = internal(moved);
    for (int node = 0; node < 2; ++node) f1.segment<3>(6 * node) = R.transpose() * Vec3(f1.segment<3>(6 * node));
    EXPECT_LT((f1 - f).norm(), 1e-12 * f.norm());
  }
}

// elements change the sum of momentum and angular momentum by nothing, and the energy by what damping takes
TYPED_TEST(BeamElements, ForcesAreInternal) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = one_element<D>(section<D>(0.1), 0.5);
  m.finish();
  for (int sample = 0; sample < 5; ++sample) {
    const State s = random_state(m, m.start(), 0.3, 1);
    Terms T;
    m.prepare(T);
    m.evaluate(s, Need::force, T);
    Vector<D> sum = Vector<D>::Zero();
    Angular<D> turning = Angular<D>::Zero();
    for (int node = 0; node < 2; ++node) {
      const Vector<D> f = T.f.segment<D>(width<D> * node), x = s.q.segment<D>(places<D> * node);
      Angular<D> torque = T.f.segment<angular<D>>(width<D> * node + D);
      if constexpr (D == 3) {
        const Vec3 w = s.v.segment<3>(6 * node + 3);
        torque += w.cross(Mat3(m.bodies()[static_cast<std::size_t>(node)].inertia) * w);
        torque = rotation_matrix(s.q.segment<4>(7 * node + 3)) * torque;
      }
      sum += f;
      turning += moment(x, f) + torque;
    }
    EXPECT_LT(sum.norm(), 1e-13 * T.f.norm());
    EXPECT_LT(turning.norm(), 1e-13 * (1 + T.f.norm()));
    const double e = 1e-6;
    const auto potential = [&](double dt) {
      State at = s;
      m.retract(s.q, dt * s.v, at.q);
      return m.energy(at, T).potential;
    };
    Vec gyro = T.f;
    if constexpr (D == 3)
      for (int node = 0; node < 2; ++node) {
        const Vec3 w = s.v.segment<3>(6 * node + 3);
        gyro.segment<3>(6 * node + 3) += w.cross(Mat3(m.bodies()[static_cast<std::size_t>(node)].inertia) * w);
      }
    const double dissipated = m.energy(s, T).power;
    EXPECT_LT(dissipated, 0);
    EXPECT_NEAR(gyro.dot(s.v) + (potential(e) - potential(-e)) / (2 * e), dissipated, 1e-7 * (1 + gyro.norm()));
  }
}

// the strains are those of the helix: a turn about the axis and a bend in the plane of constant curvature have no shear
TEST(BeamElement, StrainsOfAnArcAndOfAPureTwist) {
  const double turn = 1.2, length = 2;
  const Pose<3> straight = make_pose(Vector<3>(0, 0, 0), Vec4(1, 0, 0, 0));
  BeamSection<3> s = section<3>();
  s.stretching.setOnes();
  s.bending.setOnes();
  const Pose<3> end = make_pose(Vector<3>(length, 0, 0), Vec4(1, 0, 0, 0));
  Mechanism<3> m;
  m.add({"a", 1, Turn<3>::Identity(), straight});
  m.add({"b", 1, Turn<3>::Identity(), end});
  const BeamElement<3> element(0, 1, straight, end, length, s);
  m.finish();
  Frame<3> frames[3];
  const auto strain = [&](const Vec3& x, const Vec3& rotation) {
    frames[1] = Frame<3>{};
    frames[1].orientation << 1, 0, 0, 0;
    frames[2] = Frame<3>{};
    frames[2].x = x;
    frames[2].orientation = rotation_exp(rotation);
    return element.section_force({frames, 0, nullptr, nullptr}).strain;
  };
  Velocity<3> arc, twist;
  arc << 0, 0, 0, 0, 0, turn / length;
  twist << 0, 0, 0, turn / length, 0, 0;
  const double r = length / turn;
  EXPECT_LT((strain({r * std::sin(turn), r * (1 - std::cos(turn)), 0}, {0, 0, turn}) - arc).norm(), 1e-14);
  EXPECT_LT((strain({length, 0, 0}, {turn, 0, 0}) - twist).norm(), 1e-14);
}

// both branches of the functions of the turn meet
TEST(BeamElement, SeriesAndClosedFormsAgree) {
  for (const int D : {2, 3}) {
    double before = 0, change = 0;
    for (int k = 0; k <= 400; ++k) {
      const double turn = 0.3 + 0.003 * k;  // over 0.5 in the plane and 0.88 in space, where the series end
      double energy = 0;
      const auto at = [&](auto m) {
        m.finish();
        State s = m.start();
        Vec dx = Vec::Zero(m.dim().v);
        dx[m.dim().v - 1] = turn;
        dx[0] = 0.1;
        m.retract(s.q, dx, s.q);
        Terms T;
        m.prepare(T);
        energy = m.energy(s, T).potential;
      };
      if (D == 2) at(one_element<2>(section<2>(), 0));
      if (D == 3) at(one_element<3>(section<3>(), 0));
      if (k > 1) {
        EXPECT_LT(std::abs(energy - before - change), 1e-3 * energy) << D << " " << turn;
      }
      if (k > 0) change = energy - before;
      before = energy;
    }
  }
}

TEST(BeamElement, TurnsBeyondTheLimitAreNotFinite) {
  Mechanism<2> m = one_element<2>(section<2>(), 0);
  m.finish();
  Terms T;
  m.prepare(T);
  State s = m.start();
  s.q[5] += 3.1;
  m.evaluate(s, Need::force, T);
  EXPECT_TRUE(T.f.allFinite());
  s.q[5] += 0.1;
  m.evaluate(s, Need::force, T);
  EXPECT_FALSE(T.f.allFinite());
  EXPECT_EQ(m.find_infinite_force(s), 0);
}

}  // namespace
}  // namespace escapement
