// The tolerance at which a run gives a printed number: `match` is an expression of the run, `target` the number,
// `range` how many times the case's tolerance the loosest and the tightest are between which it is looked for. Where a
// paper does not say how it measures an error, this says which tolerance of ours its tolerance stands for, and what
// else the run gives there.
#include <fmt/format.h>

#include <cmath>

#include "study/probe.hpp"

namespace escapement::inline study {

namespace {

constexpr int most_runs = 24;
constexpr double near_enough = 0.01;    // of the target, relative
constexpr double narrow_enough = 0.02;  // of the tolerance: numbers of steps jump, so that the target may lie in a gap

}  // namespace

Point probe_matched(const ProbeInput& input) {
  const std::vector<double> range = input.setup.numbers("range");
  const std::string match = input.setup.text("match", "");
  const double target = input.setup.number("target"), tolerance = input.setup.number("tolerance");
  Point best;
  double best_distance = INFINITY;
  // log(number/target) at this tolerance; a run that stops before its end is of no use
  auto distance = [&](double tried) {
    const PointSetup setup = input.setup.with("tolerance", fmt::format("{:.6g}", tried));
    Point point = probe_run({setup, input.reference, input.before, input.interrupt});
    const double found = point.values["completed"] != 0 ? std::log(evaluate(match, names_of(point)) / target) : NAN;
    point.values["chosen"] = tried;
    if (std::abs(found) < best_distance || best.values.empty()) {
      best_distance = std::isnan(found) ? INFINITY : std::abs(found);
      best = std::move(point);
    }
    return found;
  };
  double loose = range.at(0) * tolerance, tight = range.at(1) * tolerance;
  double at_tight = distance(tight);
  int runs = 1;
  // the tightest may not reach its end
  for (; std::isnan(at_tight) && runs < most_runs; ++runs) at_tight = distance(tight = std::sqrt(loose * tight));
  for (; runs < most_runs && best_distance > near_enough && loose / tight > 1 + narrow_enough; ++runs) {
    if (input.interrupt && input.interrupt->load()) break;
    const double middle = std::sqrt(loose * tight);
    const double at_middle = distance(middle);
    // on which side the target lies; a run that stops counts as too loose
    if (!std::isnan(at_middle) && at_middle * at_tight > 0)
      tight = middle, at_tight = at_middle;
    else
      loose = middle;
  }
  best.values["met"] = best_distance <= input.setup.number("within", 0.05);
  return best;
}

}  // namespace escapement
