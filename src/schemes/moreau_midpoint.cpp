// Moreau's midpoint rule, [004] (8)-(13): contacts and bilateral constraints at velocity level, everything explicit but the
// contact problem.
#include "schemes/registry.hpp"
#include "schemes/velocity_level_scheme.hpp"

namespace escapement::inline schemes {

namespace {

class MoreauMidpoint : public VelocityLevelScheme {
 public:
  explicit MoreauMidpoint(const Options& options) : VelocityLevelScheme(options) {}

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override { rule_.start(sys, s, contacts_); }
  StepReport step(const System& sys, const State& s, double h, State& s1) override {
    StepReport report;
    if (rule_.step(sys, s, h, contacts_, s1, report)) contacts_.finish(sys, rule_.terms(), s, h, s1, report);
    return report;
  }

 private:
  MoreauMidpointRule rule_;
};

SchemeInfo moreau_midpoint_info() {
  SchemeInfo info = velocity_level_info("moreau-midpoint", "Moreau's midpoint rule: time-stepping, contacts at velocity level");
  info.paper = "004";
  info.equations = "(8)-(13)";
  return info;
}

const SchemeInfo& MoreauMidpoint::info() const {
  static const SchemeInfo info = moreau_midpoint_info();
  return info;
}

}  // namespace

SchemeEntry moreau_midpoint_scheme() { return scheme_entry<MoreauMidpoint>(moreau_midpoint_info()); }

}  // namespace escapement
