// Programs against direct evaluation, and Taylor arithmetic against repeated symbolic derivatives.
#include "math/program.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>
#include <thread>

#include "math/expression_parser.hpp"
#include "math/table.hpp"

namespace escapement::program_test {
namespace {

struct Setting {
  Setting() {
    for (std::size_t i = 0; i < variables.size(); ++i) names.add(g.name(variables[i]), variables[i]);
    names.add_table("lift", std::make_shared<Table>(std::vector<double>{-3, -1, 0, 1, 2.5, 4},
                                                    std::vector<double>{1, 0.5, 2, 1, -0.5, 1.5}));
  }
  Expr parse(const std::string& text) { return parse_expression(g, text, names); }
  std::vector<double> run(const std::vector<Expr>& outputs, const std::vector<double>& in) const {
    const Program program(g, variables, outputs);
    std::vector<double> out(outputs.size()), scratch(program.scratch_size(), std::nan(""));
    program.run(in.data(), out.data(), scratch.data());
    return out;
  }
  double direct(Expr e, const std::vector<double>& in) const {
    std::map<Expr, double> values;
    for (std::size_t i = 0; i < variables.size(); ++i) values.emplace(variables[i], in[i]);
    return g.evaluate(e, values);
  }

  ExpressionGraph g;
  std::vector<Expr> variables{g.variable("x"), g.variable("y"), g.variable("z")};
  Symbols names;
};

// every operation, defined around (0.7, -1.2, 1.6)
const char* const every_operation[] = {
    "x",
    "3",
    "x + 2*y - z*3 + 4",
    "-x - y",
    "-x - 2",
    "1 - x*y",
    "x*y - z",
    "z - x*y",
    "x*y + z*x",
    "x*y - z*x",
    "-x*y - z*y",
    "x*y*z*sin(x)",
    "x/3 + 2*y/3 - z/0.3 + x*y/7",
    "x/y/z",
    "1/(x*y)",
    "x/(2*y + 2*z) + z*(3*x - 3*y)*(2*x + 2*z)/(0.3*x + 0.3*z)",
    "-x/(2*y - 2*z*x)^2 - (2*x + 2*z)^2.5/(7*x + 7*z)",
    "-(3*x*z + 3*y)/5 + (0.1*x - 0.1*y)/3",
    "x^2*y^3*z^7",
    "x^-3*y^-1",
    "z^0.5*x^1.5/(2 + y)^2.5",
    "z^0.3",
    "z^-1.7",
    "z^100",
    "z^x*2^y",
    "sin(x)*cos(x) + sin(y) + cos(z)",
    "tan(x)",
    "asin(x)",
    "acos(x)",
    "atan(y)",
    "atan2(y, x)",
    "sinh(x)",
    "cosh(y)",
    "tanh(z)",
    "exp(y)",
    "log(z)",
    "sqrt(z)",
    "abs(y)*sign(y) + sign(z)",
    "min(x, y) + max(y, z)*min(x*y, z)",
    "(x < y) + 2*(x <= y) + 4*(x == y) + 8*(x != y) + 16*(y < x)",
    "if(x < y, sin(z), x*y^2)",
    "if(y < x and z > 0, z*x, 0)",
    "lift(x) + lift(y*z)^2 + lift(10*z) + lift(-10*z)",
    "(x - y)^2 + (x - y)*(z - y) - 3*(y - x)",
    "sin(x - y)^2*cos(x - y)/(1 + (x - y)^2)",
};

class EveryProgram : public testing::TestWithParam<const char*> {};

TEST_P(EveryProgram, equals_direct_evaluation) {
  Setting s;
  std::vector<Expr> outputs{s.parse(GetParam())};
  for (const Expr variable : s.variables) {
    outputs.push_back(s.g.derivative(outputs[0], variable));
    outputs.push_back(s.g.derivative(outputs.back(), s.variables[0]));
  }
  const std::vector<double> in{0.7, -1.2, 1.6};
  const std::vector<double> out = s.run(outputs, in);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double expected = s.direct(outputs[i], in);
    EXPECT_NEAR(out[i], expected, 2e-14 * (1 + std::abs(expected))) << s.g.to_string(outputs[i]);
  }
}

// d/ds of e along a path x(s), y(s), z(s), whose own derivatives are further variables
TEST_P(EveryProgram, taylor_coefficients_equal_repeated_symbolic_derivatives) {
  constexpr int order = 5;
  Setting s;
  const Expr parameter = s.g.variable("s");
  const std::vector<std::vector<double>> path{
      {0.7, 0.3, -0.2, 0.5, 0.1, -0.4}, {-1.2, -0.5, 0.4, 0.3, -0.2, 0.6}, {1.6, 0.8, 0.1, -0.6, 0.3, 0.2}};
  std::map<Expr, Expr> along;
  std::vector<double> in;
  for (std::size_t i = 0; i < path.size(); ++i) {
    Expr polynomial = s.g.constant(0);
    for (std::size_t k = path[i].size(); k-- > 0;)
      polynomial = s.g.add(s.g.mul(polynomial, parameter), s.g.constant(path[i][k]));
    along.emplace(s.variables[i], polynomial);
    in.insert(in.end(), path[i].begin(), path[i].end());
  }
  const Expr e = s.parse(GetParam());
  const Program program(s.g, s.variables, std::span(&e, 1));
  std::vector<double> out(order + 1), scratch(program.taylor_scratch_size(order), std::nan(""));
  program.run_taylor(order, in.data(), out.data(), scratch.data());

  Expr d = s.g.substitute(e, along);
  double factorial = 1;
  for (int k = 0; k <= order; ++k) {
    if (k > 0) d = s.g.derivative(d, parameter), factorial *= k;
    const double expected = s.g.evaluate(d, {{parameter, 0.0}}) / factorial;
    EXPECT_NEAR(out[std::size_t(k)], expected, 1e-11 * (1 + std::abs(expected))) << GetParam() << ", order " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Program, EveryProgram, testing::ValuesIn(every_operation));

// a random expression of everything that is smooth and bounded
Expr random_expression(Setting& s, std::mt19937& random, int depth) {
  if (depth == 0) return random() % 4 ? s.variables[random() % 3] : s.g.constant(double(random() % 7) - 3);
  const auto next = [&] { return random_expression(s, random, depth - 1); };
  const Expr one = s.g.constant(1);
  switch (random() % 12) {
    case 10: {
      const Expr scaled = s.g.scale(s.g.add(next(), next()), double(random() % 5) - 2);
      return s.g.div(next(), s.g.add(s.g.constant(9), s.g.mul(scaled, scaled)));
    }
    case 11: {
      const double weight = 0.5 * double(1 + random() % 5);
      const Expr sum = s.g.add(s.g.scale(s.g.sin(next()), weight), s.g.scale(s.g.cos(next()), -weight));
      return s.g.div(next(), random() % 2 ? s.g.function(Op::exp, sum) : sum);
    }
    case 0:
    case 1:
    case 2:
      return s.g.add(next(), next());
    case 3:
    case 4:
      return s.g.mul(next(), next());
    case 5:
      return s.g.sub(next(), next());
    case 6:
      return s.g.sin(next());
    case 7:
      return s.g.cos(next());
    case 8:
      return s.g.div(next(), s.g.add(one, s.g.square(next())));
    default:
      return s.g.sqrt(s.g.add(one, s.g.square(next())));
  }
}

TEST(Program, random_programs_equal_direct_evaluation) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    Setting s;
    std::vector<Expr> outputs;
    for (int i = 0; i < 6; ++i) outputs.push_back(random_expression(s, random, 1 + i));
    outputs.push_back(s.g.derivative(outputs[4], s.variables[0]));
    outputs.push_back(outputs[2]);
    const std::vector<double> in{0.3, -0.8, 1.1};
    const std::vector<double> out = s.run(outputs, in);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double expected = s.direct(outputs[i], in);
      if (std::abs(expected) > 1e3 || !std::isfinite(expected)) continue;  // near a pole
      EXPECT_NEAR(out[i], expected, 1e-9 * (1 + std::abs(expected))) << s.g.to_string(outputs[i]);
    }
  }
}

TEST(Program, branch_not_taken_does_not_poison) {
  Setting s;
  const Expr only = s.parse("if(x > 0, sqrt(x)*log(x), 3*x)");
  const std::vector<Expr> outputs{s.parse("2*if(x > 0, log(x)/y, x^2)"), only, s.g.derivative(only, s.variables[0]),
                                  s.g.derivative(s.g.derivative(only, s.variables[0]), s.variables[0])};
  const std::vector<double> out = s.run(outputs, {-1, 0, 1});
  EXPECT_EQ(out, (std::vector<double>{2, -3, 3, 0}));
  const Program program(s.g, s.variables, std::span(&only, 1));
  const std::vector<double> in{-1, 1, 0.5, 0, 0, 0, 0, 0, 0};
  std::vector<double> taylor(3), scratch(program.taylor_scratch_size(2));
  program.run_taylor(2, in.data(), taylor.data(), scratch.data());
  EXPECT_EQ(taylor, (std::vector<double>{-3, 3, 1.5}));
}

TEST(Program, taylor_where_a_power_has_a_zero_base) {
  Setting s;
  const Expr e = s.parse("max(x, 0)^1.5 + sqrt(max(x, 0)) + max(x, 0)^0.3 + y");
  const Program program(s.g, s.variables, std::span(&e, 1));
  const std::vector<double> in{-1, 1, 2, 5, 6, 7, 0, 0, 0};
  std::vector<double> out(3), scratch(program.taylor_scratch_size(2));
  program.run_taylor(2, in.data(), out.data(), scratch.data());
  EXPECT_EQ(out, (std::vector<double>{5, 6, 7}));
}

TEST(Program, division_by_a_number_is_a_division) {
  Setting s;
  for (const double divisor : {3.0, 7.0, 0.1, 49.0}) {
    const Expr e = s.g.div(s.variables[0], s.g.constant(divisor));
    for (double x = 0.1; x < 10; x += 0.37) EXPECT_EQ(s.run({e}, {x, 0, 0})[0], x / divisor);
  }
}

TEST(Program, sine_and_cosine_are_right_to_the_last_place) {
  Setting s;
  const std::vector<Expr> both{s.parse("sin(x)"), s.parse("cos(x)")};
  const auto places = [](double a, double b) { return std::abs(a - b) / (std::nextafter(std::abs(b), 2) - std::abs(b)); };
  std::vector<double> angles{0, -0.0, 1e-300, 1e-9, M_PI / 4, M_PI / 2, M_PI, 2 * M_PI, 1e4 * M_PI, 99999.5, 1e5, 1e6, 1e300, -3, -1e4};
  for (double x = -20; x < 20; x += 0.0173) angles.push_back(x);
  for (const double x : angles) {
    const std::vector<double> out = s.run(both, {x, 0, 0});
    EXPECT_LE(places(out[0], std::sin(x)), 1) << x;
    EXPECT_LE(places(out[1], std::cos(x)), 1) << x;
  }
  EXPECT_TRUE(std::signbit(s.run(both, {-0.0, 0, 0})[0]));
}

// sines, cosines and both, of angles that are inputs, sums and sines of others, also where one of two is too large for a reduction
TEST(Program, angles_two_at_a_time_have_the_bits_of_one_at_a_time) {
  Setting s;
  const char* const texts[] = {"sin(x) + cos(x)", "sin(y)*z", "cos(z)*x", "sin(x - y) + cos(x - y)", "cos(y + z)", "sin(sin(x) + y)", "cos(cos(sin(x) + y))"};
  std::vector<Expr> all;
  for (const char* text : texts) all.push_back(s.parse(text));
  for (double x = -30; x < 30; x += 0.37)
    for (const double z : {0.3 * x, 2e5, std::nan("")}) {
      const std::vector<double> in{x, 2 - 0.7 * x, z}, together = s.run(all, in);
      for (std::size_t i = 0; i < all.size(); ++i)
        EXPECT_EQ(std::bit_cast<long>(together[i]), std::bit_cast<long>(s.run({all[i]}, in)[0])) << texts[i] << " at " << x << ", " << z;
    }
}

TEST(Program, input_and_output_may_be_one_array) {
  Setting s;
  const std::vector<Expr> outputs{s.parse("y"), s.parse("x"), s.parse("x + z")};
  const Program program(s.g, s.variables, outputs);
  std::vector<double> values{1, 2, 3}, scratch(program.scratch_size());
  program.run(values.data(), values.data(), scratch.data());
  EXPECT_EQ(values, (std::vector<double>{2, 1, 4}));
}

TEST(Program, example_of_the_documentation) {
  ExpressionGraph graph;
  Symbols symbols;
  const Expr x = graph.variable("x");
  symbols.add("x", x);
  const Expr f = parse_expression(graph, "x^2*sin(x)", symbols);
  const Expr outputs[] = {f, graph.derivative(f, x)};
  const Program program(graph, {&x, 1}, outputs);
  std::vector<double> scratch(program.scratch_size());
  double in = 0.5, out[2];
  program.run(&in, out, scratch.data());
  EXPECT_DOUBLE_EQ(out[0], 0.25 * std::sin(0.5));
  EXPECT_DOUBLE_EQ(out[1], std::sin(0.5) + 0.25 * std::cos(0.5));
}

TEST(Program, empty_and_constant_programs) {
  Setting s;
  const Program nothing(s.g, {}, {});
  nothing.run(nullptr, nullptr, nullptr);
  EXPECT_EQ(s.run({s.g.constant(4), s.g.constant(0), s.g.constant(4)}, {1, 2, 3}), (std::vector<double>{4, 0, 4}));
  const Program program;
  EXPECT_EQ(program.output_count(), 0u);
  program.run(nullptr, nullptr, nullptr);
}

TEST(Program, missing_input_is_named) {
  Setting s;
  const Expr e = s.parse("x + z");
  try {
    const Program program(s.g, std::span(s.variables).first(2), std::span(&e, 1));
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'z'"), std::string::npos);
  }
}

TEST(Program, registers_are_reused) {
  Setting s;
  Expr e = s.variables[0];
  for (int i = 0; i < 1000; ++i) e = s.g.sin(s.g.add(e, s.variables[1]));
  const Program program(s.g, s.variables, std::span(&e, 1));
  EXPECT_LT(program.scratch_size(), 10u);
}

TEST(Program, deep_graphs_need_no_deep_stack) {
  Setting s;
  Expr e = s.variables[0];
  for (int i = 0; i < 200'000; ++i) e = s.g.sin(e);
  EXPECT_GT(s.run({e}, {1, 0, 0})[0], 0);
}

TEST(Program, threads_share_a_program) {
  Setting s;
  const Expr e = s.parse("sin(x*y)^2/(1 + z^2) + exp(x)");
  const Program program(s.g, s.variables, std::span(&e, 1));
  const auto sum = [&] {
    double total = 0;
    std::vector<double> scratch(program.scratch_size());
    for (int i = 0; i < 10'000; ++i) {
      const double in[] = {i * 1e-4, i * 2e-4, 1};
      double out;
      program.run(in, &out, scratch.data());
      total += out;
    }
    return total;
  };
  const double expected = sum();
  double results[4];
  {
    std::vector<std::jthread> threads;
    for (double& result : results) threads.emplace_back([&] { result = sum(); });
  }
  for (const double result : results) EXPECT_EQ(result, expected);
}

TEST(Program, taylor_of_order_zero_is_the_value) {
  Setting s;
  for (const char* text : every_operation) {
    const Expr e = s.parse(text);
    const Program program(s.g, s.variables, std::span(&e, 1));
    const std::vector<double> in{0.7, -1.2, 1.6};
    double value, taylor;
    std::vector<double> scratch(program.taylor_scratch_size(0) + program.scratch_size());
    program.run(in.data(), &value, scratch.data());
    program.run_taylor(0, in.data(), &taylor, scratch.data());
    EXPECT_EQ(taylor, value) << text;
  }
}

// the sine's coefficients are known in closed form, to any order
TEST(Program, taylor_of_high_order) {
  constexpr int order = 30;
  Setting s;
  const Expr e = s.parse("sin(x)/exp(x)*exp(x)");
  const Program program(s.g, s.variables, std::span(&e, 1));
  std::vector<double> in(3 * (order + 1), 0.0), out(order + 1), scratch(program.taylor_scratch_size(order));
  in[0] = 0.4, in[1] = 1;
  program.run_taylor(order, in.data(), out.data(), scratch.data());
  double factorial = 1;
  for (int k = 0; k <= order; ++k) {
    if (k > 0) factorial *= k;
    EXPECT_NEAR(out[std::size_t(k)] * factorial, std::sin(0.4 + k * std::numbers::pi / 2), 1e-11) << k;
  }
}

}  // namespace
}  // namespace escapement
