// Every force with its derivatives against differences, action equal to reaction, and its energy balance.
#include <gtest/gtest.h>

#include "math/expression_parser.hpp"
#include "model/bushing.hpp"
#include "model/expression_contact.hpp"
#include "model/expression_force.hpp"
#include "model/mechanism.hpp"
#include "model/rotation_vector.hpp"
#include "support/derivative_check.hpp"

namespace escapement::force_test {
namespace {

using testing::DerivativeCheck;
using testing::random_state;

template <int D>
Mechanism<D> two_bodies() {
  Mechanism<D> m;
  if constexpr (D == 2) {
    m.add({"a", 1.3, Turn<2>(0.4), make_pose(Vector<2>(0.3, 0.1), 0.4)});
    m.add({"b", 0.7, Turn<2>(0.2), make_pose(Vector<2>(1.1, -0.4), -1.2)});
  } else {
    Turn<3> J;
    J << 0.5, 0.05, 0.02, 0.05, 0.7, -0.03, 0.02, -0.03, 0.9;
    m.add({"a", 1.3, J, make_pose(Vector<3>(0.3, 0.1, -0.2), quaternion(Vec3(1, 2, 3), 0.7))});
    m.add({"b", 0.7, 0.5 * J, make_pose(Vector<3>(1.1, -0.4, 0.3), quaternion(Vec3(-1, 0.5, 2), -1.3))});
  }
  return m;
}

// names of both bodies and the angle between them
template <int D>
Vocabulary<D> make_vocabulary(ExpressionGraph& graph, Symbols& symbols, Mechanism<D>& m) {
  Vocabulary<D> vocabulary;
  vocabulary.t = graph.variable("t");
  symbols.add("t", vocabulary.t);
  const auto add = [&](const std::string& name, MeasurePtr<D> measure) {
    NamedMeasure<D> one{std::move(measure), graph.variable(name), graph.variable(name + "'")};
    symbols.add(name, one.value);
    symbols.add(name + "'", one.rate);
    vocabulary.add(std::move(one));
  };
  for (int b = 0; b < 2; ++b) {
    const std::string name = m.bodies()[b].name;
    for (int i = 0; i < D; ++i)
      add(name + "." + "xyz"[i], offset_along<D>(ground, Vector<D>::Unit(i), Vector<D>::Zero(), b, Vector<D>::Zero()));
    if constexpr (D == 2) {
      add(name + ".angle", relative_angle(ground, b));
    } else {
      for (int i = 0; i < 4; ++i) add(name + ".q" + "wxyz"[i], quaternion_component(b, i));
      for (int i = 0; i < 3; ++i) add(name + ".w" + "xyz"[i], angular_velocity(b, i));
    }
  }
  return vocabulary;
}

template <int D>
void check(Mechanism<D>& m) {
  for (Storage storage : {Storage::dense, Storage::sparse}) {
    m.finish(storage);
    for (int sample = 0; sample < 3; ++sample) DerivativeCheck(m, random_state(m, m.start(), 0.3, 2)).run();
  }
}

// the sum of forces and moments about the origin, and the rate of energy against power
template <int D>
void expect_internal(const Mechanism<D>& m, const State& s) {
  Terms T;
  m.prepare(T);
  m.evaluate(s, Need::force, T);
  Vector<D> force = Vector<D>::Zero();
  Angular<D> moment_sum = Angular<D>::Zero();
  for (std::size_t b = 0; b < m.bodies().size(); ++b) {
    const Vector<D> f = T.f.segment<D>(width<D> * b);
    const Vector<D> x = s.q.segment<D>(places<D> * b);
    Angular<D> torque = T.f.segment<angular<D>>(width<D> * b + D);
    if constexpr (D == 3) {
      const Vec3 w = s.v.segment<3>(6 * b + 3);
      torque += w.cross(m.bodies()[b].inertia * w);  // without the gyroscopic part
      torque = rotation_matrix(s.q.segment<4>(7 * b + 3)) * torque;
    }
    force += f;
    moment_sum += moment(x, f) + torque;
  }
  EXPECT_LT(force.norm(), 1e-12 * (1 + T.f.norm()));
  EXPECT_LT(moment_sum.norm(), 1e-12 * (1 + T.f.norm()));
}

template <int D>
void expect_internal(const Mechanism<D>& m) {
  expect_internal(m, random_state(m, m.start(), 0.3, 2));
}

// d(kinetic + potential)/dt = power along the motion the forces make
template <int D>
void expect_energy_balance(const Mechanism<D>& m, const State& s) {
  Terms T;
  m.prepare(T);
  m.evaluate(s, Need::mass | Need::force, T);
  Vec vdot = Vec::Zero(m.dim().v);
  for (std::size_t b = 0; b < m.bodies().size(); ++b) {
    vdot.segment<D>(width<D> * b) = T.f.segment<D>(width<D> * b) / m.bodies()[b].mass;
    vdot.segment<angular<D>>(width<D> * b + D) =
        m.bodies()[b].inertia.inverse() * T.f.segment<angular<D>>(width<D> * b + D);
  }
  const double power = m.energy(s, T).power, e = 1e-5;
  const auto total = [&](double dt) {
    State moved = s;
    m.retract(s.q, dt * s.v + 0.5 * dt * dt * vdot, moved.q);
    moved.v = s.v + dt * vdot;
    moved.t += dt;
    const Energy energy = m.energy(moved, T);
    return energy.kinetic + energy.potential;
  };
  EXPECT_NEAR((total(e) - total(-e)) / (2 * e), power, 1e-6 * (1 + std::abs(power)));
}

template <int D>
void expect_energy_balance(const Mechanism<D>& m) {
  expect_energy_balance(m, random_state(m, m.start(), 0.3, 2));
}

template <int D>
using Dimension = std::integral_constant<int, D>;
template <class T>
class BothDimensions : public ::testing::Test {};
using Dimensions = ::testing::Types<Dimension<2>, Dimension<3>>;
TYPED_TEST_SUITE(BothDimensions, Dimensions);

template <int D>
Vector<D> point(double x, double y) {
  Vector<D> p = 0.2 * Vector<D>::Ones();
  p[0] = x;
  p[1] = y;
  return p;
}

TYPED_TEST(BothDimensions, SpringDamper) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = two_bodies<D>();
  m.add(make_measure_force<D>(distance_between<D>(0, point<D>(0.2, 0.1), 1, point<D>(-0.3, 0.4)),
                              spring_damper(30, 2, 0.6)));
  check(m);
  expect_internal(m);
  expect_energy_balance(m);
}

TYPED_TEST(BothDimensions, TorsionalSpringDamper) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = two_bodies<D>();
  int pin;
  if constexpr (D == 2) {
    pin = m.add(revolute("pin", m.between(0, 1), point<2>(0.5, 0.2)));
  } else {
    pin = m.add(revolute("pin", m.between(0, 1), point<3>(0.5, 0.2), Vector<3>(1, 0, 2)));
  }
  m.add(make_measure_force<D>(m.angle(pin), spring_damper(30, 2, 0.6)));
  check(m);
  expect_internal(m);
  expect_energy_balance(m);
}

TYPED_TEST(BothDimensions, Bushing) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = two_bodies<D>();
  BushingData<D> data;
  data.stiffness.setLinSpaced(10, 30);
  data.damping.setLinSpaced(1, 2);
  data.turning_stiffness.setConstant(7);
  data.turning_damping.setConstant(0.4);
  for (auto& force : make_bushing<D>(m.between(0, 1), point<D>(0.5, 0.2), data)) m.add(std::move(force));
  check(m);
  expect_internal(m);
  expect_energy_balance(m);
  Terms T;
  m.prepare(T);
  m.evaluate(m.start(), Need::force, T);
  EXPECT_LT(T.f.norm(), 1e-13) << "relaxed at the start";
}

// turned far, the torque is stiffness times angle about the axis of the turn, in the plane and in space
TYPED_TEST(BothDimensions, BushingTurnedFar) {
  constexpr int D = TypeParam::value;
  for (double angle : {1e-9, 0.3, 0.9, 0.95, 1.6, 2.6, 3.1}) {
    Mechanism<D> m = two_bodies<D>();
    BushingData<D> data;
    data.turning_stiffness.setConstant(7);
    for (auto& force : make_bushing<D>(m.between(0, 1), point<D>(0.5, 0.2), data)) m.add(std::move(force));
    m.finish();
    State s = m.start();
    Vec turn = Vec::Zero(m.dim().v);
    Angular<D> axis = Angular<D>::Ones();
    if constexpr (D == 3) axis = Vec3(1, -2, 0.5).normalized();
    turn.tail<angular<D>>() = angle * axis;
    m.retract(m.start().q, turn, s.q);
    Terms T;
    m.prepare(T);
    m.evaluate(s, Need::force, T);
    EXPECT_LT((T.f.tail<angular<D>>() + 7 * angle * axis).norm(), 1e-13) << angle;
    EXPECT_NEAR(m.energy(s, T).potential, 3.5 * angle * angle, 1e-13);

    // with its own stiffness and damping about every axis
    data.turning_stiffness.setLinSpaced(2, 9);
    data.turning_damping.setLinSpaced(0.3, 0.7);
    Mechanism<D> other = two_bodies<D>();
    for (auto& force : make_bushing<D>(other.between(0, 1), point<D>(0.5, 0.2), data)) other.add(std::move(force));
    other.finish();
    s = random_state(other, s, 0.01, 2);
    DerivativeCheck(other, s).run();
    expect_internal(other, s);
    expect_energy_balance(other, s);
  }
}

// second rates and their derivatives, which forces do not need
TEST(RotationVector, HoldsAsAConstraint) {
  for (double angle : {0.1, 2.0}) {
    Mechanism<3> m = two_bodies<3>();
    Joint<3> joint;
    joint.name = "turned";
    joint.b = 1;
    for (int a : {ground, 0}) {
      joint.a = a;
      const Between<3> between = m.between(a, 1);
      joint.rows.clear();
      for (int i = 0; i < 3; ++i) {
        const Rotation<3> axes_b = between.pose_b.R.transpose() * rotation_matrix(quaternion(Vec3(1, -2, 0.5), angle));
        joint.rows.push_back(
            {std::to_string(i), {{1, rotation_component({a, between.pose_a.R.transpose(), 1, axes_b}, i)}}, 0.2});
      }
      m.add(joint);
    }
    check(m);
  }
}

TYPED_TEST(BothDimensions, TrackingActuatorWithAndWithoutLimit) {
  constexpr int D = TypeParam::value;
  for (double limit : {0.0, 1e-3}) {
    Mechanism<D> m = two_bodies<D>();
    const SignalPtr target = make_signal([](double t) { return std::array{std::sin(t), std::cos(t), -std::sin(t)}; });
    m.add(make_measure_force<D>(distance_between<D>(0, point<D>(0.2, 0.1), 1, point<D>(-0.3, 0.4)),
                                tracking(30, 2, target, limit)));
    check(m);
    expect_internal(m);
    expect_energy_balance(m);
  }
}

TYPED_TEST(BothDimensions, DryFriction) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = two_bodies<D>();
  m.add(
      make_measure_force<D>(distance_between<D>(0, point<D>(0.2, 0.1), 1, point<D>(-0.3, 0.4)), dry_friction(3, 0.5)));
  check(m);
  expect_internal(m);
  expect_energy_balance(m);
}

TYPED_TEST(BothDimensions, ForcesAndTorquesByExpression) {
  constexpr int D = TypeParam::value;
  for (bool in_body : {false, true}) {
    Mechanism<D> m = two_bodies<D>();
    ExpressionGraph graph;
    Symbols symbols;
    const Vocabulary<D> vocabulary = make_vocabulary(graph, symbols, m);
    Action<D> action;
    action.body = 1;
    action.point = point<D>(0.3, -0.2);
    action.in_body = in_body;
    action.force[0] = parse_expression(graph, "sin(3*t) - 2*a.x*b.y' + b.x^2", symbols);
    action.force[1] = parse_expression(graph, "-5*b.y - a.y'*b.y'", symbols);
    action.torque[0] =
        parse_expression(graph, D == 2 ? "cos(b.angle)*a.angle' - 2*b.angle'" : "b.qx*a.qw + a.wx*b.wy", symbols);
    m.add(make_expression_force<D>(graph, vocabulary, {action}));
    check(m);
    expect_energy_balance(m);
  }
}

TYPED_TEST(BothDimensions, ForcesAndTorquesBetweenTwoBodiesByExpression) {
  constexpr int D = TypeParam::value;
  for (int from : {0, 1}) {
    Mechanism<D> m = two_bodies<D>();
    ExpressionGraph graph;
    Symbols symbols;
    const Vocabulary<D> vocabulary = make_vocabulary(graph, symbols, m);
    Action<D> action;
    action.body = 1 - from;
    action.point = point<D>(0.3, -0.2);
    action.force[0] = parse_expression(graph, "sin(3*t) - 2*a.x*b.y' + b.x^2", symbols);
    action.force[1] = parse_expression(graph, "4 - 5*b.y - a.y'*b.y'", symbols);
    action.torque[0] = parse_expression(graph, "1 + a.x'", symbols);
    m.add(make_expression_force<D>(graph, vocabulary, {action, reaction_to(graph, action, from)}));
    check(m);
    expect_internal(m);
    expect_energy_balance(m);
  }
}

// in the axes of the body it acts on, at a point of the other
TYPED_TEST(BothDimensions, ForceAtAPointOfAnotherBody) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = two_bodies<D>();
  ExpressionGraph graph;
  Symbols symbols;
  const Vocabulary<D> vocabulary = make_vocabulary(graph, symbols, m);
  Action<D> action;
  action.body = 0;
  action.point_of = 1;
  action.point = point<D>(0.3, -0.2);
  action.in_body = true;
  action.force[0] = parse_expression(graph, "3 - 2*a.x*b.y'", symbols);
  action.force[1] = parse_expression(graph, "4", symbols);
  m.add(make_expression_force<D>(graph, vocabulary, {action}));
  check(m);
  expect_energy_balance(m);
}

TYPED_TEST(BothDimensions, GyroscopicTerms) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = two_bodies<D>();
  check(m);
  expect_energy_balance(m);
}

TYPED_TEST(BothDimensions, ContactsByExpression) {
  constexpr int D = TypeParam::value;
  Mechanism<D> m = two_bodies<D>();
  ExpressionGraph graph;
  Symbols symbols;
  const Vocabulary<D> vocabulary = make_vocabulary(graph, symbols, m);
  const std::string angle = D == 2 ? "a.angle" : "a.qx";
  const Expr gap = parse_expression(graph, "2 + b.y*b.x - sin(" + angle + ")*a.x^2 - 0.3*sin(2*t)*b.x", symbols);
  const Expr slip = parse_expression(graph, "b.x'*cos(a.y) - a.x'*b.x + " + angle + "'*b.y^2 - t*b.x", symbols);
  m.add_contact(make_gap_row<D>(graph, vocabulary, gap), {"touch", 0.5, 0.2, -1},
                make_slip_row<D>(graph, vocabulary, slip));
  m.finish();
  EXPECT_EQ(m.names().multipliers, (std::vector<std::string>{"touch", "touch.slip"}));
  check(m);
  EXPECT_EQ(m.dim().unilateral, 1);  // finishing again keeps it
  EXPECT_EQ(m.dim().slip, 1);
  EXPECT_THROW(make_slip_row<D>(graph, vocabulary, parse_expression(graph, "b.x'^2", symbols)), std::invalid_argument);
}

}  // namespace
}  // namespace escapement
