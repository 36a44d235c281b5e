// Guards against runs that would hardly end: forces that jump back and forth around a state keep adaptive steps tiny
// for ever. Where they jump with a branch of an expression, the accelerations on its two sides tell it at once
// (Resolution::drives_back), or its changes do by the rule for contacts that chatter; else the steps do. Who gives min_step
// decides for himself.
#pragma once

#include <string>

#include "simulate/outcome.hpp"
#include "simulate/settings.hpp"
#include "simulate/snapshot.hpp"
#include "system/system.hpp"

namespace escapement::inline simulate {

enum class BranchNews { none, crossed, driven_back };  // what a step has met of branches of the model's expressions

class ProgressGuard {
 public:
  explicit ProgressGuard(const Settings& settings)
      : off_(settings.error_bound() == 0 || settings.options.contains("min_step")), run_(settings.duration()) {}

  void start(double t);
  bool holds(double t, const Outcome& so_far, BranchNews);  // after every step
  // after holds() has said no
  std::string message(const System&, const State& s, const std::string& branch) const;  // branch: the last one met
  const char* advice() const;
  void exchange(Snapshot& s) { s(from_, rejected_, first_change_, last_change_, changes_); }

 private:
  bool off_;
  double run_;
  double from_ = 0;    // where the last long row of steps began
  long rejected_ = 0;  // and how many had been rejected by then
  double far_ = 0;     // how far the last one came
  double first_change_ = 0, last_change_ = 0;  // of a row of changes of branches
  long changes_ = 0;
  bool jumps_ = false, driven_back_ = false;  // these are why the run ends
};

}  // namespace escapement
