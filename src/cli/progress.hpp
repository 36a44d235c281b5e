// The progress bar: time reached, step size, steps per second, time left; one line on standard error, a few times a second.
#pragma once

#include <chrono>
#include <string>

#include "simulate/observer.hpp"

namespace escapement::cli {

class Progress : public Observer {
 public:
  Progress(double start, double end, bool visible) : start_(start), end_(end), visible_(visible) {}
  void step(const StepRecord&) override;
  void begin_run(std::string what);  // of several: what stands before the bar
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  double start_, end_;
  bool visible_;
  std::string what_;
  long steps_ = 0;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
};

}  // namespace escapement::cli
