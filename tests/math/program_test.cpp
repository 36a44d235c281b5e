#include <gtest/gtest.h>

#include <cmath>

#include "math/expression_parser.hpp"
#include "math/program.hpp"

using namespace escapement;

TEST(Program, parse_differentiate_run) {
  ExpressionGraph g;
  Symbols names;
  const Expr x = g.variable("x"), y = g.variable("y'");
  names.add("x", x), names.add("y'", y);
  const Expr e = parse_expression(g, "3*x^2*y' - sin(x - y')/2 + if(x > 1, log(x), 0)", names);
  const Expr d = g.derivative(e, x);
  const Expr in[] = {x, y}, out[] = {e, d};
  Program p(g, in, out);
  std::vector<double> scratch(p.scratch_size());
  const double v[] = {2, 3};
  double r[2];
  p.run(v, r, scratch.data());
  EXPECT_DOUBLE_EQ(r[0], 36 - std::sin(-1.) / 2 + std::log(2.));
  EXPECT_DOUBLE_EQ(r[1], 36 - std::cos(-1.) / 2 + 0.5);
}
