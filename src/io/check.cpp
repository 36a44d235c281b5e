#include "io/check.hpp"

#include "io/result_json.hpp"
#include "simulate/monitors.hpp"

namespace escapement::inline io {

nlohmann::ordered_json check_model(const Model& model) {
  const System& system = *model.system;
  const Dim& dim = system.dim();
  DriftMonitor drift(*model.system);
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
      {"brakes", static_cast<int>(model.system->contacts().size()) - dim.unilateral},
      {"redundant_constraints", redundant},
      {"start", {{"position", drift.max_position()}, {"velocity", drift.max_velocity()}, {"energy", energy.kinetic + energy.potential}}},
      {"assembled", model.assembled ? to_json(*model.assembled) : nlohmann::ordered_json()},
      {"scheme", model.settings.scheme},
      {"warnings", model.warnings},
  };
}

}  // namespace escapement
