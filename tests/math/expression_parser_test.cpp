#include "math/expression_parser.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "math/table.hpp"

namespace escapement::expression_parser_test {
namespace {

class ExpressionParser : public testing::Test {
 protected:
  ExpressionParser() {
    for (const char* name : {"x", "theta", "theta'", "pin.angle", "pin.angle'", "mass", "t"})
      names.add(name, g.variable(name));
    names.add_table("lift", std::make_shared<Table>(std::vector<double>{0, 1}, std::vector<double>{0, 2}));
    names.refuse("y'", "a potential may not depend on rates");
  }
  Expr parse(std::string_view text) { return parse_expression(g, text, names); }
  double value(std::string_view text) {
    return g.evaluate(parse(text), {{g.variable("x"), 3},
                                    {g.variable("theta"), 5},
                                    {g.variable("theta'"), 7},
                                    {g.variable("pin.angle"), 11},
                                    {g.variable("pin.angle'"), 13},
                                    {g.variable("mass"), 17},
                                    {g.variable("t"), 19}});
  }
  void expect_error(std::string_view text, std::size_t offset, const std::string& part) {
    try {
      parse(text);
      ADD_FAILURE() << quote(text) << " is accepted";
    } catch (const ExpressionError& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.offset, offset) << quote(text) << ": " << message;
      EXPECT_NE(message.find(part), std::string::npos) << quote(text) << ": " << message;
      EXPECT_LT(message.size(), 250u);
      for (const char c : message) EXPECT_TRUE(c >= 0x20 || c < 0) << "a control character in a message";
    }
  }

  ExpressionGraph g;
  Symbols names;
};

TEST_F(ExpressionParser, precedence) {
  EXPECT_EQ(value("1 + 2*x^2"), 19);
  EXPECT_EQ(value("-x^2"), -9);
  EXPECT_EQ(value("(-x)^2"), 9);
  EXPECT_EQ(value("2^x^2"), 512);
  EXPECT_EQ(value("2^-x"), 0.125);
  EXPECT_EQ(value("x - 1 - 1"), 1);
  EXPECT_EQ(value("12/x/2"), 2);
  EXPECT_EQ(value("12/x*2"), 8);
  EXPECT_EQ(value("x/2*4/3"), 2);
  EXPECT_EQ(value("2*-x"), -6);
  EXPECT_EQ(value("--x - -+x"), 6);
  EXPECT_EQ(value("1 + x < 5"), 1);
  EXPECT_EQ(value("x < 2 or x > 2 and not x == 3"), 0);
  EXPECT_EQ(value("not not x"), 1);
  EXPECT_EQ(value("(x > 2) + (x >= 3) + (x != 3)"), 2);
}

TEST_F(ExpressionParser, numbers) {
  EXPECT_EQ(value("1e3"), 1000);
  EXPECT_EQ(value(".5"), 0.5);
  EXPECT_EQ(value("2."), 2);
  EXPECT_EQ(value("1.5E-2"), 0.015);
  EXPECT_EQ(value("1e+2"), 100);
  EXPECT_EQ(value("0.1"), 0.1);
  EXPECT_EQ(value("1.7976931348623157e308"), 1.7976931348623157e308);
}

TEST_F(ExpressionParser, names_and_calls) {
  EXPECT_EQ(value("theta'*pin.angle' + pin.angle"), 102);
  EXPECT_EQ(value("t"), 19);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value(" if ( x>2 , max(1,x,2) , 0 )\r\n\t"), 3);
  EXPECT_EQ(value("lift(0.5) + lift(x)"), 7);
  EXPECT_EQ(value("atan2(0, -x)"), std::numbers::pi);
  EXPECT_EQ(value("sqrt(x + 1) + abs(-x) + sign(-x)"), 4);
  EXPECT_EQ(value("log(exp(2))"), 2);
}

TEST_F(ExpressionParser, structure_errors) {
  expect_error("", 0, "empty");
  expect_error("  \n ", 0, "empty");
  expect_error("x +", 3, "ends where a value is expected");
  expect_error("x + * 2", 4, "value is expected before '*'");
  expect_error("(x + 1", 6, "close the '(' at character 1");
  expect_error("sin(x", 5, "')' is expected");
  expect_error("x + 1)", 5, "without its '('");
  expect_error("x theta", 2, "operator is expected before 'theta'");
  expect_error("1,5", 1, "decimals with a point");
  expect_error("1 < x < 2", 6, "cannot be chained");
  expect_error("()", 1, "value is expected");
  expect_error("and x", 0, "value is expected before 'and'");
}

TEST_F(ExpressionParser, number_errors) {
  expect_error("2x", 1, "write * to multiply");
  expect_error("3*2theta", 3, "between '2' and 'theta'");
  expect_error("2 x", 2, "operator is expected");
  expect_error("1e999", 0, "too large");
  expect_error("1 - 1e-999", 4, "too small");
  expect_error("1.2.3", 0, "not a number");
  expect_error("0x10", 1, "operator is missing");
  expect_error("2e", 1, "operator is missing");
  expect_error("x + 1/0", 4, "'1/0' is not a finite number");
  expect_error("sqrt(-1)", 0, "not a finite number");
  expect_error("1 + log(0)*x", 4, "not a finite number");
  expect_error("10^400", 0, "not a finite number");
  expect_error("1e308 + 1e308", 0, "not a finite number");
  expect_error("x/0", 0, "not a finite number");
  expect_error("x + 2*x/0", 4, "'2*x/0' is not a finite number");
  expect_error("x*1e300*1e300", 0, "not a finite number");
  expect_error("if(x > 0, 1/0, 1)", 10, "'1/0'");
}

TEST_F(ExpressionParser, name_errors) {
  expect_error("2*thet", 2, "did you mean 'theta'?");
  expect_error("pin.angel'", 0, "did you mean 'pin.angle'");
  expect_error("x''", 0, "only first rates");
  expect_error("zzzzzzzz", 0, "not known");
  expect_error("sine(x)", 0, "did you mean 'sin'?");
  expect_error("lfit(x)", 0, "did you mean 'lift'?");
  expect_error("frobnicate(x)", 0, "not known");
  expect_error("x(2)", 0, "not a function");
  expect_error("pi(2)", 0, "not a function");
  expect_error("1 + sin", 4, "write sin(x)");
  expect_error("lift*2", 0, "is a table");
  expect_error("1 + y'", 4, "may not depend on rates");
}

TEST_F(ExpressionParser, argument_errors) {
  expect_error("sin()", 0, "takes 1 argument, but 0 are given; write sin(x)");
  expect_error("sin(x, x)", 0, "takes 1 argument, but 2 are given");
  expect_error("2*atan2(x)", 2, "takes 2 arguments, but 1 is given; write atan2(y, x)");
  expect_error("if(x > 0, 1)", 0, "takes 3 arguments");
  expect_error("min(x)", 0, "takes at least 2 arguments");
  expect_error("lift(x, 1)", 0, "takes 1 argument, but 2 are given");
}

TEST_F(ExpressionParser, odd_characters) {
  expect_error("x + \x01", 4, "'\\x01' has no meaning");
  expect_error("x = 2", 2, "write ==");
  expect_error("x ** 2", 2, "write ^");
  expect_error("x² + 1", 1, "write ^2");
  expect_error("2·x", 1, "write *");
  expect_error("θ", 0, "'θ' has no meaning");
  expect_error("\xff\xfe", 0, "'\\xff' has no meaning");
  expect_error("x # 2", 2, "'#'");
  expect_error("[x]", 0, "round parentheses");
  expect_error(std::string_view("x\0y", 3), 1, "'\\x00'");
  expect_error("x; rm", 1, "';'");
  expect_error("x & 1", 2, "'and'");
  expect_error("'", 0, "has no meaning");
  expect_error("x . y", 2, "has no meaning");
  expect_error("theta.", 5, "has no meaning");
}

TEST_F(ExpressionParser, quotes_are_short_and_visible) {
  EXPECT_EQ(quote("abc"), "'abc'");
  EXPECT_EQ(quote(std::string(60, 'a')).size(), 62u);
  EXPECT_EQ(quote(std::string(1000, 'a')), std::string("'").append(57, 'a').append("...'"));
  EXPECT_EQ(quote("a\nb\x7f"), "'a\\x0ab\\x7f'");
  EXPECT_EQ(quote("\xc2\x85"), "'\\xc2\\x85'");
  EXPECT_EQ(quote("\xce"), "'\\xce'");
  EXPECT_LE(quote(std::string(1000, '\0')).size(), 62u);
  expect_error(std::string(5000, 'q'), 0, "...'");
}

TEST_F(ExpressionParser, deep_nesting_is_an_error) {
  const std::string open(100'000, '(');
  expect_error(open, 200, "nested deeper than 200");
  EXPECT_EQ(value(std::string(199, '(') + "x" + std::string(199, ')')), 3);
  std::string calls, powers = "x";
  for (int i = 0; i < 20'000; ++i) calls += "sin(", powers += "^x";
  EXPECT_THROW(parse(calls), ExpressionError);
  EXPECT_THROW(parse(powers), ExpressionError);
  EXPECT_EQ(value(std::string(99'998, '-') + "x"), 3);
  std::string negations;
  for (int i = 0; i < 20'000; ++i) negations += "not ";
  EXPECT_EQ(value(negations + "x"), 1);
}

TEST_F(ExpressionParser, long_text) {
  expect_error(std::string(100'001, ' ') + "x", 100'000, "longer than 100000");
  std::string sum = "x", product = "x", quotient = "x";
  for (int i = 0; i < 16'000; ++i) {
    sum += "+x*" + std::to_string(i % 10);
    product += "*t/t";
    quotient += "/(1)";
  }
  EXPECT_EQ(value(sum), 3 + 3 * 1600 * 45);
  EXPECT_EQ(value(product), 3);
  EXPECT_EQ(value(quotient), 3);
  std::string distinct = "1";
  for (int i = 0; i < 10'000; ++i) distinct += "*(x-" + std::to_string(i % 999) + ")";
  EXPECT_NO_THROW(g.derivative(parse(distinct.substr(0, distinct.rfind(')') + 1)), g.variable("x")));
}

TEST_F(ExpressionParser, too_many_nodes_is_an_error) {
  ExpressionGraph small(50);
  Symbols few;
  few.add("x", small.variable("x"));
  std::string text = "x";
  for (int i = 0; i < 100; ++i) text += "+sin(x+" + std::to_string(i) + ")";
  EXPECT_THROW(parse_expression(small, text, few), ExpressionError);
}

TEST_F(ExpressionParser, noise_is_an_error_and_nothing_worse) {
  std::mt19937 random(1);
  const std::string alphabet = "x t()+-*/^<>=!,.'0123456789esinqrtpi \n\xc3\xa9";
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    const std::size_t length = random() % 40;
    for (std::size_t i = 0; i < length; ++i)
      text += round % 2 ? char(random() % 256) : alphabet[random() % alphabet.size()];
    try {
      parse(text);
    } catch (const ExpressionError& error) {
      EXPECT_LE(error.offset, text.size());
      EXPECT_LT(std::string(error.what()).size(), 300u);
    }
  }
}

TEST_F(ExpressionParser, names_of_a_text) {
  const auto used = names_in_expression("a*sin(b.c') + a - pi*lift(t)");
  ASSERT_EQ(used.size(), 4u);
  EXPECT_EQ(used[0].name, "a");
  EXPECT_EQ(used[1].name, "b.c'");
  EXPECT_EQ(used[1].offset, 6u);
  EXPECT_EQ(used[2].name, "lift");
  EXPECT_EQ(used[3].name, "t");
}

TEST_F(ExpressionParser, names_that_may_be_given) {
  for (const char* name : {"x", "pin.angle", "_a1", "L2"}) EXPECT_TRUE(is_valid_name(name)) << name;
  for (const char* name : {"", "1a", "a.", ".a", "a..b", "a.1", "a'", "a b", "é", "a-b"})
    EXPECT_FALSE(is_valid_name(name)) << name;
  for (const char* name : {"sin", "if", "pi", "and", "sqrt"}) EXPECT_TRUE(is_reserved_name(name)) << name;
  EXPECT_FALSE(is_reserved_name("theta"));
}

}  // namespace
}  // namespace escapement
