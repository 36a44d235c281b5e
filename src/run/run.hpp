// One simulation of one model, with everything measured and recorded: what every command that simulates shares.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "run/model.hpp"
#include "run/result.hpp"
#include "run/summary.hpp"
#include "simulate/simulation.hpp"

namespace escapement::inline run {

struct RunHooks {
  const std::atomic<bool>* interrupt = nullptr;
  std::vector<Observer*> observers;                // told after the run's own
  // asked between steps, with the time reached: is the result wanted now? Then it is given, with a checkpoint; who takes it
  // may drop samples from it that are kept elsewhere
  std::function<bool(double t, const Result&)> wants_result;
  std::function<void(Result&)> take_result;
  Result* resume = nullptr;  // goes on from its checkpoint; its tables are taken over
  Scheme* scheme = nullptr;  // in place of one from the registry
};

struct RunReport {
  Outcome outcome;
  Summary summary;
  Result result;
};

// A run step by step. Model, hooks' scheme and observers must outlive it
class Run {
 public:
  // throws OptionError for options the scheme does not take, SnapshotError for a checkpoint of something else
  explicit Run(Model&, const RunHooks& = {});
  ~Run();

  bool step();               // false: the run is over
  const State& state() const;
  double step_size() const;  // of the last one; 0: none was made
  // what has been recorded so far; the tables grow with every sample
  const Result& result() const;
  Result& result();
  // one more output, which is read at every sample; of samples so far it had this value, unless the result that is gone on
  // with has its column
  void record(std::string name, std::shared_ptr<const double>);
  // between steps: this changes live parameters of the model. False: the run cannot go on
  bool change(const std::function<void()>&);
  Result take_checkpoint();  // and give the result away: a run with RunHooks::resume can go on with it
  RunReport finish();        // as far as it has come; once
  RunReport fail(std::string message);  // the same of a run that something outside it ended

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// throws OptionError for options the scheme does not take, SnapshotError for a checkpoint of something else
RunReport run_model(Model&, const RunHooks& = {});

}  // namespace escapement
