// Moreau's midpoint rule followed by a correction of the position, [004] (29)-(33): both levels, one after the other.
#include "schemes/position_correction.hpp"
#include "schemes/registry.hpp"
#include "schemes/velocity_level_scheme.hpp"

namespace escapement::inline schemes {

namespace {

class MoreauMidpointGglDecoupled : public VelocityLevelScheme {
 public:
  explicit MoreauMidpointGglDecoupled(const Options& options)
      : VelocityLevelScheme(options), kinetic_(options.text("metric") == "kinetic") {}

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;

 private:
  MoreauMidpointRule rule_;
  PositionCorrection correction_;
  bool kinetic_;
};

void MoreauMidpointGglDecoupled::start(const System& sys, State& s) {
  rule_.start(sys, s, contacts_);
  correction_.start(sys, kinetic_ ? PositionCorrection::Metric::kinetic : PositionCorrection::Metric::euclidean);
}

StepReport MoreauMidpointGglDecoupled::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  // velocity level, (29)-(30), and the forecast of the position
  if (!rule_.step(sys, s, h, contacts_, s1, report)) return report;
  // position level, (31)-(33): W_M^T Psi
  const Terms& at_middle = rule_.terms();
  if (!correction_.apply(sys, at_middle.G, at_middle.M, s1, report)) return report;
  contacts_.finish(sys, rule_.terms(), s, h, s1, report);
  return report;
}

SchemeInfo moreau_midpoint_ggl_decoupled_info() {
  SchemeInfo info = velocity_level_info("moreau-midpoint-ggl-decoupled",
                                        "Moreau's midpoint rule, then a correction of the position: both levels one after the other");
  info.paper = "004";
  info.equations = "(29)-(33)";
  info.keeps_position = true;
  info.options.push_back({.name = "metric", .value = std::string("euclidean"), .description = "metric of the position correction", .choices = {"euclidean", "kinetic"}});
  return info;
}

const SchemeInfo& MoreauMidpointGglDecoupled::info() const {
  static const SchemeInfo info = moreau_midpoint_ggl_decoupled_info();
  return info;
}

}  // namespace

SchemeEntry moreau_midpoint_ggl_decoupled_scheme() { return scheme_entry<MoreauMidpointGglDecoupled>(moreau_midpoint_ggl_decoupled_info()); }

}  // namespace escapement
