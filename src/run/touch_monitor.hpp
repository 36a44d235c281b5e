// The observer of contacts that are found anew in each step: how deep they sink in, beside the size of their bodies.
#pragma once

#include "simulate/judgement.hpp"
#include "system/contact_memory.hpp"

namespace escapement::inline run {

class TouchMonitor : public Observer {
 public:
  void step(const StepRecord&) override;
  void exchange(Snapshot& s) override;

  double deepest() const { return deepest_; }  // at step ends, a length
  void judge(Judgement&) const;                // what is too deep is a finding
  double step_energy() const { return step_energy_; }  // the largest

 private:
  ContactMemory memory_;
  double deepest_ = 0, step_energy_ = 0;
  Worst sunk_;  // over the size of the smaller body
};

}  // namespace escapement
