// The loosest tolerance, or with `ladder_of: step` the largest step, whose run meets a condition, on a ladder that the
// data fixes: `ladder` is [first, last, rungs per decade]. So neither is picked by hand where schemes are compared at the
// same measured error.
#include <fmt/format.h>

#include <cmath>

#include "study/probe.hpp"

namespace escapement {

Point probe_loosest(const ProbeInput& input) {
  const std::vector<double> ladder = input.setup.numbers("ladder");
  const std::string condition = input.setup.text("until", ""), what = input.setup.text("ladder_of", "tolerance");
  const int rungs = static_cast<int>(std::lround(std::log10(ladder.at(0) / ladder.at(1)) * ladder.at(2)));
  Point point;
  for (int i = 0; i <= rungs; ++i) {
    const double rung = std::stod(fmt::format("{:.2g}", ladder[0] * std::pow(10, -i / ladder[2])));
    const PointSetup setup = input.setup.with(what, fmt::format("{:g}", rung));
    point = probe_run({setup, input.reference, input.before, input.interrupt});
    point.values["chosen"] = rung;
    const Lookup names = [&](std::string_view name) {
      const auto own = names_of(point)(name);
      return own ? own : input.before(name);
    };
    point.values["met"] = point.values["completed"] != 0 && evaluate(condition, names) != 0;
    if (point.values["met"] != 0 || (input.interrupt && input.interrupt->load())) break;
  }
  return point;
}

}  // namespace escapement
