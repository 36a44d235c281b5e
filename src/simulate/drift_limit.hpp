// The option max_drift, [000] Table 1: a step whose constraints have drifted further is brought back by projection,
// when the scheme projects at all, or refused.
#pragma once

#include <optional>
#include <string>

#include "schemes/index1.hpp"
#include "simulate/course.hpp"
#include "simulate/settings.hpp"

namespace escapement {

class DriftLimit {
 public:
  DriftLimit(const System&, const SchemeInfo&, const Settings&, double limit);  // limit 0: none

  void start();
  bool hold(Course&);  // false: the step's end has drifted too far, and nothing brings it back
  // after hold() has said no: the rows behind it, and what to say
  void blame(StepReport&) const;
  std::string message() const;
  const char* advice() const;

 private:
  bool allowed(const State& s);

  const System& system_;
  double limit_;
  std::optional<Index1> projection_;
  Terms terms_, on_rows_;  // of the system; of what is integrated
  unsigned version_ = 0;   // that these are for
  Vec rates_;  // of the rows
};

}  // namespace escapement
