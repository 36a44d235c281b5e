// A system with contacts, seen with its contacts in fixed modes: open, closed (sticking or frictionless) or sliding. Closed
// rows are bilateral, so that a DAE scheme stays a pure DAE scheme. Rows keep their order (bilateral, unilateral, slip); rows
// that are off are zero, and their multipliers are 0.
#pragma once

#include <vector>

#include "system/forwarding_system.hpp"

namespace escapement {

enum class ContactMode : unsigned char { open, closed, slide_forward, slide_backward };  // closed: sticks where it has friction

class ActiveView : public ForwardingSystem {
 public:
  explicit ActiveView(const System& base);

  void set(int contact, ContactMode mode) {
    mode_[contact] = mode;
    held_[contact] = 0;
  }
  ContactMode mode(int contact) const { return mode_[contact]; }
  // a closed contact that joints and closed gaps leave no way to slip: its slip row would only repeat theirs, and goes off
  void hold(int contact, bool held) { held_[contact] = held; }
  bool held(int contact) const { return held_[contact] != 0; }
  int closed_contacts() const;
  // the friction force of a sliding contact follows from its normal force: write it into its multiplier
  void complete_multipliers(Vec& lambda) const;

  const Dim& dim() const override { return dim_; }
  void prepare(Terms&) const override;
  void prepare(Tangent&) const override;
  void evaluate(const State&, Need, Terms&) const override;
  void tangent(const State&, const Vec& w, const Vec& mu, Parts, Tangent&) const override;
  std::span<const ContactLaw> contacts() const override { return {}; }
  Level level(int row) const override { return row < base_.dim().rows() ? base_.level(row) : Level::velocity; }
  void position_terms(const State&, Vec& largest) const override;
  void row_scale(const State&, Vec& one) const override;
  int derivatives(const State&, int count, Mat& d) const override;

 private:
  bool row_on(int row) const;      // row of the view: bilateral, closed contact's normal, or sticking contact's slip
  double friction_factor(int contact) const;  // multiplier of the slip row per normal multiplier while sliding

  Dim dim_;
  std::vector<ContactMode> mode_;     // per contact
  std::vector<char> held_;            // per contact
  std::vector<int> slip_owner_;       // contact of each slip row
  // the base's own terms; the view belongs to one run, so these need not be shared between threads
  mutable Terms base_terms_;
  mutable Tangent base_tangent_;
  mutable Vec mu_, scale_;
};

}  // namespace escapement
