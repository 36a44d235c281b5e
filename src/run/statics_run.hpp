// Equilibria over a load factor: `load` in a model's expressions grows from 0 to 1, and the system follows at rest.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "run/model.hpp"
#include "run/result.hpp"
#include "simulate/statics.hpp"

namespace escapement::inline run {

struct StaticsReport {
  bool found = false;
  double load = 0;          // reached
  int steps = 0;            // equilibria found on the way, the one without load among them
  int iterations = 0;       // of Newton's method, over all of them
  Equilibrium equilibrium;  // the last one
  std::vector<double> outputs;
  Result result;  // one sample per equilibrium; time is the load factor
};

// steps = 0: one equilibrium at load = 1, from the start. Else at 0, 1/steps ... 1, each from the one before; where one
// is not found, smaller steps lead there. make: the model at a load factor, the first call at 0 (at 1 without steps)
StaticsReport find_equilibria(const std::function<Model(double load)>& make, int steps);

}  // namespace escapement
