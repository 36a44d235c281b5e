// Moreau's midpoint rule followed by a correction of the position, [004] (29)-(33): both levels, one after the other.
#include "schemes/position_correction.hpp"
#include "schemes/registry.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement {

namespace {

class MoreauMidpointGglDecoupled : public Scheme {
 public:
  explicit MoreauMidpointGglDecoupled(const Options& options) : contacts_(options), kinetic_(options.text("metric") == "kinetic") {}

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const override {
    interpolate_time_stepping(sys, s, s1, theta, out);
  }
  std::span<const ContactImpact> impacts() const override { return contacts_.impacts(); }
  void estimate_errors(bool on) override { contacts_.estimate_errors(on); }

 private:
  VelocityContacts contacts_;
  PositionCorrection correction_;
  bool kinetic_;
  Terms T_;
  State mid_;
  Vec right_, rows_, dx_;
};

void MoreauMidpointGglDecoupled::start(const System& sys, State& s) {
  contacts_.start(sys, s);
  correction_.start(sys);
  sys.prepare(T_);
  mid_ = make_state(sys.dim());
  right_.setZero(sys.dim().v);
  rows_.setZero(sys.dim().bilateral);
  dx_.setZero(sys.dim().v);
}

StepReport MoreauMidpointGglDecoupled::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  mid_.t = s.t + 0.5 * h;
  dx_ = 0.5 * h * s.v;
  sys.retract(s.q, dx_, mid_.q);
  mid_.v = s.v;
  mid_.z = s.z;
  sys.evaluate(mid_, contacts_.need() | Need::mass | Need::force, T_);

  // velocity level, (29)-(30)
  right_ = h * T_.f;
  T_.M.add_product(1, s.v, right_);
  rows_ = -T_.g_t.head(sys.dim().bilateral);
  contacts_.choose(T_.g);
  s1.lambda.setZero();
  if (!contacts_.solve(T_, T_.M, T_.G, right_, rows_, s.v, s1.v, s1.lambda, report)) return report;

  // position level, (31)-(33): forecast, then W_M^T Psi
  s1.t = s.t + h;
  s1.z = s.z + h * T_.zdot;
  dx_ = 0.5 * h * (s.v + s1.v);
  sys.retract(s.q, dx_, s1.q);
  if (!correction_.apply(sys, T_.G, kinetic_ ? &T_.M : nullptr, s1, report)) return report;
  contacts_.finish(s, h, s1, report);
  return report;
}

SchemeInfo make_info() {
  SchemeInfo info;
  info.id = "moreau-midpoint-ggl-decoupled";
  info.description = "Moreau's midpoint rule, then a correction of the position: both levels one after the other";
  info.paper = "004";
  info.equations = "(29)-(33)";
  info.order = 1;
  info.keeps_position = info.keeps_velocity = true;
  info.rows_inside = true;
  info.time_stepping = true;
  info.error_power = 2;
  info.options = velocity_contact_options();
  info.options.push_back({.name = "metric", .value = std::string("euclidean"), .description = "metric of the position correction", .choices = {"euclidean", "kinetic"}});
  return info;
}

const SchemeInfo& MoreauMidpointGglDecoupled::info() const {
  static const SchemeInfo info = make_info();
  return info;
}

}  // namespace

SchemeEntry moreau_midpoint_ggl_decoupled_scheme() { return scheme_entry<MoreauMidpointGglDecoupled>(make_info()); }

}  // namespace escapement
