// The observer that turns a run into a Result.
#pragma once

#include <functional>
#include <unordered_map>

#include "run/result.hpp"
#include "run/touch_record.hpp"
#include "simulate/observer.hpp"
#include "system/energy_keeping.hpp"

namespace escapement::inline run {

class Recorder : public Observer {
 public:
  using Outputs = std::function<void(const State&, double*)>;

  // touching: contacts that are found anew in each step, nullptr: none; with_energy: the system, where nothing works on it
  Recorder(const System&, std::vector<std::string> output_names, Outputs evaluate_outputs, const TouchingSystem* touching = nullptr,
           const EnergyKeeping* with_energy = nullptr);
  void expect_steps(double count);  // room for so many
  void sample(const State&) override;
  void step(const StepRecord&) override;
  void event(const Event&) override;
  // with the tables in the result; what was recorded after the checkpoint is cut off
  void exchange(Snapshot&) override;

  Result& result() { return result_; }
  long impacts() const { return impacts_; }          // instants with an impact impulse
  long energy_gains() const { return energy_gains_; }  // impacts that raised the kinetic energy

 private:
  void thin_steps();
  void add_contacts(const State&);
  void add_points();
  std::uint32_t number_of(const std::string& name);
  std::string name_of_contact(int number) const;

  const System& system_;
  Outputs evaluate_outputs_;
  const EnergyKeeping* with_energy_;
  Terms terms_;
  Vec rows_;
  std::vector<int> slip_rows_, brake_rows_;  // of T, of the columns of slip and friction, and of the brakes
  TouchRecord touching_;
  std::unordered_map<std::string, std::uint32_t> numbers_;  // of the names of contact points
  Result result_;
  long step_count_ = 0, rejected_ = 0;
  long impacts_ = 0, energy_gains_ = 0;
};

}  // namespace escapement
