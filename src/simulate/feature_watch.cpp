#include "simulate/feature_watch.hpp"

#include <algorithm>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
constexpr long most_changes = 20, pause = 1000;  // of steps in a row
}  // namespace

double FeatureWatch::first_change(Course& course) {
  constexpr double none = 2;
  if (quiet_ > 0 || !course.locates_events() || course.scheme->info().time_stepping) return none;
  const ContactSet& closed = course.events->view().closed();
  if (closed.empty()) return none;
  closed_.assign(closed.begin(), closed.end());
  system_.features(course.s, closed_, before_);
  const auto keeps = [&](const State& s) {
    system_.features(s, closed_, here_);
    return here_ == before_;
  };
  if (keeps(course.s1)) return none;
  // the first of several is found where each takes more than half of what is left: the step is made anew, and looked at again
  double low = 0, high = 1;
  while (high - low > little::instant) {
    const double middle = 0.5 * (low + high);
    (keeps(course.look(middle)) ? low : high) = middle;
  }
  keeps(course.look(high));
  for (std::size_t k = 0; k < closed_.size(); ++k)
    if (here_[k] != before_[k]) changed_ = closed_[k];
  return high;
}

bool FeatureWatch::changes_behind(const State& s, Course& course, double time) {
  if (quiet_ > 0 || !course.locates_events()) return false;
  const ContactSet& closed = course.events->view().closed();
  if (closed.empty()) return false;
  closed_.assign(closed.begin(), closed.end());
  system_.features(s, closed_, before_);
  course.between = s;
  course.go_straight(course.between, time);
  system_.features(course.between, closed_, here_);
  for (std::size_t k = 0; k < closed_.size(); ++k)
    if (here_[k] != before_[k]) changed_ = closed_[k];
  return here_ != before_;
}

void FeatureWatch::accepted(bool at_change) {
  if (quiet_ > 0) --quiet_;
  changes_ = at_change ? changes_ + 1 : 0;
  if (changes_ < most_changes) return;
  changes_ = 0;
  quiet_ = pause;
}

}  // namespace escapement
