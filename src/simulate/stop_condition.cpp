#include "simulate/stop_condition.hpp"

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {
constexpr int most_probes = 8;  // looks at the condition within a step
}

double StopCondition::find(Course& course, Sampling& samples) const {
  if (!value_) return 2;
  auto holds_at = [&](double theta) { return holds(theta == 1 ? course.s1 : samples.look(course, theta)); };
  // between the ends of a time-stepping step there may be an impact: only its end counts
  const int probes = course.scheme->info().time_stepping ? 1 : most_probes;
  int i = 1;
  while (i <= probes && !holds_at(static_cast<double>(i) / probes)) ++i;
  if (i > probes) return 2;
  double low = (i - 1.0) / probes, high = static_cast<double>(i) / probes;
  while (high - low > little::rounding) {
    const double middle = 0.5 * (low + high);
    if (middle <= low || middle >= high) break;
    (holds_at(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace escapement
