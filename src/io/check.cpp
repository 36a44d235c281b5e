#include "io/check.hpp"

#include "math/saddle_solver.hpp"
#include "simulate/monitors.hpp"

namespace escapement {

std::vector<std::string> redundant_constraints(const System& system, const State& s) {
  Terms terms;
  system.prepare(terms);
  system.evaluate(s, Need::jacobian, terms);
  for (int i = system.dim().bilateral; i < system.dim().rows(); ++i) terms.G.set_row_zero(i);
  std::vector<std::string> names;
  for (int row : redundant_rows(terms.G))
    if (row < system.dim().bilateral) names.push_back(system.names().multipliers[row]);
  return names;
}

nlohmann::ordered_json check_model(const Model& model) {
  const System& system = *model.system;
  const Dim& dim = system.dim();
  DriftMonitor drift(system);
  drift.look(model.start);
  Terms terms;
  system.prepare(terms);
  const Energy energy = system.energy(model.start, terms);
  const std::vector<std::string> redundant = redundant_constraints(system, model.start);
  return {
      {"model", model.name},
      {"kind", model.kind},
      {"coordinates", dim.q},
      {"velocities", dim.v},
      {"constraints", dim.bilateral},
      {"contacts", dim.unilateral},
      {"degrees_of_freedom", dim.v - dim.bilateral + static_cast<int>(redundant.size())},
      {"redundant_constraints", redundant},
      {"start", {{"position", drift.max_position()}, {"velocity", drift.max_velocity()}, {"energy", energy.kinetic + energy.potential}}},
      {"scheme", model.settings.scheme},
      {"warnings", model.warnings},
  };
}

}  // namespace escapement
