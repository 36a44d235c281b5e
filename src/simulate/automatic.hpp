// The choice behind the scheme `auto`: half-explicit and event-driven while that pays, implicit where the motion is stiff, a
// time-stepping scheme with both levels where events cannot be located one by one. Decided by what the run measures, and said
// with the reason.
#pragma once

#include <memory>
#include <string>

#include "schemes/scheme.hpp"
#include "simulate/observer.hpp"

namespace escapement::inline simulate {

class Automatic {
 public:
  Automatic(const System&, double tolerance);

  Scheme& scheme() const { return *current_; }
  const std::string& why() const { return why_; }  // of the present choice, with the scheme's name

  void note_event(const Event&);  // impacts and changes of contact, as they come
  void exchange(Snapshot&);
  // after an accepted step: true when another scheme is to take over
  bool consider(const StepRecord&, int closed_contacts);
  // events could not be acted on: true when a scheme that has none takes over
  bool give_up_events(const std::string& why);

 private:
  bool choose(Scheme&, std::string why);
  bool stiff(const StepRecord&);

  const System& system_;
  double tolerance_;
  std::unique_ptr<Scheme> half_explicit_, implicit_, time_stepping_, stiff_time_stepping_;
  Scheme* current_ = nullptr;
  std::string why_;

  long steps_ = 0, quiet_steps_ = 0;
  long enough_ = 20;  // quiet time steps before events are located again; twice as many each time that has been too early
  bool gave_up_ = false;
  int stiff_signs_ = 0;
  bool is_stiff_ = false;
  Terms terms_;
  Tangent tangent_;
  Vec zero_v_, zero_mu_;
};

}  // namespace escapement
