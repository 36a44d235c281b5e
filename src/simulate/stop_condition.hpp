// What ends a run before its end: a condition on the states of the motion.
#pragma once

#include <functional>
#include <vector>

#include "simulate/input_ranges.hpp"
#include "simulate/sampling.hpp"
#include "system/explicit_terms.hpp"

namespace escapement::inline simulate {

class StopCondition {
 public:
  StopCondition() = default;
  // terms: the condition as an expression, which cannot hold and cease to between two looks; null: looks at a few places
  StopCondition(std::function<double(const State&)> value, ExplicitTerms* terms);

  bool holds(const State& s) const { return value_ && value_(s) > 0; }
  // the part of the step after which it holds, of states as samples have them; above 1: it does not
  double find(Course&, Sampling&);

 private:
  bool unsettled(double from, double to);  // it may change within this part of the step
  template <class Holds>
  double first_end(double from, double to, Holds&);

  std::function<double(const State&)> value_;
  ExplicitTerms* terms_ = nullptr;
  InputRanges ranges_;
  std::vector<Enclosure> pieces_;
  double t_ = 0, h_ = 0;    // of the step
  double before_ = 0;       // a part of it up to which it was seen not to hold
  int splits_left_ = 0;
};

}  // namespace escapement
