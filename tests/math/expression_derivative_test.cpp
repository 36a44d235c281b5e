// Symbolic derivatives against central differences, and their size.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "math/expression_parser.hpp"
#include "math/table.hpp"

namespace escapement::expression_derivative_test {
namespace {

// one text per operation, defined and smooth near the sampled points |x|, |y| < 2
const char* const every_operation[] = {
    "x + 2*y - x*y",
    "x/(3 + y)",
    "(x + y)/7",
    "x^3 - y^-2*x",
    "(3 + x)^2.5*(4 + y)^-0.5",
    "(3 + x)^0.7",
    "(3 + x)^(y/2)",
    "2^(x*y)",
    "sin(x*y)",
    "cos(x - y)*x",
    "tan(x/3 + y/5)",
    "asin(x/3 + y/7)",
    "acos(x*y/5)",
    "atan(x + y^2)",
    "atan2(x + 3, y)",
    "atan2(y, x - 3)",
    "sinh(x*y)",
    "cosh(x + y)",
    "tanh(x*y)",
    "exp(x - y^2)",
    "log(5 + x*y)",
    "sqrt(5 + x*y)",
    "abs(x*y + y^3)",
    "sign(x)*y^2*x",
    "min(x*y, x^2)",
    "max(sin(x), y^3)",
    "if(x > y, x^2*y, sin(x*y))",
    "if(x > 0, sqrt(x), 0)*y",
    "(x < y)*x^2",
    "max(x + 3, 0)^1.5*y + if(y > -3, 3 + y, 0)^2.5",
    "lift(x*y)",
    "lift(x)^2*y",
    "x*y*sin(x)*cos(y)*exp(x)*(x + y)*(x - 2*y)*(1 + x^2)*(2 + y^2)",
};

struct Setting {
  Setting() {
    const std::vector<double> points{-6, -4, -2, -1, 0, 1, 2.5, 4, 6};
    std::vector<double> values;
    for (const double p : points) values.push_back(std::cos(p) + 0.1 * p * p);
    names.add("x", x), names.add("y", y);
    names.add_table("lift", std::make_shared<Table>(points, values));
  }
  double at(Expr e, double vx, double vy) const { return g.evaluate(e, {{x, vx}, {y, vy}}); }

  ExpressionGraph g;
  Expr x = g.variable("x"), y = g.variable("y");
  Symbols names;
};

void expect_derivative(const Setting& s, Expr e, Expr d, Expr variable, double vx, double vy, const std::string& what) {
  const double h = 1e-5;
  const double hx = variable == s.x ? h : 0, hy = variable == s.y ? h : 0;
  const double difference = (s.at(e, vx + hx, vy + hy) - s.at(e, vx - hx, vy - hy)) / (2 * h);
  const double scale = 1 + std::abs(difference) + std::abs(s.at(e, vx, vy));
  EXPECT_NEAR(s.at(d, vx, vy), difference, 2e-7 * scale) << what << " at " << vx << ", " << vy;
}

class EveryOperation : public testing::TestWithParam<const char*> {};

TEST_P(EveryOperation, first_and_second_derivatives_equal_central_differences) {
  Setting s;
  const Expr e = parse_expression(s.g, GetParam(), s.names);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int sample = 0; sample < 20; ++sample) {
    // away from kinks and poles at 0 and at x = y
    double vx = uniform(random), vy = uniform(random);
    if (std::abs(vx) < 0.1 || std::abs(vy) < 0.3 || std::abs(vx - vy) < 0.1) continue;
    for (const Expr first : {s.x, s.y}) {
      const Expr d = s.g.derivative(e, first);
      expect_derivative(s, e, d, first, vx, vy, "d " + s.g.to_string(e));
      for (const Expr second : {s.x, s.y})
        expect_derivative(s, d, s.g.derivative(d, second), second, vx, vy, "d " + s.g.to_string(d));
    }
  }
}

TEST_P(EveryOperation, mixed_derivatives_commute) {
  Setting s;
  const Expr e = parse_expression(s.g, GetParam(), s.names);
  const Expr xy = s.g.derivative(s.g.derivative(e, s.x), s.y), yx = s.g.derivative(s.g.derivative(e, s.y), s.x);
  const double a = s.at(xy, 0.7, -1.2), b = s.at(yx, 0.7, -1.2);
  EXPECT_NEAR(a, b, 1e-13 * (1 + std::abs(a)));
}

INSTANTIATE_TEST_SUITE_P(Derivative, EveryOperation, testing::ValuesIn(every_operation));

TEST(Derivative, of_polynomials_ends_at_zero) {
  Setting s;
  Expr e = parse_expression(s.g, "(x*cos(y) + 3*x*sin(y))^2/2 + x", s.names);
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(s.g.is_zero(e));
    e = s.g.derivative(e, s.x);
  }
  EXPECT_TRUE(s.g.is_zero(e)) << s.g.to_string(e);
}

TEST(Derivative, of_the_branch_not_taken_does_no_harm) {
  Setting s;
  const Expr e = parse_expression(s.g, "x*if(x > 0, sqrt(x)*log(x), x^2)", s.names);
  EXPECT_DOUBLE_EQ(s.at(e, -2, 0), -8);
  EXPECT_DOUBLE_EQ(s.at(s.g.derivative(e, s.x), -2, 0), 12);
  EXPECT_DOUBLE_EQ(s.at(s.g.derivative(s.g.derivative(e, s.x), s.x), -2, 0), -12);
  for (const char* text :
       {"max(x, 0)^1.5*y", "sqrt(max(0, x))*y", "y*if(x > 0, x, 0)^1.3", "min(-x, 0)*y/max(x, 0)^0.5*max(x, 0)"}) {
    Expr d = parse_expression(s.g, text, s.names);
    for (int order = 0; order < 4; ++order) {
      EXPECT_EQ(s.at(d, -0.5, 2), 0) << text << ", order " << order;
      d = s.g.derivative(d, s.x);
    }
  }
  const Expr m = parse_expression(s.g, "max(x^1.5, -1)", s.names);
  EXPECT_DOUBLE_EQ(s.at(s.g.derivative(m, s.x), 4, 0), 3);
}

// nodes added by the derivatives of a chain of n links, per link
double growth(int n, int order) {
  ExpressionGraph g;
  const Expr x = g.variable("x"), y = g.variable("y");
  Expr e = x;
  for (int i = 0; i < n; ++i) e = g.mul(g.add(g.sin(e), y), g.add(g.mul(e, y), g.constant(i)));
  const std::size_t before = g.size();
  Expr d = e;
  for (int i = 0; i < order; ++i) d = g.derivative(d, x);
  const Expr both[] = {e, d};
  EXPECT_LE(g.reachable(both).size(), g.size());
  return double(g.size() - before) / n;
}

TEST(Derivative, size_grows_linearly_with_the_expression) {
  for (const int order : {1, 2, 3}) {
    const double small = growth(100, order), large = growth(2000, order);
    EXPECT_LT(large, 1.1 * small) << "order " << order;
  }
  EXPECT_LT(growth(1000, 1), 12);
}

TEST(Derivative, of_a_long_product_is_not_quadratic) {
  ExpressionGraph g;
  const Expr x = g.variable("x");
  std::vector<Expr> factors;
  for (int i = 0; i < 3000; ++i) factors.push_back(g.sin(g.add(x, g.constant(i))));
  const Expr e = g.product(factors);
  const std::size_t before = g.size();
  const Expr d = g.derivative(e, x);
  EXPECT_LT(g.size() - before, 40'000u);
  double expected = 0, value = 1;
  for (int i = 0; i < 3000; ++i) expected += std::cos(0.5 + i) / std::sin(0.5 + i), value *= std::sin(0.5 + i);
  EXPECT_EQ(g.evaluate(d, {{x, 0.5}}), 0) << "so many factors below one underflow";
  const Expr first = g.product(std::span(factors).first(50));
  expected = 0, value = 1;
  for (int i = 0; i < 50; ++i) expected += std::cos(0.5 + i) / std::sin(0.5 + i), value *= std::sin(0.5 + i);
  EXPECT_NEAR(g.evaluate(g.derivative(first, x), {{x, 0.5}}) / (expected * value), 1, 1e-11);
}

TEST(Derivative, is_remembered) {
  Setting s;
  const Expr e = parse_expression(s.g, "sin(x*y)^3*exp(x)", s.names);
  const Expr d = s.g.derivative(e, s.x);
  const std::size_t size = s.g.size();
  EXPECT_EQ(s.g.derivative(e, s.x), d);
  EXPECT_EQ(s.g.size(), size);
}

}  // namespace
}  // namespace escapement
