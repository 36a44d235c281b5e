#include "io/check.hpp"

#include <fmt/format.h>

#include "math/saddle_solver.hpp"
#include "simulate/monitors.hpp"

namespace escapement {

std::vector<std::string> redundant_constraints(const System& system, const State& s) {
  Terms terms;
  system.prepare(terms);
  system.choose_rows(s);
  system.evaluate(s, Need::jacobian, terms);
  for (int i = system.dim().bilateral; i < system.dim().rows(); ++i) terms.G.set_row_zero(i);
  std::vector<std::string> names;
  for (int row : redundant_rows(terms.G))
    if (row < system.dim().bilateral) names.push_back(system.names().multipliers[row]);
  return names;
}

nlohmann::ordered_json assembled_json(const Model& model) {
  if (!model.assembled) return nullptr;
  const Model::Assembled& a = *model.assembled;
  nlohmann::ordered_json parts = nlohmann::ordered_json::array();
  for (const Model::Assembled::Part& part : a.parts) {
    parts.push_back({{"name", part.name}, {"moved", part.moved}});
    if (model.kind == "mechanism") parts.back()["turned"] = part.turned;
  }
  return {{"moved", a.moved}, {"most_moved", a.most_moved}, {"changed", a.changed}, {"most_changed", a.most_changed}, {"parts", parts}};
}

std::string assembled_text(const nlohmann::ordered_json& assembled) {
  const auto part = [&](const char* size, const char* name, const char* what) {
    const double value = assembled.at(size).get<double>();
    if (value == 0) return fmt::format("{} kept", what);
    return fmt::format("{} moved by at most {:.3g} ({})", what, value, assembled.at(name).get<std::string>());
  };
  return part("moved", "most_moved", "positions") + ", " + part("changed", "most_changed", "velocities");
}

nlohmann::ordered_json check_model(const Model& model) {
  const System& system = *model.system;
  const Dim& dim = system.dim();
  DriftMonitor drift(model.rows());
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
      {"assembled", assembled_json(model)},
      {"scheme", model.settings.scheme},
      {"warnings", model.warnings},
  };
}

}  // namespace escapement
