#include <gtest/gtest.h>

#include "schemes/scheme.hpp"
#include "support/pendulum.hpp"

namespace escapement {
namespace {

// the unit pendulum's position at t = 1 (quad-precision reference of tests/data/003_pendulum.json)
State run(double h, double end) {
  testing::Pendulum system(1);
  auto scheme = make_scheme("hem5");
  State s = make_state(system.dim()), s1;
  s.q << 1, 0;
  scheme->start(system, s);
  s1 = s;
  const int n = static_cast<int>(std::lround(end / h));
  for (int i = 0; i < n; ++i) {
    EXPECT_TRUE(scheme->step(system, s, h, s1).ok());
    std::swap(s, s1);
  }
  return s;
}

TEST(Hem5, KeepsTheVelocityLevel) {
  const State s = run(0.05, 5);
  EXPECT_LT(std::abs(s.q.dot(s.v)), 2e-14);
}

TEST(Hem5, HasOrderFive) {
  const State fine = run(0.0025, 5);
  const double e1 = (run(0.05, 5).q - fine.q).norm(), e2 = (run(0.025, 5).q - fine.q).norm();
  EXPECT_NEAR(std::log2(e1 / e2), 5, 0.3);
}

}  // namespace
}  // namespace escapement
