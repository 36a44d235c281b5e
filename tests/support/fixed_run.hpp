// Runs a scheme with a fixed step and tells a function about every state.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "schemes/scheme.hpp"

namespace escapement::testing {

template <class F>
State fixed_run(const System& system, State s, const std::string& id, const std::map<std::string, OptionValue>& options,
                double h, double end, F&& look) {
  auto scheme = make_scheme(id, options);
  scheme->start(system, s);
  State s1 = s;
  look(s);
  const long n = std::lround(end / h);
  for (long i = 1; i <= n; ++i) {
    const StepReport report = scheme->step(system, s, end * i / n - s.t, s1);
    if (!report.ok()) {
      ADD_FAILURE() << id << " fails at t = " << s.t << ", h = " << h << ", status " << static_cast<int>(report.status);
      break;
    }
    std::swap(s, s1);
    look(s);
  }
  return s;
}

}  // namespace escapement::testing
