// Simulations in two threads share one system: each finds what it finds alone, bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "run/model.hpp"
#include "schemes/registry.hpp"
#include "simulate/simulation.hpp"

namespace escapement::testing {

inline Outcome simulate_on(const System& system, const Model& model, double end, const char* id) {
  Settings settings = model.settings;
  settings.scheme = id;
  settings.end = end;
  settings.step.reset();
  settings.tolerance = 1e-4;
  settings.options.clear();
  const RunOptions options = check_options(settings);
  const auto scheme = find_scheme(id)->make(options.scheme);
  Simulation simulation(system, *scheme, settings, options.loop);
  return simulation.run(model.start);
}

inline void expect_shareable(const Model& model, double end, const std::vector<const char*>& schemes) {
  for (const char* first : schemes)
    for (const char* second : schemes) {
      const char* const id[] = {first, second};
      Outcome alone[2], shared[2];
      for (int i : {0, 1}) alone[i] = simulate_on(*model.system, model, end, id[i]);
      std::thread other([&] { shared[1] = simulate_on(*model.system, model, end, second); });
      shared[0] = simulate_on(*model.system, model, end, first);
      other.join();
      for (int i : {0, 1}) {
        const std::string what = model.name + ": " + first + " beside " + second;
        EXPECT_TRUE(alone[i].status == Outcome::Status::completed) << what << ": " << alone[i].message;
        EXPECT_GT(alone[i].steps, 10) << what;
        EXPECT_EQ(alone[i].steps, shared[i].steps) << what;
        EXPECT_EQ(alone[i].final.q, shared[i].final.q) << what;
        EXPECT_EQ(alone[i].final.v, shared[i].final.v) << what;
        EXPECT_EQ(alone[i].final.lambda, shared[i].final.lambda) << what;
      }
    }
}

}  // namespace escapement::testing
