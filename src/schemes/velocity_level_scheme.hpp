// What the schemes with contacts at velocity level share: the contact problem of a step, and Moreau's explicit midpoint rule.
#pragma once

#include "schemes/time_stepping.hpp"

namespace escapement::inline schemes {

class VelocityLevelScheme : public Scheme {
 public:
  void interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const override {
    interpolate_time_stepping(sys, s, s1, theta, out);
  }
  std::span<const ContactImpact> impacts() const override { return contacts_.impacts(); }
  void estimate_errors(bool on) override { contacts_.estimate_errors(on); }
  void set_tolerance(double tolerance, bool per_unit_step) override { contacts_.set_tolerance(tolerance, per_unit_step); }

 protected:
  explicit VelocityLevelScheme(const Options& options) : contacts_(options) {}

  VelocityContacts contacts_;
};

// of first order, with contact_solver and impact_law among the options
SchemeInfo velocity_level_info(std::string id, std::string description);

// [004] (8)-(13): terms at the explicit midpoint, the contacts with g_M <= 0 at velocity level
class MoreauMidpointRule {
 public:
  void start(const System&, State& s, VelocityContacts&);
  // s1 with its velocity, impulses in lambda, and the position (9). False: report says why
  bool step(const System&, const State& s, double h, VelocityContacts&, State& s1, StepReport&);
  const Terms& terms() const { return T_; }  // at the midpoint of the last step

 private:
  Terms T_;
  State mid_;
  Vec rows_, dx_;
};

}  // namespace escapement
