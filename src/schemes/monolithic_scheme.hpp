// What schemes that solve motion and contacts in one semismooth Newton iteration share besides their papers: the iteration and its
// sets, the guess of a motion that goes on, errors of steps, and what they tell the loop.
#pragma once

#include "math/rows.hpp"
#include "schemes/friction_rows.hpp"
#include "schemes/motion_guess.hpp"
#include "schemes/registry.hpp"
#include "schemes/semismooth_newton.hpp"
#include "schemes/step_errors.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

class MonolithicScheme : public Scheme {
 public:
  void interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const final { interpolate_time_stepping(sys, s, s1, theta, out); }
  std::span<const ContactImpact> impacts() const final { return impacts_; }
  void estimate_errors(bool on) final { errors_.want(on); }
  void set_tolerance(double tolerance, bool per_unit_step) final { errors_.set_tolerance(tolerance, per_unit_step); }

 protected:
  using Step = ContactErrors::Step;
  using Contacts = SemismoothNewton::Contacts;

  explicit MonolithicScheme(const Options& options) : newton_(options) {}

  // what a state remembers: the scheme's own vectors, then those of the guess, the matrix and the errors; numbers for each contact:
  // closed in the last step first, then one of the errors, own ones, and the size of the step last
  void start_memory(const System& sys, State& s, int unknowns, int numbers) {
    impacts_.clear();
    impacts_.reserve(sys.dim().unilateral);
    guess_.start(s, unknowns);
    newton_.start_memory(s);
    s.memory.numbers.assign(numbers, 0);
    errors_.start_memory(sys, s);
  }
  void remember(const Step& step, bool goes_on) {
    guess_.finish(step.s, step.h, goes_on, step.s1);
    newton_.finish(step);
    step.s1.memory.numbers.back() = step.h;
  }

  // contacts behind which a step without them has ended are those that may act. True: there are some
  bool take_sunk(const Vec& gaps) {
    bool any = false;
    for (int j = sets_.joints; j < sets_.rows; ++j) any |= sets_.T[j] = gaps[j] <= 0;
    return any;
  }

  // fixed steps go on with the mean of rows that contradict each other: who judges the run sees the gaps
  bool takes_mean(StepReport& report) const {
    if (errors_.wanted() || report.status != Status::contradicting_rows) return false;
    report.status = Status::ok;
    return true;
  }

  // takes the solution of the linear system off the unknowns and finds its size
  class Correction {
   public:
    Correction(const Vec& x, ContactSets& sets) : x_(x), sizes_(sets.sizes) {}
    double take_vector(Vec& unknown, int first) {  // returns the largest entry so far
      for (int i = 0, n = static_cast<int>(unknown.size()); i < n; ++i) {
        unknown[i] -= x_[first + i];
        size_ = larger(size_, sizes_.size_of_velocity(i, x_[first + i]));
      }
      return size_;
    }
    void take(Vec& multiplier, int row, int at) {
      if (at < 0) return;
      multiplier[row] -= x_[at];
      size_ = larger(size_, sizes_.size_of_impulse(row, x_[at]));
    }
    double size() const { return size_; }

   private:
    const Vec& x_;
    MonolithicContacts& sizes_;
    double size_ = 0;
  };

  void add_work_of_friction(const Terms& before, const Vec& v, const Terms& after, const Vec& v1, StepReport& report) const {
    for (int i = 0; i < sets_.slips; ++i)
      report.contact_work += 0.5 * sets_.Lam[sets_.rows + i] * (before.T.row_dot(i, v) + after.T.row_dot(i, v1));
  }

  SemismoothNewton newton_;
  ContactSets& sets_ = newton_.sets;
  MonolithicSystem& J_ = newton_.J;
  StepErrors errors_;
  MotionGuess guess_;
  std::vector<ContactImpact> impacts_;
};

}  // namespace escapement
