#include "simulate/judgement.hpp"

#include <algorithm>
#include <cmath>

#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {

class Judge {
 public:
  Judge(const System& system, const SchemeInfo& scheme, const Settings& settings, bool finds_contacts)
      : system_(system), scheme_(scheme), fixed_(settings.takes_fixed_steps()), finds_contacts_(finds_contacts),
        tolerance_(settings.error_bound()) {}

  void contacts(const ContactMonitor& c) {
    add("penetration", c.penetration(), scheme_.keeps_position ? suspect::penetration : suspect::penetration_velocity,
        scheme_.keeps_position ? finer() + ", or look for contacts that contradict each other"
                               : finer() + ", or take a scheme that keeps positions, such as moreau-midpoint-ggl");
    add("penetration of samples between steps", c.penetration_of_samples(),
        fixed_ ? suspect::between_fixed : std::max(suspect::penetration, tolerance_),
        finer() + ", or save_every: 0 to write the ends of steps alone");
    add("an impact that a step has passed over", c.passed(), suspect::contact, finer());
    add("a contact that pulls", c.pull(), suspect::contact, finer());
    add("friction outside its cone", c.outside_cone(), suspect::contact, finer());
    add("friction along the slip", c.along_slip(), suspect::contact, finer());
  }

  void energy(const EnergyMonitor& e, double least) {
    add("energy balance", e.imbalance(tolerance_, least), fixed_ ? suspect::energy_fixed : suspect::energy,
        finer() + ", or look for impacts that gain energy");
  }

  void drift(const DriftMonitor& d) {
    const std::string other = ", or take projection: both or a scheme that keeps both levels";
    if (scheme_.keeps_position) add_row("drift of positions", d.scaled_position(), finer() + other);
    // rows that are met within the step drift at its end, in proportion to it
    if (scheme_.keeps_velocity && !scheme_.rows_inside)
      add_row("drift of velocities", d.scaled_velocity(), finer() + other);
  }

  void steps(const StepMonitor& s) {
    if (const double share = s.share_unsolved(); share > 0)
      found({"steps whose iteration did not converge", "", s.excess().t, share, suspect::unsolved,
             finds_contacts_ ? "take a smaller step, or more 'sweeps' (an option of moreau-jean)" : finer() + ", or another contact_solver"});
    add("a step too long for the model's expressions", s.excess_length(), suspect::length * std::max(1, scheme_.order - 1),
        "take a step shorter than the shortest pulse, period or bump, or a tolerance");
  }

  Judgement judgement() && { return std::move(judgement_); }

 private:
  std::string finer() const { return finds_contacts_ ? "take a smaller step" : fixed_ ? "take a smaller step or a tolerance" : "take a tighter tolerance"; }

  void found(Finding finding) { judgement_.findings.push_back(std::move(finding)); }
  void add(const char* what, const Worst& worst, double limit, const std::string& remedy) {
    if (!(worst.value > limit)) return;
    found({what, worst.where < 0 ? "" : system_.contacts()[static_cast<std::size_t>(worst.where)].name, worst.t,
           worst.value, limit, remedy});
  }
  void add_row(const char* what, const Worst& worst, const std::string& remedy) {
    if (!(worst.value > suspect::drift)) return;
    found({what, system_.names().multipliers[static_cast<std::size_t>(worst.where)], worst.t, worst.value, suspect::drift,
           remedy});
  }

  const System& system_;
  const SchemeInfo& scheme_;
  const bool fixed_, finds_contacts_;
  const double tolerance_;  // 0: fixed steps
  Judgement judgement_;
};

}  // namespace

bool Judgement::sound() const {
  return std::none_of(findings.begin(), findings.end(), [](const Finding& f) { return f.value > f.limit; });
}

Judgement judge(const System& system, const SchemeInfo& scheme, const Settings& settings, const Measured& measured) {
  Judge judge(system, scheme, settings, measured.finds_contacts);
  judge.contacts(measured.contacts);
  judge.energy(measured.energy, measured.step_energy);
  judge.drift(measured.drift);
  judge.steps(measured.steps);
  return std::move(judge).judgement();
}

}  // namespace escapement
