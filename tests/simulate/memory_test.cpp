// What checkpoints must hold of events and of the automatic choice: each field is lost if it is not saved, and what it decides
// then comes out otherwise.
#include <gtest/gtest.h>

#include "simulate/automatic.hpp"
#include "simulate/chatter_watch.hpp"
#include "simulate/event_driven.hpp"
#include "simulate/settings.hpp"
#include "support/bouncing_ball.hpp"

namespace escapement::memory_test {
namespace {

template <class T>
void relay(T& from, T& to) {
  Snapshot saved;
  from.exchange(saved);
  Snapshot loaded(saved.take());
  to.exchange(loaded);
  EXPECT_TRUE(loaded.at_end());
}

// times of events until the watch has had enough; relayed: into a new one after each
struct Watched {
  int admitted = 0;
  std::string message;
};
Watched crowd(bool relayed, double pause, bool hard) {
  const testing::BouncingBall ball(0.5);
  auto watch = std::make_unique<ChatterWatch>(ball, 1.0);
  Watched result;
  for (double t = 0.1; result.admitted < 60000; t += pause, ++result.admitted) {
    const bool admitted = watch->admit(t);
    watch->note(0, hard);
    if (!admitted) break;
    if (!relayed) continue;
    auto next = std::make_unique<ChatterWatch>(ball, 1.0);
    relay(*watch, *next);
    watch = std::move(next);
  }
  result.message = watch->message();
  return result;
}

TEST(Memory, OfEventsThatCrowd) {
  for (const bool hard : {false, true})
    for (const double pause : {0.0, 1e-9}) {
      const Watched whole = crowd(false, pause, hard), relayed = crowd(true, pause, hard);
      EXPECT_EQ(whole.admitted, relayed.admitted) << pause;
      EXPECT_LT(whole.admitted, 60000) << pause;
      EXPECT_EQ(whole.message, relayed.message);
      EXPECT_NE(relayed.message.find("'floor'"), std::string::npos);
    }
}

TEST(Memory, OfHowLongToWaitForEvents) {
  const testing::BouncingBall ball(0.5);
  const State s = make_state(ball.dim());
  const StepReport report;
  Automatic choice(ball, 1e-6), next(ball, 1e-6);
  const auto steps_until_events = [&](Automatic& a) {
    for (int n = 1; n < 200; ++n)
      if (a.consider({s, s, 1e-3, report, true, a.scheme()}, 0)) return n;
    return 0;
  };
  EXPECT_TRUE(choice.give_up_events("first"));
  const int first = steps_until_events(choice);
  EXPECT_TRUE(choice.give_up_events("second"));
  relay(choice, next);
  EXPECT_EQ(steps_until_events(next), 2 * (first - 1) + 1);
}

class Resting : public ::testing::Test {
 protected:
  // fast: of the first state, on the floor
  void begin(double fast) {
    settings_.scheme = "hem5";
    settings_.end = 1;
    const Options loop = check_options(settings_).loop;
    first_ = std::make_unique<EventDriven>(ball_, loop, 1.0);
    next_ = std::make_unique<EventDriven>(ball_, loop, 1.0);
    State s = make_state(ball_.dim());
    s.v[0] = fast;
    ASSERT_TRUE(first_->begin(s));
    ASSERT_EQ(first_->view().closed_contacts(), 1);
    relay(*first_, *next_);
  }
  // a step of size h at rest in which the velocity leaps by this
  bool jumps(EventDriven& events, double h, double leap) {
    State s = make_state(ball_.dim()), s1 = s;
    s1.t = h;
    s1.v[0] = leap;
    return events.jumps(s, s1);
  }

  testing::BouncingBall ball_{0.0};
  Settings settings_;
  std::unique_ptr<EventDriven> first_, next_;
};

TEST_F(Resting, RemembersMasses) {
  begin(0);
  EXPECT_TRUE(jumps(*first_, 1e-3, 1));
  EXPECT_TRUE(jumps(*next_, 1e-3, 1));
}

TEST_F(Resting, RemembersSpeeds) {
  begin(100);
  EXPECT_FALSE(jumps(*first_, 1e-3, 1e-5));
  EXPECT_FALSE(jumps(*next_, 1e-3, 1e-5));
}

TEST_F(Resting, RemembersFreeAccelerations) {
  begin(0);
  EXPECT_FALSE(jumps(*first_, 1, 5e-6));
  EXPECT_FALSE(jumps(*next_, 1, 5e-6));
  EXPECT_TRUE(jumps(*next_, 1, 5e-5));
}

}  // namespace
}  // namespace escapement
