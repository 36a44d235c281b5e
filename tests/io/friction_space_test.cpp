// Friction in space: the disc, in every scheme, against closed forms and integrations of their own.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <algorithm>

#include "io/model_file.hpp"
#include "io/run.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "schemes/scheme.hpp"
#include "system/active_view.hpp"

namespace escapement::friction_space_test {
namespace {

RunReport run(const std::string& text, const std::string& scheme, const std::string& tolerance, const std::string& step = "",
              const std::string& solver = "") {
  Overrides overrides;
  overrides.scheme = scheme;
  if (!solver.empty()) overrides.options = {{"contact_solver", solver}};
  if (!tolerance.empty()) overrides.tolerance = tolerance;
  if (!step.empty()) overrides.step = step;
  Model model = read_model("space.yaml", text, overrides);
  return run_model(model);
}

const std::string puck = R"yaml(
escapement: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies: {puck: {mass: 2, inertia: [1, 1, 1], position: [0, 0, 0], velocity: [1, 1, 0]}}
contacts: {floor: {gap: puck.z, friction: 0.3, slip: [puck.vx, puck.vy]}}
simulation: {end: 1}
)yaml";

// the force of a sliding contact turns with its slip: what schemes are told of it against differences
TEST(FrictionInSpace, TangentsKnowHowItTurns) {
  const Model model = read_model("turning.yaml", R"yaml(escapement: 1
coordinates: {x: {start: 0.3}, y: {start: 0.2}, z: {start: 0.1}}
kinetic_energy: (x'^2 + 2*y'^2 + z'^2)/2
contacts: {floor: {gap: z + x*y, friction: 0.4, slip: ["x' + y*z'", "y' - 0.2*x' + 0.1*t"]}}
simulation: {end: 1}
)yaml");
  ActiveView view(*model.system);
  view.slide(0, {0.6, 0.8});
  State s = model.start;
  s.v = Eigen::Vector3d(0.7, -0.4, 0.2);
  const double slip[] = {0.7 + 0.2 * 0.2, -0.4 - 0.2 * 0.7};
  view.begin_step(0, slip, 1e-9);
  Terms T;
  Tangent D;
  view.prepare(T);
  view.prepare(D);
  const Vec push = Vec::Constant(1, 3.7);
  const auto force = [&](const Vec& v) {
    State at = s;
    at.v = v;
    view.evaluate(at, Need::mass | Need::force | Need::jacobian, T);
    Vec f = T.f;
    T.top().add_transposed_product(1, push, f);
    return f;
  };
  view.tangent(s, Vec::Zero(3), push, Parts::all, D);
  constexpr double e = 1e-5;
  double largest = 0;
  for (int j = 0; j < 3; ++j) {
    const Vec step = e * Vec::Unit(3, j), slope = (force(s.v + step) - force(s.v - step)) / (2 * e);
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(-D.D(i, j), slope[i], 1e-8) << i << j;
    largest = std::max(largest, slope.norm());
  }
  EXPECT_GT(largest, 0.5);
  // a slip that is too slow to have a direction does not turn it
  view.begin_step(0, slip, 10);
  view.tangent(s, Vec::Zero(3), push, Parts::all, D);
  for (int j = 0; j < 3; ++j) {
    const Vec step = e * Vec::Unit(3, j);
    EXPECT_LT((force(s.v + step) - force(s.v - step)).norm(), 1e-12);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(D.D(i, j), 0) << i << j;
  }
}

const std::vector<std::string> time_stepping_schemes{"moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl-decoupled", "moreau-midpoint-ggl",
                                                     "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"};

std::vector<std::string> all_with_discs() {
  std::vector<std::string> all{"auto", "hem5", "phem56", "mexx", "rkf45", "bdf", "radau", "generalized-alpha"};
  all.insert(all.end(), time_stepping_schemes.begin(), time_stepping_schemes.end());
  return all;
}

class FrictionInSpace : public ::testing::TestWithParam<std::string> {
 protected:
  bool time_stepping() const { return find_scheme(GetParam())->info.time_stepping; }
};

TEST_P(FrictionInSpace, APuckStopsOnItsDiagonal) {
  const double way = 1 / (0.3 * 9.81) / std::sqrt(2.0);  // v^2/(2 mu g), a component
  const RunReport exact = run(puck, GetParam(), "1e-6");
  EXPECT_EQ(to_string(exact.summary.status), "completed") << exact.summary.message;
  EXPECT_EQ(exact.summary.verdict(), "sound");
  const Vec &q = exact.outcome.final.q, &v = exact.outcome.final.v;
  EXPECT_NEAR(q[0], way, time_stepping() ? 1e-4 : 1e-6);
  EXPECT_NEAR(q[1], q[0], 1e-12);
  EXPECT_LT(v.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_NEAR(q[2], 0, 1e-9);
}

// a slip that starts with the spin of the ball: it keeps its direction, the path is a parabola, and at 2 |u|/(7 mu g) it rolls.
// The same thrown in other directions, which lie anywhere to the axes
TEST_P(FrictionInSpace, ABallSlidesThenRolls) {
  const std::string ball = R"yaml(
escapement: 1
parameters: {r: 0.1, mu: 0.3, turn: 0}
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.4*r^2, 0.4*r^2, 0.4*r^2], position: [0, 0, r], velocity: [cos(turn) - 0.5*sin(turn), sin(turn) + 0.5*cos(turn), 0], angular_velocity: [6*cos(turn) + 3*sin(turn), 6*sin(turn) - 3*cos(turn), 2]}
contacts:
  floor:
    gap: ball.z - r
    friction: mu
    slip:
    - ball.vx - r*(2*(ball.qx*ball.qy + ball.qw*ball.qz)*ball.wx + (1 - 2*(ball.qx^2 + ball.qz^2))*ball.wy + 2*(ball.qy*ball.qz - ball.qw*ball.qx)*ball.wz)
    - ball.vy + r*((1 - 2*(ball.qy^2 + ball.qz^2))*ball.wx + 2*(ball.qx*ball.qy - ball.qw*ball.qz)*ball.wy + 2*(ball.qx*ball.qz + ball.qw*ball.qy)*ball.wz)
simulation: {end: 0.5}
)yaml";
  const double mu_g = 0.3 * 9.81, u[2] = {1 + 0.1 * 3, 0.5 + 0.1 * 6}, speed = std::hypot(u[0], u[1]), t1 = 2 * speed / (7 * mu_g);
  const double start[2] = {1, 0.5}, allowed = time_stepping() ? 2e-3 : 1e-6;
  for (const double turn : {0.0, 0.8, 2.5, 4.0}) {
    std::string turned = ball;
    turned.replace(turned.find("turn: 0"), 7, "turn: " + std::to_string(turn));
    const RunReport report = run(turned, GetParam(), time_stepping() ? "1e-6" : "1e-8");
    EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
    double v[2], q[2];
    for (int k = 0; k < 2; ++k) {
      const double a = -mu_g * u[k] / speed;
      v[k] = start[k] + a * t1;
      q[k] = start[k] * t1 + 0.5 * a * t1 * t1 + v[k] * (0.5 - t1);
    }
    const double c = std::cos(turn), d = std::sin(turn);
    const State& end = report.outcome.final;
    EXPECT_NEAR(end.v[0], c * v[0] - d * v[1], allowed) << turn;
    EXPECT_NEAR(end.v[1], d * v[0] + c * v[1], allowed) << turn;
    EXPECT_NEAR(end.q[0], c * q[0] - d * q[1], allowed) << turn;
    EXPECT_NEAR(end.q[1], d * q[0] + c * q[1], allowed) << turn;
  }
}

// a fast slider does not lift: v = 20 - mu g t, no gap opens
TEST_P(FrictionInSpace, AFastSliderDoesNotLift) {
  std::string fast = puck;
  fast.replace(fast.find("[1, 1, 0]"), 9, "[16, 12, 0]");
  fast.replace(fast.find("end: 1"), 6, "end: 0.5");
  const RunReport report = run(fast, GetParam(), "", "5e-3");
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  const double left = 20 - 0.3 * 9.81 * 0.5;
  EXPECT_NEAR(report.outcome.final.v[0], 0.8 * left, 1e-9);
  EXPECT_NEAR(report.outcome.final.v[1], 0.6 * left, 1e-9);
  EXPECT_LT(std::abs(report.outcome.final.q[2]), 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Schemes, FrictionInSpace,
                         ::testing::ValuesIn(all_with_discs()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A disc on three feet slides and spins: friction of each foot opposes its own slip. Both motions end together
const std::string disc = R"yaml(
escapement: 1
parameters: {m: 1, R: 0.2, I: 0.02, g: 9.81, mu: 0.3}
coordinates:
  x: {rate: 1.2}
  y: {rate: -0.4}
  phi: {start: 0.3, rate: 9}
  z: {}
  a: {}
  b: {}
kinetic_energy: m/2*(x'^2 + y'^2 + z'^2) + I/2*(phi'^2 + a'^2 + b'^2)
potential_energy: m*g*z
contacts:
  one: {gap: z + R*(a*cos(phi) + b*sin(phi)), friction: mu, slip: ["x' - R*sin(phi)*phi'", "y' + R*cos(phi)*phi'"]}
  two: {gap: z + R*(a*cos(phi + 2*pi/3) + b*sin(phi + 2*pi/3)), friction: mu, slip: ["x' - R*sin(phi + 2*pi/3)*phi'", "y' + R*cos(phi + 2*pi/3)*phi'"]}
  three: {gap: z + R*(a*cos(phi + 4*pi/3) + b*sin(phi + 4*pi/3)), friction: mu, slip: ["x' - R*sin(phi + 4*pi/3)*phi'", "y' + R*cos(phi + 4*pi/3)*phi'"]}
simulation: {end: 0.4}
)yaml";

std::array<double, 6> disc_by_quadrature(double end) {
  const double R = 0.2, I = 0.02, mu_N = 0.3 * 9.81 / 3;
  using Six = std::array<double, 6>;
  const auto rate = [&](const Six& s) {
    Six d{s[3], s[4], s[5], 0, 0, 0};
    for (int k = 0; k < 3; ++k) {
      const double c = R * std::cos(s[2] + k * 2 * M_PI / 3), n = R * std::sin(s[2] + k * 2 * M_PI / 3);
      const double u = s[3] - n * s[5], w = s[4] + c * s[5], speed = std::hypot(u, w);
      d[3] -= mu_N * u / speed;
      d[4] -= mu_N * w / speed;
      d[5] -= mu_N * (c * w - n * u) / speed / I;
    }
    return d;
  };
  Six s{0, 0, 0.3, 1.2, -0.4, 9};
  const int steps = 200000;
  const double h = end / steps;
  for (int i = 0; i < steps; ++i) {
    const auto ahead = [&](const Six& k, double part) {
      Six out = s;
      for (int j = 0; j < 6; ++j) out[j] += part * h * k[j];
      return out;
    };
    const Six k1 = rate(s), k2 = rate(ahead(k1, 0.5)), k3 = rate(ahead(k2, 0.5)), k4 = rate(ahead(k3, 1));
    for (int j = 0; j < 6; ++j) s[j] += h / 6 * (k1[j] + 2 * k2[j] + 2 * k3[j] + k4[j]);
  }
  return s;
}

TEST(FrictionOfADisc, OnThreeFeetAgreesWithAQuadrature) {
  const auto reference = disc_by_quadrature(0.3);
  for (const std::string& scheme : all_with_discs()) {
    std::string text = disc;
    text.replace(text.find("end: 0.4"), 8, "end: 0.3");
    const bool steps = find_scheme(scheme)->info.time_stepping, low_order = scheme == "bdf" || scheme == "generalized-alpha";
    const RunReport report = run(text, scheme, steps || scheme == "generalized-alpha" ? "1e-6" : low_order ? "1e-7" : "1e-9");
    EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << report.summary.message;
    for (int k = 0; k < 3; ++k) {
      const double allowed = steps ? 2e-3 : low_order ? 1e-4 : 1e-7;
      EXPECT_NEAR(report.outcome.final.q[k], reference[k], allowed) << scheme << k;
      EXPECT_NEAR(report.outcome.final.v[k], reference[3 + k], 10 * allowed) << scheme << k;
    }
  }
}

// whoever solves contacts apart from the motion asks one of the solvers
TEST(FrictionOfADisc, OnThreeFeetIsTheSameByEverySolver) {
  const auto reference = disc_by_quadrature(0.3);
  std::string text = disc;
  text.replace(text.find("end: 0.4"), 8, "end: 0.3");
  for (const std::string& solver : contact_solver_choices()) {
    for (const char* scheme : {"auto", "hem5", "moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl-decoupled"}) {
      const bool steps = find_scheme(scheme)->info.time_stepping;
      const RunReport report = run(text, scheme, steps ? "" : "1e-9", steps ? "1e-4" : "", solver);
      EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << " " << solver << report.summary.message;
      EXPECT_EQ(report.summary.verdict(), "sound") << scheme << " " << solver;
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(report.outcome.final.q[k], reference[k], steps ? 2e-3 : 1e-7) << scheme << " " << solver << k;
        EXPECT_NEAR(report.outcome.final.v[k], reference[3 + k], steps ? 2e-2 : 1e-6) << scheme << " " << solver << k;
      }
    }
  }
}

TEST(FrictionOfADisc, SlidingAndSpinningEndTogether) {
  const RunReport exact = run(disc + "\n", "auto", "1e-8");
  EXPECT_EQ(to_string(exact.summary.status), "completed") << exact.summary.message;
  std::string longer = disc;
  longer.replace(longer.find("end: 0.4"), 8, "end: 1.5");
  const RunReport rest = run(longer, "auto", "1e-8");
  EXPECT_EQ(to_string(rest.summary.status), "completed") << rest.summary.message;
  EXPECT_LT(rest.outcome.final.v.cwiseAbs().maxCoeff(), 1e-9);
  const RunReport stepped = run(longer, "moreau-midpoint", "", "1e-4");
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(rest.outcome.final.q[k], stepped.outcome.final.q[k], 2e-3) << k;
}

// a block on a spring whose other end goes round: it sticks and slips in turns, in ever new directions
TEST(FrictionInSpaceRuns, StickSlipInTwoDirections) {
  const std::string text = R"yaml(
escapement: 1
parameters: {m: 1, k: 40, mu: 0.25, g: 9.81}
coordinates: {x: {}, y: {}, z: {}}
kinetic_energy: m/2*(x'^2 + y'^2 + z'^2)
potential_energy: m*g*z + k/2*((x - 0.2*sin(1.3*t))^2 + (y - 0.15*(1 - cos(0.9*t)))^2)
contacts: {floor: {gap: z, friction: mu, slip: ["x'", "y'"]}}
simulation: {end: 6}
)yaml";
  const RunReport exact = run(text, "auto", "1e-8");
  EXPECT_EQ(to_string(exact.summary.status), "completed") << exact.summary.message;
  EXPECT_EQ(exact.summary.verdict(), "sound");
  long sticks = 0;
  for (const std::string& kind : exact.result.events.kind) sticks += kind == "stick";
  EXPECT_EQ(sticks, 3);
  for (const std::string scheme : {"hem5", "rkf45", "phem56", "mexx", "bdf", "radau", "generalized-alpha"}) {
    const RunReport other = run(text, scheme, scheme == "hem5" ? "1e-6" : "1e-5");
    EXPECT_LT((other.outcome.final.q - exact.outcome.final.q).cwiseAbs().maxCoeff(), scheme == "hem5" ? 1e-6 : 5e-4) << scheme;
  }
  for (const std::string& scheme : time_stepping_schemes) {
    double last = 1e-4;
    for (const char* step : {"1e-3", "2.5e-4"}) {
      const RunReport stepped = run(text, scheme, "", step);
      const double off = (stepped.outcome.final.q - exact.outcome.final.q).cwiseAbs().maxCoeff();
      EXPECT_LT(off, 0.5 * last) << scheme << step;
      last = off;
    }
  }
}

// A wall holds the floor's slip in one direction, and how the two share what presses the block there is not determined: the wall
// carries it, friction is left for the other direction. The load along the wall comes near the limit in turns and stays below
// it; together with the load on the wall it would pass it
const std::string corner = R"yaml(
escapement: 1
parameters: {m: 2, mu: 0.5, g: 9.81, push: 0.98}
coordinates: {x: {}, y: {}, z: {}}
kinetic_energy: m/2*(x'^2 + y'^2 + z'^2)
forces: {x: push*mu*m*g*sin(3*t), y: "if(t > 0.3, 0.7*mu*m*g, 0)", z: -m*g}
contacts:
  floor: {gap: z, friction: mu, slip: ["x'", "y'"]}
  wall: {gap: -y}
simulation: {end: 6}
)yaml";

TEST(FrictionInSpaceRuns, AWallCarriesWhatPressesAgainstIt) {
  for (const char* scheme : {"auto", "hem5", "phem56", "mexx", "rkf45", "bdf", "radau", "generalized-alpha"}) {
    const RunReport held = run(corner, scheme, "1e-6");
    EXPECT_EQ(to_string(held.summary.status), "completed") << scheme << held.summary.message;
    EXPECT_EQ(held.summary.verdict(), "sound") << scheme;
    EXPECT_LT(held.outcome.final.q.cwiseAbs().maxCoeff(), 1e-9) << scheme;
    EXPECT_LT(held.outcome.steps, 1000) << scheme;
    const Vec& lambda = held.outcome.final.lambda;  // floor, wall, friction along x and y
    EXPECT_NEAR(lambda[1], 0.7 * 0.5 * 2 * 9.81, 1e-6) << scheme;
    EXPECT_NEAR(lambda[2], -0.98 * 0.5 * 2 * 9.81 * std::sin(18.0), 1e-6) << scheme;
    EXPECT_NEAR(lambda[3], 0, 1e-9) << scheme;
  }
}

// along the wall it slips as in the plane, and away from it friction alone holds
TEST(FrictionInSpaceRuns, AlongAWallItSlipsAsInThePlane) {
  const auto with = [](std::string text, const std::string& old, const std::string& now) { return text.replace(text.find(old), old.size(), now); };
  const std::string slips = with(corner, "push: 0.98", "push: 1.1");
  std::string plane = with(slips, R"(slip: ["x'", "y'"])", "slip: x'");
  const RunReport in_plane = run(plane, "hem5", "1e-8");
  for (const char* scheme : {"auto", "hem5", "rkf45", "bdf", "generalized-alpha"}) {
    const RunReport report = run(slips, scheme, "1e-6");
    EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << report.summary.message;
    EXPECT_EQ(report.summary.verdict(), "sound") << scheme;
    EXPECT_NEAR(report.outcome.final.q[0], in_plane.outcome.final.q[0], 1e-4) << scheme;
    EXPECT_LT(report.outcome.steps, 3000) << scheme;
  }
  const RunReport pulled = run(with(with(corner, "push: 0.98", "push: 0.5"), "0.7*mu*m*g, 0", "-0.7*mu*m*g, 0"), "auto", "1e-6");
  EXPECT_EQ(pulled.summary.verdict(), "sound");
  EXPECT_LT(pulled.outcome.final.q.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_NEAR(pulled.outcome.final.lambda[3], 0.7 * 0.5 * 2 * 9.81, 1e-6);
}

// at rest in the corner friction has a share of what presses against the wall, and is at its limit in steps of any size
TEST(FrictionInSpaceRuns, ASlipAlongAWallStopsWhereItDoes) {
  const double slows = 0.15 * 9.81 - 1, y = 1.5 + 0.6 * 0.6 / (2 * slows);
  for (const char* scheme : {"auto", "moreau-jean", "moreau-midpoint", "moreau-midpoint-ggl", "moreau-midpoint-ggl-decoupled",
                             "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"})
    for (const char* tolerance : {"1e-5", "1e-7"}) {
      const RunReport report = run(R"yaml(escapement: 1
coordinates: {x: {start: 0.8}, y: {start: 1.5, rate: 0.6}, z: {}}
kinetic_energy: (x'^2 + y'^2 + z'^2)/2
forces: {x: 2, y: 1, z: -9.81}
contacts: {floor: {gap: z, friction: 0.15, slip: ["x'", "y'"]}, wall: {gap: 0.8 - x, restitution: 0.3}}
simulation: {end: 3}
)yaml", scheme, tolerance);
      EXPECT_TRUE(report.summary.sound) << scheme;
      EXPECT_NEAR(report.outcome.final.q[1], y, std::sqrt(std::stod(tolerance))) << scheme << " " << tolerance;
    }
}

// The gaps of its four feet depend on each other. What rounding leaves of that is no reason to share the load otherwise, which friction
// would follow
TEST(FrictionInSpaceRuns, ABoxSlidesAndSpinsOnATiltedTable) {
  double energies[2];
  for (int k = 0; k < 2; ++k) {
    const RunReport report = run(R"yaml(escapement: 1
dimension: 3
parameters: {s: 25*deg}
gravity: [0, 0, -9.81]
bodies:
  ground: {shapes: [{half_space: [sin(s), 0, cos(s)]}]}
  box: {mass: 2, inertia: [0.012, 0.02, 0.025], position: [0.05*sin(s), 0, 0.05*cos(s)], orientation: {axis: [0, 1, 0], angle: s},
        velocity: [0.5*cos(s), 0.3, -0.5*sin(s)], angular_velocity: [0, 0, 4], shapes: [{box: [0.3, 0.2, 0.1]}]}
contacts: {floor: {between: [box, ground], friction: 0.3}}
simulation: {end: 1}
)yaml", k == 0 ? "hem5" : "bdf", "1e-6");
    ASSERT_EQ(report.outcome.status, Outcome::Status::completed) << report.outcome.message;
    EXPECT_TRUE(report.summary.sound) << k;
    EXPECT_LT(report.outcome.steps, 1000) << k;
    energies[k] = report.summary.energy.final;
  }
  EXPECT_NEAR(energies[0], energies[1], 1e-2 * std::abs(energies[0]));
}

}  // namespace
}  // namespace escapement
