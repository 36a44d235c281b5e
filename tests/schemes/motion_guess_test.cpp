// What a scheme foretells of a motion that goes on as before.
#include "schemes/motion_guess.hpp"

#include <gtest/gtest.h>

namespace escapement {
namespace {

constexpr double h = 0.1;

// one unknown is a cubic of the step, the other one a constant
void put(Vec& unknowns, int step) {
  const double x = h * step;
  unknowns[0] = 1 + x * (2 + x * (3 - 4 * x));
  unknowns[1] = 5;
}

struct Motion {
  MotionGuess guess;
  State s, s1;
  Motion() {
    guess.start(s, 2);
    s1 = s;
  }
  void take(int step, bool goes_on = true) {
    put(guess.unknowns, step);
    guess.finish(s, h, goes_on, s1);
    std::swap(s, s1);
  }
};

TEST(MotionGuess, GoesOnLikeACubic) {
  Motion motion;
  EXPECT_FALSE(motion.guess.foretell(motion.s, h));
  for (int step = 0; step < 6; ++step) motion.take(step);
  ASSERT_TRUE(motion.guess.foretell(motion.s, h));
  EXPECT_TRUE(motion.guess.is_close());
  const Vec found = motion.guess.unknowns;
  put(motion.guess.unknowns, 6);
  EXPECT_NEAR(found[0], motion.guess.unknowns[0], 1e-13);
  EXPECT_EQ(found[1], 5);
}

TEST(MotionGuess, BeginsAnewAfterAnImpactAndWithAnotherStep) {
  Motion motion;
  for (int step = 0; step < 6; ++step) motion.take(step);
  EXPECT_FALSE(motion.guess.foretell(motion.s, 2 * h));
  motion.take(6, false);
  EXPECT_FALSE(motion.guess.foretell(motion.s, h));
  motion.take(7);
  ASSERT_TRUE(motion.guess.foretell(motion.s, h));
  EXPECT_FALSE(motion.guess.is_close());
  const double last = motion.guess.unknowns[0];
  put(motion.guess.unknowns, 7);
  EXPECT_EQ(last, motion.guess.unknowns[0]);
}

}  // namespace
}  // namespace escapement
