// The least work that meets a condition, with the rungs of ladders that the data fixes: each scheme takes the loosest
// tolerance of `ladder` whose run meets it, and the largest such step of `steps`; both are [first, last, per decade]. So
// neither is picked by hand where schemes are compared at the same measured error.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "study/probe.hpp"

namespace escapement::inline study {

namespace {

constexpr double none = std::numeric_limits<double>::infinity();

Point first_that_serves(const ProbeInput& input, const PointSetup& setup, const std::string& what,
                        const std::vector<double>& ladder) {
  const std::string condition = setup.text("until", "");
  const int rungs = static_cast<int>(std::lround(std::log10(ladder.at(0) / ladder.at(1)) * ladder.at(2)));
  Point point;
  for (int i = 0; i <= rungs; ++i) {
    const double rung = std::stod(fmt::format("{:.2g}", ladder[0] * std::pow(10, -i / ladder[2])));
    const PointSetup here = setup.with(what, fmt::format("{:g}", rung));
    point = probe_run({here, input.reference, input.before, input.interrupt});
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

double cost(const Point& point) { return point.values.at("met") != 0 ? point.values.at("work") : none; }

}  // namespace

Point probe_loosest(const ProbeInput& input) {
  std::vector<std::string> schemes = input.setup.names("schemes");
  if (schemes.empty()) schemes.push_back(input.setup.text("scheme", ""));
  Point best;
  std::map<std::string, double, std::less<>> each;  // what every ladder came to
  for (const std::string& scheme : schemes) {
    const PointSetup setup = scheme.empty() ? input.setup : input.setup.with("scheme", scheme);
    for (const auto& [key, what] : {std::pair{"ladder", "tolerance"}, std::pair{"steps", "step"}}) {
      if (!setup.text(key)) continue;
      Point point = first_that_serves(input, setup, what, setup.numbers(key));
      std::string suffix = "." + scheme + (std::string_view(key) == "steps" ? ".steps" : "");
      std::replace(suffix.begin(), suffix.end(), '-', '_');  // names of expressions
      each["work" + suffix] = cost(point);
      each["chosen" + suffix] = point.values["met"] != 0 ? point.values["chosen"] : none;
      if (best.values.empty() || cost(point) < cost(best)) best = std::move(point);
    }
  }
  best.values.insert(each.begin(), each.end());
  return best;
}

}  // namespace escapement
