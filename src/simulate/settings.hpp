// How to run a simulation: the `simulation` block of a model file, as values.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "math/tolerances.hpp"
#include "schemes/scheme.hpp"

namespace escapement::inline simulate {

struct Settings {
  double start = 0, end = 0;
  std::string scheme = "hem5";
  std::optional<double> step;       // fixed steps
  std::optional<double> tolerance;  // error-controlled steps; neither: default_tolerance
  struct Then {
    double from = 0;
    std::optional<double> step, tolerance;
  };
  std::optional<Then> then;  // other steps from a time on
  double save_every = -1;           // 0: every step; negative: a thousandth of the run
  bool per_unit_step = false;       // error: per_unit_step
  std::map<std::string, OptionValue> options;  // the scheme's own and the loop's

  static constexpr double default_tolerance = little::default_tolerance;

  double duration() const { return end - start; }
  bool takes_fixed_steps() const { return step || (then && then->step); }  // somewhere
  // the largest that steps are held to; 0: they are fixed
  double error_bound() const;
};

// the options every run takes, whatever its scheme: step control, events, contact
const std::vector<OptionInfo>& loop_options();

// the two halves of settings.options, checked; throws OptionError
struct RunOptions {
  Options scheme, loop;
};
RunOptions check_options(const Settings&);
// the same for a scheme that is not in the registry; its info lists its options
RunOptions check_options(const Settings&, const SchemeInfo&);

}  // namespace escapement
