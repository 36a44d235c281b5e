// The observer of the contacts: how deep they sink in, whether one pulls, friction outside its cone or along the slip, each
// beside the contact's own size. At step ends, and the gaps also at the samples between them. And whether a step of a
// time-stepping scheme has passed across a contact without noticing.
#pragma once

#include <vector>

#include "simulate/monitors.hpp"
#include "math/tolerances.hpp"
#include "simulate/worst.hpp"

namespace escapement::inline simulate {

class ContactMonitor : public Observer {
 public:
  // rows: told before this one, and made to evaluate slips; tolerance: what samples between steps may be off, scaled; rest: slips that
  // are none, scaled
  ContactMonitor(const System&, const DriftMonitor& rows, double tolerance = 0, double rest = little::rest);
  static Need need(const System& system) { return system.dim().slip > 0 ? Need::slip : Need(0); }

  void begin(const State&) override;
  void step(const StepRecord&) override;
  void sample(const State&) override;
  void exchange(Snapshot&) override;

  double deepest() const { return deepest_; }  // penetration at step ends and samples, as a length
  // all over the contact's own size
  Worst penetration() const { return worst(&Contact::sunk, &Contact::reach); }
  Worst penetration_of_samples() const { return worst(&Contact::sunk_between, &Contact::reach); }
  Worst pull() const { return worst_force(&Contact::pull, &Contact::force); }
  Worst outside_cone() const { return worst_force(&Contact::outside, &Contact::limit); }
  Worst passed() const { return worst(&Contact::passed, &Contact::speed); }  // approach, over the fastest gap rate
  Worst along_slip() const { return worst_force(&Contact::driving, &Contact::power); }  // friction that drives

 private:
  struct Contact {
    double lowest = 0, highest = 0;  // gap
    double allowed = 0;              // penetration at the start, and rounding
    double reach = 0;                // the range of the gap, or what the ranges of the coordinates make of it
    double force = 0, limit = 0;  // largest normal force, friction
    double slip = 0, power = 0;   // of the terms that the slip sums; with the largest friction
    double gap = 0, rate = 0, speed = 0;  // at the last step's end; mean rate over that step; the largest one
    Worst sunk, sunk_between, pull, outside, driving, passed;
  };

  void note_gap(Contact&, int contact, double gap, const State&, double allowed, Worst Contact::* depth);
  void note_depth(Worst&, int contact, double depth, const State&, double from_start, double allowed);
  void look_at_friction(const State&);
  void look_for_passage(const StepRecord&, int contact);
  void note_range(const State&);
  Worst worst(Worst Contact::* what, double Contact::* size) const;
  Worst worst_force(Worst Contact::* what, double Contact::* size) const;

  const System& system_;
  const DriftMonitor& rows_;
  double tolerance_, rest_;
  int first_;  // row of G
  std::vector<Contact> contacts_;  // then brakes
  std::size_t gaps_;
  bool rubs_;     // one of them
  double least_;  // that a gap's size is, where it is scaled
  double deepest_ = 0;
  double last_ = 0;  // time of the last step end
  Vec start_, moved_, lowest_, highest_;  // positions at the start; increments since then, and their ranges
  Vec looked_;                            // increments where the rows were last looked at
  Vec scale_;            // of the gaps, where the rows were last looked at
  bool scaled_ = false;  // it is known
  State between_;
  Terms at_sample_;
};

}  // namespace escapement
