#include "math/interval.hpp"

#include <gtest/gtest.h>

#include <random>

#include "math/table.hpp"

namespace escapement::interval_test {
namespace {

// a function of an interval encloses the function of every number in it, and not much more
template <class Of, class F>
void expect_encloses(Of of, F f, double least, double most, const char* name) {
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    double a = std::uniform_real_distribution<>(least, most)(random), b = std::uniform_real_distribution<>(least, most)(random);
    if (a > b) std::swap(a, b);
    const Interval range = of(Interval{a, b});
    double low = f(a), high = low;
    for (int k = 0; k <= 2000; ++k) {
      const double value = f(a + (b - a) * k / 2000);
      low = std::min(low, value);
      high = std::max(high, value);
    }
    const double slack = 1e-3 * (high - low) + 1e-12;
    EXPECT_LE(range.low, low + 1e-12) << name << " on " << a << ", " << b;
    EXPECT_GE(range.high, high - 1e-12) << name << " on " << a << ", " << b;
    EXPECT_GE(range.low, low - slack) << name << " on " << a << ", " << b;
    EXPECT_LE(range.high, high + slack) << name << " on " << a << ", " << b;
  }
}

TEST(Interval, functionsEnclose) {
  expect_encloses([](Interval x) { return square(x); }, [](double x) { return x * x; }, -2, 3, "square");
  expect_encloses([](Interval x) { return sine(x); }, [](double x) { return std::sin(x); }, -9, 9, "sine");
  expect_encloses([](Interval x) { return cosine(x); }, [](double x) { return std::cos(x); }, -9, 9, "cosine");
  expect_encloses([](Interval x) { return square_root(x); }, [](double x) { return std::sqrt(x); }, 0, 9, "square root");
  for (double exponent : {3.0, 4.0, -1.0, -2.0, 0.5, 2.5})
    expect_encloses([&](Interval x) { return power(x, exponent); }, [&](double x) { return std::pow(x, exponent); }, 0.1, 4, "power");
  for (double exponent : {3.0, 4.0})
    expect_encloses([&](Interval x) { return power(x, exponent); }, [&](double x) { return std::pow(x, exponent); }, -2, 3, "power");
}

TEST(Interval, productsAndQuotients) {
  const Interval a{-1, 2}, b{3, 4};
  EXPECT_EQ((a * b).low, -4);
  EXPECT_EQ((a * b).high, 8);
  EXPECT_EQ((a / b).low, -1.0 / 3);
  EXPECT_EQ((a / b).high, 2.0 / 3);
  EXPECT_EQ((b / a).width(), std::numeric_limits<double>::infinity());
  EXPECT_EQ((b - a).low, 1);
  EXPECT_EQ((b - a).high, 5);
}

TEST(Interval, tablesAndTheirDerivatives) {
  const std::vector<double> x{-3, -1, 0, 1, 2.5, 4}, y{1, 0.5, 2, 1, -0.5, 1.5};
  const Table table(x, y);
  for (int order = 0; order <= 2; ++order) {
    const auto f = [&](double u) { return table.evaluate(u, order); };
    std::mt19937 random(2);
    for (int i = 0; i < 300; ++i) {
      double a = std::uniform_real_distribution<>(-5, 6)(random), b = std::uniform_real_distribution<>(-5, 6)(random);
      if (a > b) std::swap(a, b);
      const Interval range = table.range({a, b}, order);
      for (int k = 0; k <= 500; ++k) {
        const double value = f(a + (b - a) * k / 500);
        ASSERT_LE(range.low, value + 1e-12) << order << " on " << a << ", " << b;
        ASSERT_GE(range.high, value - 1e-12) << order << " on " << a << ", " << b;
      }
    }
  }
}

}  // namespace
}  // namespace escapement
