// Construction, simplification, sharing and the plain views of expressions.
#include "math/expression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "math/expression_parser.hpp"
#include "math/table.hpp"

namespace escapement::expression_test {
namespace {

class Expressions : public testing::Test {
 protected:
  Expressions() {
    for (const char* name : {"x", "y", "z", "x'", "y'"}) names.add(name, g.variable(name));
  }
  Expr parse(const std::string& text) { return parse_expression(g, text, names); }
  void expect_same(const std::string& a, const std::string& b) {
    EXPECT_EQ(parse(a), parse(b)) << a << " is " << g.to_string(parse(a)) << ", " << b << " is "
                                  << g.to_string(parse(b));
  }
  void expect_different(const std::string& a, const std::string& b) {
    EXPECT_NE(parse(a), parse(b)) << a << " and " << b;
  }

  ExpressionGraph g;
  Symbols names;
};

TEST_F(Expressions, constants_fold) {
  EXPECT_EQ(g.value(parse("2*3 + 4^2/8 - sqrt(9)")), 5);
  EXPECT_EQ(g.value(parse("atan2(1, -1)*4/pi")), 3);
  EXPECT_EQ(g.value(parse("if(2 > 1 and 3 != 4, min(7, 8, 6), 0)")), 6);
  EXPECT_EQ(g.value(parse("(1 < 2) + (2 <= 1) + (3 == 3) + (not 5 > 4)")), 2);
  EXPECT_EQ(g.value(parse("0*x + 0/y - 0^2")), 0);
  EXPECT_TRUE(g.is_zero(g.constant(-0.0)));
}

TEST_F(Expressions, sums_collect) {
  expect_same("x + x", "2*x");
  expect_same("x - x + y", "y");
  expect_same("x + 0", "x");
  expect_same("2*x + 3*y - x - 3*y", "x");
  expect_same("x + (y + z)", "z + y + x");
  expect_same("x - (y - z)", "x - y + z");
  expect_same("-(x - y)", "y - x");
  expect_same("(1 + x) - 1", "x");
  expect_same("2*(x + y) + 3*(x + y)", "5*(y + x)");
  expect_same("x/3 + x/3 + x/3", "x");
  expect_same("x/6 + x/3", "x/2");
  expect_same("0.1*x*10", "x");
}

TEST_F(Expressions, products_collect) {
  expect_same("x*x", "x^2");
  expect_same("x*y*x^3/x^2", "x^2*y");
  expect_same("x/x", "1");
  expect_same("1*x", "x");
  expect_same("x^0", "1");
  expect_same("x^1", "x");
  expect_same("y*2*x*3", "6*x*y");
  expect_same("(x*y)^2", "x^2*y^2");
  expect_same("(2*x)^3", "8*x^3");
  expect_same("(x - y)*(y - x)", "-(x - y)^2");
  expect_same("(x/y)/(y/x)", "x^2/y^2");
  expect_same("sqrt(x)*sqrt(x)", "x");
  expect_same("sqrt(2*x)*sqrt(2*x)", "2*x");
  expect_same("sqrt(x)^3/sqrt(x)", "x");
  expect_same("sqrt(x^2)", "abs(x)");
  expect_same("(x^4)^0.25", "abs(x)");
  expect_same("(x^2)^3", "x^6");
  expect_same("x/3*3", "x");
  expect_same("-x*-y", "x*y");
  // true for positive x and y alone
  expect_different("sqrt(x*y)", "sqrt(x)*sqrt(y)");
  expect_different("(x^2)^0.5", "x");
}

TEST_F(Expressions, functions_use_their_symmetry) {
  expect_same("sin(x - y)", "-sin(y - x)");
  expect_same("cos(x - y)", "cos(y - x)");
  expect_same("sin(-2*x)", "-sin(2*x)");
  expect_same("atan(-x)", "-atan(x)");
  expect_same("abs(-x)", "abs(abs(x))");
  expect_same("sign(-x)", "-sign(x)");
  expect_same("min(x, y)", "min(y, x)");
  expect_same("max(x, x)", "x");
  expect_same("if(x > y, z, z)", "z");
  expect_same("x > y", "y < x");
  expect_same("x < x", "0");
}

TEST_F(Expressions, squares_of_sine_and_cosine_sum_to_one) {
  expect_same("sin(x)^2 + cos(x)^2", "1");
  expect_same("(x'*sin(x))^2/2 + (x'*cos(x))^2/2 + y", "x'^2/2 + y");
  expect_same("3*y*sin(x - z)^2 + z + 3*y*cos(z - x)^2", "z + 3*y");
  expect_same("sin(x)^2*sin(y)^2 + sin(x)^2*cos(y)^2 + cos(x)^2", "1");
  expect_different("sin(x)^2 + cos(y)^2", "1");
  expect_different("2*sin(x)^2 + cos(x)^2", "1");
  expect_different("sin(x)^2 - cos(x)^2", "1");
}

TEST_F(Expressions, factors_that_would_overflow_are_left_alone) {
  const Expr e = parse("(1e200*x)^2*(1e200*y)^-2");
  EXPECT_DOUBLE_EQ(g.evaluate(e, {{g.variable("x"), 3e-200}, {g.variable("y"), 1e-200}}), 9);
}

TEST_F(Expressions, equal_expressions_are_one_node) {
  const Expr a = parse("sin(x*y + 1)^2/(z + x*y)");
  const std::size_t size = g.size();
  EXPECT_EQ(parse("sin(1 + y*x)^2*(x*y + z)^-1"), a);
  // only the two exponents' constants may be new
  EXPECT_LE(g.size(), size + 2);
}

TEST_F(Expressions, substitute) {
  const Expr x = g.variable("x"), y = g.variable("y");
  EXPECT_EQ(g.substitute(parse("x^2 + sin(x*y)"), {{x, y}, {y, x}}), parse("y^2 + sin(x*y)"));
  EXPECT_EQ(g.substitute(parse("x + if(x > 1, y, z)"), {{x, g.constant(2)}}), parse("2 + y"));
  EXPECT_EQ(g.substitute(parse("z"), {{x, y}}), parse("z"));
}

TEST_F(Expressions, dependence) {
  const Expr e = parse("x*y + sin(z)");
  EXPECT_TRUE(g.depends_on(e, g.variable("z")));
  EXPECT_FALSE(g.depends_on(e, g.variable("x'")));
  EXPECT_EQ(g.variables(e), (std::vector{g.variable("x"), g.variable("y"), g.variable("z")}));
}

TEST_F(Expressions, dependence_on_many_variables) {
  std::vector<Expr> all;
  for (int i = 0; i < 300; ++i) all.push_back(g.variable("v" + std::to_string(i)));
  const Expr outside = g.variable("outside");
  const Expr e = g.mul(g.sin(g.sum(all)), g.sum(std::span(all).first(200)));
  EXPECT_TRUE(g.depends_on(e, all[250]));
  EXPECT_FALSE(g.depends_on(e, outside));
  EXPECT_TRUE(g.is_zero(g.derivative(e, outside)));
  EXPECT_EQ(g.variables(e), all);
  EXPECT_EQ(g.derivative(g.sum(all), all[7]), g.constant(1));
}

TEST_F(Expressions, text_parses_to_the_same_expression) {
  for (const char* text : {"3*x^2*y' - sin(x - y')/3 + 1", "-(x + y)^2/(z*x)^3", "2/3*(x - 1)", "1 - x", "-x", "(-x)^y",
                           "2^-x", "x^(y^z)", "(x^y)^z", "if(x <= y, atan2(y, x), min(x, y, z))", "sqrt(x + 1)/sqrt(y)",
                           "x^1.5/y^2.5", "(x < y) + (x == z)*2", "-3*(x + y)/7", "1e-300*x - 0.1", "-2.5",
                           "exp(-x^2)*log(y)", "(1 - x)*(1 - y)", "x/3/0.7"}) {
    const Expr e = parse(text);
    EXPECT_EQ(parse(g.to_string(e)), e) << text << " became " << g.to_string(e);
  }
}

TEST_F(Expressions, text_is_bounded) {
  Expr e = g.variable("x");
  for (int i = 0; i < 100; ++i) e = g.sin(g.mul(e, g.add(e, g.constant(1))));  // 2^100 characters when written out
  const std::string text = g.to_string(e, 100);
  EXPECT_LE(text.size(), 100u);
  EXPECT_EQ(text.substr(text.size() - 3), "...");
}

TEST_F(Expressions, deep_graphs_need_no_deep_stack) {
  const Expr x = g.variable("x"), y = g.variable("y");
  Expr e = x;
  constexpr int depth = 300'000;
  for (int i = 0; i < depth; ++i) e = g.sin(e);
  EXPECT_TRUE(g.depends_on(e, x));
  EXPECT_NEAR(g.evaluate(e, {{x, 1.0}}), std::sqrt(3.0 / depth), 1e-6);
  EXPECT_NE(g.substitute(e, {{x, y}}), e);
  const Expr d = g.derivative(e, x);
  EXPECT_GT(g.evaluate(d, {{x, 1.0}}), 0);
}

TEST_F(Expressions, node_limit_is_an_error) {
  ExpressionGraph small(100);
  Expr e = small.variable("x");
  EXPECT_THROW(
      {
        for (int i = 0; i < 200; ++i) e = small.sin(e);
      },
      ExpressionLimit);
  EXPECT_EQ(small.size(), 100u);
}

TEST_F(Expressions, construction_is_deterministic) {
  const auto build = [] {
    ExpressionGraph graph;
    Symbols known;
    for (const char* name : {"a", "b", "c"}) known.add(name, graph.variable(name));
    Expr e = parse_expression(graph, "sin(a*b - c)^3*exp(a/c) + sqrt(a^2 + b^2)/(1 + c^2)", known);
    for (const char* name : {"a", "b", "c", "a"}) e = graph.derivative(e, graph.variable(name));
    return std::pair(graph.size(), graph.to_string(e, 100'000));
  };
  EXPECT_EQ(build(), build());
}

TEST_F(Expressions, a_value_for_every_variable_is_needed) {
  EXPECT_THROW(g.evaluate(parse("x + y"), {{g.variable("x"), 1.0}}), std::invalid_argument);
  EXPECT_THROW(g.value(parse("x")), std::logic_error);
  EXPECT_THROW(g.name(parse("x + 1")), std::logic_error);
  EXPECT_THROW(g.derivative(parse("x"), parse("2*x")), std::logic_error);
}

}  // namespace
}  // namespace escapement
