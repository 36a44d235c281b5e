// The order of elimination as it is found from patterns alone; that it solves is tested with SaddleSolver.
#include "math/elimination.hpp"

#include <gtest/gtest.h>

namespace escapement::elimination_test {
namespace {

TEST(Elimination, StepsThatTouchTheSameAreOneFront) {
  // three unknowns that touch each other, each with a leaf of its own: two of the three, and one leaf with the third, go together
  std::vector<std::pair<int, int>> places;
  for (const auto& [a, b] : {std::pair(0, 1), {0, 2}, {1, 2}, {0, 3}, {1, 4}, {2, 5}}) {
    places.emplace_back(a, b);
    places.emplace_back(b, a);
  }
  for (int i = 0; i < 6; ++i) places.emplace_back(i, i);
  Matrix A, none;
  A.set_pattern(6, 6, places);
  none.set_pattern(0, 6, {});
  const Elimination found = find_elimination(A, none, none, 0);
  EXPECT_EQ(found.fronts.size(), 4u);
  int pivots = 0;
  for (const Elimination::Front& front : found.fronts) pivots += front.pivots;
  EXPECT_EQ(pivots, 6);
  EXPECT_EQ(found.fronts.back().parent, -1);
}

}  // namespace
}  // namespace escapement
