// Where a closed contact goes on to another feature of a shape: steps end just before, and the run goes on just behind, so that none
// sees two curvatures.
#pragma once

#include "simulate/course.hpp"
#include "system/featured_system.hpp"

namespace escapement::inline simulate {

class FeatureWatch {
 public:
  explicit FeatureWatch(const FeaturedSystem& system) : system_(system) {}

  // of a step that was made: the part of it up to which every contact that is closed keeps its feature; above 1: all of it
  double first_change(Course&);
  // does one change just behind a state, within this time?
  bool changes_behind(const State&, Course&, double time);
  int changed() const { return changed_; }  // the contact that changes first, as the last search found
  // the step was taken; at_change: it ends on one. A contact that has done so again and again rests on the border of two features,
  // where rounding decides, and is left alone for a while
  void accepted(bool at_change);
  void exchange(Snapshot& s) { s(changes_, quiet_); }

 private:
  const FeaturedSystem& system_;
  std::vector<int> closed_, before_, here_;
  int changed_ = -1;
  long changes_ = 0, quiet_ = 0;  // steps in a row that ended on a change; steps for which nothing is looked for
};

}  // namespace escapement
