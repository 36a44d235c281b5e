#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/answers.hpp"
#include "cli/equilibrium_text.hpp"
#include "cli/model_arguments.hpp"
#include "io/check.hpp"
#include "simulate/statics.hpp"

namespace escapement::cli {

namespace {

using Json = nlohmann::ordered_json;

// the coordinates that move most in a mode, with their share of the largest
std::string shape_text(const Vec& shape, const std::vector<std::string>& names) {
  std::vector<int> order(names.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(shape[a]) > std::abs(shape[b]) + 1e-9; });
  std::string text;
  for (std::size_t i = 0; i < order.size() && i < 4 && std::abs(shape[order[i]]) > 1e-3; ++i)
    text += fmt::format("{}{} {:+.3f}", i == 0 ? "" : ", ", names[order[i]], shape[order[i]]);
  return text;
}

// rows that depend on others at the equilibrium but not at the start: motions that are free only there, to first order
int motions_in_excess(const Model& model, const Equilibrium& equilibrium) {
  const auto dependent = [&](const State& s) {
    return static_cast<int>(redundant_constraints(*model.system, s).size());
  };
  return std::max(0, dependent(equilibrium.state) - dependent(model.start));
}

Json json_of(const Model& model, const Equilibrium& equilibrium, const Modes& modes) {
  const Names& names = model.system->names();
  Json list = Json::array(), values = Json::array();
  for (const NaturalMode& mode : modes.modes) {
    Json shape;
    for (std::size_t i = 0; i < names.v.size(); ++i) shape[names.v[i]] = mode.shape[static_cast<int>(i)];
    list.push_back({{"frequency", mode.frequency()}, {"angular_frequency_squared", mode.square}, {"shape", shape}});
  }
  for (const auto& value : modes.eigenvalues) values.push_back({value.real(), value.imag()});
  return {{"model", model.name},
          {"equilibrium", equilibrium_json(model, equilibrium)},
          {"friction_left_out", with_friction(model)},
          {"motions_in_excess", motions_in_excess(model, equilibrium)},
          {"modes", list},
          {"all", modes.all},
          {"eigenvalues", values}};
}

void print(const Model& model, const Equilibrium& equilibrium, const Modes& modes) {
  const Names& names = model.system->names();
  fmt::print("{}\n  static equilibrium (unbalanced force {:.1e} of the largest)\n", model.name, equilibrium.residual);
  print_equilibrium(model, equilibrium);
  if (const auto rubbing = with_friction(model); !rubbing.empty())
    fmt::print("  friction is left out, in equilibrium and frequencies: {}\n", fmt::join(rubbing, ", "));
  if (const int more = motions_in_excess(model, equilibrium); more > 0)
    fmt::print(
        "  a dead point: {} than at the start, to first order; the frequencies of motions in excess depend on how "
        "joints share their forces\n",
        more == 1 ? "one motion more is free" : fmt::format("{} motions more are free", more));
  fmt::print("  natural frequencies without damping\n    {:>4} {:>14} {:>14}   {}\n", "", "hertz", "rad/s", "shape");
  int number = 0;
  for (const NaturalMode& mode : modes.modes) {
    const std::string shape = shape_text(mode.shape, names.v);
    const double omega = std::sqrt(std::abs(mode.square));
    if (mode.square < 0) {
      fmt::print("    {:>4} {:>14} {:>14}   {}\n", ++number, "unstable", fmt::format("exp({:.6g} t)", omega), shape);
    } else {
      fmt::print("    {:>4} {:>14.8g} {:>14.8g}   {}\n", ++number, mode.frequency(), mode.square > 0 ? omega : 0,
                 shape);
    }
  }
  if (!modes.all) fmt::print("    the lowest ones; --count N finds more. Damping is left out\n");
  if (modes.modes.empty()) fmt::print("    none: nothing can move\n");
  if (modes.eigenvalues.empty()) return;
  fmt::print("  eigenvalues with damping and gyroscopic terms, 1/s\n");
  for (const auto& value : modes.eigenvalues)
    if (value.imag() >= 0)
      fmt::print("    {:>14.8g} {} {:.8g} i\n", value.real(), value.imag() > 0 ? "+-" : "+ ", value.imag());
}

constexpr int few = 20;  // of large models, unless more are asked for

struct Found {
  Equilibrium equilibrium;
  Modes modes;
};

Found find(const Model& model, int count) {
  // all rows: those that a motion can do without may be the ones that hold the place found
  Found found;
  found.equilibrium = find_equilibrium(*model.system, model.start);
  if (!found.equilibrium.found) throw NoAnswer(why_not(model, found.equilibrium));
  found.modes = find_modes(*model.system, found.equilibrium, count > 0 ? count : few);
  if (!found.modes.finite)
    throw NoAnswer(
        "the stiffness or damping at the equilibrium is not a finite number, so there are no frequencies; look for a spring of "
        "length 0 or a formula that is not smooth there");
  return found;
}

int modes_of(const ModelArguments& arguments, bool json, int count) {
  const Model model = load_model(arguments.file, arguments.overrides());
  try {
    const Found found = find(model, count);
    if (json) {
      fmt::print("{}\n", json_of(model, found.equilibrium, found.modes).dump(2));
    } else {
      print(model, found.equilibrium, found.modes);
    }
    return completed;
  } catch (const NoAnswer& why) {
    fmt::print(stderr, "escapement: {}\n", why.what());
    return simulation_failed;
  }
}

}  // namespace

Json find_modes_of(const Model& model, int count) {
  const Found found = find(model, count);
  return json_of(model, found.equilibrium, found.modes);
}

void add_modes(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("modes", "Find the static equilibrium near the start and the natural frequencies there");
  auto arguments = std::make_shared<ModelArguments>();
  auto json = std::make_shared<bool>(false);
  auto count = std::make_shared<int>(0);
  arguments->add_file(*command);
  arguments->add_parameters(*command);
  command->add_option("--count", *count, "how many, the lowest ones; of small models all are found anyway")->check(CLI::Range(1, 10000))->type_name("N");
  command->add_flag("--json", *json, "print one JSON object");
  command->callback([=, &action] { action = [=] { return modes_of(*arguments, *json, *count); }; });
}

}  // namespace escapement::cli
