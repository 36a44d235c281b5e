#include "math/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace escapement::table_test {
namespace {

Table cam(Table::Ends ends = Table::Ends::natural, int n = 13) {
  std::vector<double> x, y;
  for (int i = 0; i < n; ++i) {
    const double s = double(i) / (n - 1);
    x.push_back(2 * std::numbers::pi * (s + 0.1 * s * (1 - s)));  // unequal spacing
    y.push_back(std::cos(x.back()) + 0.3 * std::sin(2 * x.back()));
  }
  y.back() = y.front();
  return Table(x, y, ends);
}

TEST(Table, passes_through_its_points) {
  for (const Table::Ends ends : {Table::Ends::natural, Table::Ends::periodic}) {
    const Table table = cam(ends);
    for (std::size_t i = 0; i < table.x().size(); ++i) EXPECT_NEAR(table(table.x()[i]), table.y()[i], 1e-14);
  }
}

TEST(Table, is_twice_continuously_differentiable_everywhere) {
  const double d = 1e-9;
  for (const Table::Ends ends : {Table::Ends::natural, Table::Ends::periodic}) {
    const Table table = cam(ends);
    for (const double x : table.x())
      for (int order = 0; order <= 2; ++order)
        EXPECT_NEAR(table.evaluate(x - d, order), table.evaluate(x + d, order), 1e-7) << order << " at " << x;
  }
}

TEST(Table, derivatives_equal_central_differences) {
  const double h = 1e-5;
  for (const Table::Ends ends : {Table::Ends::natural, Table::Ends::periodic})
    for (double x = -8; x < 16; x += 0.37) {
      const Table table = cam(ends);
      for (int order = 1; order <= 3; ++order) {
        const double difference = (table.evaluate(x + h, order - 1) - table.evaluate(x - h, order - 1)) / (2 * h);
        EXPECT_NEAR(table.evaluate(x, order), difference, 1e-8) << order << " at " << x;
      }
    }
}

TEST(Table, derivatives_agree_with_evaluate) {
  const Table table = cam();
  const auto all = table.derivatives(1.234);
  for (int order = 0; order <= 3; ++order) EXPECT_EQ(all[std::size_t(order)], table.evaluate(1.234, order));
  EXPECT_EQ(table.evaluate(1.234, 4), 0);
}

TEST(Table, natural_ends_continue_as_tangents) {
  const Table table = cam();
  const double a = table.x().front(), b = table.x().back();
  EXPECT_NEAR(table.evaluate(a, 2), 0, 1e-14);
  EXPECT_NEAR(table.evaluate(b, 2), 0, 1e-14);
  EXPECT_DOUBLE_EQ(table(a - 2), table(a) - 2 * table.evaluate(a, 1));
  EXPECT_DOUBLE_EQ(table(b + 3), table(b) + 3 * table.evaluate(b, 1));
  EXPECT_EQ(table.evaluate(b + 3, 2), 0);
}

TEST(Table, periodic_ends_repeat) {
  const Table table = cam(Table::Ends::periodic);
  const double period = table.x().back() - table.x().front();
  for (const double x : {0.1, 3.0, 6.2})
    for (const double turns : {-3, -1, 1, 1000}) EXPECT_NEAR(table(x + turns * period), table(x), 1e-11);
  const Table three({0, 0.4, 1}, {1, 2, 1}, Table::Ends::periodic);
  EXPECT_NEAR(three.evaluate(0, 1), three.evaluate(std::nextafter(1, 0), 1), 1e-12);
  EXPECT_NEAR(three.evaluate(0, 2), three.evaluate(std::nextafter(1, 0), 2), 1e-11);
}

TEST(Table, two_points_are_a_line) {
  const Table line({1, 3}, {2, 8});
  EXPECT_EQ(line(2), 5);
  EXPECT_EQ(line(-1), -4);
  EXPECT_EQ(line.evaluate(2, 2), 0);
}

// error of a periodic spline of a smooth function falls as h^4
TEST(Table, converges_with_order_four) {
  const auto error = [](int n) {
    const Table table = cam(Table::Ends::periodic, n);
    double worst = 0;
    for (double x = 0; x < 6.28; x += 0.003)
      worst = std::max(worst, std::abs(table(x) - std::cos(x) - 0.3 * std::sin(2 * x)));
    return worst;
  };
  EXPECT_NEAR(std::log2(error(41) / error(81)), 4, 0.3);
}

TEST(Table, refuses_bad_points) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(Table({1}, {1}), std::invalid_argument);
  EXPECT_THROW(Table({}, {}), std::invalid_argument);
  EXPECT_THROW(Table({1, 2}, {1}), std::invalid_argument);
  EXPECT_THROW(Table({1, 1}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(Table({1, 3, 2}, {1, 2, 3}), std::invalid_argument);
  EXPECT_THROW(Table({1, inf}, {1, 2}), std::invalid_argument);
  EXPECT_THROW(Table({1, 2}, {1, std::nan("")}), std::invalid_argument);
  EXPECT_THROW(Table({0, 5e-324}, {-1e308, 1e308}), std::invalid_argument);
  EXPECT_THROW(Table({0, 1, 2}, {1, 2, 3}, Table::Ends::periodic), std::invalid_argument);
  EXPECT_THROW(Table({0, 1}, {1, 1}, Table::Ends::periodic), std::invalid_argument);
  EXPECT_TRUE(std::isnan(cam()(std::nan(""))));
  EXPECT_TRUE(std::isnan(cam(Table::Ends::periodic)(inf)) || std::isinf(cam(Table::Ends::periodic)(inf)));
}

}  // namespace
}  // namespace escapement
