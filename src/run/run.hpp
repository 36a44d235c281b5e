// One simulation of one model, with everything measured and recorded: what every command that simulates shares.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "run/model.hpp"
#include "run/result.hpp"
#include "run/summary.hpp"
#include "simulate/simulation.hpp"

namespace escapement {

struct RunHooks {
  const std::atomic<bool>* interrupt = nullptr;
  std::vector<Observer*> observers;                // told after the run's own
  // asked between steps, with the time reached: is the result wanted now? Then it is given, with a checkpoint; who takes it
  // may drop samples from it that are kept elsewhere
  std::function<bool(double t, const Result&)> wants_result;
  std::function<void(Result&)> take_result;
  Result* resume = nullptr;  // goes on from its checkpoint; its tables are taken over
};

struct RunReport {
  Outcome outcome;
  Summary summary;
  Result result;
};

// throws OptionError for options the scheme does not take, SnapshotError for a checkpoint of something else
RunReport run_model(Model&, const RunHooks& = {});

}  // namespace escapement
