// Equilibria and natural frequencies against closed forms.
#include "simulate/statics.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "io/model_file.hpp"
#include "support/mechanisms.hpp"
#include "support/source_folder.hpp"

namespace escapement::statics_test {
namespace {

using namespace testing;

// n masses on a line between two walls, springs k: omega_j = 2 sqrt(k/m) sin(j pi / (2 (n + 1)))
void make_chain(Mechanism<2>& m, int n, double k, double mass) {
  for (int i = 0; i < n; ++i) {
    m.add({"m" + std::to_string(i), mass, Turn<2>(0.1), make_pose(Vector<2>(i + 1, 0), 0)});
    m.add(prismatic("guide" + std::to_string(i), m.between(ground, i), Vector<2>(i + 1, 0), Vector<2>(1, 0)));
  }
  for (int i = 0; i <= n; ++i)
    m.add(make_measure_force<2>(distance_between<2>(i == 0 ? ground : i - 1, Vector<2>::Zero(), i == n ? ground : i,
                                                    i == n ? Vector<2>(n + 1, 0) : Vector<2>::Zero()),
                                spring_damper(k, 0, 1)));
  m.finish();
}

// the lowest ones of a large system, by Lanczos' method
TEST(Modes, LowestOfALongChain) {
  constexpr int n = 400, wanted = 12;
  const double k = 300, mass = 0.5;
  Mechanism<2> m;
  make_chain(m, n, k, mass);
  const Equilibrium e = find_equilibrium(m, m.start());
  ASSERT_TRUE(e.found);
  const Modes modes = find_modes(m, e, wanted);
  EXPECT_FALSE(modes.all);
  ASSERT_EQ(modes.modes.size(), static_cast<std::size_t>(wanted));
  for (int j = 1; j <= wanted; ++j) {
    const double angle = j * std::numbers::pi / (n + 1), omega = 2 * std::sqrt(k / mass) * std::sin(angle / 2);
    const NaturalMode& mode = modes.modes[j - 1];
    EXPECT_NEAR(std::sqrt(mode.square), omega, 1e-8 * omega) << j;
    double largest = 0;
    for (int i = 1; i <= n; ++i) largest = std::max(largest, std::abs(std::sin(i * angle)));
    const double sign = mode.shape[0] > 0 ? 1 : -1;
    for (int i = 1; i <= n; ++i) EXPECT_NEAR(sign * mode.shape[3 * (i - 1)], std::sin(i * angle) / largest, 1e-6) << j;
  }
}

// a free beam in space: six motions that nothing holds, then bending both ways, 4.730040745^2 sqrt(EI/m)/L^2
TEST(Modes, LowestOfAFreeBeam) {
  const Model model = read_model("m.yaml", R"(escapement: 1
dimension: 3
beams:
  rod: {from: [0, 0, 0], to: [1, 0, 0], elements: 100, section: {EA: 1e6, GA: 1e6, GJ: 2, EI: 1, mass: 1, inertia: [2e-6, 1e-6, 1e-6]}}
simulation: {end: 1}
)");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  const Modes modes = find_modes(*model.system, e, 8);
  ASSERT_EQ(modes.modes.size(), 8u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(modes.modes[i].square, 0) << i;
  for (int i = 6; i < 8; ++i) EXPECT_NEAR(std::sqrt(modes.modes[i].square), 22.373285448, 2e-3 * 22.373) << i;
}

TEST(Modes, OfASpringMassChain) {
  constexpr int n = 6;
  const double k = 300, mass = 0.5;
  Mechanism<2> m;
  make_chain(m, n, k, mass);
  const Equilibrium e = find_equilibrium(m, m.start());
  ASSERT_TRUE(e.found);
  const Modes modes = find_modes(m, e);
  ASSERT_EQ(modes.modes.size(), static_cast<std::size_t>(n));
  EXPECT_TRUE(modes.eigenvalues.empty());
  for (int j = 1; j <= n; ++j) {
    const double omega = 2 * std::sqrt(k / mass) * std::sin(j * std::numbers::pi / (2 * (n + 1)));
    EXPECT_NEAR(std::sqrt(modes.modes[j - 1].square), omega, 1e-10 * omega);
    EXPECT_NEAR(modes.modes[j - 1].frequency(), omega / (2 * std::numbers::pi), 1e-10);
  }
}

// a body on a hinge swings with omega^2 = m g d/(J + m d^2), found from a start that is turned away
TEST(Modes, OfACompoundPendulumInThePlaneAndInSpace) {
  const double mass = 2, d = 0.3, J = 0.05, omega2 = mass * gravity_size * d / (J + mass * d * d);
  {
    Mechanism<2> m(down_y<2>());
    m.add({"bob", mass, Turn<2>(J), make_pose(Vector<2>(d, 0), 0)});
    m.add(revolute("pin", m.between(ground, 0), Vector<2>(0, 0)));
    m.finish();
    const Equilibrium e = find_equilibrium(m, m.start());
    ASSERT_TRUE(e.found);
    EXPECT_NEAR(e.state.q[1], -d, 1e-12);
    const Modes modes = find_modes(m, e);
    ASSERT_EQ(modes.modes.size(), 1u);
    EXPECT_NEAR(modes.modes[0].square, omega2, 1e-10);
  }
  Mechanism<3> m(down_y<3>());
  Turn<3> inertia = Vec3(0.02, 0.03, J).asDiagonal() * Turn<3>::Identity();
  m.add({"bob", mass, inertia, make_pose(Vector<3>(d, 0, 0), Vec4(1, 0, 0, 0))});
  m.add(revolute("pin", m.between(ground, 0), Vector<3>(0, 0, 0), Vector<3>(0, 0, 1)));
  m.finish();
  const Equilibrium e = find_equilibrium(m, m.start());
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(e.state.q[1], -d, 1e-12);
  EXPECT_NEAR(e.state.lambda[1], mass * gravity_size, 1e-10) << "the hinge carries the weight";
  EXPECT_NEAR(find_modes(m, e).modes[0].square, omega2, 1e-10);
}

// standing on its head the same pendulum is in equilibrium too, but not a stable one
TEST(Modes, OfAnInvertedPendulumAreUnstable) {
  Mechanism<2> m(down_y<2>());
  m.add({"bob", 1, Turn<2>(0.1), make_pose(Vector<2>(0, 0.5), 0)});
  m.add(revolute("pin", m.between(ground, 0), Vector<2>(0, 0)));
  m.finish();
  const Equilibrium e = find_equilibrium(m, m.start());
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(e.state.q[1], 0.5, 1e-12);
  EXPECT_NEAR(find_modes(m, e).modes[0].square, -gravity_size * 0.5 / (0.1 + 0.25), 1e-10);
}

// a portal frame: two equal uprights hinged to the ground and to a beam, held by a torsional spring at one foot.
// one degree of freedom: J = 2 J_u/... about the feet plus the beam, stiffness c less the destabilising weight
TEST(Modes, OfAConstrainedFrame) {
  const double h = 0.8, mu = 1.2, mb = 3, c = 100;
  Mechanism<2> m(down_y<2>());
  const int left = m.add({"left", mu, rod_inertia_2d(mu, h), make_pose(Vector<2>(0, h / 2), 0)});
  const int right = m.add({"right", mu, rod_inertia_2d(mu, h), make_pose(Vector<2>(1, h / 2), 0)});
  const int beam = m.add({"beam", mb, rod_inertia_2d(mb, 1), make_pose(Vector<2>(0.5, h), 0)});
  const int foot = m.add(revolute("foot", m.between(ground, left), Vector<2>(0, 0)));
  m.add(revolute("foot2", m.between(ground, right), Vector<2>(1, 0)));
  m.add(revolute("corner", m.between(left, beam), Vector<2>(0, h)));
  m.add(revolute("corner2", m.between(right, beam), Vector<2>(1, h)));
  m.add(make_measure_force<2>(m.angle(foot), spring_damper(c, 0.4, 0)));
  m.finish();
  const Equilibrium e = find_equilibrium(m, m.start());
  ASSERT_TRUE(e.found);
  const double J = 2 * mu * h * h / 3 + mb * h * h, K = c - gravity_size * (2 * mu * h / 2 + mb * h);
  const Modes modes = find_modes(m, e);
  ASSERT_EQ(modes.modes.size(), 1u);
  EXPECT_NEAR(modes.modes[0].square, K / J, 1e-9 * K / J);
  // with its damper: lambda^2 J + 0.4 lambda + K = 0
  ASSERT_EQ(modes.eigenvalues.size(), 2u);
  EXPECT_NEAR(modes.eigenvalues[0].real(), -0.2 / J, 1e-10);
  EXPECT_NEAR(std::abs(modes.eigenvalues[0].imag()), std::sqrt(K / J - 0.04 / (J * J)), 1e-9);
}

// a chain of n equal rods hanging between two points: with horizontal tension H and the vertical forces at the joints,
// the slope of rod i is tan(angle_i) = (weight to the right balance)/H; the discrete form of the catenary
TEST(Equilibrium, OfAHangingChainIsADiscreteCatenary) {
  constexpr int n = 20;
  const double length = 1.0 / n, mass = 0.05, span = 0.7;
  // start: a triangle of the right span, made of straight halves
  Mechanism<2> m(down_y<2>());
  const double drop = std::sqrt(0.25 - span * span / 4);
  for (int i = 0; i < n; ++i) {
    const bool down = i < n / 2;
    const double angle = (down ? -1 : 1) * std::atan2(drop, span / 2), s = (i + 0.5) * length;
    const Vector<2> x = down ? Vector<2>(s * span, -2 * s * drop) : Vector<2>(s * span, -2 * (1 - s) * drop);
    m.add({"rod" + std::to_string(i), mass, rod_inertia_2d(mass, length), make_pose(x, angle)});
  }
  for (int i = 0; i <= n; ++i) {
    const double s = i * length, y = i <= n / 2 ? -2 * s * drop : -2 * (1 - s) * drop;
    m.add(revolute("pin" + std::to_string(i), m.between(i == 0 ? ground : i - 1, i == n ? ground : i),
                   Vector<2>(s * span, y)));
  }
  m.finish();
  const Equilibrium e = find_equilibrium(m, m.start());
  ASSERT_TRUE(e.found);
  EXPECT_LT(e.residual, 1e-10);

  // closed form: rod i (0 at the left) carries V_i = weight (i - (n-1)/2) in its middle; tan(angle_i) = V_i/H; H from
  // the span
  const double weight = mass * gravity_size;
  const auto angle = [&](int i, double H) { return std::atan2((i - 0.5 * (n - 1)) * weight, H); };
  double low = 1e-6, high = 1e3;
  for (int pass = 0; pass < 200; ++pass) {
    const double H = 0.5 * (low + high);
    double width_sum = 0;
    for (int i = 0; i < n; ++i) width_sum += length * std::cos(angle(i, H));
    (width_sum < span ? low : high) = H;
  }
  for (int i = 0; i < n; ++i) EXPECT_NEAR(e.state.q[3 * i + 2], angle(i, low), 1e-9);
  EXPECT_NEAR(std::abs(e.state.lambda[0]), low, 1e-9 * low) << "horizontal force at the end";
}

TEST(Equilibrium, RestsOnAContact) {
  Mechanism<2> m(down_y<2>());
  m.add({"block", 2, Turn<2>(0.1), make_pose(Vector<2>(0, 1), 0)});
  const int guide = m.add(prismatic("guide", m.between(ground, 0), Vector<2>(0, 1), Vector<2>(0, 1)));
  m.add(make_measure_force<2>(m.joint(guide).length, spring_damper(4, 0, 0)));
  m.limit_length(guide, -0.5, 10, 0);
  m.finish();
  // the spring alone would let it down by 2 g/4 = 4.905 m
  const Equilibrium e = find_equilibrium(m, m.start());
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(e.state.q[1], 0.5, 1e-10);
  EXPECT_NEAR(e.state.lambda[2], 2 * gravity_size - 4 * 0.5, 1e-9);
  EXPECT_TRUE(find_modes(m, e).modes.empty());
}

Model read(const std::string& text) {
  return read_model("m.yaml", "escapement: 1\n" + text + "simulation: {end: 1}\n");
}

double hertz(double square) { return std::sqrt(square) / (2 * std::numbers::pi); }

// on the floor from the start, a rounding error above it, or let fall onto it from any height
TEST(Equilibrium, OfABlockOnAFloor) {
  for (const std::string height : {"0", "1e-12", "0.5", "1e4"}) {
    const Model model =
        read("parameters: {h: " + height +
             "}\ndimension: 2\ngravity: [0, -9.81]\nbodies: {a: {mass: 2, inertia: 0.1, position: [0, h]}}\n"
             "forces: {b: {bushing: [ground, a], at: [0, h], stiffness: [8, 0], turning_stiffness: 3}}\n"
             "contacts: {ceiling: {gap: 2e4 - a.y}, floor: {gap: a.y}, wall: {gap: 3 - a.x}}\n");
    const Equilibrium e = find_equilibrium(*model.system, model.start);
    ASSERT_TRUE(e.found) << height;
    EXPECT_NEAR(e.state.q[0], 0, 1e-9);
    EXPECT_NEAR(e.state.q[1], 0, 1e-10);
    EXPECT_NEAR(e.state.lambda[1], 2 * 9.81, 1e-9);
    EXPECT_EQ(e.held, (std::vector<char>{0, 1, 0}));
    const Modes modes = find_modes(*model.system, e);
    ASSERT_EQ(modes.modes.size(), 2u);
    EXPECT_NEAR(modes.modes[0].frequency(), hertz(8.0 / 2), 1e-9);
    EXPECT_NEAR(modes.modes[1].frequency(), hertz(3.0 / 0.1), 1e-9);
  }
}

// the spring's end lies where the block would have to go without the floor: at length 0, where it has no direction
TEST(Equilibrium, HoldsAContactThatIsClosedAtTheStart) {
  const Model model = read(R"(dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 0.1, position: [0, 0]}}
forces:
  k: {spring_damper: [ground, a], at: [[-1, 0], [0, 0]], stiffness: 8}
  k2: {torsional_spring_damper: [ground, a], stiffness: 3}
contacts: {floor: {gap: a.y}}
)");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(e.state.q[0], 0, 1e-12);
  const Modes modes = find_modes(*model.system, e);
  ASSERT_EQ(modes.modes.size(), 2u);
  EXPECT_NEAR(modes.modes[0].frequency(), hertz(8.0 / 2), 1e-9);
  EXPECT_NEAR(modes.modes[1].frequency(), hertz(3.0 / 0.1), 1e-9);
}

// a ball falls into a bowl y = x^2/2 and rolls to its deepest point, where it swings with omega^2 = g
TEST(Equilibrium, OfABallInABowl) {
  const Model model = read(R"(coordinates: {x: {start: 0.7}, y: {start: 1}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 9.81*y
contacts: {bowl: {gap: y - x^2/2}}
)");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(e.state.q[0], 0, 1e-9);
  EXPECT_NEAR(e.state.q[1], 0, 1e-9);
  const Modes modes = find_modes(*model.system, e);
  ASSERT_EQ(modes.modes.size(), 1u);
  EXPECT_NEAR(modes.modes[0].square, 9.81, 1e-8);
}

// a block with two feet comes down tilted: it ends on both, not balanced on one
TEST(Equilibrium, PrefersAStableOne) {
  const Model model = read(R"(dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 0.1, position: [0, 1], angle: 0.4}}
contacts:
  left: {gap: a.y - 0.3*cos(a.angle) - 0.5*sin(a.angle)}
  right: {gap: a.y - 0.3*cos(a.angle) + 0.5*sin(a.angle)}
)");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  EXPECT_NEAR(e.state.q[1], 0.3, 1e-9);
  EXPECT_NEAR(e.state.q[2], 0, 1e-9);
  EXPECT_NEAR(e.state.lambda[0], 9.81, 1e-7);
  EXPECT_NEAR(e.state.lambda[1], 9.81, 1e-7);
  // a hair away from standing on its head a pendulum hangs down in the end
  const Model pendulum = read("coordinates: {x: {start: 3.14}}\nkinetic_energy: x'^2/2\npotential_energy: -cos(x)\n");
  const Equilibrium hanging = find_equilibrium(*pendulum.system, pendulum.start);
  ASSERT_TRUE(hanging.found);
  EXPECT_NEAR(hanging.state.q[0], 0, 1e-9) << "the short way";
}

// a chain that is hinged at height 0.3 lies down: one link hangs, one leans, three lie on the floor
TEST(Equilibrium, OfAChainOnAFloor) {
  const Model model = read(R"(dimension: 2
gravity: [0, -9.81]
bodies:
  b{k}: {repeat: {k: [1, 5]}, mass: 1, inertia: 1/300, position: [0.2*k - 0.1, 0.3]}
joints:
  pin1: {revolute: [ground, b1], at: [0, 0.3]}
  pin{k}: {repeat: {k: [2, 5]}, revolute: ["b{k-1}", "b{k}"], at: [0.2*(k - 1), 0.3]}
contacts:
  end{k}: {repeat: {k: [1, 5]}, gap: 'b{k}.y + 0.1*sin(b{k}.angle)'}
)");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  Terms T;
  model.system->prepare(T);
  model.system->evaluate(e.state, Need::gap, T);
  const int first = model.system->dim().bilateral;
  double lifted = e.state.lambda[1];  // by the hinge and by the floor: the whole weight
  for (int i = 0; i < 5; ++i) {
    EXPECT_GT(T.g[first + i], -1e-9);
    EXPECT_GE(e.state.lambda[first + i], 0);
    EXPECT_NEAR(T.g[first + i] * e.state.lambda[first + i], 0, 1e-8);
    lifted += e.state.lambda[first + i];
  }
  EXPECT_NEAR(std::abs(lifted), 5 * 9.81, 1e-7);
  EXPECT_EQ(e.held, (std::vector<char>{0, 1, 1, 1, 1}));
}

// a mass between a wall at 0 and a wall at 2, its spring relaxed at REST
TEST(Equilibrium, ReleasesContactsThatWouldPull) {
  const auto between = [](const std::string& start, const std::string& rest) {
    const Model model =
        read("coordinates: {x: {start: " + start + "}}\nkinetic_energy: x'^2/2\npotential_energy: 50*(x - " + rest +
             ")^2\ncontacts: {left: {gap: x}, right: {gap: 2 - x}}\n");
    Equilibrium e = find_equilibrium(*model.system, model.start);
    EXPECT_TRUE(e.found) << start << " " << rest;
    const std::size_t free = e.held[0] || e.held[1] ? 0 : 1;
    EXPECT_EQ(find_modes(*model.system, e).modes.size(), free);
    return std::tuple(e.state.q[0], int(e.held[0]), int(e.held[1]));
  };
  EXPECT_EQ(between("0", "-1"), (std::tuple(0.0, 1, 0)));  // pressed against its wall
  EXPECT_EQ(between("0", "1"), (std::tuple(1.0, 0, 0)));   // drawn away from it
  EXPECT_EQ(between("0", "3"), (std::tuple(2.0, 0, 1)));   // right to the other one
  EXPECT_EQ(between("2", "-1"), (std::tuple(0.0, 1, 0)));
  EXPECT_EQ(between("0", "0"), (std::tuple(0.0, 0, 0)));  // touches without force: free to move
}

// friction has no say: the pendulum swings as without its brake
TEST(Modes, LeaveOutCoulombFriction) {
  const Model model = read(R"(dimension: 2
gravity: [0, -9.81]
bodies: {a: {mass: 2, inertia: 0.1, position: [0, -0.5]}}
joints: {p: {revolute: [ground, a], at: [0, 0]}}
forces: {f: {friction: p, size: 0.1, law: coulomb}}
)");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  EXPECT_TRUE(e.held.empty());
  const Modes modes = find_modes(*model.system, e);
  ASSERT_EQ(modes.modes.size(), 1u);
  EXPECT_NEAR(modes.modes[0].frequency(), hertz(2 * 9.81 * 0.5 / (0.1 + 2 * 0.25)), 1e-9);
}

// nothing is claimed where nothing is found, and no number that is none gets out
TEST(Equilibrium, SaysWhenThereIsNoneOrNoStiffness) {
  const Model free = read(
      "dimension: 2\ngravity: [0, -9.81]\nbodies: {a: {mass: 2, inertia: 0.1}}\n"
      "contacts: {ceiling: {gap: 1 - a.y}}\n");
  const Equilibrium e = find_equilibrium(*free.system, free.start);
  EXPECT_FALSE(e.found);
  EXPECT_EQ(e.residual, 1);
  EXPECT_NEAR(e.unbalanced[1], -2 * 9.81, 1e-12);
  const Model edge = read("coordinates: {x: {}}\nkinetic_energy: x'^2/2\nforces: {x: -sqrt(abs(x))*sign(x)}\n");
  const Equilibrium there = find_equilibrium(*edge.system, edge.start);
  EXPECT_TRUE(there.found);
  EXPECT_FALSE(find_modes(*edge.system, there).finite);
}

// forces that cancel but for a rounding error are in equilibrium
TEST(Equilibrium, IsReachedToRounding) {
  for (const double rest : {0.1, 0.3, 0.7, 1.1}) {
    const Model model =
        read("coordinates: {x: {start: " + std::to_string(rest) + " + 9.81/300}}\nkinetic_energy: x'^2/2\n" +
             "potential_energy: 150*(x - " + std::to_string(rest) + ")^2 - 9.81*x\n");
    const Equilibrium e = find_equilibrium(*model.system, model.start);
    EXPECT_TRUE(e.found) << rest;
    EXPECT_NEAR(find_modes(*model.system, e).modes.at(0).square, 300, 1e-9);
  }
}

// stiff bushings between bodies that nothing holds: what their forces leave is rounding, and the six motions of the
// whole are no vibrations, and not unstable ones either
TEST(Modes, OfAStiffFrameThatNothingHolds) {
  for (const double stiffness : {1e2, 2e8, 1e12}) {
    const Model model = read("parameters: {c: " + std::to_string(stiffness) + R"(}
dimension: 3
bodies:
  b{k}: {repeat: {k: [1, 6]}, mass: 1, inertia: [0.1, 0.12, 0.13], position: [cos(k*1.1), sin(k*1.3), 0.3*k], orientation: {axis: [1, 0.3, 0.2], angle: 0.4*k}}
forces:
  s{k}: {repeat: {k: [2, 6]}, bushing: ["b{k - 1}", "b{k}"], at: [cos(k*1.1), sin(k*1.3), 0.3*k - 0.2], stiffness: c, turning_stiffness: c/200}
)");
    const Equilibrium e = find_equilibrium(*model.system, model.start);
    ASSERT_TRUE(e.found) << stiffness;
    EXPECT_LT((e.state.q - model.start.q).lpNorm<Eigen::Infinity>(), 1e-12) << stiffness;
    const Modes modes = find_modes(*model.system, e);
    ASSERT_EQ(modes.modes.size(), 36u);
    for (int i = 0; i < 6; ++i) EXPECT_EQ(modes.modes[i].square, 0) << stiffness;
    EXPECT_GT(modes.modes[6].square, 1e-5 * stiffness);
  }
  const Model damped = read(R"(dimension: 2
bodies: {a: {mass: 1, inertia: 0.1}, b: {mass: 2, inertia: 0.1, position: [1, 0]}}
forces: {s: {bushing: [a, b], at: [0.5, 0], stiffness: 1e9, damping: 1e3, turning_stiffness: 10}}
)");
  const Modes modes = find_modes(*damped.system, find_equilibrium(*damped.system, damped.start));
  ASSERT_EQ(modes.eigenvalues.size(), 12u);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(modes.eigenvalues[i], 0.0) << i;
  // along x: reduced mass 2/3
  EXPECT_NEAR(modes.eigenvalues[8].real(), -1e3 * 1.5 / 2, 1e-3);
  EXPECT_NEAR(std::abs(modes.eigenvalues[8]), std::sqrt(1.5e9), 1e-3);
}

// rows that the motion does without hold the place where it comes to rest: one motion, as everywhere else
TEST(Modes, OfBricardsMechanism) {
  const Model model = load_model(escapement::testing::source_folder() + "/examples/a04_bricard.yaml");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  const Modes modes = find_modes(*model.system, e);
  ASSERT_EQ(modes.modes.size(), 1u);
  // along its motion, by the angle of rod1: V'' = g sqrt(3)/6, and the mass there from a run at tolerance 1e-12
  EXPECT_NEAR(modes.modes[0].square, 9.81 * std::sqrt(3) / 6 / 1.83791666667, 1e-9);
}

// light fingers on a heavy arm: turning about the vertical and the grip are free
TEST(Modes, HaveTheFrequencyZeroBesideLightBodies) {
  const Model model = load_model(escapement::testing::source_folder() + "/examples/robot_arm.yaml");
  const Equilibrium e = find_equilibrium(*model.system, model.start);
  ASSERT_TRUE(e.found);
  const Modes modes = find_modes(*model.system, e);
  ASSERT_EQ(modes.modes.size(), 3u);
  EXPECT_EQ(modes.modes[0].square, 0);
  EXPECT_EQ(modes.modes[1].square, 0);
  EXPECT_GT(modes.modes[2].square, 30);
}

}  // namespace
}  // namespace escapement
