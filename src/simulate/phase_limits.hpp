// What can end a phase at closed contacts, looked for over whole steps: a normal force that vanishes, friction that
// reaches its limit, a slip that comes to rest.
#pragma once

#include <vector>

#include "simulate/active_steps.hpp"
#include "simulate/contact_dynamics.hpp"
#include "simulate/forces_within.hpp"
#include "simulate/sign_search.hpp"

namespace escapement::inline simulate {

// a contact closes, its force vanishes, it stops sliding, it begins to slide
struct PhaseEnd {
  enum class Cause { none, closing, opening, stick, slip };
  Cause cause = Cause::none;
  int contact = -1;
  double low = 0, high = 1;  // parts of the step that enclose it
  int side = 0;              // of friction's limit: the force is at mu N, or at -mu N
  double until = 0;          // of a gap that only comes near zero on the dense output: it turns between low and here
  bool driven = false;       // of a slip: a drive moves what others hold
};

class PhaseLimits {
 public:
  PhaseLimits(const System&, const ActiveView&, ActiveSteps&, ContactDynamics&);

  // the first limit that the step from s to s1 reaches
  PhaseEnd first(Scheme&, const State& s, const State& s1);
  void forget() { known_ = false; }  // the phase has ended
  ActiveView::Direction against_friction(int contact, const State& s);  // of a contact in space that sticks
  void exchange(Snapshot& s) { s(known_, known_q_, known_v_, known_lambda_); }
  const ForcesWithin& forces_at(const State& s) {
    forces_.solve(s);
    return forces_;
  }
  // positive while the phase lasts
  double value_within(const PhaseEnd& limit, const State& s) { return value(limit, s, forces_within(s)); }
  double value_after_step(const Scheme& by, const PhaseEnd& limit, const State& s) {
    return value(limit, s, forces_after_step(by, s));
  }

 private:
  void list();
  double value(const PhaseEnd& limit, const State& s, const Vec& forces);
  double room_for_friction(const PhaseEnd&, const Vec& forces) const;
  double speed_left(int contact) const;  // of a slip in the direction it has; after kinematics()
  void evaluate(const State& s, const Vec& forces, Vec& values);
  void sample(double part, const std::vector<char>& wanted, Vec& values);
  bool keeps_clear(std::size_t limit) const;
  // Multipliers within a step follow from the constraints at acceleration level, not from those at its ends. Schemes of
  // index 3 have others at its ends too, which carry velocities across the rows over h
  const Vec& forces_within(const State& s) {
    forces_.solve(s);
    return forces_.lambda();
  }
  const Vec& forces_after_step(const Scheme& by, const State& s) { return by.info().index == 3 ? forces_within(s) : s.lambda; }
  const Vec& forces_at_start(const Scheme& by, const State& s);  // of the next step: those at the end of the last

  const System& system_;
  const ActiveView& view_;
  ActiveSteps& steps_;
  ContactDynamics& dynamics_;
  SignSearch search_;
  SignSearch::Sample sample_;
  std::vector<PhaseEnd> limits_;
  std::vector<char> wanted_;
  Vec at_start_, at_end_, noise_;
  Scheme* scheme_ = nullptr;  // whose step is looked into
  State between_;
  ForcesWithin forces_;      // of the system, as all forces here
  std::vector<Vec> stages_;  // multipliers at the stages of the step, where the scheme has such
  std::size_t stage_count_ = 0;
  bool known_ = false;
  Vec known_q_, known_v_, known_lambda_;
};

}  // namespace escapement
