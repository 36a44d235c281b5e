// Rows of joints and contacts in a semismooth Newton iteration: which of them hold at position level (A), which at velocity
// level (B), and whether friction sticks or slides. The one complementarity function decides, unless an iteration that fails
// asks for another rule.
#pragma once

#include <vector>

#include "schemes/monolithic_contacts.hpp"
#include "schemes/monolithic_system.hpp"

namespace escapement::inline schemes {

struct ContactSets {
  // how sets are chosen, one rung after the other where an iteration fails
  enum class Rule {
    complementarity,
    by_slip,        // friction that cannot move its contact, because a joint leaves that one way only, which the impact law
                    // takes, flips between sticking and sliding for ever: the direction of the slip alone decides
    one_at_a_time,  // sets that many contacts change at once may come back for ever: the first row that wants to changes,
                    // which ends for frictionless contacts (Murty's least index)
    decided,        // by the contact problem of the step (ContactDecision)
  };
  // a contact with friction, or a brake: its law, its slip rows, its normal row of G (-1: a brake)
  struct Rub {
    int law, first, count, normal;
  };

  void start(const System&, double kappa, const Terms&);  // terms prepared
  // rates at the step's start, effective masses from M, and rows without direction; T has jacobian (and slip) there
  void look_at_start(const Matrix& M, const Terms& T, const Vec& v_n);
  void begin_step();
  void begin_iteration() { one_changed_ = false; }  // before rows are put into sets

  int contacts() const { return rows - joints; }
  bool is_joint(int j) const { return j < joints && !off[j]; }
  bool is_contact(int j) const { return j >= joints && !off[j]; }
  double restitution(int j) const { return j < joints ? 0 : laws[j - joints].restitution; }
  double friction_limit(const Rub& rub, double normal_impulse) const { return laws[rub.law].friction * normal_impulse + h * laws[rub.law].brake; }
  Need rows_needed() const { return slips > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian; }

  double normal_impulse(std::size_t rub) const { return laws[rubs[rub].law].pressing(Lam, rubs[rub].normal); }  // or what a brake follows

  // the rows of G that press this friction, and the derivatives of what presses by the impulses on them
  template <class Visit>
  void for_each_pressing_row(const Rub& rub, const Vec& on_rows, Visit&& visit) const {
    if (rub.normal >= 0) visit(rub.normal, 1.0);
    const ContactLaw& of = laws[rub.law];
    if (const double pressing = of.follows() ? of.pressing(on_rows, rub.normal) : 0; pressing > 0)
      for (int j = of.joint_row; j < of.joint_row + of.joint_rows; ++j) visit(j, on_rows[j] / pressing);
  }

  // does contact j take part at velocity level, by its impact law?
  bool strikes(int j) { return rule == Rule::decided ? decided_B[j] : sizes.pulls(j, Lam[j], law[j]); }
  // puts row j into the sets or takes it out; multipliers outside are zero. True: this changes something
  bool put(int j, bool in_A, bool in_B, Vec& position_multiplier) {
    const bool changed = A[j] != in_A || B[j] != in_B;
    if (changed && (j < joints || may_change())) {
      A[j] = in_A;
      B[j] = in_B;
    }
    if (!B[j]) Lam[j] = 0;
    if (!A[j]) position_multiplier[j] = 0;
    return changed;
  }
  // whether a contact sticks or slides, given its normal impulse. True: it changed
  bool choose_friction(std::size_t rub, double normal_impulse);
  void place_friction(MonolithicSystem&) const;  // among the unknowns
  bool any() const;                              // row in a set
  void empty();
  std::size_t hash() const;                      // of the sets

  // are the gaps where an iteration ended zero in A and not negative elsewhere? Rows that cannot hold together are left at a
  // mean by the linear systems
  bool consistent(const Vec& gaps, StepReport&);
  // of the contacts that may act, else of the motion
  void note_residuals(const Vec& R, StepReport&) const;

  Rule rule = Rule::complementarity;
  int v = 0, joints = 0, rows = 0, slips = 0;
  double h = 0;  // of the present step
  std::vector<ContactLaw> laws;
  std::vector<Rub> rubs;
  bool brakes = false;
  MonolithicContacts sizes;

  Vec gdn;                             // rates of all rows at the step's start
  Vec law, slip;                       // of the iterate: velocity after the impact plus e times before, by row; slip velocities
  Vec Lam;                             // impulses: rows, then slips
  std::vector<char> off, positional;   // rows without direction are no rows; rows that have a position level
  std::vector<char> T, A, B;           // per row of G: trial set, position set, velocity set
  std::vector<FrictionMode> friction;  // per rub
  std::vector<char> decided_B, jammed; // per row of G; jammed: took an impulse that its approach does not ask for
  std::vector<FrictionMode> decided_friction;

 private:
  // in this iteration: asked for a row whose sets would
  bool may_change() {
    const bool first = !one_changed_;
    one_changed_ = rule == Rule::one_at_a_time;
    return first;
  }
  FrictionMode friction_mode(const Rub&, double limit);

  bool one_changed_ = false;
};

}  // namespace escapement
