// What the implicit schemes share below their formulas: sparse storage, force directions that differ from the rows.
#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/convergence.hpp"
#include "support/hand_system.hpp"
#include "support/linear_systems.hpp"
#include "support/pendulum_variants.hpp"
#include "support/spatial_top.hpp"

namespace escapement::implicit_schemes_test {
namespace {

using namespace testing;
using Given = std::map<std::string, OptionValue>;

// a system with all its matrices in sparse storage
template <class Base>
class Sparse : public Base {
 public:
  void prepare(Terms& T) const override {
    Base::prepare(T);
    for (Matrix* matrix : {&T.M, &T.G}) make_sparse(*matrix);
  }
  void prepare(Tangent& D) const override {
    Base::prepare(D);
    D.retraction.resize(this->dim().v, this->dim().v);
    for (Matrix* matrix : matrices(D)) make_sparse(*matrix);
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    Terms dense = T;
    Base::prepare(dense);
    Base::evaluate(s, need, dense);
    T.f = dense.f;
    T.zdot = dense.zdot;
    T.g = dense.g;
    T.g_t = dense.g_t;
    T.kappa = dense.kappa;
    if (has(need, Need::mass)) copy(dense.M, T.M);
    if (has(need, Need::jacobian)) copy(dense.G, T.G);
  }
  void tangent(const State& s, const Vec& w, const Vec& mu, Parts parts, Tangent& D) const override {
    Tangent dense;
    Base::prepare(dense);
    Base::tangent(s, w, mu, parts, dense);
    D.f_z = dense.f_z;
    D.zdot_q = dense.zdot_q;
    D.zdot_v = dense.zdot_v;
    D.zdot_z = dense.zdot_z;
    copy(dense.K, D.K);
    copy(dense.D, D.D);
    copy(dense.V_q, D.V_q);
    copy(dense.kappa_q, D.kappa_q);
    copy(dense.kappa_v, D.kappa_v);
  }
  bool retract_tangent(const Vec& dx, Matrix& T) const override {
    Matrix dense;
    dense.resize(this->dim().v, this->dim().v);
    if (!Base::retract_tangent(dx, dense)) return false;
    copy(dense, T);
    return true;
  }

 private:
  static std::array<Matrix*, 6> matrices(Tangent& D) {
    return {&D.K, &D.D, &D.V_q, &D.kappa_q, &D.kappa_v, &D.retraction};
  }
  static void make_sparse(Matrix& m) {
    std::vector<std::pair<int, int>> places;
    for (int i = 0; i < m.rows(); ++i)
      for (int j = 0; j < m.cols(); ++j) places.emplace_back(i, j);
    m.set_pattern(m.rows(), m.cols(), places);
  }
  static void copy(const Matrix& from, Matrix& to) {
    to.set_zero();
    for (int i = 0; i < from.rows(); ++i) from.for_each_in_row(i, [&](int j, double x) { to.add(i, j, x); });
  }
};

std::vector<std::pair<std::string, Given>> implicit_schemes() {
  std::vector<std::pair<std::string, Given>> all;
  for (const char* level : {"position", "velocity", "acceleration", "ggl"})
    all.push_back({"generalized-alpha", {{"level", std::string(level)}}});
  for (const char* form : {"three-field", "two-field"}) all.push_back({"bdf", {{"form", std::string(form)}}});
  return all;
}

template <class Base>
void expect_same_motion(const char* name) {
  const Base dense;
  const Sparse<Base> sparse;
  for (const auto& [id, options] : implicit_schemes()) {
    State a = dense.exact(0), b = a;
    auto one = make_scheme(id, options), other = make_scheme(id, options);
    one->start(dense, a);
    other->start(sparse, b);
    ASSERT_TRUE(run_steps(*one, dense, 20, 0.02, a));
    ASSERT_TRUE(run_steps(*other, sparse, 20, 0.02, b));
    EXPECT_LT((a.q - b.q).norm() + (a.v - b.v).norm() + (a.z - b.z).norm(), 1e-11) << name << ' ' << id;
  }
}

TEST(ImplicitSchemes, SparseStorageGivesTheSameMotion) {
  expect_same_motion<SpatialTop>("top");
  expect_same_motion<MaxwellElement>("first-order state");
  expect_same_motion<Skate>("skate");
}

// a bead on a ring with friction in proportion to the ring's force: the multiplier acts along a direction that is not G
class RubbingBead : public HandSystem {
 public:
  RubbingBead() : HandSystem(2, 2, 1) {}
  State consistent_start() const {
    State s = make_state(dim());
    s.q << 0, -1;
    s.v << 2, 0;
    return s;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense().setIdentity();
    if (has(need, Need::force)) T.f << 0, -9.81;
    if (has(need, Need::gap)) T.g << 0.5 * (s.q.squaredNorm() - 1);
    if (has(need, Need::curvature)) T.kappa << s.v.squaredNorm();
    if (!has(need, Need::jacobian)) return;
    T.G.dense() = s.q.transpose();
    T.sliding = true;
    T.G_force.resize(1, 2);
    T.G_force.dense() << s.q[0] - mu * s.q[1], s.q[1] + mu * s.q[0];
  }
  void tangent(const State& s, const Vec&, const Vec& lambda, Parts parts, Tangent& D) const override {
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::constraint)) D.K.dense() << -lambda[0], mu * lambda[0], -mu * lambda[0], -lambda[0];
    if (has(parts, Parts::velocity_rows)) D.V_q.dense() = s.v.transpose();
    if (has(parts, Parts::curvature_rows)) {
      D.kappa_q.set_zero();
      D.kappa_v.dense() = 2 * s.v.transpose();
    }
  }

 private:
  static constexpr double mu = 0.2;
};

TEST(ImplicitSchemes, ForcesMayActAlongOtherDirectionsThanTheRows) {
  const RubbingBead system;
  State exact = system.consistent_start();
  auto reference = make_scheme("hem5");
  reference->start(system, exact);
  ASSERT_TRUE(run_steps(*reference, system, 200, 0.002, exact));
  for (const auto& [id, options] : implicit_schemes()) {
    auto scheme = make_scheme(id, options);
    const Convergence measured(*scheme, {system, system.consistent_start(), {exact}, 20});
    EXPECT_NEAR(measured.order(&Errors::q), 2, 0.15) << id;
    EXPECT_NEAR(measured.order(&Errors::lambda, true), 2, 0.15) << id;
  }
}

// a force that turns round where the body rests: no step has a solution, however small the force
class Relay : public HandSystem {
 public:
  explicit Relay(double force) : HandSystem(1, 1, 0), force_(force) {}
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense().setIdentity();
    if (has(need, Need::force)) T.f << (s.q[0] >= 0 ? -force_ : force_);
  }
  void tangent(const State&, const Vec&, const Vec&, Parts, Tangent& D) const override {
    for (Matrix* m : {&D.K, &D.D, &D.V_q, &D.kappa_q, &D.kappa_v}) m->set_zero();
  }

 private:
  double force_;
};

class SmallJump : public ::testing::TestWithParam<std::string> {};
TEST_P(SmallJump, IsNotTakenForRounding) {
  for (double force : {1.0, 1e-3, 1e-5}) {
    const Relay relay(force);
    auto scheme = make_scheme(GetParam(), {});
    State s = make_state(relay.dim());
    scheme->start(relay, s);
    State s1 = s;
    const StepReport report = scheme->step(relay, s, 1e-3, s1);
    EXPECT_EQ(report.status, Status::newton_failed) << force << " N: moved by " << s1.q[0] << ", " << s1.v[0];
  }
}
INSTANTIATE_TEST_SUITE_P(Schemes, SmallJump,
                         ::testing::Values("generalized-alpha", "newmark", "hht", "moreau-jean", "moreau-midpoint-ggl",
                                           "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"));

}  // namespace
}  // namespace escapement
