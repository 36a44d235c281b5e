// Central differences as structural dynamics writes them, [002] (1)-(3): x(t+h) from x(t) and x(t-h), the velocity by a
// difference of positions. It loses digits as the step shrinks, which is why the paper reformulates it.
#include <cmath>

#include "study/probe.hpp"
#include "system/terms.hpp"

namespace escapement::inline study {

Point probe_multipoint(const ProbeInput& input) {
  const Model model = input.setup.model();
  const System& system = *model.system;
  const double h = *model.settings.step;
  const long steps = std::lround(model.settings.end / h);
  Terms terms;
  system.prepare(terms);
  auto acceleration = [&](const State& s) -> Vec {
    system.evaluate(s, Need::mass | Need::force, terms);
    return terms.M.dense().ldlt().solve(terms.f);  // the models of this experiment are small
  };

  State s = model.start;
  Vec before = s.q - h * s.v + 0.5 * h * h * acceleration(s), next = s.q;
  const Energy start = system.energy(s, terms);
  double energy_error = 0;
  for (long n = 0; n < steps; ++n) {
    next = 2 * s.q - before + h * h * acceleration(s);
    const Vec last = s.q;
    s.v = (next - before) / (2 * h);  // at t
    const Energy e = system.energy(s, terms);
    energy_error = std::max(energy_error, std::abs(e.kinetic + e.potential - start.kinetic - start.potential));
    before = last;
    s.q = next;
    s.t = (n + 1) * h;
  }
  s.v = (s.q - before) / h + 0.5 * h * acceleration(s);
  Point point;
  point.values["step"] = h;
  point.values["energy.max_error"] = energy_error;
  if (input.reference) {
    double error_q = 0, error_v = 0;
    for (int i = 0; i < system.dim().q; ++i) {
      const double q = input.reference->values.at("final.q." + system.names().q[i]);
      const double v = input.reference->values.at("final.v." + system.names().v[i]);
      error_q = std::max(error_q, std::abs(s.q[i] - q) / (1 + std::abs(q)));
      error_v = std::max(error_v, std::abs(s.v[i] - v) / (1 + std::abs(v)));
    }
    point.values["error.q"] = error_q;
    point.values["error.v"] = error_v;
    point.values["error"] = std::max(error_q, error_v);
  }
  return point;
}

}  // namespace escapement
