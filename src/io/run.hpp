// One simulation of one model, with everything measured and recorded: what every command that simulates shares.
#pragma once

#include <atomic>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/model_file.hpp"
#include "io/result.hpp"
#include "simulate/simulation.hpp"

namespace escapement {

struct RunHooks {
  const std::atomic<bool>* interrupt = nullptr;
  std::vector<Observer*> observers;                // told after the run's own
  // asked between steps, with the time reached: is the result wanted now? Then it is given, with a checkpoint
  std::function<bool(double t)> wants_result;
  std::function<void(const Result&)> take_result;
  Result* resume = nullptr;  // goes on from its checkpoint; its columns are taken over
};

struct RunReport {
  Outcome outcome;
  nlohmann::ordered_json summary;  // what --json prints
  Result result;
};

// throws OptionError for options the scheme does not take, SnapshotError for a checkpoint of something else
RunReport run_model(Model&, const RunHooks& = {});

// the model of a result as it was run, and the overrides it was run with; file: where its tables are
Model read_model_of(const Result&, const std::string& file);

std::string to_string(Outcome::Status);

}  // namespace escapement
