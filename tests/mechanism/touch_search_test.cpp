// Who touches whom: the grid against all pairs, rules of contacts and materials, ids that stay.
#include "model/collision/touch_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace escapement {
namespace {

template <int D>
void expect_all_pairs(int count, double spread) {
  std::mt19937 random(count);
  std::uniform_real_distribution<double> place(-spread, spread), size(-7, 1);
  std::vector<typename BroadPhase<D>::Round> balls(static_cast<std::size_t>(count));
  for (auto& ball : balls) {
    for (int i = 0; i < D; ++i) ball.x[i] = place(random);
    ball.radius = std::exp2(size(random));
  }
  balls[0].radius = 0;
  std::set<std::uint64_t> all;
  for (std::size_t i = 0; i < balls.size(); ++i)
    for (std::size_t j = i + 1; j < balls.size(); ++j)
      if ((balls[i].x - balls[j].x).norm() <= balls[i].radius + balls[j].radius) all.insert(i << 32 | j);
  std::vector<std::uint64_t> found;
  BroadPhase<D> grid;
  for (int again = 0; again < 2; ++again) {
    found.clear();
    grid.find(balls, found);
    EXPECT_EQ(std::set<std::uint64_t>(found.begin(), found.end()), all);
    EXPECT_EQ(found.size(), all.size()) << "a pair was found twice";
  }
  if (count > 10) EXPECT_GT(all.size(), static_cast<std::size_t>(count) / 10);
}

TEST(BroadPhase, FindsThePairsOfMixedSizesThatOverlap) {
  for (const int count : {2, 50, 700}) {
    expect_all_pairs<2>(count, 8);
    expect_all_pairs<3>(count, 3);
  }
}

Solid<2> disc(int body, double radius) {
  Solid<2> solid;
  solid.body = body;
  solid.radius = radius;
  return solid;
}

State at(const std::vector<double>& x) {
  State s;
  s.q.setZero(3 * static_cast<int>(x.size()));
  s.v.setZero(s.q.size());
  for (std::size_t b = 0; b < x.size(); ++b) s.q[3 * static_cast<int>(b)] = x[b];
  return s;
}

TEST(TouchSearch, RulesOfPairsWinOverThoseOfMany) {
  TouchRules<2> rules;
  for (int b = 0; b < 4; ++b) rules.add(disc(b, 1), b < 2 ? 0 : -1);
  const int all = rules.add_contact("all", {.restitution = {}, .friction = 0.3, .rolling = {}, .spinning = {}});
  const int pair = rules.add_contact("pair", {});
  rules.let_touch_among(all, {0, 1, 2, 3});
  rules.let_touch(pair, 1, 0);
  rules.keep_apart(0, 1);
  rules.keep_apart(2, 3);
  rules.set_materials(0, 0, {.restitution = 0.5, .friction = 0.9, .rolling = {}, .spinning = {}});
  rules.finish({"a", "b", "c", "d"});
  const auto& laws = rules.bodies().laws;
  const TouchLaw& of_pair = laws[static_cast<std::size_t>(rules.law(0, 1))];
  EXPECT_EQ(of_pair.contact, pair);  // named, though a joint connects them; its numbers are those of the materials
  EXPECT_EQ(of_pair.friction, 0.9);
  EXPECT_EQ(of_pair.restitution, 0.5);
  EXPECT_EQ(laws[static_cast<std::size_t>(rules.law(1, 2))].friction, 0.3);
  EXPECT_EQ(laws[static_cast<std::size_t>(rules.law(1, 2))].restitution, 0);
  EXPECT_EQ(rules.law(2, 3), TouchRules<2>::no_law);
  EXPECT_EQ(rules.law(2, 2), TouchRules<2>::no_law);
}

TEST(TouchSearch, IdsStayAndAscend) {
  TouchRules<2> rules;
  for (int b = 0; b < 3; ++b) rules.add(disc(b, 1), -1);
  rules.let_touch_among(rules.add_contact("all", {}), {0, 1, 2});
  rules.finish({"a", "b", "c"});
  TouchSearch<2> search(rules);
  std::vector<ContactPoint> first, second;
  const std::vector<double> reach(3, 0.1);
  search.find(at({0, 2.1, 4.1}), reach, first);
  search.find(at({0, 5, 2.1}), reach, second);  // others are neighbours now
  ASSERT_EQ(first.size(), 2u);
  EXPECT_LT(first[0].id, first[1].id);
  EXPECT_NEAR(first[0].gap, 0.1, 1e-15);
  EXPECT_EQ(first[0].normal, Eigen::Vector3d::UnitX());
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(second[0].a, 0);
  EXPECT_EQ(second[0].b, 2);
  EXPECT_NE(second[0].id, first[0].id);
  EXPECT_NE(second[0].id, first[1].id);
  search.find(at({0, 2.1, 4.1}), reach, second);
  EXPECT_EQ(second[1].id, first[1].id);
}

// pairs are kept while nothing has moved far: what is found is what a search finds that has never looked before, whatever moves
// however far, with reaches that grow and shrink
TEST(TouchSearch, PairsThatAreKeptMissNothing) {
  constexpr int n = 60;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> one(-1, 1);
  TouchRules<2> rules;
  std::vector<int> bodies;
  for (int b = 0; b < n; ++b) {
    Solid<2> solid = disc(b, 0.2 + 0.1 * one(random));
    if (b % 3 == 1) {
      solid.kind = Solid<2>::Kind::box;
      solid.half = Vector<2>(0.2, 0.1);
      solid.at = Vector<2>(0.1, 0);
    }
    if (b == n - 1) {  // carries a plane
      solid.kind = Solid<2>::Kind::plane;
      solid.normal = Vector<2>(0, 1);
    }
    rules.add(solid, -1);
    bodies.push_back(b);
  }
  rules.let_touch_among(rules.add_contact("all", {}), bodies);
  rules.finish(std::vector<std::string>(n, "body"));
  TouchSearch<2> kept(rules);
  State s;
  s.q.setZero(3 * n);
  s.v.setZero(3 * n);
  for (int b = 0; b < n; ++b) s.q.segment<3>(3 * b) = Eigen::Vector3d(2 * one(random), 2 * one(random), 3 * one(random));
  s.q.tail<3>() = Eigen::Vector3d(0, -1.9, 0.1);
  std::vector<double> reach(n);
  std::vector<ContactPoint> found, expected;
  std::size_t most = 0;
  for (int step = 0; step < 300; ++step) {
    const double stride = step % 50 == 49 ? 1 : step % 10 == 9 ? 0.03 : 1e-3;
    for (int i = 0; i < 3 * n; ++i)
      if (i < 3 * (n - 1) || step % 7 == 0) s.q[i] += stride * one(random);
    for (double& r : reach) r = step % 13 == 12 ? 0.2 : 0.01 * std::abs(one(random));
    kept.find(s, reach, found);
    TouchSearch<2>(rules).find(s, reach, expected);
    ASSERT_EQ(found.size(), expected.size()) << "step " << step;
    for (std::size_t k = 0; k < found.size(); ++k) {
      EXPECT_EQ(found[k].id, expected[k].id);
      EXPECT_EQ(found[k].gap, expected[k].gap);
      EXPECT_EQ(found[k].point, expected[k].point);
    }
    most = std::max(most, found.size());
  }
  EXPECT_GT(most, 100u);
}

}  // namespace
}  // namespace escapement
