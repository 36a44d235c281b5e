#include "simulate/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "nonsmooth/contact_solver.hpp"
#include "nonsmooth/impact.hpp"

namespace escapement::inline simulate {

double Settings::error_bound() const {
  const auto of = [](const std::optional<double>& fixed, const std::optional<double>& controlled) {
    return fixed ? 0 : controlled.value_or(default_tolerance);
  };
  return std::max(of(step, tolerance), then ? of(then->step, then->tolerance) : 0);
}

const std::vector<OptionInfo>& loop_options() {
  static const std::vector<OptionInfo> all{
      {.name = "min_step", .value = 0.0, .description = "smallest step the control may take; 0: the spacing of doubles at the end time", .min = 0, .max = 1e300},
      {.name = "max_step", .value = 0.0, .description = "largest step the control may take; 0: no limit", .min = 0, .max = 1e300},
      {.name = "first_step", .value = 0.0, .description = "size of the first step, in s; 0: from the motion at the start", .min = 0, .max = 1e300},
      {.name = "max_growth", .value = 0.0, .description = "largest growth from one step to the next, also after a rejected step; 0: 5, and none after a rejected step", .min = 0, .max = 1e300},
      {.name = "safety", .value = 0.9, .description = "safety factor of the step rule", .min = 0.1, .max = 1},
      {.name = "control", .value = std::string("predictive"), .description = "what decides the next step: the last error alone (paper 000, (12), as printed), or also its growth and what expressions do within the step", .choices = {"elementary", "predictive"}},
      {.name = "max_drift", .value = 0.0, .description = "largest drift allowed at position and velocity level; 0: any; not given: until the mechanism comes apart", .min = 0, .max = 1e300},
      {.name = "drift_shrink", .value = 0.5, .description = "share of its size with which a step is taken again that max_drift rejected", .min = 0.01, .max = 0.95},
      {.name = "zeno_velocity", .value = 0.0, .description = "approach speed below which a sequence of impacts ends in contact; 0: a millionth of the contact's fastest gap rate so far", .min = 0, .max = 1e300},
      {.name = "simultaneous_gap", .value = 0.0, .description = "gaps within this distance close together; 0: 1e-12 of the largest term that the gap sums up", .min = 0, .max = 1e300},
      {.name = "singularity", .value = std::string("moreau-jean"), .description = "who carries force beyond an edge or a jump of curvature: by a step of Moreau-Jean, or by the stages of hem5 as complementarity problems", .choices = {"moreau-jean", "lcp"}},
      {.name = "impact_law", .value = std::string("newton"), .description = "law of impact", .choices = impact_law_names()},
      {.name = "contact_solver", .value = std::string("lemke"), .description = "solver of contact problems", .choices = contact_solver_choices()},
  };
  return all;
}

RunOptions check_options(const Settings& settings) {
  const SchemeEntry* entry = find_scheme(settings.scheme);
  if (!entry) throw OptionError("scheme", fmt::format("there is no scheme '{:.40}'", settings.scheme));
  RunOptions options = check_options(settings, entry->info);
  entry->make(options.scheme);  // refuses what its options cannot be together
  return options;
}

RunOptions check_options(const Settings& settings, const SchemeInfo& info) {
  // an option goes to the loop, to the scheme, or to both where both know the name
  SchemeInfo loop_info, all_info = info;
  loop_info.options = loop_options();
  std::map<std::string, OptionValue> for_scheme, for_loop, unknown;
  auto knows = [](const std::vector<OptionInfo>& options, const std::string& name) {
    return std::any_of(options.begin(), options.end(), [&](const OptionInfo& o) { return o.name == name; });
  };
  for (const auto& [name, value] : settings.options) {
    const bool scheme = knows(info.options, name), loop = knows(loop_info.options, name);
    // the monolithic schemes know one law and have no solver to choose
    if (info.time_stepping && !scheme && (name == "impact_law" || name == "contact_solver"))
      throw OptionError(name, fmt::format("scheme '{}' does not take the option '{}': its law is Newton's, solved within its own iteration", settings.scheme, name));
    if (scheme) for_scheme[name] = value;
    if (loop) for_loop[name] = value;
    if (!scheme && !loop) unknown[name] = value;
  }
  if (!unknown.empty()) {
    all_info.options.insert(all_info.options.end(), loop_info.options.begin(), loop_info.options.end());
    Options reported(all_info, unknown);  // throws with the full list of names
  }
  RunOptions options{Options(info, for_scheme), Options(loop_info, for_loop)};
  const double min_step = options.loop.number("min_step"), max_step = options.loop.number("max_step");
  if (max_step > 0 && min_step > max_step)
    throw OptionError("min_step", fmt::format("option 'min_step' is {:g} but must not be above max_step, {:g}", min_step, max_step));
  const double first_step = options.loop.number("first_step"), max_growth = options.loop.number("max_growth");
  if (first_step > 0 && (first_step < min_step || (max_step > 0 && first_step > max_step)))
    throw OptionError("first_step", fmt::format("option 'first_step' is {:g} but must be between min_step and max_step", first_step));
  if (max_growth > 0 && max_growth <= 1)
    throw OptionError("max_growth", fmt::format("option 'max_growth' is {:g} but must be above 1, or 0", max_growth));
  if (settings.error_bound() > 0 && info.error_power == 0)
    throw OptionError("scheme", fmt::format("scheme '{}' has no error estimate and takes fixed steps only: give a step, such as 1e-3", settings.scheme));
  return options;
}

}  // namespace escapement
