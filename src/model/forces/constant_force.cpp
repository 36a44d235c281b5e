// A force of constant size along a measure.
#include "model/force.hpp"

namespace escapement::inline model {

namespace {

struct ConstantForce : Law {
  double force;
  explicit ConstantForce(double size) : force(size) {}
  Values at(double, double, double, double*) const override { return {force, 0, 0}; }
  double potential(double value) const override { return -force * value; }
  double power(double, double, double, double*) const override { return 0; }
};

}  // namespace

std::shared_ptr<const Law> constant_force(double force) { return std::make_shared<ConstantForce>(force); }

}  // namespace escapement
