// Observers that measure: drift of the constraints, penetration, energy balance.
#pragma once

#include "math/saddle_solver.hpp"
#include "math/tolerances.hpp"
#include "simulate/observer.hpp"
#include "simulate/worst.hpp"
#include "system/energy_keeping.hpp"

namespace escapement::inline simulate {

// largest |g|, |G v + g_t| per bilateral row and largest penetration per contact, over accepted steps. It objects to a
// mechanism that comes apart: a level that the scheme keeps is lost, or the drift is a tenth of the mechanism's size
class DriftMonitor : public Observer {
 public:
  static constexpr double kept = little::lost_level;  // drift with which a level is lost that the scheme keeps, scaled

  // also: terms to evaluate for others who look at the same states; with_energy: the system, where nothing works on it
  explicit DriftMonitor(const System&, Need also = Need(0), const EnergyKeeping* with_energy = nullptr);
  void begin(const State&) override;
  void step(const StepRecord&) override;
  Objection objection(StepReport&) const override;
  void look(const State&);
  void exchange(Snapshot& s) override { 
    s(position_, velocity_, penetration_, size_);
    scaled_position_.exchange(s);
    scaled_velocity_.exchange(s);
  }

  const Vec& position() const { return position_; }                // per bilateral row
  const Vec& velocity() const { return velocity_; }                // per bilateral row
  double max_position() const { return position_.size() ? position_.maxCoeff() : 0; }
  double max_velocity() const { return velocity_.size() ? velocity_.maxCoeff() : 0; }
  const Worst& scaled_position() const { return scaled_position_; }  // over what the rows sum, at least one
  const Worst& scaled_velocity() const { return scaled_velocity_; }
  double penetration() const { return penetration_; }
  double position_now() const { return now_position_; }  // of the last state looked at, as the objection judges it
  double velocity_now() const { return now_velocity_; }
  const Terms& terms() const { return terms_; }  // of the last state looked at
  bool knows_energy() const { return with_energy_; }
  const Energy& energy() const { return energy_; }  // of the last state looked at, where it is known

 private:
  const System& system_;
  const EnergyKeeping* with_energy_;
  Energy energy_;
  Terms terms_;
  Vec position_, velocity_, rows_, scale_;
  Need need_;
  Worst scaled_position_, scaled_velocity_;
  double penetration_ = 0;
  double size_ = 1;  // of the mechanism: its largest coordinate at the start, at most one
  double now_position_ = 0, now_velocity_ = 0;  // scaled, of the last state looked at; positions also by size_
  const SchemeInfo* scheme_ = nullptr;          // that made the last step
};

// largest |E - E(0) - work of forces and drives + impact and friction losses|. In runs whose errors are controlled it objects
// to a leap of the energy in a step in which nothing does work
class EnergyMonitor : public Observer {
 public:
  // told: before this one, of the same states; where it knows their energy, nothing works on the system, whose power is then not asked for
  explicit EnergyMonitor(const System&, bool errors_are_controlled = false, const DriftMonitor* told = nullptr);
  void begin(const State& s) override;
  void step(const StepRecord&) override;
  void event(const Event&) override;
  Objection objection(StepReport&) const override;
  void exchange(Snapshot& s) override { 
    s(between_, initial_, final_, work_, last_, size_, lowest_, highest_, kinetic_, least_work_, most_work_, rounding_, one_);
    error_.exchange(s);
  }

  double initial() const { return initial_; }
  double final() const { return final_; }
  double max_error() const { return error_.value; }
  // the same, less what a tolerance allows (0: fixed steps), over the energies met: the largest kinetic energy, the range
  // of the potential, the range of the work done, together at least this
  Worst imbalance(double tolerance, double least = 0) const;

 private:
  // of a state, computed once for the end of a step and the start of the next
  Energy energy(const State&);
  double power(const State&, bool time_stepping);
  void find_forces(const StepRecord&, State& between);
  double work_at_mean(const StepRecord&, bool driven);
  double work_on_dense_output(const StepRecord&);

  const System& system_;
  Terms terms_;
  State between_;
  State at_;  // t, q, v, vdot, lambda and z of the last energy asked for
  Energy energy_;
  SaddleSolver solver_;
  Matrix rows_;                                // of G and T that carry force in a step, the others zero
  Vec on_, slip_on_, right_, zero_, vdot_, forces_;
  double initial_ = 0, final_ = 0, work_ = 0;
  Worst error_;
  double kinetic_ = 0, least_work_ = 0, most_work_ = 0;
  double rounding_ = 0;  // that the sums carry
  double one_ = 0;       // the energy of velocities of one
  const DriftMonitor* const known_;  // who knows the energy, where nothing works
  const bool errors_are_controlled_;
  double last_ = 0, leap_ = 0;  // energy after the last step and events; its change without work, over the energies met so far:
  double size_ = 0, lowest_ = 0, highest_ = 0;  // of kinetic energies; of potential energies
};

}  // namespace escapement
