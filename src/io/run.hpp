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
  std::function<void(const Result&)> on_progress;  // now and then: after saved samples and every few thousand steps
};

struct RunReport {
  Outcome outcome;
  nlohmann::ordered_json summary;  // CONTRACT: the JSON summary
  Result result;
};

// throws OptionError for options the scheme does not take
RunReport run_model(Model&, const RunHooks& = {});

std::string to_string(Outcome::Status);

}  // namespace escapement
