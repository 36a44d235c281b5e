// What a model says in so many words of the time and of its motion: the expressions of its loads, drives, gaps, slips and
// energies. A motion at rest does not tell of them; steps resolve them all the same.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "math/expression_watch.hpp"
#include "system/state.hpp"

namespace escapement::inline system {

struct ExplicitTerms {
  ExpressionWatch of_time;    // its one input is t
  ExpressionWatch of_motion;  // its inputs are what fill() gives, the first of them t
  std::function<void(const State&, double* inputs)> fill;
  std::vector<std::string> branches;  // what the switches of of_motion are in the file, and where they stand there
};

}  // namespace escapement
