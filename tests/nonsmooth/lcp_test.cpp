// Complementary pivoting by itself, without the attempts and refinements that solvers put around it.
#include "nonsmooth/lcp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "math/types.hpp"

namespace escapement::lcp_test {
namespace {

constexpr int attempts = 4;
constexpr int most_contacts = 5;

// contacts with friction, rows of W and b by turns normal and tangential: P_n, beta+, beta-, lambda of each
void fill(Lcp& lcp, const Mat& W, const Vec& b, const std::vector<double>& mu) {
  const int contacts = static_cast<int>(mu.size()), n = 4 * contacts;
  lcp.resize(n);
  const auto row = [](int i) { return i % 4 == 3 ? -1 : 2 * (i / 4) + (i % 4 > 0); };
  const auto sign = [](int i) { return i % 4 == 2 ? -1 : 1; };
  for (int i = 0; i < n; ++i) {
    lcp.q(i) = row(i) < 0 ? 0 : sign(i) * b[row(i)];
    for (int j = 0; j < n; ++j) lcp.M(i, j) = row(i) < 0 || row(j) < 0 ? 0 : sign(i) * sign(j) * W(row(i), row(j));
  }
  for (int k = 0; k < contacts; ++k) {
    const int normal = 4 * k, plus = normal + 1, minus = normal + 2, lambda = normal + 3;
    lcp.M(plus, lambda) = lcp.M(minus, lambda) = 1;
    lcp.M(lambda, plus) = lcp.M(lambda, minus) = -1;
    lcp.M(lambda, normal) = mu[static_cast<std::size_t>(k)];
  }
}

// z >= 0, w = M z + q >= 0, and one of each pair is zero
bool is_solved(Lcp& lcp, int n) {
  for (int i = 0; i < n; ++i) {
    double w = lcp.q(i);
    for (int j = 0; j < n; ++j) w += lcp.M(i, j) * lcp.z(j);
    if (!(lcp.z(i) >= -1e-9 && w >= -1e-9 && std::abs(w * lcp.z(i)) <= 1e-8)) return false;
  }
  return true;
}

void expect_solved(Lcp& lcp, int n) {
  for (int attempt = 0; attempt < attempts; ++attempt) {
    EXPECT_LT(lcp.solve(attempt), 4 * n) << "attempt " << attempt;
    EXPECT_TRUE(is_solved(lcp, n)) << "attempt " << attempt;
  }
}

// Small whole numbers and more rows than motions: ties in most pivots. Each covering vector has to lead to a solution by
// itself
TEST(Lcp, EveryAttemptEndsInASolution) {
  std::mt19937 generator(5);
  std::uniform_int_distribution<int> number(-1, 1), size(3, most_contacts), motions(3, 5);
  Lcp lcp;
  lcp.reserve(4 * most_contacts);
  for (int k = 0; k < 6000 && !HasFailure(); ++k) {
    SCOPED_TRACE(k);
    const int contacts = size(generator), dof = motions(generator);
    Mat G(2 * contacts, dof);
    Vec u(dof);
    for (int i = 0; i < 2 * contacts; ++i)
      for (int j = 0; j < dof; ++j) G(i, j) = number(generator);
    for (double& x : u) x = number(generator);
    fill(lcp, G * G.transpose(), G * u, std::vector<double>(static_cast<std::size_t>(contacts), 1));
    expect_solved(lcp, 4 * contacts);
  }
}

// another choice among equals runs in a circle on these
TEST(Lcp, TiesDoNotLeadInACircle) {
  Lcp lcp;
  lcp.reserve(16);
  Mat W(8, 8);
  W << 3, -1, 1, -1, 1, -2, 3, 0,  //
      -1, 4, -2, -2, 1, 2, -1, 0,  //
      1, -2, 4, 0, -1, -2, 1, 0,   //
      -1, -2, 0, 4, -1, 0, -1, 0,  //
      1, 1, -1, -1, 1, 0, 1, 0,    //
      -2, 2, -2, 0, 0, 2, -2, 0,   //
      3, -1, 1, -1, 1, -2, 3, 0,   //
      0, 0, 0, 0, 0, 0, 0, 0;
  Vec b(8);
  b << -1, 1, -1, 1, 0, 1, -1, 0;
  fill(lcp, W, b, {1, 0, 1, 0});
  expect_solved(lcp, 16);

  Mat G(8, 5);
  G << 1, 0, -1, 1, 0,    //
      1, -1, 0, 0, -1,    //
      -1, 0, 1, 1, 0,     //
      0, -1, 0, -1, 1,    //
      0, -1, 1, -1, -1,   //
      0, 1, -1, 0, 0,     //
      0, 0, -1, -1, 0,    //
      0, 1, 1, 1, 0;
  Vec u(5);
  u << -1, -1, -1, 1, -1;
  fill(lcp, G * G.transpose(), G * u, {1, 1, 1, 1});
  expect_solved(lcp, 16);
}

}  // namespace
}  // namespace escapement
