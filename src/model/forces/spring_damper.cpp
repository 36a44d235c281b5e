// Linear spring and damper.
#include "model/force.hpp"

namespace escapement::inline model {

namespace {

struct SpringDamper : Law {
  double stiffness, damping, rest;
  SpringDamper(double k, double d, double r) : stiffness(k), damping(d), rest(r) {}
  Values at(double, double value, double rate, double*) const override {
    return {-stiffness * (value - rest) - damping * rate, -stiffness, -damping};
  }
  double potential(double value) const override { return 0.5 * stiffness * (value - rest) * (value - rest); }
  double power(double, double, double rate, double*) const override { return -damping * rate * rate; }
};

}  // namespace

std::shared_ptr<const Law> spring_damper(double stiffness, double damping, double rest) {
  return std::make_shared<SpringDamper>(stiffness, damping, rest);
}

}  // namespace escapement
