#include "model/formula_system.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "model/formula_support.hpp"

namespace escapement::formula_system_test {
namespace {

using testing::every_need;
using testing::FormulaText;
using testing::state_of;

// paper 000 with general numbers, every term derived on paper
TEST(FormulaSystem, SliderCrankByHand) {
  const double l1 = 1.1, l2 = 2.3, m1 = 0.9, m2 = 1.2, m3 = 0.7, J1 = 0.15, J2 = 0.4, g = 9.81, damping = 0.3;
  FormulaText text({"a1", "a2", "x"});
  text.parameter("l1", l1).parameter("l2", l2).parameter("m1", m1).parameter("m2", m2).parameter("m3", m3);
  text.parameter("J1", J1).parameter("J2", J2).parameter("g", g).parameter("d", damping);
  text.energies(
      "(J1 + m1*l1^2/4)/2*a1'^2 + m2/2*(l1^2*a1'^2 + l1*l2*cos(a1 - a2)*a1'*a2' + l2^2/4*a2'^2) + J2/2*a2'^2 + "
      "m3/2*x'^2",
      "g*(m1*l1/2*sin(a1) + m2*(l1*sin(a1) + l2/2*sin(a2)))");
  text.force(2, "-d*x'*abs(x')");
  text.constraint("height", "l1*sin(a1) + l2*sin(a2)").constraint("length", "x - l1*cos(a1) - l2*cos(a2)");
  const FormulaSystem system = text.system();

  const double a1 = 0.7, a2 = -0.4, x = 2.9, w1 = 3.1, w2 = -1.7, u = -0.8;
  const State s = state_of(system, 0, {a1, a2, x}, {w1, w2, u});
  Terms T;
  system.prepare(T);
  system.evaluate(s, every_need, T);
  const double k = m2 * l1 * l2 / 2, s12 = std::sin(a1 - a2), c12 = std::cos(a1 - a2);
  const double s1 = std::sin(a1), c1 = std::cos(a1), s2 = std::sin(a2), c2 = std::cos(a2);
  Mat M(3, 3), G(2, 3);
  M << J1 + m1 * l1 * l1 / 4 + m2 * l1 * l1, k * c12, 0, k * c12, J2 + m2 * l2 * l2 / 4, 0, 0, 0, m3;
  G << l1 * c1, l2 * c2, 0, l1 * s1, l2 * s2, 1;
  EXPECT_LT((T.M.dense() - M).norm(), 1e-14);
  EXPECT_LT((T.G.dense() - G).norm(), 1e-14);
  EXPECT_NEAR(T.f[0], -k * s12 * w2 * w2 - g * l1 * c1 * (m1 / 2 + m2), 1e-13);
  EXPECT_NEAR(T.f[1], k * s12 * w1 * w1 - g * m2 * l2 / 2 * c2, 1e-13);
  EXPECT_NEAR(T.f[2], damping * u * u, 1e-14);
  EXPECT_NEAR(T.g[0], l1 * s1 + l2 * s2, 1e-15);
  EXPECT_NEAR(T.g[1], x - l1 * c1 - l2 * c2, 1e-15);
  EXPECT_NEAR(T.kappa[0], -l1 * s1 * w1 * w1 - l2 * s2 * w2 * w2, 1e-13);
  EXPECT_NEAR(T.kappa[1], l1 * c1 * w1 * w1 + l2 * c2 * w2 * w2, 1e-13);
  EXPECT_EQ(T.g_t.norm(), 0);

  Tangent D;
  system.prepare(D);
  const Vec w = (Vec(3) << 1.3, -0.6, 0.2).finished(), mu = (Vec(2) << 2.5, -1.5).finished();
  system.tangent(s, w, mu, Parts::mass, D);
  EXPECT_NEAR(D.K(0, 0), -k * s12 * w[1], 1e-14);
  EXPECT_NEAR(D.K(0, 1), k * s12 * w[1], 1e-14);
  EXPECT_NEAR(D.K(1, 0), -k * s12 * w[0], 1e-14);
  EXPECT_EQ(D.D.dense().norm(), 0);
  system.tangent(s, w, mu, Parts::force, D);
  EXPECT_NEAR(D.K(0, 0), k * c12 * w2 * w2 - g * l1 * s1 * (m1 / 2 + m2), 1e-13);
  EXPECT_NEAR(D.K(1, 1), k * c12 * w1 * w1 - g * m2 * l2 / 2 * s2, 1e-13);
  EXPECT_NEAR(D.D(0, 1), 2 * k * s12 * w2, 1e-13);
  EXPECT_NEAR(D.D(2, 2), -2 * damping * u, 1e-14);
  system.tangent(s, w, mu, Parts::constraint, D);
  EXPECT_NEAR(D.K(0, 0), mu[0] * l1 * s1 - mu[1] * l1 * c1, 1e-14);
  EXPECT_NEAR(D.K(1, 1), mu[0] * l2 * s2 - mu[1] * l2 * c2, 1e-14);
  EXPECT_NEAR(D.K(0, 1), 0, 1e-14);

  const Energy energy = system.energy(s, T);
  EXPECT_NEAR(energy.kinetic, 0.5 * s.v.dot(M * s.v), 1e-13);
  EXPECT_NEAR(energy.potential, g * (m1 * l1 / 2 * s1 + m2 * (l1 * s1 + l2 / 2 * s2)), 1e-13);
  EXPECT_NEAR(energy.power, damping * u * u * u, 1e-14);
}

// a pendulum whose pivot moves as u = a sin(W t): theta'' = -(g sin theta + u'' cos theta)/l
TEST(FormulaSystem, MovingPivotByHand) {
  const double m = 1.7, l = 0.6, g = 9.81, a = 0.2, W = 5;
  FormulaText text({"theta"});
  text.parameter("m", m).parameter("l", l).parameter("g", g).parameter("a", a).parameter("W", W);
  text.energies("m/2*((a*W*cos(W*t) + l*theta'*cos(theta))^2 + (l*theta'*sin(theta))^2)", "-m*g*l*cos(theta)");
  const FormulaSystem system = text.system();
  EXPECT_FALSE(system.has_unusual_kinetic_energy());
  const double theta = 0.8, omega = -1.1, t = 0.37;
  State s = state_of(system, t, {theta}, {omega});
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::mass | Need::force, T);
  const double udot = a * W * std::cos(W * t), uddot = -a * W * W * std::sin(W * t);
  EXPECT_NEAR(T.M(0, 0), m * l * l, 1e-14);
  EXPECT_NEAR(T.f[0], -m * l * (g * std::sin(theta) + uddot * std::cos(theta)), 1e-12);

  // the pivot's force does the work: F = d/dt (horizontal momentum), power = F u'
  s.vdot[0] = T.f[0] / T.M(0, 0);
  const double momentum_rate = m * (uddot + l * s.vdot[0] * std::cos(theta) - l * omega * omega * std::sin(theta));
  EXPECT_NEAR(system.energy(s, T).power, momentum_rate * udot, 1e-11);
}

TEST(FormulaSystem, DrivenConstraintDoesWork) {
  // a mass dragged along x = a t^2 by a constraint: lambda = 2 a m, power = lambda 2 a t
  FormulaText text({"x"});
  text.energies("3/2*x'^2").constraint("drive", "x - 2*t^2");
  const FormulaSystem system = text.system();
  const double t = 1.5;
  State s = state_of(system, t, {2 * t * t}, {4 * t});
  s.vdot << 4;
  s.lambda << 12;
  Terms T;
  system.prepare(T);
  system.evaluate(s, every_need, T);
  EXPECT_DOUBLE_EQ(T.g_t[0], -4 * t);
  EXPECT_DOUBLE_EQ(T.kappa[0], -4);
  EXPECT_DOUBLE_EQ(system.energy(s, T).power, 12 * 4 * t);
}

TEST(FormulaSystem, SlipRows) {
  FormulaText text({"x", "y", "phi"});
  text.energies("(x'^2 + y'^2 + phi'^2)/2");
  text.contact("smooth", "y").contact("rough", "y - 0.1*x^2", 0.3, "x'*cos(x) + 0.5*phi' - 2*t*y");
  const FormulaSystem system = text.system();
  EXPECT_EQ(system.dim().slip, 1);
  EXPECT_EQ(system.contacts()[0].slip, -1);
  EXPECT_EQ(system.contacts()[1].slip, 0);
  EXPECT_EQ(system.names().multipliers, (std::vector<std::string>{"smooth", "rough", "rough.slip"}));
  const double t = 0.3, x = 0.7, y = 1.2, u = -0.4, v = 0.9, w = 1.5;
  const State s = state_of(system, t, {x, y, 0}, {u, v, w});
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::slip | Need::slip_rate, T);
  EXPECT_DOUBLE_EQ(T.T(0, 0), std::cos(x));
  EXPECT_DOUBLE_EQ(T.T(0, 1), 0);
  EXPECT_DOUBLE_EQ(T.T(0, 2), 0.5);
  EXPECT_DOUBLE_EQ(T.t0[0], -2 * t * y);
  EXPECT_NEAR(T.kappa_T[0], -u * u * std::sin(x) - 2 * t * v - 2 * y, 1e-14);
  Tangent D;
  system.prepare(D);
  system.tangent(s, Vec::Zero(3), (Vec(3) << 0, 0, 2).finished(), Parts::constraint | Parts::velocity_rows, D);
  EXPECT_DOUBLE_EQ(D.K(0, 0), 2 * std::sin(x));
  EXPECT_DOUBLE_EQ(D.V_q(2, 0), -u * std::sin(x));
  EXPECT_DOUBLE_EQ(D.V_q(2, 1), -2 * t);
}

TEST(FormulaSystem, EveryRequestGivesTheSame) {
  FormulaText text({"x", "y"});
  text.energies("(x'^2 + y^2*y'^2 + x'*y'*cos(x))/2 + 3*y'^2", "x*y + t*y");
  text.constraint("c", "x*y - t").contact("g", "sin(x) + y", 0.2, "x' - y*y'");
  const FormulaSystem system = text.system();
  const State s = state_of(system, 0.4, {0.7, 1.3}, {-0.2, 0.6});
  Terms all, some;
  system.prepare(all);
  system.evaluate(s, every_need, all);
  for (unsigned mask = 0; mask < 128; ++mask) {
    system.prepare(some);
    system.evaluate(s, Need(mask), some);
    const auto expected = [&](Need need, const auto& value) {
      return has(Need(mask), need) ? value : decltype(value)(0 * value);
    };
    EXPECT_EQ(some.M.dense(), Mat(expected(Need::mass, all.M.dense())));
    EXPECT_EQ(some.f, Vec(expected(Need::force, all.f)));
    EXPECT_EQ(some.g, Vec(expected(Need::gap, all.g)));
    EXPECT_EQ(some.G.dense(), Mat(expected(Need::jacobian, all.G.dense())));
    EXPECT_EQ(some.g_t, Vec(expected(Need::jacobian, all.g_t)));
    EXPECT_EQ(some.kappa, Vec(expected(Need::curvature, all.kappa)));
    EXPECT_EQ(some.T.dense(), Mat(expected(Need::slip, all.T.dense())));
    EXPECT_EQ(some.kappa_T, Vec(expected(Need::slip_rate, all.kappa_T)));
  }
}

TEST(FormulaSystem, RefusesOtherForms) {
  const auto message = [](FormulaText& text) -> std::string {
    try {
      text.system();
    } catch (const FormulaError& e) {
      return e.what();
    }
    return "";
  };
  FormulaText cubic({"x", "y"});
  cubic.energies("x'^2/2 + y'^4 + y'^2");
  EXPECT_NE(message(cubic).find("quadratic in the rates, but is not in y'"), std::string::npos) << message(cubic);
  FormulaText relativistic({"x"});
  relativistic.energies("1 - sqrt(1 - x'^2/9)");
  EXPECT_NE(message(relativistic).find("quadratic"), std::string::npos);
  FormulaText slip({"x", "y"});
  slip.energies("(x'^2 + y'^2)/2").contact("c", "y", 0.1, "x'*y'");
  EXPECT_NE(message(slip).find("affine"), std::string::npos);
}

// quadratic, but not in a form that simplifies to one
TEST(FormulaSystem, SeesThroughDisguises) {
  FormulaText text({"x", "y"});
  text.energies(
      "(sin(x)^2 + cos(x)^2)*(x'^3*y' - x'*y'*(x'^2 - x'))/(2*y')*2 + (x'^2 + y'^2)^2/(2*(x'^2 + y'^2)) + abs(y')^2");
  const FormulaSystem system = text.system();
  Terms T;
  system.prepare(T);
  system.evaluate(state_of(system, 0, {0.3, 0.1}, {0.7, -0.4}), Need::mass, T);
  EXPECT_NEAR(T.M(0, 0), 3, 1e-12);
  EXPECT_NEAR(T.M(1, 1), 3, 1e-12);
}

TEST(FormulaSystem, NotesUnusualTerms) {
  FormulaText rotating({"r"});
  rotating.energies("(r'^2 + 4*r^2)/2");
  EXPECT_TRUE(rotating.system().has_unusual_kinetic_energy());
  FormulaText plain({"r"});
  plain.energies("r'^2/2*(1 + r^2)");
  EXPECT_FALSE(plain.system().has_unusual_kinetic_energy());
}

TEST(FormulaSystem, PositionScaleIsTheLargestTerm) {
  FormulaText text({"x", "y"});
  text.energies("(x'^2 + y'^2)/2")
      .constraint("a", "x^2 - y - 50")
      .constraint("b", "(x*y - 60)/4")
      .contact("c", "-30*y");
  const FormulaSystem system = text.system();
  Vec scale;
  system.position_scale(state_of(system, 0, {10, 2}, {0, 0}), scale);
  EXPECT_DOUBLE_EQ(scale[0], 100);
  EXPECT_DOUBLE_EQ(scale[1], 15);
  EXPECT_DOUBLE_EQ(scale[2], 60);
}

TEST(FormulaSystem, PositionScaleIsAtLeastWhatCountsAsOne) {
  FormulaText text({"x", "y"});
  text.energies("(x'^2 + y'^2)/2").constraint("a", "x - 3*y").contact("c", "x^2/2");
  Vec largest, scale;
  const FormulaSystem plain = text.system();
  const State s = state_of(plain, 0, {0.03, 0.01}, {0, 0});
  plain.position_terms(s, largest);
  EXPECT_DOUBLE_EQ(largest[0], 0.03);
  EXPECT_DOUBLE_EQ(largest[1], 0.00045);
  plain.position_scale(s, scale);
  EXPECT_EQ(scale, Vec::Ones(2));
  const FormulaSystem scaled = text.scale({0.01, 0.1}).system();
  scaled.position_scale(s, scale);
  EXPECT_DOUBLE_EQ(scale[0], 0.01 + 3 * 0.1);
  EXPECT_DOUBLE_EQ(scale[1], 0.00045);  // more than |G| 0.01 = 0.0003
  EXPECT_DOUBLE_EQ(scaled.scale().v(1), 0.1);
}

// x'' = -w^2 x and the angle of a pendulum, whose derivatives follow from its equation
TEST(FormulaSystem, TaylorDerivatives) {
  FormulaText oscillator({"x"});
  oscillator.energies("x'^2/2", "9/2*x^2");
  const FormulaSystem spring = oscillator.system();
  Mat d(1, 8);
  ASSERT_EQ(spring.derivatives(state_of(spring, 0, {0.7}, {-0.2}), 8, d), 8);
  for (int k = 0; k < 8; ++k) {  // derivative k + 2 of x
    const double sign = ((k + 2) / 2) % 2 == 0 ? 1 : -1;
    const double expected = k % 2 == 0 ? sign * std::pow(3, k + 2) * 0.7 : sign * std::pow(3, k + 1) * -0.2;
    EXPECT_NEAR(d(0, k), expected, 1e-12 * std::pow(3, k + 2)) << k;
  }

  FormulaText pendulum({"theta"});
  pendulum.energies("theta'^2/2", "-9.81*cos(theta)");
  const FormulaSystem angle = pendulum.system();
  const double theta = 0.9, w = 1.4, g = 9.81, sn = std::sin(theta), cs = std::cos(theta);
  Mat e(1, 3);
  ASSERT_EQ(angle.derivatives(state_of(angle, 0, {theta}, {w}), 3, e), 3);
  EXPECT_NEAR(e(0, 0), -g * sn, 1e-13);
  EXPECT_NEAR(e(0, 1), -g * w * cs, 1e-12);
  EXPECT_NEAR(e(0, 2), g * w * w * sn + g * g * sn * cs, 1e-11);
}

// the same pendulum in Cartesian coordinates: derivatives of (sin, -cos) of the angle
TEST(FormulaSystem, TaylorDerivativesWithConstraint) {
  FormulaText angle_text({"theta"}), text({"x", "y"});
  angle_text.energies("theta'^2/2", "-9.81*cos(theta)");
  text.energies("(x'^2 + y'^2)/2", "9.81*y").constraint("rod", "(x^2 + y^2 - 1)/2");
  const FormulaSystem angle = angle_text.system(), cartesian = text.system();
  const double theta = 0.9, w = 1.4, sn = std::sin(theta), cs = std::cos(theta);
  Mat a(1, 3), d(2, 3);
  ASSERT_EQ(angle.derivatives(state_of(angle, 0, {theta}, {w}), 3, a), 3);
  ASSERT_EQ(cartesian.derivatives(state_of(cartesian, 0, {sn, -cs}, {cs * w, sn * w}), 3, d), 3);
  const double w1 = a(0, 0), w2 = a(0, 1), w3 = a(0, 2);
  EXPECT_NEAR(d(0, 0), cs * w1 - sn * w * w, 1e-12);
  EXPECT_NEAR(d(0, 1), cs * w2 - 3 * sn * w * w1 - cs * w * w * w, 1e-11);
  EXPECT_NEAR(d(0, 2), cs * w3 - 4 * sn * w * w2 - 3 * sn * w1 * w1 - 6 * cs * w * w * w1 + sn * w * w * w * w, 1e-10);
  EXPECT_NEAR(d(1, 0), sn * w1 + cs * w * w, 1e-12);
}

// 80 masses in a chain: sparse storage with the pattern of the springs
TEST(FormulaSystem, LargeSystemsAreSparse) {
  const int n = 80;
  std::vector<std::string> names;
  std::string kinetic = "0", potential = "0";
  for (int i = 0; i < n; ++i) {
    names.push_back(fmt::format("x{}", i));
    kinetic += " + " + names.back() + "'^2/2";
    if (i > 0) potential += " + (" + names[i] + " - " + names[i - 1] + ")^4/4";
  }
  FormulaText text(names);
  text.energies(kinetic, potential).constraint("first", "x0^2 + x1 - 1").contact("last", "x79 - x78*x77");
  const FormulaSystem system = text.system();
  Terms T;
  Tangent D;
  system.prepare(T);
  system.prepare(D);
  ASSERT_TRUE(T.M.is_sparse());
  ASSERT_TRUE(T.G.is_sparse());
  ASSERT_TRUE(D.K.is_sparse());
  State s = make_state(system.dim());
  for (int i = 0; i < n; ++i) s.q[i] = i + 0.1 * std::sin(i);
  system.evaluate(s, every_need, T);
  system.tangent(s, Vec::Zero(n), (Vec(2) << 3, 5).finished(), Parts::all | Parts::velocity_rows, D);
  const auto stretch = [&](int i) { return s.q[i] - s.q[i - 1]; };
  for (int i = 1; i + 1 < n; ++i) {
    EXPECT_EQ(T.M(i, i), 1);
    EXPECT_NEAR(T.f[i], std::pow(stretch(i + 1), 3) - std::pow(stretch(i), 3), 1e-11);
    const double below = 3 * stretch(i) * stretch(i);
    EXPECT_NEAR(D.K(i, i - 1), -below + (i == 78 ? 5 : 0), 1e-11) << i;
  }
  EXPECT_EQ(T.G(0, 0), 2 * s.q[0]);
  EXPECT_EQ(T.G(0, 1), 1);
  EXPECT_EQ(T.G(1, 79), 1);
  EXPECT_EQ(T.G(1, 77), -s.q[78]);
  EXPECT_NEAR(D.K(0, 0), 3 * stretch(1) * stretch(1) - 6, 1e-11);
  EXPECT_LT(D.K.value().size(), 4u * n);
}

TEST(FormulaSystem, ThreadsShareOneSystem) {
  FormulaText text({"x", "y"});
  text.energies("(x'^2 + y^2*y'^2)/2 + y'^2", "sin(x)*y").constraint("c", "x*y - t");
  const FormulaSystem system = text.system();
  const auto work = [&](double start, Vec& out) {
    Terms T;
    system.prepare(T);
    Vec scale;
    State s = make_state(system.dim());
    out.setZero(2);
    for (int i = 0; i < 2000; ++i) {
      s.q << start + 1e-3 * i, 1 + 1e-4 * i;
      s.v << 0.3, start;
      system.evaluate(s, every_need, T);
      system.position_scale(s, scale);
      out += T.f + scale[0] * T.g[0] * Vec::Ones(2);
    }
  };
  std::vector<Vec> alone(4), together(4);
  for (int k = 0; k < 4; ++k) work(k, alone[k]);
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) threads.emplace_back([&, k] { work(k, together[k]); });
  for (auto& thread : threads) thread.join();
  for (int k = 0; k < 4; ++k) EXPECT_EQ(alone[k], together[k]);
}

// what monitors ask for at the end of a step, in one: as one after the other, with few terms and with so many that they share no program
TEST(FormulaSystem, TermsWithEnergiesAreTheSameAsApart) {
  for (const int n : {2, 120}) {
    std::vector<std::string> names;
    std::string kinetic = "0", potential = "0";
    for (int i = 0; i < n; ++i) {
      names.push_back(fmt::format("x{}", i));
      kinetic += fmt::format(" + {}*x{}'^2*(2 + sin(x{}))", 1 + i, i, (i + 1) % n);
      potential += fmt::format(" + {}*sin(x{})*cos(x{}) + x{}^4/{}", 3 + i, i, (i + 1) % n, i, 2 + i);
    }
    FormulaText text(names);
    text.energies(kinetic, potential).constraint("c", "x0*x1 - 1").contact("floor", "sin(x0) + x1", 0.2, "x0' - x1*x1'").contact("wall", "x1 - cos(x0)");
    const FormulaSystem system = text.system();
    ASSERT_TRUE(system.keeps_energy());
    const State s = state_of(system, 0.3, std::vector<double>(std::size_t(n), 0.7), std::vector<double>(std::size_t(n), -1.2));
    Terms together, apart;
    system.prepare(together);
    system.prepare(apart);
    for (const Need need : {Need::gap, Need::gap | Need::slip, Need::gap | Need::jacobian | Need::slip, Need::mass | Need::force}) {
      const Energy all = system.evaluate_with_energy(s, need, together), alone = system.energy(s, apart);
      system.evaluate(s, need, apart);
      EXPECT_NEAR(all.kinetic, alone.kinetic, 1e-14 * alone.kinetic);
      EXPECT_NEAR(all.potential, alone.potential, 1e-14 * std::abs(alone.potential));
      EXPECT_EQ(all.power, 0);
      EXPECT_LT((together.g - apart.g).norm(), 1e-15);
      EXPECT_LT((together.f - apart.f).norm(), 1e-13 * (1 + apart.f.norm()));
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < system.dim().rows(); ++i) EXPECT_NEAR(together.G(i, j), apart.G(i, j), 1e-15);
        EXPECT_NEAR(together.T(0, j), apart.T(0, j), 1e-15);
      }
    }
  }
}

}  // namespace
}  // namespace escapement
