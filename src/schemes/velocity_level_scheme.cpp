#include "schemes/velocity_level_scheme.hpp"

namespace escapement {

SchemeInfo velocity_level_info(std::string id, std::string description) {
  SchemeInfo info;
  info.id = std::move(id);
  info.description = std::move(description);
  info.order = 1;
  info.keeps_velocity = true;
  info.rows_inside = true;
  info.time_stepping = true;
  info.error_power = 2;
  info.options = velocity_contact_options();
  return info;
}

void MoreauMidpointRule::start(const System& sys, State& s, VelocityContacts& contacts) {
  contacts.start(sys, s);
  sys.prepare(T_);
  mid_ = make_state(sys.dim());
  right_.setZero(sys.dim().v);
  rows_.setZero(sys.dim().bilateral);
  dx_.setZero(sys.dim().v);
}

bool MoreauMidpointRule::step(const System& sys, const State& s, double h, VelocityContacts& contacts, State& s1, StepReport& report) {
  // explicit midpoint, [004] (10)
  mid_.t = s.t + 0.5 * h;
  dx_ = 0.5 * h * s.v;
  sys.retract(s.q, dx_, mid_.q);
  mid_.v = s.v;
  mid_.z = s.z;
  sys.evaluate(mid_, contacts.need() | Need::mass | Need::force, T_);

  // free motion, then the impulses of the contacts with g_M <= 0, (8), (11)-(13)
  right_ = h * T_.f;
  T_.M.add_product(1, s.v, right_);
  rows_ = -T_.g_t.head(rows_.size());
  contacts.choose(sys, T_, mid_.q);
  s1.lambda.setZero();
  if (!contacts.solve(T_, h, T_.M, T_.G, right_, rows_, s.v, s1.v, s1.lambda, report)) return false;
  s1.t = s.t + h;
  dx_ = 0.5 * h * (s.v + s1.v);  // (9)
  sys.retract(s.q, dx_, s1.q);
  s1.z = s.z + h * T_.zdot;
  return true;
}

}  // namespace escapement
