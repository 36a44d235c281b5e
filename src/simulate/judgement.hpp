// The verdict on a run: is what it measured of itself small against the model's own sizes? What is not small is a finding,
// with what to do about it.
#pragma once

#include <string>
#include <vector>

#include "simulate/contact_monitor.hpp"
#include "simulate/monitors.hpp"
#include "simulate/settings.hpp"
#include "simulate/step_monitor.hpp"

namespace escapement::inline simulate {

struct Finding {
  std::string what;
  std::string where;  // a contact or a constraint; empty: the whole model
  double t = 0, value = 0, limit = 0;
  std::string remedy;
};

struct Judgement {
  std::vector<Finding> findings;
  bool sound() const;  // none is above its limit
};

struct Measured {
  const DriftMonitor& drift;
  const EnergyMonitor& energy;
  const ContactMonitor& contacts;
  const StepMonitor& steps;
  bool finds_contacts = false;  // anew in each step, which takes fixed steps
  double step_energy = 0;       // kinetic, that a step's forces give bodies at rest: such a step tells no less from rest
};

// scheme: the one asked for, held to the levels that it keeps
Judgement judge(const System&, const SchemeInfo& scheme, const Settings&, const Measured&);

}  // namespace escapement
