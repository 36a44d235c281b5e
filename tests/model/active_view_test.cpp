// What the view of a system in fixed contact modes shows of it: rows of joints, of closed contacts, of slips that stick.
#include "system/active_view.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/formula_support.hpp"

namespace escapement::active_view_test {
namespace {

using testing::every_need;
using testing::FormulaText;
using testing::state_of;

// a joint, and walls of which every third one is rough
FormulaSystem among_walls(int walls, int coordinates = 3) {
  std::vector<std::string> names{"x", "y", "a"};
  while (static_cast<int>(names.size()) < coordinates) names.push_back(fmt::format("w{}", names.size()));
  FormulaText text(names);
  std::string kinetic = "0.5*(x'^2 + 2*y'^2 + 0.3*a'^2)";
  for (int k = 3; k < coordinates; ++k) kinetic += fmt::format(" + 0.5*w{}'^2", k);
  text.energies(kinetic, "9.81*y + x*sin(a)");
  text.constraint("rod", "x^2 + y^2 - 1 + 0.1*sin(t)");
  for (int k = 0; k < walls; ++k)
    text.contact(fmt::format("wall{}", k), fmt::format("{}*sin(a) + x*y + {} + 0.1*t", 0.1 + 0.01 * k, k), k % 3 == 0 ? 0.2 : 0,
                 k % 3 == 0 ? fmt::format("x' + {}*a'*cos(a) + 0.1*t", 0.01 * k) : "0");
  text.scale(std::vector<double>(static_cast<std::size_t>(coordinates), 0.5));
  return text.system();
}

class ActiveViewOfWalls : public ::testing::TestWithParam<std::pair<int, int>> {};  // walls, coordinates

// also where contacts are so many that those asked for are evaluated one by one, in both storages
TEST_P(ActiveViewOfWalls, ShowsClosedContactsAloneAsTheSystemHasThem) {
  const auto [walls, coordinates] = GetParam();
  const FormulaSystem system = among_walls(walls, coordinates);
  const Dim& dim = system.dim();
  ActiveView view(system);
  EXPECT_EQ(view.dim().rows(), 1);
  const unsigned before = view.version();
  view.set(1, ContactMode::closed);  // smooth
  view.set(3, ContactMode::closed);  // sticks
  view.slide(6, {-1, 0});
  EXPECT_NE(view.version(), before);
  ASSERT_EQ(view.dim().rows(), 5);  // rod, three gaps, a slip
  ASSERT_EQ(view.closed(), (ContactSet{1, 3, 6}));
  const int from[] = {0, dim.bilateral + 1, dim.bilateral + 3, dim.bilateral + 6};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(view.multiplier(i), from[i]);
  EXPECT_EQ(view.multiplier(4), dim.rows() + 1);
  EXPECT_EQ(view.level(3), Level::position);
  EXPECT_EQ(view.level(4), Level::velocity);

  State s = state_of(system, 0.3, std::vector<double>(static_cast<std::size_t>(coordinates), 0.4), std::vector<double>(static_cast<std::size_t>(coordinates), -0.7));
  Terms all, T;
  system.prepare(all);
  system.evaluate(s, every_need, all);
  view.prepare(T);
  EXPECT_EQ(T.G.rows(), 5);
  view.evaluate(s, Need::mass | Need::force | Need::gap | Need::jacobian | Need::curvature, T);
  const auto near = [](double a, double b) { EXPECT_NEAR(a, b, 1e-14 * (1 + std::abs(b))); };
  for (int j = 0; j < dim.v; ++j) {
    near(T.f[j], all.f[j]);
    near(T.M(j, j), all.M(j, j));
    for (int i = 0; i < 4; ++i) near(T.G(i, j), all.G(from[i], j));
    near(T.G(4, j), all.T(1, j));
    for (int i : {0, 1, 2, 4}) near(T.top()(i, j), T.G(i, j));
    near(T.top()(3, j), all.G(from[3], j) + 0.2 * all.T(2, j));  // friction against a slip backwards
  }
  Vec scale, all_scales;
  view.position_scale(s, scale);
  system.position_scale(s, all_scales);
  for (int i = 0; i < 4; ++i) {
    near(T.g[i], all.g[from[i]]);
    near(T.g_t[i], all.g_t[from[i]]);
    near(T.kappa[i], all.kappa[from[i]]);
    near(scale[i], all_scales[from[i]]);
  }
  EXPECT_EQ(T.g[4], 0);
  near(T.g_t[4], all.t0[1]);
  near(T.kappa[4], all.kappa_T[1]);

  // multipliers there and back
  Vec rows(5), whole, again;
  rows << 1, 2, 3, 4, 5;
  view.scatter(rows, whole);
  EXPECT_EQ(whole.size(), dim.multipliers());
  EXPECT_EQ(whole.lpNorm<1>(), 15);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(whole[view.multiplier(i)], rows[i]);
  view.gather(whole, again);
  EXPECT_EQ(again, rows);

  // and their tangent
  Tangent of_all, D;
  system.prepare(of_all);
  view.prepare(D);
  view.complete_multipliers(s, whole);
  const Vec w = Vec::Constant(dim.v, 0.2);
  system.tangent(s, w, whole, Parts::all | Parts::velocity_rows | Parts::curvature_rows, of_all);
  view.tangent(s, w, rows, Parts::all | Parts::velocity_rows | Parts::curvature_rows, D);
  for (int j = 0; j < dim.v; ++j) {
    for (int i = 0; i < dim.v; ++i) near(D.K(i, j), of_all.K(i, j));
    for (int i = 0; i < 5; ++i) near(D.V_q(i, j), of_all.V_q(view.multiplier(i), j));
    for (int i = 0; i < 4; ++i) near(D.kappa_q(i, j), of_all.kappa_q(from[i], j));
    EXPECT_EQ(D.kappa_v(4, j), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(FewAndMany, ActiveViewOfWalls, ::testing::Values(std::pair(8, 3), std::pair(20, 3), std::pair(20, 70)));

// a row comes and goes with its contact, and the version says so
TEST(ActiveView, RowsComeAndGo) {
  const FormulaSystem system = among_walls(8);
  ActiveView view(system);
  view.set(3, ContactMode::closed);
  EXPECT_EQ(view.dim().rows(), 3);
  view.hold(3, true);  // joints leave it no way to slip
  EXPECT_EQ(view.dim().rows(), 2);
  const unsigned version = view.version();
  view.set(5, ContactMode::open);
  EXPECT_EQ(view.version(), version);
  view.set(3, ContactMode::open);
  EXPECT_EQ(view.dim().rows(), 1);
  EXPECT_NE(view.version(), version);
}

}  // namespace
}  // namespace escapement
