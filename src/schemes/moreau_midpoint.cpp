// Moreau's midpoint rule, [004] (8)-(13): contacts and bilateral constraints at velocity level, everything explicit but the
// contact problem.
#include "nonsmooth/contact_response.hpp"
#include "schemes/registry.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement {

namespace {

class MoreauMidpoint : public Scheme {
 public:
  explicit MoreauMidpoint(const Options& options) : contacts_(options) {}

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
  Terms T_;
  State mid_;
  Vec right_, rows_, dx_;
};

void MoreauMidpoint::start(const System& sys, State& s) {
  contacts_.start(sys, s);
  sys.prepare(T_);
  mid_ = make_state(sys.dim());
  right_.setZero(sys.dim().v);
  rows_.setZero(sys.dim().bilateral);
  dx_.setZero(sys.dim().v);
}

StepReport MoreauMidpoint::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int bilateral = sys.dim().bilateral;

  // explicit midpoint, [004] (10)
  mid_.t = s.t + 0.5 * h;
  dx_ = 0.5 * h * s.v;
  sys.retract(s.q, dx_, mid_.q);
  mid_.v = s.v;
  mid_.z = s.z;
  sys.evaluate(mid_, contacts_.need() | Need::mass | Need::force, T_);

  // free motion, then the impulses of the contacts with g_M <= 0, (8), (11)-(13)
  right_ = h * T_.f;
  T_.M.add_product(1, s.v, right_);
  rows_ = -T_.g_t.head(bilateral);
  contacts_.choose(T_.g);
  s1.lambda.setZero();
  if (!contacts_.solve(T_, T_.M, T_.G, right_, rows_, s.v, s1.v, s1.lambda, report)) return report;
  s1.t = s.t + h;
  dx_ = 0.5 * h * (s.v + s1.v);  // (9)
  sys.retract(s.q, dx_, s1.q);
  s1.z = s.z + h * T_.zdot;
  contacts_.finish(s, h, s1, report);
  return report;
}

SchemeInfo make_info() {
  SchemeInfo info;
  info.id = "moreau-midpoint";
  info.description = "Moreau's midpoint rule: time-stepping, contacts at velocity level";
  info.paper = "004";
  info.equations = "(8)-(13)";
  info.order = 1;
  info.keeps_velocity = true;
  info.rows_inside = true;
  info.time_stepping = true;
  info.error_power = 2;
  info.options = velocity_contact_options();
  return info;
}

const SchemeInfo& MoreauMidpoint::info() const {
  static const SchemeInfo info = make_info();
  return info;
}

}  // namespace

SchemeEntry moreau_midpoint_scheme() { return scheme_entry<MoreauMidpoint>(make_info()); }

}  // namespace escapement
