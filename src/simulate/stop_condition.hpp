// What ends a run before its end: a condition on the states of the motion.
#pragma once

#include <functional>

#include "simulate/sampling.hpp"

namespace escapement::inline simulate {

class StopCondition {
 public:
  StopCondition() = default;
  explicit StopCondition(std::function<double(const State&)> value) : value_(std::move(value)) {}

  bool holds(const State& s) const { return value_ && value_(s) > 0; }
  // the part of the step after which it holds, of states as samples have them; above 1: it does not
  double find(Course&, Sampling&) const;

 private:
  std::function<double(const State&)> value_;
};

}  // namespace escapement
