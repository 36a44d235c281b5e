// The hand-written test systems against differences of their own terms: a wrong tangent would only slow Newton down.
#include <gtest/gtest.h>

#include "support/free_body.hpp"
#include "support/linear_systems.hpp"
#include "support/pendulum.hpp"
#include "support/pendulum_variants.hpp"
#include "support/rheonomic_pendulum.hpp"
#include "support/slider_crank.hpp"
#include "support/smooth_oscillator.hpp"
#include "support/spatial_top.hpp"

namespace escapement::hand_systems_test {
namespace {

constexpr double d = 1e-5;          // step of the central differences
constexpr double tolerance = 2e-8;  // relative to 1 + the largest entry
constexpr Need all = Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature;

class Differences {
 public:
  Differences(const System& system, State s) : system_(system), s_(std::move(s)) {
    system.prepare(T_);
    w_ = Vec::LinSpaced(s_.v.size(), -0.7, 1.1);
    mu_ = Vec::LinSpaced(s_.lambda.size(), 0.9, -1.3);
  }

  // d/dx of what `get` reads, x moved along component j of q (by retract), v or z
  template <class Get>
  Mat by_q(Get get) {
    return columns(int(s_.v.size()), get, [&](State& s, int j, double e) {
      Vec dx = Vec::Zero(s.v.size());
      dx[j] = e;
      system_.retract(s_.q, dx, s.q);
    });
  }
  template <class Get>
  Mat by_v(Get get) {
    return columns(int(s_.v.size()), get, [](State& s, int j, double e) { s.v[j] += e; });
  }
  template <class Get>
  Mat by_z(Get get) {
    return columns(int(s_.z.size()), get, [](State& s, int j, double e) { s.z[j] += e; });
  }
  // d/dt along the motion with constant v
  template <class Get>
  Mat by_time(Get get) {
    return columns(1, get, [&](State& s, int, double e) {
      system_.retract(s_.q, e * s_.v, s.q);
      s.t += e;
    });
  }

  // M w - f - G^T mu, of the parts asked for
  Vec residual(const Terms& T, Parts parts) const {
    Vec r = Vec::Zero(w_.size());
    if (has(parts, Parts::mass)) T.M.add_product(1, w_, r);
    if (has(parts, Parts::force)) r -= T.f;
    if (has(parts, Parts::constraint)) T.G.add_transposed_product(-1, mu_, r);
    return r;
  }
  const System& system_;
  State s_;
  Terms T_;
  Vec w_, mu_;

 private:
  template <class Get, class Move>
  Mat columns(int n, Get get, Move move) {
    Mat result(get(T_, s_).size(), n);
    for (int j = 0; j < n; ++j) {
      State plus = s_, minus = s_;
      move(plus, j, d);
      move(minus, j, -d);
      system_.evaluate(plus, all, T_);
      const Vec y = get(T_, plus);
      system_.evaluate(minus, all, T_);
      result.col(j) = (y - get(T_, minus)) / (2 * d);
    }
    return result;
  }
};

void expect_close(const Mat& a, const Mat& b, const char* what) {
  ASSERT_EQ(a.rows(), b.rows()) << what;
  ASSERT_EQ(a.cols(), b.cols()) << what;
  if (a.size() == 0) return;
  EXPECT_LT((a - b).cwiseAbs().maxCoeff(), tolerance * (1 + b.cwiseAbs().maxCoeff())) << what << "\n"
                                                                                      << a << "\n\n"
                                                                                      << b;
}

void check(const System& system, State s) {
  Differences by(system, std::move(s));
  Terms T;
  system.prepare(T);
  system.evaluate(by.s_, all, T);
  auto gap = [](const Terms& at, const State&) { return at.g; };
  auto rows = [](const Terms& at, const State& state) {
    Vec r = at.g_t;
    at.G.add_product(1, state.v, r);
    return r;
  };
  auto kappa = [](const Terms& at, const State&) { return at.kappa; };
  auto force = [](const Terms& at, const State&) { return at.f; };
  auto zdot = [](const Terms& at, const State&) { return at.zdot; };
  const bool positions = system.dim().rows() > 0 && system.level(0) == Level::position;
  if (positions) {
    Mat G = by.by_q(gap);
    for (int i = 0; i < G.rows(); ++i)
      if (T.G.dense().row(i).isZero()) G.row(i).setZero();
    expect_close(T.G.dense(), G, "G");
    expect_close(rows(T, by.s_), by.by_time(gap), "G v + g_t");
  }
  expect_close(T.kappa, by.by_time(rows), "kappa");

  Tangent D;
  system.prepare(D);
  for (const Parts part : {Parts::mass, Parts::force, Parts::constraint, Parts::all}) {
    system.tangent(by.s_, by.w_, by.mu_, part, D);
    expect_close(D.K.dense(), by.by_q([&](const Terms& at, const State&) { return by.residual(at, part); }), "K");
  }
  expect_close(D.D.dense(), -by.by_v(force), "D");
  expect_close(D.f_z, by.by_z(force), "f_z");
  expect_close(D.zdot_q, by.by_q(zdot), "zdot_q");
  expect_close(D.zdot_v, by.by_v(zdot), "zdot_v");
  expect_close(D.zdot_z, by.by_z(zdot), "zdot_z");
  system.tangent(by.s_, by.w_, by.mu_, Parts::velocity_rows | Parts::curvature_rows, D);
  expect_close(D.V_q.dense(), by.by_q(rows), "V_q");
  expect_close(D.kappa_q.dense(), by.by_q(kappa), "kappa_q");
  expect_close(D.kappa_v.dense(), by.by_v(kappa), "kappa_v");
}

State some_state(const System& system) {
  State s = make_state(system.dim());
  s.t = 0.3;
  s.q = Vec::LinSpaced(s.q.size(), 0.4, -0.9);
  system.normalize(s.q);
  s.v = Vec::LinSpaced(s.v.size(), 1.2, -0.8);
  s.z = Vec::LinSpaced(s.z.size(), 0.5, 0.2);
  return s;
}

template <class T>
class HandSystems : public ::testing::Test {};
using Systems =
    ::testing::Types<testing::Pendulum, testing::RedundantPendulum, testing::Skate, testing::RheonomicPendulum,
                     testing::SliderCrank, testing::SmoothOscillator, testing::StiffOscillator, testing::MaxwellElement,
                     testing::FreeBody, testing::SpatialTop>;
TYPED_TEST_SUITE(HandSystems, Systems);

TYPED_TEST(HandSystems, TermsAndTangentsAgreeWithDifferences) {
  const TypeParam system;
  check(system, some_state(system));
}

// rows of which nothing large is known count by 1, larger ones by their terms
class LargeRow : public testing::Pendulum {
 public:
  double size = 3;
  using System::position_terms;
  void position_terms(const State&, const ContactSet*, Vec& largest) const override { largest.setConstant(1, size); }
};

TEST(PositionScale, IsOneAtLeastWhereNoScaleIsGiven) {
  LargeRow system;
  const State s = some_state(system);
  Vec scale;
  system.position_scale(s, scale);
  EXPECT_EQ(scale, Vec::Constant(1, 3.0));
  system.size = 0.25;
  system.position_scale(s, scale);
  EXPECT_EQ(scale, Vec::Constant(1, 1.0));
}

}  // namespace
}  // namespace escapement
