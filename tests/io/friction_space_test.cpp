// Friction in space: the disc, in every scheme, against closed forms and integrations of their own.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include <algorithm>

#include "io/model_file.hpp"
#include "io/run.hpp"
#include "schemes/scheme.hpp"

namespace escapement {
namespace {

RunReport run(const std::string& text, const std::string& scheme, const std::string& tolerance, const std::string& step = "") {
  Overrides overrides;
  overrides.scheme = scheme;
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

// a slip that starts with the spin of the ball: it keeps its direction, the path is a parabola, and at 2 |u|/(7 mu g) it rolls
TEST_P(FrictionInSpace, ABallSlidesThenRolls) {
  const std::string ball = R"yaml(
escapement: 1
parameters: {r: 0.1, mu: 0.3}
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ball: {mass: 1, inertia: [0.4*r^2, 0.4*r^2, 0.4*r^2], position: [0, 0, r], velocity: [1, 0.5, 0], angular_velocity: [6, -3, 2]}
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
  const RunReport report = run(ball, GetParam(), time_stepping() ? "1e-6" : "1e-8");
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  const double start[2] = {1, 0.5}, allowed = time_stepping() ? 2e-3 : 1e-6;
  for (int k = 0; k < 2; ++k) {
    const double a = -mu_g * u[k] / speed, rolling = start[k] + a * t1;
    EXPECT_NEAR(report.outcome.final.v[k], rolling, allowed) << k;
    EXPECT_NEAR(report.outcome.final.q[k], start[k] * t1 + 0.5 * a * t1 * t1 + rolling * (0.5 - t1), allowed) << k;
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
                         ::testing::Values("auto", "hem5", "phem56", "mexx", "rkf45", "bdf", "generalized-alpha", "moreau-jean",
                                           "moreau-midpoint", "moreau-midpoint-ggl-decoupled", "moreau-midpoint-ggl",
                                           "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"),
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
  for (const std::string scheme : {"hem5", "auto", "rkf45", "phem56", "bdf", "moreau-jean", "moreau-midpoint-ggl", "nonsmooth-generalized-alpha-ggl"}) {
    std::string text = disc;
    text.replace(text.find("end: 0.4"), 8, "end: 0.3");
    const bool steps = find_scheme(scheme)->info.time_stepping;
    const RunReport report = run(text, scheme, steps ? "1e-6" : scheme == "bdf" ? "1e-7" : "1e-9");
    EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << report.summary.message;
    for (int k = 0; k < 3; ++k) {
      const double allowed = steps ? 2e-3 : scheme == "bdf" ? 1e-4 : 1e-7;
      EXPECT_NEAR(report.outcome.final.q[k], reference[k], allowed) << scheme << k;
      EXPECT_NEAR(report.outcome.final.v[k], reference[3 + k], 10 * allowed) << scheme << k;
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
  for (const std::string scheme : {"hem5", "rkf45", "phem56", "bdf", "generalized-alpha"}) {
    const RunReport other = run(text, scheme, scheme == "hem5" ? "1e-6" : "1e-5");
    EXPECT_LT((other.outcome.final.q - exact.outcome.final.q).cwiseAbs().maxCoeff(), scheme == "hem5" ? 1e-6 : 5e-4) << scheme;
  }
  double last = 1e-4;
  for (const char* step : {"1e-3", "2.5e-4"}) {
    const RunReport stepped = run(text, "moreau-midpoint-ggl", "", step);
    const double off = (stepped.outcome.final.q - exact.outcome.final.q).cwiseAbs().maxCoeff();
    EXPECT_LT(off, 0.5 * last) << step;
    last = off;
  }
}

}  // namespace
}  // namespace escapement
