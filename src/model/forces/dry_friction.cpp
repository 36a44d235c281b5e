// Dry friction of constant size, regularised.
#include <cmath>

#include "model/force.hpp"

namespace escapement::inline model {

namespace {

struct DryFriction : Law {
  double size, velocity;
  DryFriction(double force, double v) : size(force), velocity(v) {}
  Values at(double, double, double rate, double*) const override {
    const double tanh = std::tanh(rate / velocity);
    return {-size * tanh, 0, -size / velocity * (1 - tanh * tanh)};
  }
  double power(double t, double value, double rate, double* scratch) const override {
    return at(t, value, rate, scratch).force * rate;
  }
};

}  // namespace

std::shared_ptr<const Law> dry_friction(double size, double velocity) {
  return std::make_shared<DryFriction>(size, velocity);
}

}  // namespace escapement
