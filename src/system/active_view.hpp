// A system with contacts, seen with its contacts and brakes in fixed modes: open, closed (sticking or frictionless) or sliding.
// Closed rows are bilateral, so that a DAE scheme stays a pure DAE scheme. The view has the rows of the joints, then those of
// closed contacts, then the slips of those that stick, each in the order of the system. Open contacts have no row here and are not
// evaluated, so that they cost nothing between the instants in which somebody looks for the next one to close.
//
// Friction of a sliding contact rides on its normal force: it turns the direction in which that acts; so does that of a sliding
// brake that follows a joint, on the joint's forces. Friction of another sliding brake is a force. All oppose the slip: in the plane its sign is fixed, so that a step can pass the place where the slip
// vanishes; in space the direction follows the slip, with the sign that it has against the direction at the step's start.
#pragma once

#include <array>
#include <vector>

#include "system/forwarding_system.hpp"
#include "system/friction_sharing.hpp"
#include "system/joint_pull.hpp"

namespace escapement::inline system {

enum class ContactMode : unsigned char { open, closed, slide };  // closed: sticks where it has friction

class ActiveView : public ForwardingSystem {
 public:
  explicit ActiveView(const System& base);
  ActiveView(const ActiveView&) = delete;

  const System& base() const { return base_; }

  using Direction = std::array<double, 2>;  // of a slip, a unit vector; in the plane +1 or -1 and 0

  void set(int contact, ContactMode mode) {
    known_ = known_ && contacts_[contact].mode == mode && !contacts_[contact].held && !contacts_[contact].guided;
    contacts_[contact].mode = mode;
    contacts_[contact].held = contacts_[contact].guided = false;
  }
  void slide(int contact, const Direction& along) {
    set(contact, ContactMode::slide);
    contacts_[contact].along = along;
  }
  ContactMode mode(int contact) const { return contacts_[contact].mode; }
  const Direction& along(int contact) const { return contacts_[contact].along; }
  // where a step begins: sliding in space, the direction is that of this slip, unless it is too slow to have one
  void begin_step(int contact, const double* slip, double too_slow);
  double too_slow(int contact) const { return contacts_[contact].too_slow; }
  // a closed contact that joints and closed gaps leave no way to slip: its slip rows would only repeat theirs, and go off
  void hold(int contact, bool held) {
    known_ = known_ && contacts_[contact].held == held && !contacts_[contact].guided;
    contacts_[contact].held = held;
    contacts_[contact].guided = false;
  }
  bool held(int contact) const { return contacts_[contact].held; }
  // in space, one that they leave a single way: it has a slip row along this direction, and none across
  void guide(int contact, const Direction& way) {
    hold(contact, false);
    known_ = false;
    contacts_[contact].guided = true;
    contacts_[contact].way = way;
  }
  bool guided(int contact) const { return contacts_[contact].guided; }
  const Direction& way(int contact) const { return contacts_[contact].way; }
  void take_modes(const ActiveView& other);  // of the same contacts
  int closed_contacts() const { return static_cast<int>(rows().closed.size()); }  // brakes do not count

  // multipliers of the system from those of the rows here, the others 0; and back
  void scatter(const Vec& of_rows, Vec& of_system) const;
  void gather(const Vec& of_system, Vec& of_rows) const;
  void replace(const Vec& of_rows, Vec& of_system) const;  // as scatter, but those without a row stay
  int multiplier(int row) const;  // the system's, of a row here: of a slip along both its rows the first one
  const ContactSet& closed() const { return rows().closed; }      // contacts with a row here, in its order
  const ContactSet& not_open() const { return rows().evaluated; }  // and brakes
  // the friction force of a sliding contact follows from its normal force and its slip in s: write it into its multipliers.
  // These are the system's
  void complete_multipliers(State& s) const { complete_multipliers(s, s.lambda); }
  void complete_multipliers(const State& s, Vec& lambda) const;

  const Dim& dim() const override { return rows().dim; }
  unsigned version() const override { return rows().version; }
  void prepare(Terms&) const override;
  void prepare(Tangent&) const override;
  void evaluate(const State&, Need, Terms&) const override;
  void tangent(const State&, const Vec& w, const Vec& mu, Parts, Tangent&) const override;
  int joint_rows() const override { return base_.dim().bilateral; }
  std::span<const ContactLaw> contacts() const override { return {}; }
  Level level(int row) const override { return row < position_rows() ? base_.level(multiplier(row)) : Level::velocity; }
  Energy energy(const State&, Terms&) const override;
  using System::position_terms;
  void position_terms(const State&, const ContactSet*, Vec& largest) const override;
  void row_scale(const State&, const ContactSet*, Vec& one) const override;
  int derivatives(const State&, int count, Mat& d) const override;

 private:
  struct Contact {
    ContactMode mode = ContactMode::open;
    bool held = false, guided = false;
    Direction along{1, 0}, way{1, 0};
    double too_slow = 0;
  };
  // which rows there are, as the modes say
  struct Rows {
    Dim dim;
    unsigned version = 0;
    ContactSet closed;       // contacts with a row
    std::vector<ActiveSlip> slips;
    ContactSet evaluated;    // contacts and brakes that are not open
    bool rub = false;        // slips of some of these matter
  };
  const Rows& rows() const {
    if (!known_) find_rows();
    return rows_;
  }
  void find_rows() const;
  int position_rows() const { return base_.dim().bilateral + static_cast<int>(rows().closed.size()); }
  int row_of(int contact) const;  // of a closed one
  const ContactLaw& law(int contact) const { return base_.contacts()[contact]; }
  bool slides(int contact) const { return contacts_[contact].mode == ContactMode::slide && law(contact).rubs(); }
  bool any_slides(bool in_space) const;
  // of a sliding contact, at velocities v with slip rows evaluated; speed: of the slip, 0 where it has no direction of its own
  Direction direction(int contact, const Terms&, const Vec& v, double& speed) const;
  void add_friction(int contact, const State&, Terms&) const;  // of a sliding contact, to its row of G_force
  void direct_friction(const State&, Terms&) const;            // the same anew, where slips have turned since
  void write_friction(const Terms& with_slips, const Vec& v, Vec& lambda) const;
  void add_turning(const State&, const Vec& mu, Parts, Tangent&) const;
  bool brakes_slide() const;
  bool follower_slides() const;  // a brake that follows a joint
  void find_pulls(const State&) const;
  void follow_joints(Terms&) const;  // to the joints' rows of G_force
  void take_jacobian(Matrix& G) const;
  void take_positions(const Vec& of_system, Vec& of_rows) const;

  std::vector<Contact> contacts_;  // contacts, then brakes
  std::vector<int> slip_owner_;    // contact of each slip row
  mutable bool known_ = false;     // rows_
  mutable Rows rows_;
  // the base's own terms; the view belongs to one run, so these need not be shared between threads
  mutable Terms base_terms_;
  mutable Tangent base_tangent_;
  mutable Vec mu_, scale_;
  mutable JointPull pull_;
  mutable bool pulling_ = false;  // within find_pulls()
};

}  // namespace escapement
