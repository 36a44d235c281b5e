// The choice behind the scheme `auto`: half-explicit and event-driven while that pays, implicit where the motion is stiff, a
// time-stepping scheme with both levels where events crowd. Decided by what the run measures, and said with the reason.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "schemes/scheme.hpp"
#include "simulate/observer.hpp"

namespace escapement {

class Automatic {
 public:
  Automatic(const System&, double tolerance);

  Scheme& scheme() const { return *current_; }
  const std::string& why() const { return why_; }  // of the present choice, with the scheme's name

  void note_event(const Event&);  // impacts and changes of contact, as they come
  void exchange(Snapshot&);
  // after an accepted step: true when another scheme is to take over
  bool consider(const StepRecord&, int closed_contacts);

 private:
  bool choose(Scheme&, std::string why);
  bool crowded(const StepRecord&);
  bool stiff(const State&, double h);

  static constexpr int intervals = 8;  // between events, that are remembered
  const System& system_;
  double tolerance_;
  std::unique_ptr<Scheme> half_explicit_, implicit_, time_stepping_, stiff_time_stepping_;
  Scheme* current_ = nullptr;
  std::string why_;

  std::array<double, intervals + 1> event_times_{};
  int events_ = 0;
  double jump_ = 0;        // of the last impact
  int jumping_ = 0;        // its contact
  long steps_ = 0, quiet_steps_ = 0;
  int stiff_signs_ = 0;
  bool is_stiff_ = false;
  Terms terms_;
  Tangent tangent_;
  Vec zero_v_, zero_mu_;
};

}  // namespace escapement
