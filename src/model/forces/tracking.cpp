// An actuator that follows a prescribed motion with a proportional and a derivative gain.
#include <algorithm>

#include "model/force.hpp"

namespace escapement::inline model {

namespace {

struct Tracking : Law {
  double stiffness, damping, limit;
  SignalPtr target;
  Tracking(double k, double d, SignalPtr r, double most)
      : stiffness(k), damping(d), limit(most), target(std::move(r)) {}
  Values at(double t, double value, double rate, double* scratch) const override {
    const auto r = target->at(t, scratch);
    const double force = stiffness * (r[0] - value) + damping * (r[1] - rate);
    if (limit > 0 && std::abs(force) > limit) return {std::clamp(force, -limit, limit), 0, 0};
    return {force, -stiffness, -damping};
  }
  double power(double t, double value, double rate, double* scratch) const override {
    return at(t, value, rate, scratch).force * rate;
  }
  std::size_t scratch_size() const override { return target->scratch_size(); }
};

}  // namespace

std::shared_ptr<const Law> tracking(double stiffness, double damping, SignalPtr target, double limit) {
  return std::make_shared<Tracking>(stiffness, damping, std::move(target), limit);
}

}  // namespace escapement
