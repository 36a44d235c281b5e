// What a simulation tells while it runs; the library itself prints and stores nothing.
#pragma once

#include <string>

#include "schemes/scheme.hpp"
#include "simulate/snapshot.hpp"

namespace escapement::inline simulate {

struct StepRecord {
  const State& before;
  const State& after;  // meaningful only when accepted
  double h;
  const StepReport& report;
  bool accepted;
  const Scheme& scheme;  // that made it
};

struct Event {
  enum class Kind { impact, close, open, stick, slide, zeno, feature, scheme };
  double t = 0;
  int contact = -1;  // -1: none (a change of scheme)
  Kind kind = Kind::impact;
  double velocity_before = 0, velocity_after = 0, impulse = 0;
  bool first_of_instant = true;  // several contacts of one impact count once
  double energy_change = 0;      // of kinetic energy, carried by the first entry of an instant
  bool energy_gain = false;      // the impact law gained energy, seen from the contacts' moving partners; likewise
  std::string note;              // for changes of scheme: which and why
};

const char* name_of(Event::Kind);

struct Objection {
  const char* why = nullptr;  // nullptr: none
  const char* advice = "";
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(const State&) {}
  virtual void step(const StepRecord&) {}   // every attempt, accepted or not
  virtual void sample(const State&) {}      // a state to be saved; two of equal time around a located impact
  virtual void event(const Event&) {}
  // asked after every accepted step: what makes the run's results worthless from here on, with the rows behind it
  virtual Objection objection(StepReport&) const { return {}; }
  virtual void exchange(Snapshot&) {}       // what it has gathered, for checkpoints
};

}  // namespace escapement
