// Chains of many links: what a step costs grows with their number and not faster. Nothing here is timed.
#include <gtest/gtest.h>

#include <numbers>
#include <set>

#include "io/model_file.hpp"
#include "math/block_lu.hpp"
#include "math/eigenvalues.hpp"
#include "schemes/newton.hpp"
#include "schemes/scheme.hpp"
#include "support/allocations.hpp"
#include "support/mechanisms.hpp"
#include "support/rough_chain.hpp"
#include "system/counting_system.hpp"

namespace escapement::chain_test {
namespace {

constexpr double link = 0.1, h = 1e-3;

struct Work {
  double iterations = 0, tangents = 0, solves = 0;  // per step
  double start_bytes = 0;                           // taken from the heap by start()
  long allocations = 0;                             // by the steps
  double drift = 0;
  State end;
};

template <int D>
Work steps(const std::string& id, int n, int count, Storage storage = Storage::automatic,
           const std::map<std::string, OptionValue>& options = {}, NewtonTrace* trace = nullptr) {
  const Mechanism<D> mechanism = testing::chain<D>(n, link, storage);
  const CountingSystem system(mechanism);
  auto scheme = make_scheme(id, options);
  scheme->estimate_errors(false);
  if (trace) scheme->trace_newton(trace);
  State s = mechanism.start(), s1;
  Work work;
  const double bytes = testing::allocated_bytes;
  scheme->start(system, s);
  work.start_bytes = testing::allocated_bytes - bytes;
  s1 = s;
  const Counts before = system.counts();
  const long allocations = testing::allocations;
  for (int i = 0; i < count; ++i) {
    const StepReport report = scheme->step(system, s, h, s1);
    EXPECT_TRUE(report.ok()) << id << ' ' << n;
    work.iterations += report.newton_iterations;
    work.solves += report.linear_solves;
    std::swap(s, s1);
  }
  work.allocations = testing::allocations - allocations;
  work.tangents = static_cast<double>(system.counts().stiffness - before.stiffness);
  for (double* sum : {&work.iterations, &work.tangents, &work.solves}) *sum /= count;
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap, T);
  work.drift = T.g.cwiseAbs().maxCoeff();
  work.end = s;
  return work;
}

template <int D>
void expect_linear(const std::string& id, double iterations, double tangents, double solves) {
  double bytes = 0;
  for (int n : {10, 100, 400}) {
    const Work work = steps<D>(id, n, 20);
    EXPECT_LE(work.iterations, iterations) << id << ' ' << D << "D " << n;
    EXPECT_LE(work.tangents, tangents) << id << ' ' << D << "D " << n;
    EXPECT_LE(work.solves, solves) << id << ' ' << D << "D " << n;
    EXPECT_EQ(work.allocations, 0) << id << ' ' << D << "D " << n;
    // a dense matrix anywhere would make this 16
    if (n == 400) {
      EXPECT_LT(work.start_bytes, 4.5 * bytes) << id << ' ' << D << 'D';
    }
    bytes = work.start_bytes;
  }
}

TEST(Chain, TheWorkOfAStepGrowsLikeTheNumberOfLinks) {
  expect_linear<3>("generalized-alpha", 3, 1, 3);
  expect_linear<2>("generalized-alpha", 3, 1, 3);
  expect_linear<3>("hem5", 0, 0, 9);
  expect_linear<2>("hem5", 0, 0, 9);
  expect_linear<3>("moreau-jean", 7, 7, 7);
  expect_linear<2>("moreau-jean", 7, 7, 7);
  for (const char* monolithic : {"moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"}) {
    expect_linear<3>(monolithic, 2.5, 6, 2.5);
    expect_linear<2>(monolithic, 2.5, 6, 2.5);
  }
}

// links of a chain that come to lie on a rough floor, one after the other
TEST(Chain, ContactsThatCloseTakeNothingFromTheHeap) {
  const Model model = testing::rough_chain(12, "l{k}.y + 0.2", 1);
  for (const char* id : {"moreau-jean", "moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"}) {
    auto scheme = make_scheme(id);
    State s = model.start, s1;
    scheme->start(*model.system, s);
    s1 = s;
    const long before = testing::allocations;
    for (int i = 0; i < 400; ++i) {
      ASSERT_TRUE(scheme->step(*model.system, s, h, s1).ok()) << id << ' ' << i;
      std::swap(s, s1);
    }
    EXPECT_EQ(testing::allocations, before) << id;
    const auto contacts = s.lambda.segment(model.system->dim().bilateral, 12);
    EXPECT_GT((contacts.array() > 0).count(), 4) << id << ": so many lie on the floor";
  }
}

// a box that tumbles on a soft table: nor do points that are found, once there have been as many
TEST(Chain, SoftContactsThatAreFoundTakeNothingFromTheHeap) {
  const Model model = read_model("m.yaml", "escapement: 1\ndimension: 3\ngravity: [0, 0, -9.81]\nbodies:\n  ground: {shapes: [{box: [2, 2, 0.2], at: [0, 0, -0.1]}]}\n"
                                           "  box: {mass: 3, inertia: [0.02, 0.02, 0.02], position: [0, 0, 0.05], orientation: {axis: [1, 2, 0], angle: 0.02}, shapes: [{box: [0.2, 0.2, 0.1]}]}\n"
                                           "contacts: {floor: {between: [box, ground], stiffness: 1e4, friction: 0.3}}\nsimulation: {end: 1}\n");
  for (const char* id : {"hem5", "generalized-alpha", "radau"}) {
    auto scheme = make_scheme(id);
    State s = model.start, s1;
    scheme->start(*model.system, s);
    s1 = s;
    long before = 0;
    for (int i = 0; i < 600; ++i) {
      if (i == 300) before = testing::allocations;
      ASSERT_TRUE(scheme->step(*model.system, s, 1e-4, s1).ok()) << id << ' ' << i;
      std::swap(s, s1);
    }
    EXPECT_EQ(testing::allocations, before) << id;
    EXPECT_LT(s.q[2], 0.05) << id;
  }
}

// the tension of a long chain moves all its mass: corrections of the multipliers are large, and so is their rounding
TEST(Chain, LongChainsTakeAsManyIterations) {
  EXPECT_LE(steps<2>("generalized-alpha", 3000, 20).iterations, 2.1);
  EXPECT_LE(steps<3>("generalized-alpha", 1000, 20).iterations, 2.1);
}

// a chain of 1 m in very short links moves by more than a link in a step: no guess but the last accelerations serves
TEST(Chain, RoughMotionsConverge) {
  const SpatialMechanism mechanism = testing::chain<3>(1000, 1e-3);
  auto scheme = make_scheme("generalized-alpha");
  State s = mechanism.start(), s1;
  scheme->estimate_errors(false);
  scheme->start(mechanism, s);
  s1 = s;
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(scheme->step(mechanism, s, h, s1).ok()) << i;
    std::swap(s, s1);
  }
}

TEST(Chain, APositionCorrectionGrowsLikeTheNumberOfLinks) {
  const auto corrected = [](int n) {
    return steps<3>("moreau-jean", n, 10, Storage::automatic, {{"projection", "position"}});
  };
  const Work some = corrected(100), many = corrected(400);
  EXPECT_LT(many.start_bytes, 4.5 * some.start_bytes);
  EXPECT_LE(many.solves, 1.2 * some.solves);
  EXPECT_EQ(many.allocations, 0);
  EXPECT_LT(many.drift, 2e-14);  // 40 m long
}

template <int D>
void expect_no_empty_blocks() {
  constexpr int n = 100, turning = angular<D> * angular<D>;
  const Mechanism<D> mechanism = testing::chain<D>(n, link);
  Terms T;
  Tangent tangent;
  mechanism.prepare(T);
  mechanism.prepare(tangent);
  EXPECT_EQ(T.M.value().size(), n * (D + turning));
  EXPECT_EQ(tangent.D.value().size(), D == 3 ? n * turning : 0);  // gyroscopic
  // each link with itself, and with its neighbours where axes are held together
  EXPECT_EQ(tangent.K.value().size(), (3 * n - 2) * turning);
}

TEST(Chain, BodiesAreCoupledByTheirTurningAlone) {
  expect_no_empty_blocks<2>();
  expect_no_empty_blocks<3>();
}

template <int D>
void expect_linear_factors() {
  const auto analysed = [](int n) {
    const Mechanism<D> mechanism = testing::chain<D>(n, link);
    Terms T;
    Tangent tangent;
    mechanism.prepare(T);
    mechanism.prepare(tangent);
    Matrix A;
    A.set_sum({{1, &T.M}, {1, &tangent.D}, {1, &tangent.K}});
    BlockLu lu;
    lu.analyse(A, T.G, T.G, T.G.rows());
    return std::pair(static_cast<double>(lu.operations()) / n, static_cast<double>(lu.stored()) / n);
  };
  const auto [operations, stored] = analysed(400);
  const auto [operations_100, stored_100] = analysed(100);
  EXPECT_LT(operations, 1.01 * operations_100);
  EXPECT_LT(stored, 1.01 * stored_100);
  // no more than one front of a body, its joint and the next body, eliminated densely
  constexpr double pivots = width<D> + (D == 3 ? 5 : 2), size = pivots + width<D>;
  EXPECT_LE(stored, size * pivots + pivots * (size - pivots));
}

TEST(Chain, TheFactorsHaveNoFill) {
  expect_linear_factors<2>();
  expect_linear_factors<3>();
}

// a Newton matrix serves for several corrections, but with a trace each has its own: both go down to rounding
TEST(Chain, KeptMatricesGiveTheMotionOfNewOnes) {
  NewtonTrace trace;
  const Work fresh = steps<3>("generalized-alpha", 10, 100, Storage::dense, {}, &trace);
  for (const Storage storage : {Storage::sparse, Storage::dense}) {
    const Work kept = steps<3>("generalized-alpha", 10, 100, storage);
    EXPECT_LT(kept.tangents, 0.6 * fresh.tangents);
    EXPECT_LT((kept.end.q - fresh.end.q).cwiseAbs().maxCoeff(), 1e-12);
    EXPECT_LT((kept.end.v - fresh.end.v).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT(kept.drift, 2e-15);
  }
  EXPECT_LT(steps<3>("generalized-alpha", 400, 20).drift, 2e-14);  // 40 m long
}

// a plate on three parallel cranks, one row too many: all around, the choice keeps the others far from depending on each
// other, as no fixed one could, and costs nothing on the heap
TEST(LoopThatTurns, IsHeldAllAroundByTheRowsChosen) {
  constexpr double crank = 0.3;
  const Vector<2> foot[] = {{0, 0}, {1, 0}, {0.4, 0.8}}, up(0, crank);
  Mechanism<2> m;
  for (const Vector<2>& at : foot) m.add({"crank", 0.5, Turn<2>(0.005), make_pose(at + up / 2, 0)});
  m.add({"plate", 2, Turn<2>(0.3), make_pose(up, 0)});
  for (int k = 0; k < 3; ++k) {
    m.add(revolute("foot", m.between(ground, k), foot[k]));
    m.add(revolute("pin", m.between(k, 3), foot[k] + up));
  }
  m.finish();
  m.find_redundant_rows();
  RowSelection selection = m.first_rows();
  const SelectedRows held(m, selection);
  ASSERT_EQ(selection.left_out.size(), 1u);

  State s = m.start();
  Terms T;
  m.prepare(T);
  const auto turn_to = [&](int degrees) {
    const double turn = degrees * std::numbers::pi / 180;
    const Vector<2> along = crank * Vector<2>(-std::sin(turn), std::cos(turn));
    for (int k = 0; k < 3; ++k) s.q.segment<3>(3 * k) << foot[k] + along / 2, turn;
    s.q.segment<2>(9) = along;
  };
  // how far the rows that are not left out are from depending on each other
  const auto clearance = [&] {
    Mat G = T.G.dense();
    for (int i = 0; i < G.rows(); ++i) G.row(i).normalize();
    return symmetric_eigen(G * G.transpose()).values[1];  // the first belongs to the row left out
  };
  std::set<int> rows;
  double least = 1;
  for (int degrees = 0; degrees < 360; ++degrees) {
    turn_to(degrees);
    const long before = testing::allocations;
    m.select_rows(s, selection, selection);
    EXPECT_EQ(testing::allocations, before);
    ASSERT_EQ(selection.left_out.size(), 1u);
    rows.insert(selection.left_out.front());
    held.evaluate(s, Need::gap | Need::jacobian, T);
    EXPECT_LT(T.g.lpNorm<Eigen::Infinity>(), 1e-14);
    least = std::min(least, clearance());
  }
  EXPECT_GT(rows.size(), 1u);
  EXPECT_GT(least, 1e-4);

  // further on the same choice does badly, and says so
  const RowChoice choice(m, m.start(), Vec::Ones(m.dim().v), std::vector<char>(m.dim().bilateral, 0));
  RowSelection here = choice.at_start(), there = here;
  double unstrained = 1, strained = 1;
  for (int degrees = 0; degrees < 360; degrees += 5) {
    turn_to(degrees);
    m.evaluate(s, Need::jacobian, T);
    choice.select(T.G, here, here);
    for (int further = 5; further < 180; further += 5) {
      turn_to(degrees + further);
      m.evaluate(s, Need::jacobian, T);
      const long before = testing::allocations;
      choice.select(T.G, here, there);
      EXPECT_EQ(testing::allocations, before);
      double& smallest = there.strain > 1 ? strained : unstrained;
      T.G.set_row_zero(here.left_out.front());
      smallest = std::min(smallest, clearance());
    }
  }
  EXPECT_GT(unstrained, 1e-5);
  EXPECT_LT(strained, 1e-9);
}

}  // namespace
}  // namespace escapement
