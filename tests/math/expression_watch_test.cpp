// What expressions do along a piece of a motion, against samples of them.
#include "math/expression_watch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "math/expression_parser.hpp"
#include "math/program.hpp"
#include "math/table.hpp"

namespace escapement::expression_watch_test {
namespace {

using Which = ExpressionWatch::Which;

struct Setting {
  Setting() {
    names.add("t", inputs[0]);
    names.add("x", inputs[1]);
    names.add_table("lift", std::make_shared<Table>(std::vector<double>{-3, -1, 0, 1, 2.5, 4},
                                                    std::vector<double>{1, 0.5, 2, 1, -0.5, 1.5}));
  }
  ExpressionWatch watch(const std::string& text, Which which) {
    const Expr e = parse_expression(g, text, names);
    return ExpressionWatch(g, inputs, {&e, 1}, which);
  }
  ExpressionGraph g;
  std::vector<Expr> inputs{g.variable("t"), g.variable("x")};
  Symbols names;
};

bool resolved(ExpressionWatch& watch, double from, double to) {
  const Enclosure time{{from, to}, {1, 1}};
  watch.enclose({&time, 1});
  return watch.resolved(to - from);
}

// the longest piece from here on, halved from the whole run
double longest(ExpressionWatch& watch, double from, double end) {
  double h = end - from;
  while (h > 1e-12 && !resolved(watch, from, from + h)) h *= 0.5;
  return h;
}

void begin(ExpressionWatch& watch, double end) {
  const Enclosure whole{{0, end}, {1, 1}};
  watch.begin({&whole, 1});
}

TEST(ExpressionWatch, findsAPulseOfAnyWidth) {
  for (const double width : {1e-1, 1e-3, 1e-6, 1e-9}) {
    Setting s;
    ExpressionWatch watch = s.watch("0.9 + 50*exp(-((t - 57.3)/" + std::to_string(width * 1e9) + "e-9)^2)", Which::of_first_input);
    begin(watch, 100);
    double t = 0, shortest = 100;
    int pieces = 0;
    while (t < 100 && ++pieces < 1000) {
      const double h = longest(watch, t, 100);
      if (std::abs(t + h / 2 - 57.3) < 3 * width) shortest = std::min(shortest, h);
      t += h;
    }
    EXPECT_LT(shortest, 2 * width) << width;
    EXPECT_LT(pieces, 150) << width;
  }
}

TEST(ExpressionWatch, leavesWhatIsSlowAlone) {
  Setting s;
  for (const char* text : {"3", "t", "2*t^2 - t", "sin(t/1000)", "if(t > 200, 1, 0)"}) {
    ExpressionWatch watch = s.watch(text, Which::of_first_input);
    begin(watch, 100);
    EXPECT_TRUE(!watch.has_features() || longest(watch, 0, 100) == 100) << text;
  }
}

// roots are powers of a product: nodes of their own, also where a factor is taken out or the root is squared again
TEST(ExpressionWatch, seesRoots) {
  Setting s;
  for (const char* text : {"sqrt((t - 57.3)^2 + 1e-6)", "7*sqrt(3*(t - 57.3)^2 + 1e-6) + t", "((t - 57.3)^2 + 1e-6)^1.5", "((t - 57.3)^2 + 1e-6)^0.3"}) {
    ExpressionWatch watch = s.watch(text, Which::of_first_input);
    begin(watch, 100);
    EXPECT_TRUE(watch.has_features()) << text;
    EXPECT_LT(longest(watch, 0, 100), 100) << text;
  }
  // a root with a sharp end, like the gap to a circle where its side is met: between -5 and 5 alone
  const std::string text = "sqrt(25 - x^2)";
  ExpressionWatch watch = s.watch(text, Which::of_others);
  std::vector<Enclosure> whole{{{0, 10}, {1, 1}}, {{-5, 5}, Interval::everything()}};
  watch.begin(whole);
  std::vector<Enclosure> piece{{{0, 1}, {1, 1}}, {{-5, 5}, {10, 10}}};
  watch.enclose(piece);
  EXPECT_FALSE(watch.resolved(1));
  piece[1] = {{-1, 1}, {2, 2}};
  watch.enclose(piece);
  EXPECT_TRUE(watch.resolved(1));
}

// powers above 1 of what begins at 0, as of Hertz's contact, begin flat: they ask for no steps of their own, whatever they are multiplied by
TEST(ExpressionWatch, leavesPowersThatBeginFlatAlone) {
  Setting s;
  for (const char* text : {"max(x, 0)^1.5", "max(x, 0)*sqrt(max(x, 0))", "7*max(x, 0)^1.5 - t", "t*max(x, 0)^1.5", "x*t*max(x, 0)^1.5", "max(x, 0)^1.5*max(t, 0)^1.5",
                           "max(x, 0)^2.5*t", "t*max(x, 0)*(x + 2)*sqrt(max(x, 0))*(t - 1)", "max(x, 0)^1.2", "t*max(x, 0)^1.2"})
    EXPECT_FALSE(s.watch(text, Which::of_others).has_features()) << text;
  for (const char* text : {"sqrt(max(x, 0))", "t*sqrt(max(x, 0))", "max(x, 0)^0.3", "max(x, 0)*sqrt(max(x, 0)) + sqrt(max(x, 0))", "max(x, 0)^1.5/max(x, 0)",
                           "max(x, 0)*sqrt(max(x + 1, 0))", "t*max(x, 0)*sqrt(max(x + 1, 0))", "sqrt(max(x, 0))^3/(1 + max(x, 0))"})
    EXPECT_TRUE(s.watch(text, Which::of_others).has_features()) << text;
}

TEST(ExpressionWatch, aSineTakesAFewPiecesPerPeriod) {
  Setting s;
  ExpressionWatch watch = s.watch("sin(300*t)", Which::of_first_input);
  begin(watch, 100);
  const double h = longest(watch, 0.3, 100), period = 2 * std::numbers::pi / 300;
  EXPECT_LT(h, period / 2);
  EXPECT_GT(h, period / 20);
}

TEST(ExpressionWatch, whatDependsOnTheMotionIsWatchedApart) {
  Setting s;
  const std::string text = "sin(300*t) + exp(-((x - 5.1)/0.03)^2)";
  ExpressionWatch of_time = s.watch(text, Which::of_first_input), of_motion = s.watch(text, Which::of_others);
  EXPECT_EQ(of_time.inputs(), 1);
  std::vector<Enclosure> piece{{{0, 1}, {1, 1}}, {{4, 6}, {2, 2}}};
  std::vector<Enclosure> whole{{{0, 10}, {1, 1}}, {Interval::everything(), Interval::everything()}};
  of_motion.begin(whole);
  of_motion.enclose(piece);
  EXPECT_FALSE(of_motion.resolved(1)) << "the bump is crossed";
  piece[1] = {{4, 4.5}, {0.5, 0.5}};
  of_motion.enclose(piece);
  EXPECT_TRUE(of_motion.resolved(1)) << "but not before it, however fast time's own sine is";
}

TEST(ExpressionWatch, knowsWhereBranchesChange) {
  Setting s;
  for (const auto& [text, where] : std::map<std::string, double>{{"if(t < 1.3, 1, 2)", 1.3},
                                                                 {"abs(t - 2)", 2},
                                                                 {"min(t, 4 - t)", 2},
                                                                 {"max(t, 4 - t)", 2},
                                                                 {"sign(t - 0.25)", 0.25},
                                                                 {"if(t >= 3, t, 0)", 3}}) {
    ExpressionWatch watch = s.watch(text, Which::of_first_input);
    ASSERT_EQ(watch.switches(), 1) << text;
    const auto side = [&](double t) {
      const Enclosure at{{t, t}, {1, 1}};
      watch.enclose({&at, 1});
      return watch.switching(0).value.low > 0;
    };
    EXPECT_NE(side(where - 1e-12), side(where + 1e-12)) << text;
    const Enclosure around{{where - 0.1, where + 0.1}, {1, 1}}, before{{where - 0.2, where - 0.1}, {1, 1}};
    watch.enclose({&around, 1});
    EXPECT_TRUE(watch.unsettled(0)) << text;
    watch.enclose({&before, 1});
    EXPECT_FALSE(watch.unsettled(0)) << text;
  }
}

TEST(ExpressionWatch, branchesThatAreNotTakenDoNotMatter) {
  struct Case {
    const char *text, *op;  // the switch that may matter or not
    Interval matters, does_not;  // where x is
  };
  for (const Case& one : std::vector<Case>{{"if(x < 0, abs(x + t - 3), 2)", "abs(", {-2, -1}, {1, 2}},
                                           {"if(x < 0, 2, abs(x - t))", "abs(", {1, 2}, {-2, -1}},
                                           {"if(x < 0, abs(x + t - 3), 2)", "abs(", {-0.1, 0.1}, {0.1, 0.2}},  // where it may be taken
                                           {"max(-x, 0)*abs(x - t)", "abs(", {-2, -1}, {1, 2}},
                                           {"if(x < 0, max(-x, 0)^1.5*(1 + 3*t), 0)*abs(x - t)", "abs(", {-2, -1}, {1, 2}},
                                           {"max(x, sign(x - t) - 10)", "sign(", {-11, -10}, {1, 2}},
                                           {"min(-x, 10 - sign(x - t))", "sign(", {-12, -10}, {1, 2}}}) {
    Setting s;
    ExpressionWatch watch = s.watch(one.text, Which::of_others);
    const auto place = [&] {
      for (int k = 0; k < watch.switches(); ++k)
        if (s.g.to_string(watch.switch_node(k)).starts_with(one.op)) return k;
      ADD_FAILURE() << one.text;
      return 0;
    }();
    const auto at = [&](Interval x) {
      const Enclosure piece[] = {{{1, 1.5}, {1, 1}}, {x, {1, 1}}};
      watch.enclose(piece);
      return watch.matters(place);
    };
    EXPECT_TRUE(at(one.matters)) << one.text;
    EXPECT_FALSE(at(one.does_not)) << one.text;
  }
}

// every function on random pieces: none is called resolved that leaves its chord by more than the part that is allowed
TEST(ExpressionWatch, switchesKnowWhereTheyStand) {
  Setting s;
  const ExpressionWatch watch = s.watch("3*sign(x - 1) + if(x > t, 1, 2)", Which::of_others);
  std::set<std::string> texts;
  for (int k = 0; k < watch.switches(); ++k) texts.insert(s.g.to_string(watch.switch_node(k)));
  ASSERT_EQ(texts.size(), 2u);
  for (const char* part : {"sign(", "<"})
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return text.find(part) != std::string::npos;
    })) << part;
}

TEST(ExpressionWatch, noFunctionHides) {
  std::mt19937 random(4);
  for (const char* f : {"sin(u)", "cos(u)", "tan(u/8)", "exp(u)", "log(3.5 + u)", "sqrt(3.5 + u)", "1/(3.5 + u)", "atan(9*u)",
                        "tanh(9*u)", "sinh(u)", "cosh(u)", "asin(u/3)", "acos(u/3)", "lift(u)", "2^u",
                        "atan2(u, 2)"}) {
    Setting s;
    const std::string text = [&] {
      std::string all = f;
      for (std::size_t at; (at = all.find('u')) != std::string::npos;) all.replace(at, 1, "(3*sin(t))");
      return all;
    }();
    const Expr e = parse_expression(s.g, text, s.names);
    ExpressionWatch watch(s.g, s.inputs, {&e, 1}, Which::of_first_input);
    begin(watch, 100);
    const auto value = [&](double t) { return s.g.evaluate(e, {{s.inputs[0], t}}); };
    double least = value(0), most = least;
    for (double t = 0; t < 7; t += 0.001) least = std::min(least, value(t)), most = std::max(most, value(t));
    int judged = 0;
    for (int i = 0; i < 300; ++i) {
      const double from = std::uniform_real_distribution<>(0, 90)(random), h = std::pow(10, std::uniform_real_distribution<>(-3, 1)(random));
      if (!resolved(watch, from, from + h)) continue;
      ++judged;
      double off = 0;
      for (double x = 0.05; x < 1; x += 0.05)
        off = std::max(off, std::abs(value(from + x * h) - (1 - x) * value(from) - x * value(from + h)));
      EXPECT_LE(off, 0.55 * (most - least)) << text << " on " << from << " + " << h;
    }
    EXPECT_GT(judged, 30) << text;
  }
}

}  // namespace
}  // namespace escapement
