// A system with contacts, seen with its contacts and brakes in fixed modes: open, closed (sticking or frictionless) or sliding.
// Closed rows are bilateral, so that a DAE scheme stays a pure DAE scheme. Rows keep their order (bilateral, unilateral, slip);
// rows that are off are zero, and their multipliers are 0.
//
// Friction of a sliding contact rides on its normal force: it turns the direction in which that acts. Friction of a sliding
// brake is a force. Both oppose the slip: in the plane its sign is fixed, so that a step can pass the place where the slip
// vanishes; in space the direction follows the slip, with the sign that it has against the direction at the step's start.
#pragma once

#include <array>
#include <vector>

#include "system/forwarding_system.hpp"

namespace escapement {

enum class ContactMode : unsigned char { open, closed, slide };  // closed: sticks where it has friction

class ActiveView : public ForwardingSystem {
 public:
  explicit ActiveView(const System& base);

  using Direction = std::array<double, 2>;  // of a slip, a unit vector; in the plane +1 or -1 and 0

  void set(int contact, ContactMode mode) {
    contacts_[contact].mode = mode;
    contacts_[contact].held = false;
  }
  void slide(int contact, const Direction& along) {
    set(contact, ContactMode::slide);
    contacts_[contact].along = along;
  }
  ContactMode mode(int contact) const { return contacts_[contact].mode; }
  const Direction& along(int contact) const { return contacts_[contact].along; }
  // where a step begins: sliding in space, the direction is that of this slip, unless it is too slow to have one
  void begin_step(int contact, const double* slip, double too_slow);
  // a closed contact that joints and closed gaps leave no way to slip: its slip rows would only repeat theirs, and go off
  void hold(int contact, bool held) { contacts_[contact].held = held; }
  bool held(int contact) const { return contacts_[contact].held; }
  int closed_contacts() const;  // brakes do not count
  // the friction force of a sliding contact follows from its normal force and its slip in s: write it into its multipliers
  void complete_multipliers(State& s) const { complete_multipliers(s, s.lambda); }
  void complete_multipliers(const State& s, Vec& lambda) const;

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
  struct Contact {
    ContactMode mode = ContactMode::open;
    bool held = false;
    Direction along{1, 0};
    double too_slow = 0;
  };
  bool row_on(int row) const;  // row of the view: bilateral, closed contact's normal, or sticking contact's slip
  const ContactLaw& law(int contact) const { return base_.contacts()[contact]; }
  bool slides(int contact) const { return contacts_[contact].mode == ContactMode::slide && law(contact).rubs(); }
  bool any_slides(bool in_space) const;
  // of a sliding contact, at velocities v with slip rows evaluated; speed: of the slip, 0 where it has no direction of its own
  Direction direction(int contact, const Terms&, const Vec& v, double& speed) const;
  void add_friction(int contact, const State&, Terms&) const;  // of a sliding contact, to its row of G_force
  void direct_friction(const State&, Terms&) const;            // the same anew, where slips have turned since
  void write_friction(const Terms& with_slips, const Vec& v, Vec& lambda) const;
  void add_turning(const State&, const Vec& mu, Parts, Tangent&) const;

  Dim dim_;
  std::vector<Contact> contacts_;  // contacts, then brakes
  std::vector<int> slip_owner_;    // contact of each slip row
  // the base's own terms; the view belongs to one run, so these need not be shared between threads
  mutable Terms base_terms_;
  mutable Tangent base_tangent_;
  mutable Vec mu_, scale_;
};

}  // namespace escapement
