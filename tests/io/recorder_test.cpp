// What a run's columns hold.
#include "run/recorder.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "io/run.hpp"
#include "support/bouncing_ball.hpp"

namespace escapement {
namespace {

// a block on a belt that speeds up: the slip is what one sees of the other
TEST(Recorder, SlipIsTheRelativeVelocity) {
  Model model = read_model("belt.yaml", R"yaml(escapement: 1
coordinates: {x: {rate: 3}, y: {}}
kinetic_energy: (x'^2 + y'^2)/2
potential_energy: 10*y
contacts: {belt: {gap: y, friction: 0.1, slip: "x' - 1 - t"}}
simulation: {end: 0.5, tolerance: 1e-8, scheme: hem5}
)yaml");
  const Result result = run_model(model).result;
  ASSERT_GT(result.time.size(), 2u);
  // it is braked by 1
  for (std::size_t i = 0; i < result.time.size(); ++i) {
    EXPECT_NEAR(result.v(i, 0), 3 - result.time[i], 1e-9);
    EXPECT_NEAR(result.contacts.slip(i, 0), 2 - 2 * result.time[i], 1e-9);
    EXPECT_NEAR(result.contacts.friction(i, 0), -1, 1e-9);
  }
}

// columns of very long runs are thinned out; what was refused on the way to a step that is kept stays counted
TEST(Recorder, ThinnedStepsKeepTheirRejections) {
  const testing::BouncingBall ball(0.5);
  Recorder recorder(ball, {}, {});
  const State before = make_state(ball.dim());
  State after = before;
  const auto scheme = make_scheme("hem5");
  StepReport report;
  const long steps = 3'000'001;
  long refused = 0;
  for (long i = 0; i < steps; ++i) {
    after.t = static_cast<double>(i + 1);
    if (i % 7 == 3) {
      recorder.step({before, after, 2, report, false, *scheme});
      ++refused;
    }
    recorder.step({before, after, 1, report, true, *scheme});
  }
  const StepColumns& kept = recorder.result().steps;
  EXPECT_GT(kept.stride, 1);
  EXPECT_EQ(kept.time[1] - kept.time[0], static_cast<double>(kept.stride));
  EXPECT_EQ(kept.time.back(), static_cast<double>(steps));
  EXPECT_EQ(kept.rejected.size(), kept.time.size());
  EXPECT_EQ(std::accumulate(kept.rejected.begin(), kept.rejected.end(), 0.0), static_cast<double>(refused));
}

}  // namespace
}  // namespace escapement
