// The contact problems of one instant: which impulses make an impact, which forces hold closed contacts. Bilateral rows are
// eliminated exactly: W = G M^-1 G^T on the motions they allow.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "nonsmooth/contact_response.hpp"
#include "nonsmooth/contact_solver.hpp"
#include "nonsmooth/impact.hpp"
#include "simulate/snapshot.hpp"
#include "system/active_view.hpp"

namespace escapement::inline simulate {

class ContactDynamics {
 public:
  ContactDynamics(const System&, const std::string& impact_law, const std::string& solver);

  // gaps, gap rates, slips and their sizes at s, for all contacts, or for some of them
  void kinematics(const State& s);
  void kinematics(const State& s, const ContactSet&);
  void kinematics(const State& s, int contact) {
    one_[0] = contact;
    kinematics(s, one_);
  }
  void gaps(const State& s);  // gaps alone
  double gap(int contact) const { return terms_.g[first_ + contact]; }
  const Vec& all_gaps() const { return terms_.g; }  // behind the joints' rows
  double gap_rate(int contact) const { return rate_[contact]; }
  using Slip = ActiveView::Direction;  // in the plane the second is 0
  const Slip& slip(int contact) const { return slip_[contact]; }  // 0 for frictionless contacts; also of brakes
  double slip_one(int contact) const { return row_scale(system_.scale(), terms_.T, response_.law(contact).slip); }  // what counts as one in it
  double slip_speed(int contact) const { return length(slip_[contact]); }
  bool frictional(int contact) const { return response_.law(contact).rubs(); }
  static double length(const Slip& slip) { return slip[1] == 0 ? std::abs(slip[0]) : std::hypot(slip[0], slip[1]); }
  static Slip direction(const Slip& slip) { return {slip[0] / length(slip), slip[1] / length(slip)}; }

  // What a contact's numbers have been at most so far, which says what is little there: the magnitude of the terms that its
  // gap and its gap rate sum up, the gap rate itself, the acceleration of the gap by single forces, and the force that would
  // hold it
  double gap_size(int contact) const { return sizes_[contact].gap; }
  double speed_size(int contact) const { return sizes_[contact].speed; }
  double approach_size(int contact) const { return sizes_[contact].rate; }
  double acceleration_size(int contact) const { return sizes_[contact].acceleration; }
  double force_size(int contact) const { return sizes_[contact].force; }
  void note_place(const State& s);
  // forces that cancel leave rounding of what they would do to a speed within a step of this size
  void note_step(double h);
  const Vec& free_acceleration() const { return free_size_; }  // largest so far, of each velocity
  double mass(int velocity) const { return masses_[velocity]; }  // on the diagonal, at the last respond()
  void exchange(Snapshot&);

  // masses and directions of the contacts in the set at s (after kinematics of the same position); false: singular
  bool respond(const State& s, const std::vector<int>& set);

  // after respond(): the slip along a direction that a unit impulse along the slip of another contact gives; 0 unless both are
  // frictional and the other in the set
  double slip_by_slip(int contact, const Slip& along, int other, const Slip& other_along) const;

  // an impact over the set, changes v; plastic contacts take no restitution
  struct Impact {
    bool ok = false;
    double energy_change = 0;  // of the kinetic energy
    bool energy_gain = false;  // by the law, seen from the contacts' moving partners
    std::vector<double> normal;         // impulses per entry of the set
    std::vector<double> before, after;  // gap rates
  };
  const Impact& impact(State& s, const std::vector<char>& plastic);

  // after impact(): the marked contacts of the set end it at rest, slips too where they are slower than slow, by the smallest
  // change of velocity in the kinetic metric; returns the change of energy
  double bring_to_rest(State& s, const std::vector<char>& marked, const std::vector<double>& slow);

  // forces on closed contacts (gap and gap rate zero); modes say who slides which way, others of the set stick or open
  struct Acceleration {
    bool ok = false;
    std::vector<double> normal;    // forces
    std::vector<Slip> tangential;
    std::vector<double> opening;   // second derivative of the gap
    std::vector<Slip> slip_rate;   // derivative of the slip
    std::vector<double> pressing;  // normal force times its own effect on the gap's second derivative
  };
  const Acceleration& acceleration(const State& s, const ActiveView& modes);
  const Acceleration& acceleration() const { return acceleration_; }  // the last one found
  // the deceleration that the marked contacts' forces of the last acceleration() give contact k of the set
  double pull(const std::vector<char>& marked, int k) const;

 private:
  void note_rate(const State& s, int contact);
  void note_slip(const State& s, int contact);
  double change_velocity(State& s);
  void solve_acceleration(const State& s, const ActiveView& modes);  // brakes limited by pressing_

  const System& system_;
  int first_;  // row of the first contact
  ContactResponse response_;
  std::unique_ptr<ContactSolver> solver_;
  ImpactLaw law_;
  ImpactProblem impact_problem_;
  ContactProblem problem_;  // at acceleration level
  // one of its rows: an entry of the set, the row of the response, and the friction that rides on its normal force
  struct Unknown {
    int entry, row, slips;
    Slip friction;
  };
  std::vector<Unknown> unknowns_;
  Terms terms_, energy_terms_;
  Need kinematic_;
  ContactSet one_{0};
  struct Sizes {
    double gap = 0, speed = 0, rate = 0, acceleration = 0, force = 0;
  };
  std::vector<Sizes> sizes_;
  std::vector<double> rate_;
  std::vector<Slip> slip_;
  Vec scale_, free_size_, masses_;
  Vec rows_, multiplier_, free_, P_;
  Vec pressing_;  // what the joints carry, that brakes follow
  Vec change_;  // of the velocities in an impact
  Impact impact_;
  Acceleration acceleration_;
};

}  // namespace escapement
