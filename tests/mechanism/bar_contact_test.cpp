// Capsules in space with each other and with boxes: derivatives against differences, distances against searches in long double and
// against what is found anew in each step, motions against closed forms.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "io/run.hpp"
#include "model/collision/touch.hpp"
#include "support/derivative_check.hpp"

namespace escapement::bar_contact_test {
namespace {

// parts as long as they are: ends, insides and edges come to lie on each other
const char* pairs = R"yaml(
escapement: 1
dimension: 3
bodies:
  a: {mass: 1, inertia: [1, 2, 2.5], shapes: [{capsule: [2, 0.3], at: [0.1, 0.2, 0], orientation: {axis: [1, 0, 0], angle: 0.4}}]}
  b: {mass: 1, inertia: [1, 2, 2.5], position: [4, 0, 0.2], orientation: {axis: [1, 1, 0], angle: 0.9}, shapes: [{capsule: [1.6, 0.2]}]}
  c: {mass: 1, inertia: [1, 2, 2.5], position: [-4, 0.2, 0.1], orientation: {axis: [1, 2, 1], angle: 0.5}, shapes: [{box: [1, 0.8, 1.4], at: [0.1, 0, 0]}]}
contacts:
  one: {between: [a, b], friction: 0.3}
  two: {between: [a, c], friction: 0.3}
simulation: {end: 1}
)yaml";

State placed(const Model& model, unsigned seed, double spread) {
  State s = model.start;
  std::srand(seed);
  s.v = Vec::Random(s.v.size());
  const Vec step = spread * Vec::Random(s.v.size());
  Vec near = model.start.q;  // as far as they touch or nearly do
  near[7] = 0.9;
  near[14] = -1.3;
  model.system->retract(near, step, s.q);
  return s;
}

TEST(BarContacts, DerivativesToSecondOrder) {
  const Model model = read_model("bars.yaml", pairs);
  ASSERT_EQ(model.system->dim().unilateral, 5 + 14);
  Terms T;
  model.system->prepare(T);
  int checked = 0;
  for (unsigned seed = 1; seed < 16; ++seed) {
    const State s = placed(model, seed, 0.6);
    model.system->evaluate(s, Need::gap | Need::jacobian, T);
    // differences err by third derivatives, which are large where the directions of slips turn abruptly: along (-2, -3, -6)
    double beside = 1;
    for (int k = 0; k < 5; ++k) {
      const Eigen::Vector3d normal = T.G.dense().row(k).segment<3>(6);
      beside = std::min(beside, 1 - std::abs(normal.dot(Eigen::Vector3d(-2, -3, -6) / 7)));
    }
    if (beside < 0.02) continue;
    testing::DerivativeCheck(*model.system, s).run();
    ++checked;
  }
  EXPECT_GT(checked, 8);
}

TEST(BarContacts, DoNotDependOnTheOrderOfTheirBodies) {
  std::string text = pairs;
  const Model model = read_model("bars.yaml", text);
  text.replace(text.find("[a, b]"), 6, "[b, a]");
  text.replace(text.find("[a, c]"), 6, "[c, a]");
  const Model other = read_model("bars.yaml", text);
  Terms T, U;
  model.system->prepare(T);
  other.system->prepare(U);
  for (unsigned seed = 1; seed < 40; ++seed) {
    const State s = placed(model, seed, 1);
    model.system->evaluate(s, Need::gap | Need::jacobian | Need::curvature, T);
    other.system->evaluate(s, Need::gap | Need::jacobian | Need::curvature, U);
    // the ends of the first come first
    const int order[] = {2, 3, 0, 1, 4};
    for (int k = 0; k < 19; ++k) {
      const int there = k < 5 ? order[k] : k;
      EXPECT_NEAR(T.g[k], U.g[there], 1e-14);
      EXPECT_NEAR(T.kappa[k], U.kappa[there], 1e-9 * (1 + std::abs(T.kappa[k])));
      for (int j = 0; j < 18; ++j) EXPECT_NEAR(T.G.dense()(k, j), U.G.dense()(there, j), 1e-13);
    }
  }
}

using Long = Eigen::Matrix<long double, 3, 1>;

// of two segments: the distance from a point of the first to the second is convex in where the point is
long double distance(const Long& p, const Long& along, const Long& q, const Long& other) {
  const auto from = [&](long double s) {
    const Long way = p + s * along - q;
    const long double t = std::min(1.0L, std::max(-1.0L, way.dot(other) / other.squaredNorm()));
    return Long(way - t * other).norm();
  };
  long double low = -1, high = 1;
  for (int i = 0; i < 300; ++i) {
    const long double c = low + (high - low) / 3, d = high - (high - low) / 3;
    (from(c) < from(d) ? high : low) = from(c) < from(d) ? d : c;
  }
  return from((low + high) / 2);
}

TEST(BarContacts, TheLeastGapIsTheDistance) {
  const Model model = read_model("bars.yaml", pairs);
  Terms T;
  model.system->prepare(T);
  int within = 0;
  for (unsigned seed = 1; seed < 200; ++seed) {
    const State s = placed(model, seed, 1.2);
    model.system->evaluate(s, Need::gap, T);
    const auto frame = [&](int body) {
      const Vec4 turn = s.q.segment<4>(7 * body + 3);
      return std::pair{Eigen::Vector3d(s.q.segment<3>(7 * body)), Eigen::Matrix3d(rotation_matrix(turn))};
    };
    const auto [xa, Ra] = frame(0);
    const auto [xb, Rb] = frame(1);
    const Eigen::Vector3d p = xa + Ra * Eigen::Vector3d(0.1, 0.2, 0), u = Ra * Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()).toRotationMatrix().col(2), v = 0.8 * Rb.col(2);
    const long double apart = distance(p.cast<long double>(), u.cast<long double>(), xb.cast<long double>(), v.cast<long double>());
    EXPECT_NEAR(T.g.head(5).minCoeff(), static_cast<double>(apart) - 0.5, 1e-14) << seed;
    EXPECT_NEAR(T.g[4], T.g.head(5).minCoeff(), 1e-14) << seed;
    within += T.g[4] < T.g.head(4).minCoeff() - 1e-6;

    // the box, as it is found anew
    const auto [xc, Rc] = frame(2);
    Solid<3> capsule, box;
    capsule.kind = Solid<3>::Kind::capsule;
    capsule.half_length = 1;
    capsule.radius = 0.3;
    box.kind = Solid<3>::Kind::box;
    box.half = {0.5, 0.4, 0.7};
    box.make_polytope();
    Rotation<3> along = Ra * Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()).toRotationMatrix();
    std::vector<TouchPoint<3>> points;
    touch_function<3>(capsule.kind, box.kind)(capsule, {p, along}, box, {Vector<3>(xc + Rc * Eigen::Vector3d(0.1, 0, 0)), Rc}, 100, points);
    double least = INFINITY;
    for (const TouchPoint<3>& one : points) least = std::min(least, one.gap);
    bool pierced = false;  // by the capsule's line: neither knows such a depth
    for (int k = -100; k <= 100; ++k) {
      const Eigen::Vector3d at = Rc.transpose() * (p + 0.01 * k * u - xc) - Eigen::Vector3d(0.1, 0, 0);
      pierced = pierced || (std::abs(at[0]) < 0.51 && std::abs(at[1]) < 0.41 && std::abs(at[2]) < 0.71);
    }
    if (pierced) continue;
    EXPECT_NEAR(T.g.tail(14).minCoeff(), least, 1e-12) << seed;
  }
  EXPECT_GT(within, 20);
}

// along a path over insides, edges and ends: gaps change by their gradients, gradients do not jump
TEST(BarContacts, GoOnFromFeatureToFeature) {
  const Model model = read_model("bars.yaml", pairs);
  Terms T, U;
  model.system->prepare(T);
  model.system->prepare(U);
  const auto* featured = dynamic_cast<const FeaturedSystem*>(model.system.get());
  ASSERT_TRUE(featured);
  std::vector<int> all(19), before, now;
  for (int k = 0; k < 19; ++k) all[static_cast<std::size_t>(k)] = k;
  int changes = 0;
  for (unsigned seed = 1; seed < 16; ++seed) {
    State s = placed(model, seed, 0.3), s1 = s;
    const Vec way = Vec::Random(s.v.size());
    const double h = 1e-5;
    model.system->evaluate(s, Need::gap | Need::jacobian, T);
    featured->features(s, all, before);
    for (int i = 0; i < 2000; ++i) {
      model.system->retract(s.q, 40 * h * way, s1.q);  // some way on
      std::swap(s, s1);
      model.system->evaluate(s, Need::gap | Need::jacobian, T);
      featured->features(s, all, before);
      model.system->retract(s.q, h * way, s1.q);
      model.system->evaluate(s1, Need::gap | Need::jacobian, U);
      featured->features(s1, all, now);
      for (int k = 0; k < 19; ++k) {
        if (before[static_cast<std::size_t>(k)] == now[static_cast<std::size_t>(k)] || std::min(T.g[k], U.g[k]) < 0) continue;
        ++changes;
        double slope = 0, other = 0;
        for (int j = 0; j < way.size(); ++j) slope += T.G.dense()(k, j) * way[j], other += U.G.dense()(k, j) * way[j];
        EXPECT_NEAR(U.g[k] - T.g[k], h * slope, 1e-8);
        EXPECT_NEAR(slope, other, 1e-3);
      }
    }
  }
  EXPECT_GT(changes, 3);
}

RunReport run(const std::string& text, const std::string& scheme, const std::string& tolerance) {
  Overrides overrides;
  overrides.scheme = scheme;
  overrides.tolerance = tolerance;
  Model model = read_model("bars.yaml", text, overrides);
  RunReport report = run_model(model);
  EXPECT_EQ(to_string(report.summary.status), "completed") << report.summary.message;
  EXPECT_EQ(report.summary.verdict(), "sound") << to_text(report.summary);
  return report;
}

// a rod falls on a crossed one beside its middle: m v' = P, I w' = P d, and its point goes up with e times what it came down with
TEST(BarContacts, CrossedRodsCollide) {
  for (const char* scheme : {"auto", "hem5", "moreau-midpoint-ggl"}) {
    const RunReport report = run(R"yaml(
escapement: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ground: {shapes: [{capsule: [1, 0.1], orientation: {axis: [0, 1, 0], angle: 90*deg}}]}
  rod: {mass: 2, inertia: [0.03, 0.03, 0.002], position: [0.2, 0.1, 0.25], orientation: {axis: [1, 0, 0], angle: 90*deg}, shapes: [{capsule: [0.6, 0.05]}]}
contacts: {touch: {between: [rod, ground], restitution: 0.5}}
simulation: {end: 0.16}
)yaml", scheme, "1e-8");
    // it falls 0.1 m
    const double v = std::sqrt(2 * 9.81 * 0.1), hit = v / 9.81, P = 1.5 * v / (0.5 + 0.01 / 0.03), tight = std::string(scheme) == "moreau-midpoint-ggl" ? 2e-4 : 1e-9;
    EXPECT_NEAR(report.outcome.final.v[2], -v + P / 2 - 9.81 * (0.16 - hit), tight) << scheme;
    EXPECT_NEAR(std::abs(report.outcome.final.v[3]), P * 0.1 / 0.03, 10 * tight) << scheme;
  }
}

// on a box, over one of its edges, a capsule slides to rest
TEST(BarContacts, ACapsuleSlidesOnABox) {
  const RunReport report = run(R"yaml(
escapement: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  ground: {shapes: [{box: [4, 0.3, 0.1], at: [0, 0, -0.05]}]}
  rod: {mass: 1, inertia: [0.02, 0.02, 0.002], position: [0, 0.05, 0.05], orientation: {axis: [1, 0, 0], angle: 90*deg}, angular_velocity: [0, 0, 0], velocity: [0, 0.3, 0], shapes: [{capsule: [0.5, 0.05]}]}
contacts: {table: {between: [rod, ground], friction: 0.3}}
simulation: {end: 0.3}
)yaml", "auto", "1e-8");
  EXPECT_NEAR(report.outcome.final.q[1], 0.05 + 0.3 * 0.3 / (2 * 0.3 * 9.81), 1e-7);
  EXPECT_NEAR(report.outcome.final.q[2], 0.05, 1e-10);
}

}  // namespace
}  // namespace escapement
