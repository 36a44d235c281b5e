#include "io/member_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline io {

namespace {

bool is_conservative(const ExpressionGraph& graph, const Formulas& f) {
  const auto moves = [&](Expr e) { return graph.depends_on(e, f.t); };
  return std::all_of(f.forces.begin(), f.forces.end(), [](Expr force) { return force == Expr{}; }) && !moves(f.kinetic) && !moves(f.potential) &&
         std::none_of(f.constraints.begin(), f.constraints.end(), [&](const FormulaConstraint& c) { return moves(c.g); }) &&
         std::none_of(f.contacts.begin(), f.contacts.end(), [&](const FormulaContact& c) { return moves(c.gap); });
}

}  // namespace

MemberVerdict::MemberVerdict(ExpressionGraph& graph, EnsembleFormulas& members, const EnsembleSettings& settings) {
  const std::vector<double> parts = make_times(settings).sample_part;
  const bool between = std::any_of(parts.begin(), parts.end(), [](double part) { return part < 1; });
  penetration_ = settings.scheme != EnsembleScheme::moreau_midpoint_ggl ? suspect::penetration_velocity : between ? suspect::between_fixed : suspect::penetration;
  const Formulas& f = members.formulas;
  for (const FormulaContact& contact : f.contacts) {
    contacts_.push_back(contact.name);
    members.sampled.push_back({Reduction::min, contact.gap});
    // the contact's size: how far the coordinates have taken its gap from the start
    Expr size{};
    for (std::size_t j = 0; j < f.q.size(); ++j) {
      const Expr way = graph.sub(f.q[j], members.start[j]);
      size = graph.add(size, graph.mul(graph.function(Op::abs, graph.derivative(contact.gap, f.q[j])), graph.function(Op::abs, way)));
    }
    members.sampled.push_back({Reduction::max, size});
  }
  conservative_ = is_conservative(graph, f);
  if (!conservative_) return;
  const Expr total = graph.add(f.kinetic, f.potential);
  members.sampled.push_back({Reduction::initial, total});
  members.sampled.push_back({Reduction::final, total});
  members.sampled.push_back({Reduction::max, f.kinetic});
  members.sampled.push_back({Reduction::min, f.potential});
  members.sampled.push_back({Reduction::max, f.potential});
}

std::string MemberVerdict::against(std::span<const double> values, double contact_work) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const double depth = -values[2 * i], size = values[2 * i + 1];
    if (depth > penetration_ * size) return fmt::format("suspect: contact '{}' sinks in by more than {:g} of its size; take a smaller step", contacts_[i], penetration_);
  }
  if (!conservative_) return "";
  const std::span<const double> energy = values.subspan(2 * contacts_.size());
  const double off = std::abs(energy[1] - energy[0] - contact_work), size = energy[2] + energy[4] - energy[3] + std::abs(contact_work);
  if (off > suspect::energy_fixed * size) return fmt::format("suspect: the energy is off by more than {:g} of its size; take a smaller step", suspect::energy_fixed);
  return "";
}

}  // namespace escapement
