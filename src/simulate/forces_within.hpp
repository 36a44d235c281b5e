// Multipliers at an instant within a step: those which the rows of a view need there at acceleration level. Schemes know theirs at
// stages and at ends alone, and a straight line between the ends is no force of the motion.
#pragma once

#include "math/saddle_solver.hpp"
#include "system/active_view.hpp"

namespace escapement::inline simulate {

class ForcesWithin {
 public:
  ForcesWithin(const System&, const ActiveView&);

  bool solve(const State&);  // false: the rows leave no answer, and all are zero
  const Vec& lambda() const { return lambda_; }  // of the system
  bool are_shared() const { return kkt_.redundant(); }  // by rows that depend on each other, one way of many

 private:
  void prepare();  // for the rows that the view has now

  const ActiveView& view_;
  Terms terms_;
  SaddleSolver kkt_;
  unsigned version_ = 0;  // of the view, that these are for
  Vec rows_, vdot_, on_rows_;
  Vec lambda_;
};

}  // namespace escapement
