// The largest step of a scheme on a model whose run meets a condition: steps are halved from the largest until one
// does, then the boundary is bisected. Stability of nonlinear models has no sharp limit, so a few per cent are enough.
#include <cmath>

#include "io/run.hpp"
#include "study/probe.hpp"

namespace escapement::inline study {

Point probe_largest_step(const ProbeInput& input) {
  const std::string condition = input.setup.text("while", "completed");
  Point best;
  auto meets = [&](double step) {
    Model model = input.setup.model(step);
    model.settings.save_every = model.settings.end;
    RunHooks hooks;
    hooks.interrupt = input.interrupt;
    const RunReport report = run_model(model, hooks);
    Point point;
    point.values["completed"] = report.outcome.status == Outcome::Status::completed;
    point.values["energy.initial"] = report.summary.energy.initial;
    point.values["energy.final"] = report.summary.energy.final;
    point.values["penetration"] = report.summary.max_penetration;
    return evaluate(condition, names_of(point)) != 0;
  };
  const double largest = input.setup.number("largest"), smallest = input.setup.number("smallest");
  double high = largest;
  while (high >= smallest && !meets(high)) high /= 2;
  Point point;
  if (high < smallest) {
    point.values["largest_step"] = 0;
    return point;
  }
  double low = high;
  if (high < largest) {
    high *= 2;
    while (high / low > 1.03) (meets(std::sqrt(low * high)) ? low : high) = std::sqrt(low * high);
  }
  point.values["largest_step"] = low;
  return point;
}

}  // namespace escapement
