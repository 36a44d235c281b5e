#include "math/saddle_solver.hpp"

#include <gtest/gtest.h>

#include <random>

#include "support/allocations.hpp"

namespace escapement::saddle_solver_test {
namespace {

std::mt19937 generator(3);
double random_number() { return std::uniform_real_distribution<double>(-1, 1)(generator); }

// a saddle-point matrix with the pattern of a mechanism: blocks of A per body (and per joint, like a stiffness), blocks
// of G per joint; body -1 is the ground
struct Mechanical {
  struct Joint {
    int a, b, rows;
  };
  int bodies, width;
  std::vector<Joint> joints;
  Matrix A, G_top, G_bottom;
  int rows = 0;

  Mechanical(int bodies_, int width_, std::vector<Joint> joints_, bool stiffness)
      : bodies(bodies_), width(width_), joints(std::move(joints_)) {
    std::vector<std::pair<int, int>> places_A, places_G;
    const auto block = [&](int a, int b) {
      if (a < 0 || b < 0) return;
      for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) places_A.emplace_back(width * a + i, width * b + j);
    };
    for (int b = 0; b < bodies; ++b) block(b, b);
    for (const Joint& joint : joints) {
      if (stiffness) block(joint.a, joint.b), block(joint.b, joint.a);
      for (int r = 0; r < joint.rows; ++r, ++rows)
        for (int body : {joint.a, joint.b})
          for (int j = 0; j < width && body >= 0; ++j) places_G.emplace_back(rows, width * body + j);
    }
    A.set_pattern(bodies * width, bodies * width, places_A);
    G_bottom.set_pattern(rows, bodies * width, places_G);
    fill(1);
  }

  void fill(double mass) {
    for (int b = 0; b < bodies; ++b)
      for (int i = 0; i < width; ++i) A.add(width * b + i, width * b + i, mass * (3 + random_number()));
    for (double& value : A.value()) value += 0.1 * mass * random_number();
    for (double& value : G_bottom.value()) value = random_number();
    G_top = G_bottom;
    for (double& value : G_top.value())
      value += 0.05 * random_number();  // half-explicit methods have two different ones
  }

  double residual(const Vec& a, const Vec& b, const Vec& x, const Vec& mu) const {
    Vec r = a, s = b;
    A.add_product(-1, x, r);
    G_top.add_transposed_product(1, mu, r);
    G_bottom.add_product(-1, x, s);
    return std::max(r.cwiseAbs().maxCoeff(), s.size() ? s.cwiseAbs().maxCoeff() : 0);
  }
};

Matrix dense_copy(const Matrix& sparse) {
  Matrix out;
  out.resize(sparse.rows(), sparse.cols());
  for (int i = 0; i < sparse.rows(); ++i) sparse.for_each_in_row(i, [&](int j, double v) { out.add(i, j, v); });
  return out;
}

Mechanical chain(int n, int width, int rows, bool stiffness, bool closed = false) {
  std::vector<Mechanical::Joint> joints;
  for (int i = 0; i < n; ++i) joints.push_back({i - 1, i, rows});
  if (closed) joints.push_back({n - 1, -1, rows});
  return Mechanical(n, width, joints, stiffness);
}

Mechanical tree(int n, bool stiffness) {
  std::vector<Mechanical::Joint> joints;
  for (int i = 0; i < n; ++i) joints.push_back({(i - 1) / 3 - (i == 0 ? 1 : 0), i, 5});
  joints[0].a = -1;
  return Mechanical(n, 6, joints, stiffness);
}

// a ladder of loops: n squares in a row
Mechanical ladder(int n, bool stiffness) {
  std::vector<Mechanical::Joint> joints;
  for (int k = 0; k <= n; ++k) joints.push_back({-1, 2 * k, 2});  // uprights on the ground
  for (int k = 0; k < n; ++k) joints.push_back({2 * k, 2 * k + 1, 2}), joints.push_back({2 * k + 1, 2 * k + 2, 1});
  return Mechanical(2 * n + 1, 3, joints, stiffness);
}

void expect_solved(const Mechanical& system, double bound) {
  const int n = system.A.rows(), m = system.rows;
  SaddleSolver sparse, dense;
  sparse.resize(n, m);
  dense.resize(n, m);
  ASSERT_TRUE(sparse.factor(system.A, system.G_top, system.G_bottom));
  EXPECT_FALSE(sparse.redundant());
  const Vec a = Vec::Random(n), b = Vec::Random(m);
  Vec x(n), mu(m);
  sparse.solve(a, b, x, mu);
  EXPECT_LT(system.residual(a, b, x, mu), bound * (1 + x.norm() + mu.norm()));
  if (n + m > 600) return;
  Vec x2(n), mu2(m);
  ASSERT_TRUE(dense.factor(dense_copy(system.A), dense_copy(system.G_top), dense_copy(system.G_bottom)));
  dense.solve(a, b, x2, mu2);
  EXPECT_LT((x - x2).norm(), 1e-8 * (1 + x2.norm()));
  EXPECT_LT((mu - mu2).norm(), 1e-8 * (1 + mu2.norm()));
}

TEST(SaddleSolver, SparseSolvesChainsTreesAndLoops) {
  for (bool stiffness : {false, true}) {
    expect_solved(chain(40, 6, 5, stiffness), 1e-12);
    expect_solved(chain(40, 3, 2, stiffness, true), 1e-12);
    expect_solved(chain(30, 6, 5, stiffness, true), 1e-12);
    expect_solved(tree(50, stiffness), 1e-12);
    expect_solved(ladder(30, stiffness), 1e-12);
    expect_solved(Mechanical(5, 6, {}, stiffness), 1e-12);  // no rows at all
    expect_solved(Mechanical(6, 6, {{0, 1, 5}, {1, 2, 3}, {3, 4, 6}}, stiffness),
                  1e-12);  // several components, no ground
    expect_solved(Mechanical(3, 6, {{-1, 0, 1}, {-1, 0, 2}, {0, 1, 1}, {-1, 1, 3}, {1, 2, 4}, {0, 2, 3}}, stiffness),
                  1e-12);
  }
}

TEST(SaddleSolver, ChainsHaveNoFill) {
  // numbers kept per link must not grow with the length
  const auto stored = [](int n) {
    const Mechanical system = chain(n, 6, 5, true);
    BlockLu lu;
    lu.analyse(system.A, system.G_top, system.G_bottom, system.G_bottom.rows());
    return static_cast<double>(lu.stored()) / n;
  };
  EXPECT_LT(stored(1000), 1.01 * stored(100));
}

TEST(SaddleSolver, LargeAndSmallMassesAreNotDependentRows) {
  for (double mass : {1e-13, 1e13}) {
    Mechanical system = chain(20, 6, 5, true);
    system.A.set_zero();
    system.fill(mass);
    expect_solved(system, 1e-10);
  }
}

TEST(SaddleSolver, SwitchedOffRowsHaveNoForce) {
  Mechanical system = chain(20, 6, 5, true);
  for (int row : {3, 17, 50}) system.G_bottom.set_row_zero(row);
  SaddleSolver solver;
  solver.resize(system.A.rows(), system.rows);
  ASSERT_TRUE(solver.factor(system.A, system.G_top, system.G_bottom));
  EXPECT_FALSE(solver.redundant());
  const Vec a = Vec::Random(system.A.rows());
  Vec b = Vec::Random(system.rows), x(system.A.rows()), mu(system.rows);
  solver.solve(a, b, x, mu);
  for (int row : {3, 17, 50}) {
    EXPECT_EQ(mu[row], 0);
    b[row] = 0;
  }
  EXPECT_LT(system.residual(a, b, x, mu), 1e-11);
}

// contacts stand below the joints in G, and a solver of the joints alone does not see them
TEST(SaddleSolver, RowsBeyondItsOwnAreIgnored) {
  const Mechanical all = chain(20, 6, 5, true);
  const int n = all.A.rows(), m = all.rows - 5;
  SaddleSolver one, two;
  one.resize(n, m);
  two.resize(n, m);
  ASSERT_TRUE(one.factor(all.A, all.G_bottom));
  ASSERT_TRUE(two.factor(dense_copy(all.A), dense_copy(all.G_bottom)));
  const Vec a = Vec::Random(n), b = Vec::Random(m);
  Vec x(n), x2(n), mu(m), mu2(m);
  one.solve(a, b, x, mu);
  two.solve(a, b, x2, mu2);
  EXPECT_LT((x - x2).norm(), 1e-8 * (1 + x2.norm()));
  EXPECT_LT((mu - mu2).norm(), 1e-8 * (1 + mu2.norm()));
}

// rows that repeat combinations of others: the motion is that without them and the multipliers have the smallest norm
TEST(SaddleSolver, DependentRowsDoNotChangeTheMotion) {
  Mechanical system = ladder(20, true);
  system.G_top = system.G_bottom;
  const int n = system.A.rows(), m = system.rows;
  Matrix plain = system.G_bottom;
  // the last joint of square k holds the same row twice: {2k+1, 2k+2} are 1 row, so double every joint's first row
  std::vector<Mechanical::Joint> joints = system.joints;
  joints.insert(joints.end(), system.joints.begin(), system.joints.end());
  Mechanical doubled(system.bodies, system.width, joints, true);
  doubled.A = system.A;
  for (int i = 0; i < m; ++i)
    for (int copy : {i, m + i})
      for (int k = doubled.G_bottom.row_start()[copy]; k < doubled.G_bottom.row_start()[copy + 1]; ++k)
        doubled.G_bottom.value()[k] = plain(i, doubled.G_bottom.col()[k]);
  doubled.G_top = doubled.G_bottom;

  SaddleSolver one, two;
  one.resize(n, m);
  two.resize(n, 2 * m);
  ASSERT_TRUE(one.factor(system.A, plain));
  ASSERT_TRUE(two.factor(doubled.A, doubled.G_bottom));
  EXPECT_FALSE(one.redundant());
  EXPECT_TRUE(two.redundant());
  const Vec a = Vec::Random(n), b = Vec::Random(m);
  Vec b2(2 * m), x(n), x2(n), mu(m), mu2(2 * m);
  b2 << b, b;
  one.solve(a, b, x, mu);
  two.solve(a, b2, x2, mu2);
  EXPECT_LT((x - x2).norm(), 1e-10 * x.norm());
  EXPECT_LT((0.5 * mu - mu2.head(m)).norm(), 1e-6 * mu.norm());
  EXPECT_LT((0.5 * mu - mu2.tail(m)).norm(), 1e-6 * mu.norm());
}

// as many rows are named as the rank lacks, and without them the rest is independent
// four feet of a table: their rounding contradicts itself, which no motion can mend and no force may pay for
TEST(SaddleSolver, RoundingThatContradictsItselfDoesNotShareTheLoadOtherwise) {
  Matrix A, G_top, G_bottom;
  for (Matrix* m : {&A, &G_top, &G_bottom}) m->resize(m == &A ? 3 : 4, 3);
  A.dense().diagonal() = Eigen::Vector3d(2, 0.3, 0.1);
  for (int i = 0; i < 4; ++i) {
    const double x = i < 2 ? 0.4 : -0.3, y = i % 2 == 0 ? 0.2 : -0.25;
    G_bottom.dense().row(i) = Eigen::RowVector3d(1, x, y);
    G_top.dense().row(i) = Eigen::RowVector3d(1, x + 0.1, y - 0.05 * x);  // friction turns the forces
  }
  const Vec a = Eigen::Vector3d(-20, 1, -0.5), b = Vec::Zero(4);
  Vec noise = b;
  for (int i = 0; i < 4; ++i) noise[i] = 1e-10 * random_number();
  SaddleSolver solver;
  solver.resize(3, 4, 0);
  ASSERT_TRUE(solver.factor(A, G_top, G_bottom));
  ASSERT_TRUE(solver.redundant());
  Vec x(3), x_noise(3), mu(4), mu_noise(4);
  solver.solve(a, b, x, mu);
  solver.solve(a, noise, x_noise, mu_noise);
  EXPECT_NEAR(mu.sum(), 20, 1e-9);
  EXPECT_LT((G_bottom.dense() * x).norm(), 1e-12);
  EXPECT_LT((mu_noise - mu).norm(), 1e-6 * mu.norm());  // rounding over the regularisation is 1e-7; it made 0.1 of the noise
  EXPECT_LT((x_noise - x).norm(), 1e-9);
}

TEST(RedundantRows, AreFoundInSparseMatricesAsInDenseOnes) {
  for (int repeats : {0, 1, 5}) {
    Mechanical system = ladder(20, false);
    std::vector<Mechanical::Joint> joints = system.joints;
    for (int k = 0; k < repeats; ++k) joints.push_back(system.joints[3 * k]);
    Mechanical more(system.bodies, system.width, joints, false);
    int row = system.rows;
    for (int k = 0; k < repeats; ++k) {
      int first = 0;
      for (int j = 0; j < 3 * k; ++j) first += system.joints[j].rows;
      for (int i = 0; i < system.joints[3 * k].rows; ++i, ++row)
        for (int e = more.G_bottom.row_start()[row]; e < more.G_bottom.row_start()[row + 1]; ++e)
          more.G_bottom.value()[e] = 3 * more.G_bottom(first + i, more.G_bottom.col()[e]);
    }
    const std::vector<int> found = redundant_rows(more.G_bottom);
    EXPECT_EQ(found.size(), redundant_rows(dense_copy(more.G_bottom)).size());
    for (int i : found) more.G_bottom.set_row_zero(i);
    EXPECT_EQ(redundant_rows(dense_copy(more.G_bottom)), found);  // zero rows are named, no other
  }
}

TEST(SaddleSolver, SaysWhenTheMatrixItselfIsSingular) {
  Mechanical system = chain(20, 6, 5, false);
  for (int j = 0; j < 6; ++j) system.A.value()[system.A.slot(7 * 6 + 2, 7 * 6 + j)] = 0;
  for (double& value : system.G_bottom.value()) value = 0;
  SaddleSolver solver;
  solver.resize(system.A.rows(), system.rows);
  EXPECT_FALSE(solver.factor(system.A, system.G_top, system.G_bottom));
  EXPECT_TRUE(solver.finite());
  system.fill(1);
  system.A.value()[5] = std::nan("");
  EXPECT_FALSE(solver.factor(system.A, system.G_top, system.G_bottom));
  EXPECT_FALSE(solver.finite());
}

TEST(SaddleSolver, AllocatesOnlyForANewPattern) {
  Mechanical system = ladder(40, true);
  SaddleSolver solver;
  solver.resize(system.A.rows(), system.rows);
  ASSERT_TRUE(solver.factor(system.A, system.G_top, system.G_bottom));
  const Vec a = Vec::Random(system.A.rows()), b = Vec::Random(system.rows);
  Vec x(system.A.rows()), mu(system.rows);
  solver.solve(a, b, x, mu);
  const long before = testing::allocations;
  solver.factor(system.A, system.G_top, system.G_bottom);
  solver.solve(a, b, x, mu);
  EXPECT_EQ(testing::allocations, before);
}

}  // namespace
}  // namespace escapement
