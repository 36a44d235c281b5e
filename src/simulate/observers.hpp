// Everybody who is told what a run does, in the order in which they came, and of what: who has nothing to do at a step is not called.
#pragma once

#include <type_traits>
#include <vector>

#include "simulate/observer.hpp"

namespace escapement::inline simulate {

class Observers {
 public:
  // told of what its type overrides; one that is known as an Observer alone, of everything
  template <class O>
  void add(O& o) {
    const auto tell = [&o]<class Of, class All>(std::vector<Observer*>& those, Of, All) {
      if (std::is_same_v<O, Observer> || !std::is_same_v<Of, All>) those.push_back(&o);
    };
    all_.push_back(&o);
    tell(of_begin_, &O::begin, &Observer::begin);
    tell(of_steps_, &O::step, &Observer::step);
    tell(of_samples_, &O::sample, &Observer::sample);
    tell(of_events_, &O::event, &Observer::event);
    tell(objecting_, &O::objection, &Observer::objection);
  }

  void begin(const State& s) {
    for (Observer* o : of_begin_) o->begin(s);
  }
  void step(const StepRecord& record) {
    for (Observer* o : of_steps_) o->step(record);
  }
  void sample(const State& s) {
    for (Observer* o : of_samples_) o->sample(s);
  }
  void event(const Event& event) {
    for (Observer* o : of_events_) o->event(event);
  }
  Objection objection(StepReport& report) const {  // the first
    for (const Observer* o : objecting_)
      if (const Objection objection = o->objection(report); objection.why) return objection;
    return {};
  }
  void exchange(Snapshot& s) {
    for (Observer* o : all_) o->exchange(s);
  }

 private:
  std::vector<Observer*> all_, of_begin_, of_steps_, of_samples_, of_events_, objecting_;
};

}  // namespace escapement
