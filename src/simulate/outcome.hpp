// What came of a run.
#pragma once

#include <string>
#include <utility>

#include "system/state.hpp"

namespace escapement::inline simulate {

struct Outcome {
  enum class Status { completed, stopped, interrupted, failed };  // interrupted: from outside; a snapshot was offered
  Status status = Status::completed;
  std::string message;
  bool interrupted() const { return status == Status::interrupted; }
  double t = 0;
  long steps = 0, rejected_steps = 0, newton_iterations = 0, linear_solves = 0;
  double stepping_seconds = 0;  // inside the scheme alone
  State final;

  void stop(std::string why) {
    status = Status::stopped;
    message = std::move(why);
  }
  void fail(std::string why) {
    status = Status::failed;
    message = std::move(why);
  }
};

}  // namespace escapement
