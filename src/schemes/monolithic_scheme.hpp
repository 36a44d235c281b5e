// What the monolithic schemes share: rows of joints and contacts, the sets they are in, their places among the unknowns
// of one semismooth Newton iteration, its linear system and its end, and what a finished step reports of its contacts.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "schemes/monolithic_contacts.hpp"
#include "schemes/monolithic_system.hpp"
#include "schemes/newton.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement {

class MonolithicScheme : public Scheme {
 public:
  void interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const override {
    interpolate_time_stepping(sys, s, s1, theta, out);
  }
  std::span<const ContactImpact> impacts() const override { return impacts_; }
  void estimate_errors(bool on) override { estimates_ = on; }
  void set_tolerance(double tolerance, bool per_unit_step) override { errors_.set_tolerance(tolerance, per_unit_step); }
  bool estimates() const { return estimates_; }

 protected:
  explicit MonolithicScheme(const Options&);

  // sizes everything below, for unknowns of this shape; terms and tangent prepared
  void start_rows(const System&, const MonolithicSystem::Shape&, const Terms&, const Tangent&);
  void start_accelerations(const System& sys, State& s) {
    response_.resize(sys);
    closed_.reserve(laws_.size());
    change_.setZero(v_);
    dv_by_turn_.setZero(v_);
    for (Vec* rows : {&unmoved_, &pull_}) rows->setZero(bilateral_);
    const int rows = rows_ - bilateral_ + slips_;
    problem_.reserve(contact_room(rows));
    solver_->reserve(contact_room(rows));
    escapement::start_accelerations(sys, s, response_);
  }
  // gap rates at the start of the step, effective masses from M, and rows without direction; T has jacobian (and slip)
  // there
  void prepare_rows(const Matrix& M, const Terms& T, const Vec& v);
  Need rows_needed() const { return slips_ > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian; }

  double restitution(int row) const { return row < bilateral_ ? 0 : laws_[row - bilateral_].restitution; }
  // puts row j into the sets or takes it out; multipliers outside are zero. True: this changes something
  bool put(int row, bool in_A, bool in_B, Vec& position_multiplier);
  // a contact with friction, or a brake: its law, its slip rows, its normal row of G (-1: a brake)
  struct Rub {
    int law, first, count, normal;
  };
  // whether it sticks or slides, given the normal impulse. True: it changed
  bool choose_friction(std::size_t rub, double normal_impulse);
  // the normal impulse, or what a brake follows
  double pressing(const Rub& rub, const Vec& impulses) const { return laws_[rub.law].pressing(impulses, rub.normal); }
  double friction_limit(const Rub& rub, double normal_impulse) const { return laws_[rub.law].friction * normal_impulse + h_ * laws_[rub.law].brake; }
  void place_friction();  // among the unknowns
  // friction that cannot move its contact, because a joint leaves that one way only, which the impact law takes, flips
  // between sticking and sliding for ever; a second iteration goes by the direction of the slip alone
  bool by_slip_ = false;
  // sets that many contacts change at once may come back for ever; a last iteration lets one row at a time change, the first
  // that wants to, which ends for frictionless contacts (Murty's least index)
  bool one_at_a_time_ = false;
  void begin_sets() { one_changed_ = false; }  // before the rows of an iteration are put into sets
  // Friction that jams (Painleve) has no sets that an iteration finds by itself. The contact problem of the step decides
  // those of T: v_free, and the terms there, of a step without contacts. False: no solution, the report names the contacts
  bool decide(const Matrix& M, const Terms& start, const Vec& v, const Terms& free, const Vec& v_free, StepReport&);
  bool decided_ = false;                  // the iteration goes by these
  std::vector<char> decided_B_, jammed_;  // per row of G; jammed: took an impulse that its approach does not ask for

  double& J(int i, int j) { return system_(i, j); }
  // no slip, or friction at its limit: Lam_T = -+ mu times the normal impulse, which several unknowns may make up
  void assemble_friction(std::size_t rub, double normal_impulse, std::initializer_list<int> normal_unknowns);
  virtual double slip_row(int slip) const = 0;                                // velocity
  virtual void add_slip_row(int slip, int equation, double factor) = 0;  // its derivative, to an equation

  // Newton's iteration: begun, then after each solution of the linear system asked whether it goes on. It counts itself in
  // the report; one that failed says there why, and at which rows
  enum class Newton { goes_on, converged, failed };
  void begin_iteration(int most) {
    end_ = End(tolerance_, contacts_.tolerance(), v_ + rows_);
    iterations_left_ = most;
    sets_seen_.clear();
  }
  Newton judge(bool solved, bool sets_changed, StepReport&);
  // takes the solution of the linear system off the unknowns; sizes scaled
  struct Increment {
    double size, of_motion;
  };
  virtual Increment update() = 0;
  virtual double law_row(int row) const = 0;  // velocity after the impact plus e times before
  static constexpr int most_iterations = 40;
  int most_iterations_now() const { return one_at_a_time_ ? most_iterations + 2 * (rows_ - bilateral_ + slips_) : most_iterations; }
  static constexpr int few_iterations = 15;  // after which friction is taken to flip

  // are the gaps where the iteration ended zero in A and not negative elsewhere? Rows that cannot hold together are left at
  // a mean by the linear systems
  bool consistent(const Vec& gaps, double h, StepReport&);

  // A step much too large may find another root, with a body turned over or round on the contacts that hold it. Does it
  // follow the surfaces of the contacts that act at its end? Asked where the step was chosen by its error. dx: from q_n
  // to q_{n+1}; terms with gap and jacobian there
  bool follows_surfaces(const System&, const Terms& start, const Terms& end, const Vec& dx, double h, StepReport&);

  // what errors are found with: masses and rows that the step was taken with, the last step's size, and see ContactErrors
  struct Taken {
    const Matrix& M;
    const Terms& rows;
    double distance, last, hidden;
  };
  void estimate(const ContactErrors::Step&, const Taken&, bool hit);
  // impulses that act along the rows at the end of a step miss half of what these turn in it; terms with jacobian (and
  // slip), at the end with mass
  void estimate_turn(const ContactErrors::Step&, const Terms& start, const Terms& end);
  // forces at the step's ends over those that the step was taken with
  virtual void vary_forces(const ContactErrors::Step&) = 0;
  ContactErrors errors_;

  double tolerance_, kappa_;
  std::vector<ContactLaw> laws_;
  int v_ = 0, bilateral_ = 0, rows_ = 0, slips_ = 0;
  std::vector<Rub> rubs_;
  bool brakes_ = false;
  double h_ = 0;  // of the present step
  MonolithicContacts contacts_;

  Vec gdn_;                                       // rates of all rows at the start
  Vec Lam_;                                       // impulses: rows, then slips
  std::vector<char> off_, positional_;            // rows without direction are no rows; rows that have a position level
  std::vector<char> T_, A_, B_;                   // per row of G: trial set, position set, velocity set
  std::vector<FrictionMode> friction_, decided_friction_;  // per rub
  std::vector<int> a_index_, b_index_, t_index_;  // place of each active row among the unknowns
  MonolithicSystem system_;
  Vec& R_ = system_.right_side();  // then the increment with its sign turned
  std::vector<ContactImpact> impacts_;

 private:
  // the iteration ends with a tiny increment, with one whose successor is foretold to be nothing, or in rounding
  class End {
   public:
    // asked: the tolerance without the floor that rounding sets
    End(double asked, double tolerance, int unknowns) : asked_(asked), tolerance_(tolerance), growth_(growth_of_rounding(unknowns)) {}
    bool reached(const Increment&, bool sets_changed, const MonolithicSystem&);

   private:
    double asked_, tolerance_, growth_, largest_ = 0;
    Increment last_{0, 0};
    int small_ = 0, iterations_ = 0;
  };
  bool sets_come_back();  // for the third time in this iteration
  void note_residuals(StepReport&) const;
  bool may_change();  // in this iteration: asked for a row whose sets would
  FrictionMode friction_mode(const Rub&, double limit);
  void assemble_disc(const Rub&, double normal_impulse, std::initializer_list<int> normal_unknowns);

  bool one_changed_ = false;
  End end_{0, 0, 0};
  int iterations_left_ = 0;
  std::vector<std::size_t> sets_seen_;  // those that an iteration has changed to, as hashes
  ContactResponse response_;
  std::unique_ptr<ContactSolver> solver_ = make_contact_solver();
  ImpactProblem problem_;  // of the closed contacts of a step, to look for slip it misses
  std::vector<int> closed_;
  Vec change_;  // of the impulses within the step
  Vec dv_by_turn_, unmoved_, pull_;
  bool estimates_ = true;
};

}  // namespace escapement
