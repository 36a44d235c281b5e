#include "simulate/progress_guard.hpp"

#include <fmt/format.h>

#include <cmath>

#include "simulate/chatter_watch.hpp"

namespace escapement {

namespace {
constexpr long long_row = 200000;         // of adaptive steps, after which they are to have come this far:
constexpr double little_progress = 2e-3;  // part of the run
constexpr double jumpy_progress = 2e-2;   // the same where as many steps are rejected as a third of those accepted
}  // namespace

void ProgressGuard::start(double t) {
  from_ = t;
  rejected_ = 0;
}

bool ProgressGuard::holds(double t, const Outcome& so_far) {
  if (off_ || so_far.steps % long_row != 0) return true;
  far_ = t - from_;
  const bool jumpy = 3 * (so_far.rejected_steps - rejected_) > long_row;
  from_ = t;
  rejected_ = so_far.rejected_steps;
  return far_ > (jumpy ? jumpy_progress : little_progress) * run_;
}

std::string ProgressGuard::message(const System& system, const State& s) const {
  Terms terms;
  system.prepare(terms);
  system.evaluate(s, Need::gap, terms);
  Vec scale;
  system.position_scale(s, scale);
  std::vector<char> near(system.contacts().size(), 0);
  for (int i = 0; i < system.dim().unilateral; ++i) {
    const int row = system.dim().bilateral + i;
    near[i] = std::abs(terms.g[row]) < 1e-9 * scale[row];
  }
  const std::string names = names_of_contacts(system, near);
  return fmt::format("{} steps came only {:.3g} s further{}", long_row, far_, names.empty() ? "" : " at " + names);
}

const char* ProgressGuard::advice() const {
  return "look for a force that jumps back and forth here, take a scheme with fixed steps, or give min_step to go on "
         "nevertheless";
}

}  // namespace escapement
