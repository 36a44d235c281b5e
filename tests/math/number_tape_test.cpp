// Numbers that are computed again from others, and decisions that would have been others.
#include "math/number_tape.hpp"

#include <gtest/gtest.h>

namespace escapement::number_tape_test {
namespace {

double replayed(const NumberTape& tape, TracedNumber n, std::vector<double> inputs) {
  const auto values = tape.replay(inputs);
  EXPECT_TRUE(values);
  return values ? (*values)[static_cast<std::size_t>(n.source())] : 0;
}

TEST(NumberTape, OperationsAreRepeatedInTheirOrder) {
  NumberTape tape;
  const TracedNumber a = tape.input(0.1), b = tape.input(0.7);
  TracedNumber result;
  {
    const NumberTape::Recording recording(tape);
    result = (a + b) * 3 - raised(b, 2) / a + larger(abs(-a), b);
  }
  const auto plain = [](double x, double y) { return (x + y) * 3 - std::pow(y, 2) / x + std::max(std::abs(-x), y); };
  EXPECT_EQ(result.plain(), plain(0.1, 0.7));
  EXPECT_EQ(replayed(tape, result, {0.3, 0.9}), plain(0.3, 0.9));
  EXPECT_EQ(replayed(tape, result, {-2.5, 0.2}), plain(-2.5, 0.2));
}

TEST(NumberTape, AnotherDecisionEndsIt) {
  NumberTape tape;
  const TracedNumber a = tape.input(0.5), b = tape.input(2.5);
  {
    const NumberTape::Recording recording(tape);
    EXPECT_TRUE(a < b);
    EXPECT_FALSE(a == 0);
  }
  EXPECT_TRUE(tape.replay(std::vector{1.5, 2.0}));
  EXPECT_FALSE(tape.replay(std::vector{1.5, 1.0}));
  EXPECT_FALSE(tape.replay(std::vector{0.0, 1.0}));
  EXPECT_FALSE(tape.replay(std::vector{0.5}));
}

TEST(NumberTape, AValueThatIsTakenStaysWhatItWas) {
  NumberTape tape;
  const TracedNumber a = tape.input(4);
  {
    const NumberTape::Recording recording(tape);
    EXPECT_EQ(a.fixed(), 4);
  }
  EXPECT_TRUE(tape.replay(std::vector{4.0}));
  EXPECT_FALSE(tape.replay(std::vector{5.0}));
}

TEST(NumberTape, EqualOnesStayEqualAndOthersDifferent) {
  NumberTape tape;
  const TracedNumber a = tape.input(2), b = tape.input(2), c = tape.input(3);
  {
    const NumberTape::Recording recording(tape);
    for (const TracedNumber n : {a, b, c, TracedNumber(7)}) n.note();
  }
  EXPECT_TRUE(tape.replay(std::vector{5.0, 5.0, 6.0}));
  EXPECT_FALSE(tape.replay(std::vector{5.0, 4.0, 6.0}));
  EXPECT_FALSE(tape.replay(std::vector{5.0, 5.0, 5.0}));
  EXPECT_FALSE(tape.replay(std::vector{7.0, 7.0, 6.0}));
}

TEST(NumberTape, NumbersAreOrdinaryWhereNothingIsRecorded) {
  NumberTape tape;
  const TracedNumber a = tape.input(2);
  EXPECT_EQ((a * 3).plain(), 6);
  EXPECT_FALSE((a * 3).is_traced());
  tape.refuse();
  EXPECT_FALSE(tape.replay(std::vector{2.0}));
}

}  // namespace
}  // namespace escapement
