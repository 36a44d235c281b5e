// The pendulum of pendulum.hpp in its angle from the lower rest position: theta'' = -g sin(theta), with exact
// derivatives.
#pragma once

#include <cmath>

#include "support/hand_system.hpp"

namespace escapement::testing {

class PendulumAngle : public HandSystem {
 public:
  explicit PendulumAngle(double gravity = 9.81) : HandSystem(1, 1, 0), gravity_(gravity) {}

  State at_rest(double angle) const {
    State s = make_state(dim());
    s.q << angle;
    return s;
  }
  void evaluate(const State& s, Need need, Terms& T) const override {
    if (has(need, Need::mass)) T.M.dense()(0, 0) = 1;
    if (has(need, Need::force)) T.f << -gravity_ * std::sin(s.q[0]);
  }
  void tangent(const State& s, const Vec&, const Vec&, Parts parts, Tangent& D) const override {
    D.K.set_zero();
    D.D.set_zero();
    if (has(parts, Parts::force)) D.K.dense()(0, 0) = gravity_ * std::cos(s.q[0]);
  }
  Energy energy(const State& s, Terms&) const override {
    return {0.5 * s.v.squaredNorm(), -gravity_ * std::cos(s.q[0]), 0};
  }
  int derivatives(const State& s, int count, Mat& d) const override {
    const double sine = std::sin(s.q[0]), cosine = std::cos(s.q[0]), w = s.v[0], a = -gravity_ * sine;
    const double all[] = {a, -gravity_ * cosine * w, -gravity_ * (cosine * a - sine * w * w)};
    for (int k = 0; k < count && k < 3; ++k) d(0, k) = all[k];
    return std::min(count, 3);
  }

 private:
  double gravity_;
};

}  // namespace escapement::testing
