#include "simulate/progress_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"
#include "simulate/chatter_watch.hpp"

namespace escapement::inline simulate {

namespace {
constexpr long long_row = 200000;         // of adaptive steps, after which they are to have come this far:
// of branches: so many come less far than crowded times the run each, on average, or a few of them no further than rounding, as of
// contacts that chatter
constexpr long long_row_of_changes = 2000, changes_at_once = 200;
constexpr double at_once = 1024 * std::numeric_limits<double>::epsilon();
}  // namespace

void ProgressGuard::start(double t) {
  from_ = t;
  rejected_ = changes_ = 0;
}

bool ProgressGuard::holds(double t, const Outcome& so_far, BranchNews news) {
  if (off_) return true;
  driven_back_ = news == BranchNews::driven_back;
  if (driven_back_) return false;
  if (news == BranchNews::crossed) {
    if (changes_ == 0) first_change_ = t;
    last_change_ = t;
    const double each = (t - first_change_) / static_cast<double>(++changes_);
    jumps_ = (changes_ >= changes_at_once && each < at_once * std::max(std::abs(t), run_)) || (changes_ >= long_row_of_changes && each < little::crowded * run_);
    if (jumps_) return false;
    if (changes_ >= long_row_of_changes) changes_ = 0;
  }
  if (so_far.steps % long_row != 0) return true;
  far_ = t - from_;
  const bool jumpy = 3 * (so_far.rejected_steps - rejected_) > long_row;
  from_ = t;
  rejected_ = so_far.rejected_steps;
  return far_ > (jumpy ? little::jumpy_progress : little::little_progress) * run_;
}

std::string ProgressGuard::message(const System& system, const State& s, const std::string& branch) const {
  const std::string what = branch.empty() ? "an if, a comparison or sign in an expression" : branch;
  if (driven_back_)
    return fmt::format(
        "{} jumps so that it drives the motion back from both sides, which neither passes nor rests there", what);
  if (jumps_)
    return fmt::format("{} changes back and forth, {} times within {:.3g} s", what, changes_,
                       last_change_ - first_change_);
  Terms terms;
  system.prepare(terms);
  system.evaluate(s, Need::gap, terms);
  Vec scale;
  system.position_scale(s, scale);
  std::vector<char> near(system.contacts().size(), 0);
  for (int i = 0; i < system.dim().unilateral; ++i) {
    const int row = system.dim().bilateral + i;
    near[i] = std::abs(terms.g[row]) < little::resting_gap * scale[row];
  }
  const std::string names = names_of_contacts(system, near);
  return fmt::format("{} steps came only {:.3g} s further{}", long_row, far_, names.empty() ? "" : " at " + names);
}

const char* ProgressGuard::advice() const {
  if (jumps_ || driven_back_)
    return "where it stands for dry friction, write a contact or a brake with friction, which comes to rest, or smooth it, "
           "like tanh(v/v0) in place of sign(v); or take a scheme with fixed steps";
  return "look for a force that jumps back and forth here, take a scheme with fixed steps, or give min_step to go on "
         "nevertheless";
}

}  // namespace escapement
