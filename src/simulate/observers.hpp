// Everybody who is told what a run does, in the order in which they came.
#pragma once

#include <vector>

#include "simulate/observer.hpp"

namespace escapement::inline simulate {

class Observers {
 public:
  void add(Observer& observer) { all_.push_back(&observer); }

  void begin(const State& s) {
    for (Observer* o : all_) o->begin(s);
  }
  void step(const StepRecord& record) {
    for (Observer* o : all_) o->step(record);
  }
  void sample(const State& s) {
    for (Observer* o : all_) o->sample(s);
  }
  void event(const Event& event) {
    for (Observer* o : all_) o->event(event);
  }
  Objection objection(StepReport& report) const {  // the first
    for (const Observer* o : all_)
      if (const Objection objection = o->objection(report); objection.why) return objection;
    return {};
  }
  void exchange(Snapshot& s) {
    for (Observer* o : all_) o->exchange(s);
  }

 private:
  std::vector<Observer*> all_;
};

}  // namespace escapement
