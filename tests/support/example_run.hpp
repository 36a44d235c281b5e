// Runs one of the example models with a scheme, as the command line does, and keeps everything it measures.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "io/run.hpp"
#include "support/source_folder.hpp"

namespace escapement::testing {

inline constexpr const char* time_stepping_schemes[] = {
    "moreau-jean",         "moreau-midpoint",             "moreau-midpoint-ggl-decoupled",
    "moreau-midpoint-ggl", "nonsmooth-generalized-alpha", "nonsmooth-generalized-alpha-ggl"};

struct ExampleRun {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  std::string model, scheme, step = "", tolerance = "", end = "";
  Pairs parameters = {}, options = {};

  Model load() const {
    Overrides overrides;
    overrides.scheme = scheme;
    if (!step.empty()) overrides.step = step;
    if (!tolerance.empty()) overrides.tolerance = tolerance;
    if (!end.empty()) overrides.end = end;
    overrides.parameters = parameters;
    overrides.options = options;
    return load_model(escapement::testing::source_folder() + "/examples/" + model + ".yaml", overrides);
  }
  // whatever becomes of it
  RunReport try_it(Observer* observer = nullptr) const {
    Model loaded = load();
    RunHooks hooks;
    if (observer) hooks.observers.push_back(observer);
    return run_model(loaded, hooks);
  }
  RunReport operator()(Observer* observer = nullptr) const {
    RunReport report = try_it(observer);
    EXPECT_EQ(to_string(report.summary.status), "completed") << scheme << ": " << report.summary.message;
    return report;
  }
};

}  // namespace escapement::testing
