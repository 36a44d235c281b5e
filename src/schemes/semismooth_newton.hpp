// Newton's method of the monolithic schemes: one iteration to its end, and what is tried where that fails. A scheme offers,
// in the order in which they are called:
//
//   guess(step)                 the unknowns at their start
//   evaluate(step, contacts)    the terms at the iterate
//   choose(step, contacts)      the sets; true: they changed. It may say in the report that none fit
//   residual(step)              the right side of the linear system
//   tangent(step)               its matrix
//   resembles()                 is the matrix of a step before still much like that of the iterate?
//   move()                      the solution is taken off the unknowns; returns its size
//   arrive(step, contacts)      the terms where the iteration has ended
//   trial()                     a step without contacts that has ended
//
// The matrix is made anew for every increment, or, where the scheme says that the motion is smooth, only where sets have changed
// or increments shrink slowly; small ones are kept over steps.
#pragma once

#include <vector>

#include "schemes/contact_decision.hpp"
#include "schemes/contact_errors.hpp"
#include "schemes/contact_sets.hpp"
#include "schemes/kept_matrix.hpp"
#include "schemes/newton.hpp"
#include "schemes/position_correction.hpp"

namespace escapement::inline schemes {

class SemismoothNewton {
 public:
  using Step = ContactErrors::Step;
  using Rule = ContactSets::Rule;
  enum class Made { now, before, before_the_step };  // the matrix of an increment
  // which may close: nobody, by the iterate, those of the trial set; which must: all of that
  enum class Contacts { none, implicit, frozen, closed };
  // of the unknowns, scaled
  struct Increment {
    double size, of_motion, of_velocity;  // of everything, of positions and velocities, of velocities
  };

  explicit SemismoothNewton(const Options& options) : tolerance_(options.number("newton_tolerance")), kappa_(options.number("kappa")) {}
  // metric: in which contact-free trials are pushed back
  void start(const System&, const MonolithicSystem::Shape&, PositionCorrection::Metric, const Terms&, const Tangent&);
  void begin_step(const Step&);
  // what the state remembers of the iteration, behind what the scheme remembers
  void start_memory(State& s) { kept_.start(s); }
  void finish(const Step& step) { kept_.finish(step.s, J, step.s1); }

  // False: the report says why, and at which rows
  template <class S>
  bool solve(S& scheme, const Step&, Contacts);
  // from a guess with the contacts of T, and those that it does not keep from closing. T only grows, so this ends. False also
  // where rows contradict each other
  template <class S>
  bool solve_contacts(S& scheme, const Step&);
  // Where contacts of T contradict each other, or sets cycle, at most those carry the load that push a contact-free trial back
  // to where no gap is negative: the others stay open. Never damping, which misses impacts
  template <class S>
  bool solve_supports(S& scheme, const Step&);

  ContactSets sets;
  MonolithicSystem J;
  bool smooth = false;  // the motion: matrices may be kept

 private:
  // the iteration ends with a tiny increment, with one whose successor is foretold to be nothing, or in rounding
  class End {
   public:
    // asked: the tolerance without the floor that rounding sets; left: what may be left of velocities
    End(double asked, const MonolithicContacts& sizes, double left, int unknowns)
        : asked_(asked), tolerance_(sizes.tolerance()), rounding_(sizes.rounding()), left_(left), growth_(growth_of_rounding(unknowns)) {}
    bool reached(const Increment&, bool sets_changed, Made, const MonolithicSystem&);
    bool shrinks_slowly() const { return slow_; }

   private:
    double asked_, tolerance_, rounding_, left_, growth_, largest_ = 0;
    Increment last_{0, 0, 0};
    int small_ = 0, iterations_ = 0;
    bool slow_ = false;
  };

  template <class S>
  bool iterate(S& scheme, const Step&, Contacts);
  template <class S>
  bool retry(S& scheme, const Step&, Contacts, Rule);
  void begin();
  bool goes_on(const Increment&, bool sets_changed, Made, StepReport&);
  bool has_matrix(const Step&);  // of steps before
  bool sets_come_back();  // for the third time in this iteration
  bool grow(const Terms& end, const Step&);

  static constexpr int most_iterations = 40;
  double tolerance_, kappa_;
  End end_{0, sets.sizes, 0, 0};
  int iterations_left_ = 0;
  std::vector<std::size_t> sets_seen_;  // those that an iteration has changed to, as hashes
  KeptMatrix kept_;
  ContactDecision decision_;
  PositionCorrection supports_;
};

std::vector<OptionInfo> monolithic_options();  // newton_tolerance, kappa

template <class S>
bool SemismoothNewton::iterate(S& scheme, const Step& step, Contacts contacts) {
  begin();
  const bool keep = smooth && !J.is_sparse();
  constexpr int most_with_old = 2;  // corrections with a matrix of a step before
  bool old = false;
  for (int k = 0;; ++k) {
    scheme.evaluate(step, contacts);
    const bool changed = scheme.choose(step, contacts);
    if (!step.report.ok()) return false;
    if (k == 0) old = keep && has_matrix(step) && scheme.resembles();
    const bool fresh = !keep || (k == 0 ? !old : changed || J.left_open() > 0 || (old ? k == most_with_old : end_.shrinks_slowly()));
    scheme.residual(step);
    if (fresh) {
      kept_.forget();
      if (old) kept_.pause();
      old = false;
      scheme.tangent(step);
      if (!J.factor()) {
        step.report.status = J.right_side().head(J.size()).allFinite() ? Status::singular_matrix : Status::not_finite;
        return false;
      }
      kept_.note_new(step.s, step.h, sets);
    }
    J.solve(sets.sizes.largest_noise());
    if (!goes_on(scheme.move(), changed, fresh ? Made::now : old ? Made::before_the_step : Made::before, step.report)) break;
  }
  if (!step.report.ok()) return false;
  scheme.arrive(step, contacts);
  return true;
}

template <class S>
bool SemismoothNewton::retry(S& scheme, const Step& step, Contacts contacts, Rule rule) {
  step.report.status = Status::ok;
  step.report.worst = {};
  sets.rule = rule;
  scheme.guess(step);
  const bool solved = iterate(scheme, step, contacts);
  sets.rule = Rule::complementarity;
  return solved;
}

// the ladder: one rung after the other until an iteration converges
template <class S>
bool SemismoothNewton::solve(S& scheme, const Step& step, Contacts contacts) {
  const auto failed = [&] { return step.report.status == Status::newton_failed; };
  if (iterate(scheme, step, contacts)) return true;
  if (contacts == Contacts::closed) return false;
  if (failed() && sets.slips > 0 && retry(scheme, step, contacts, Rule::by_slip)) return true;
  if (contacts != Contacts::frozen) return false;
  if (failed() && retry(scheme, step, contacts, Rule::one_at_a_time)) return true;
  return failed() && sets.slips > 0 && retry(scheme, step, Contacts::none, Rule::complementarity) && decision_.decide(scheme.trial(), step, sets) &&
         retry(scheme, step, contacts, Rule::decided);
}

template <class S>
bool SemismoothNewton::solve_contacts(S& scheme, const Step& step) {
  do {
    if (!solve(scheme, step, Contacts::frozen)) return false;
  } while (grow(scheme.trial().end, step));
  return sets.consistent(scheme.trial().end.g, step.report);
}

template <class S>
bool SemismoothNewton::solve_supports(S& scheme, const Step& step) {
  if (!retry(scheme, step, Contacts::none, Rule::complementarity)) return false;
  const FreeStep free = scheme.trial();
  step.sys.evaluate(free.s1, sets.rows_needed(), free.end);
  if (!supports_.apply(step.sys, free.end.G, free.M, free.s1, step.report)) return false;
  for (int j = sets.joints; j < sets.rows; ++j) sets.T[j] = supports_.psi()[j] > 0;
  scheme.guess(step);
  return solve_contacts(scheme, step);
}

}  // namespace escapement
