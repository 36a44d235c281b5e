// What `compare` calls the error of a run.
#include "io/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace escapement::compare_test {
namespace {

Result motion(std::vector<double> q, std::vector<double> v) {
  Result r;
  r.time = {0, 1};
  r.q = DataTable({"x"}, 2, std::move(q));
  r.v = DataTable({"x"}, 2, std::move(v));
  return r;
}

TEST(Compare, PositionsAndVelocitiesBothCount) {
  const Result truth = motion({1, 3}, {2, -1});
  // off by 1 of 1 + 3, off by 1/2 of 1 + 1: the mean of the squares is a half of the square
  const GlobalError q = measure_error(truth, motion({1, 4}, {2, -1})), v = measure_error(truth, motion({1, 3}, {2, -0.5}));
  EXPECT_EQ(q.q_end, 1);
  EXPECT_EQ(q.q_max, 1);
  EXPECT_EQ(q.v_end, 0);
  EXPECT_NEAR(q.at_end, 0.25 / std::sqrt(2), 1e-15);
  EXPECT_EQ(v.q_end, 0);
  EXPECT_EQ(v.v_end, 0.5);
  EXPECT_NEAR(v.at_end, 0.25 / std::sqrt(2), 1e-15);
  EXPECT_NEAR(v.mean, 0.5 * v.at_end, 1e-15);  // over two samples, the first of which is right
  const GlobalError both = measure_error(truth, motion({1, 4}, {2, -0.5}));
  EXPECT_NEAR(both.at_end, 0.25, 1e-15);
}

}  // namespace
}  // namespace escapement
