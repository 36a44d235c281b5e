// Guards against runs that would hardly end: forces that jump back and forth around a state keep adaptive steps tiny
// for ever. Who gives min_step decides for himself.
#pragma once

#include <string>

#include "simulate/outcome.hpp"
#include "simulate/settings.hpp"
#include "simulate/snapshot.hpp"
#include "system/system.hpp"

namespace escapement {

class ProgressGuard {
 public:
  explicit ProgressGuard(const Settings& settings)
      : off_(settings.error_bound() == 0 || settings.options.contains("min_step")), run_(settings.duration()) {}

  void start(double t);
  bool holds(double t, const Outcome& so_far);  // after every step
  // after holds() has said no
  std::string message(const System&, const State& s) const;
  const char* advice() const;
  void exchange(Snapshot& s) { s(from_, rejected_); }

 private:
  bool off_;
  double run_;
  double from_ = 0;    // where the last long row of steps began
  long rejected_ = 0;  // and how many had been rejected by then
  double far_ = 0;     // how far the last one came
};

}  // namespace escapement
