// Newton's iteration watched from inside, [003] sections 3.3 and 4.3: the last decreasing corrections, largest over the
// steps of a run, and the condition number of the iteration matrix that belongs to the last of them.
#include <algorithm>
#include <cmath>

#include "schemes/newton.hpp"
#include "study/condition_number.hpp"
#include "study/probe.hpp"

namespace escapement::inline study {

Point probe_newton(const ProbeInput& input) {
  const Model model = input.setup.model();
  const System& system = *model.system;
  const double h = *model.settings.step;
  const long steps = std::lround(model.settings.end / h);
  const SchemeEntry& entry = *find_scheme(model.settings.scheme);
  // the motion goes on with full scaling, so that a step without it is looked at even where it fails
  Settings full = model.settings;
  full.options["scaling"] = std::string("full");
  const auto watched = entry.make(check_options(model.settings).scheme),
             carrier = entry.make(check_options(full).scheme);
  NewtonTrace trace;
  if (!watched->trace_newton(&trace)) throw std::runtime_error("the scheme has no Newton iteration to watch");
  watched->estimate_errors(false);
  carrier->estimate_errors(false);
  // how far from its solution an iteration begins, which the papers do not say
  const double displaced = input.setup.number("displaced", 0);
  State s = model.start, s1, other = model.start, begun;
  watched->start(system, other);
  carrier->start(system, s);
  s1 = other = s;

  NewtonTrace::Correction largest;
  std::vector<NewtonTrace::Correction> history;  // of the step with the largest last correction
  std::vector<double> last_norms;
  long done = 0, failed = 0, iterations = 0;
  for (long n = 0; n < steps; ++n) {
    if (input.interrupt && input.interrupt->load()) break;
    if (n >= 2) {  // where every formula has its history
      begun = s;
      begun.q.array() += displaced;
      failed += !watched->step(system, begun, h, other).ok();
      const NewtonTrace::Correction& last = trace.corrections[trace.last_decreasing];
      if (last.norm >= largest.norm) history = trace.corrections;
      largest.norm = std::max(largest.norm, last.norm);
      largest.u = std::max(largest.u, last.u);
      largest.v = std::max(largest.v, last.v);
      largest.lambda = std::max(largest.lambda, last.lambda);
      last_norms.push_back(last.norm);
      iterations += trace.last_decreasing + 1;
      ++done;
    }
    if (!carrier->step(system, s, h, s1).ok()) throw std::runtime_error("a step with full scaling failed");
    std::swap(s, s1);
  }
  Point point;
  std::vector<double>&count = point.columns["iteration"], &corrections = point.columns["correction"];
  for (const NewtonTrace::Correction& c : history) {
    count.push_back(static_cast<double>(count.size() + 1));
    corrections.push_back(c.norm);
  }
  point.values["step"] = h;
  point.values["correction"] = largest.norm;
  const auto middle = last_norms.begin() + static_cast<long>(last_norms.size() / 2);
  std::nth_element(last_norms.begin(), middle, last_norms.end());
  point.values["correction.median"] = last_norms.empty() ? NAN : *middle;
  point.values["correction.u"] = largest.u;
  point.values["correction.v"] = largest.v;
  point.values["correction.lambda"] = largest.lambda;
  point.values["condition"] = condition_number(trace.matrix);
  point.values["iterations"] = double(iterations) / double(done);
  point.values["failed"] = double(failed) / double(done);
  return point;
}

}  // namespace escapement
