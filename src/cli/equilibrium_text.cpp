#include "cli/equilibrium_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace escapement::cli {

namespace {
using Json = nlohmann::ordered_json;
constexpr std::size_t most_lines = 40;
}  // namespace

std::vector<Touch> touches(const Model& model, const Equilibrium& equilibrium) {
  const System& system = *model.system;
  Terms T;
  system.prepare(T);
  system.evaluate(equilibrium.state, Need::gap, T);
  std::vector<Touch> list;
  for (std::size_t i = 0; i < static_cast<std::size_t>(system.dim().unilateral); ++i) {
    const int row = system.dim().bilateral + static_cast<int>(i);
    const bool held = equilibrium.held[i] != 0;
    list.push_back({system.contacts()[i].name, held, T.g[row], held ? equilibrium.state.lambda[row] : 0});
  }
  return list;
}

std::vector<std::string> with_friction(const Model& model) {
  std::vector<std::string> names;
  for (const ContactLaw& law : model.system->contacts())
    if (law.rubs()) names.push_back(law.name);
  return names;
}

Json equilibrium_json(const Model& model, const Equilibrium& equilibrium) {
  const Names& names = model.system->names();
  Json q = Json::object(), contacts = Json::object();
  for (std::size_t i = 0; i < names.q.size(); ++i) q[names.q[i]] = equilibrium.state.q[static_cast<int>(i)];
  for (const Touch& one : touches(model, equilibrium))
    contacts[one.name] = {{"held", one.held}, {"gap", one.gap}, {"force", one.force}};
  return {{"found", equilibrium.found}, {"residual", equilibrium.residual}, {"q", q}, {"contacts", contacts}};
}

// all coordinates, or of a large model those that moved most
void print_equilibrium(const Model& model, const Equilibrium& equilibrium) {
  const Names& names = model.system->names();
  std::vector<int> shown(names.q.size());
  std::iota(shown.begin(), shown.end(), 0);
  if (shown.size() > most_lines) {
    const Vec moved = (equilibrium.state.q - model.start.q).cwiseAbs();
    std::stable_sort(shown.begin(), shown.end(), [&](int a, int b) { return moved[a] > moved[b]; });
    shown.resize(most_lines);
    std::sort(shown.begin(), shown.end());
  }
  fmt::print("    {:<20} {:>16} {:>16}\n", "", "equilibrium", "start");
  for (int k : shown)
    fmt::print("    {:<20} {:>16.9g} {:>16.9g}\n", names.q[static_cast<std::size_t>(k)], equilibrium.state.q[k],
               model.start.q[k]);
  if (shown.size() < names.q.size())
    fmt::print("    these {} of {} coordinates moved most; --json has them all\n", shown.size(), names.q.size());
  for (const Touch& one : touches(model, equilibrium))
    fmt::print("    contact {:<20} {}\n", one.name,
               one.held ? fmt::format("held, force {:.9g}", one.force) : fmt::format("free, gap {:.9g}", one.gap));
}

std::string why_not(const Model& model, const Equilibrium& equilibrium) {
  if (!std::isfinite(equilibrium.residual))
    return "no static equilibrium was found: the forces are not finite numbers near the start; look for a spring of "
           "length 0 or a formula that is not defined there";
  int largest = 0;
  equilibrium.unbalanced.cwiseAbs().maxCoeff(&largest);
  return fmt::format(
      "no static equilibrium near the start was found: after {} iterations nothing balances the force {:.3g} on '{}' "
      "({:.1e} of the largest){}; start nearer to an equilibrium, or add what holds it",
      equilibrium.iterations, equilibrium.unbalanced[largest],
      model.system->names().v[static_cast<std::size_t>(largest)], equilibrium.residual,
      with_friction(model).empty() ? "" : ", and friction is left out");
}

}  // namespace escapement::cli
