#include "schemes/velocity_level_scheme.hpp"

namespace escapement::inline schemes {

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
  rows_.setZero(sys.dim().bilateral);
  dx_.setZero(sys.dim().v);
}

bool MoreauMidpointRule::step(const System& sys, const State& s, double h, VelocityContacts& contacts, State& s1, StepReport& report) {
  // explicit midpoint, [004] (10)
  const int n = static_cast<int>(dx_.size());
  mid_.t = s.t + 0.5 * h;
  const double* const v = s.v.data();
  double* const dx = dx_.data();
  for (int i = 0; i < n; ++i) {
    mid_.v[i] = v[i];
    dx[i] = 0.5 * h * v[i];
  }
  sys.retract(s.q, dx_, mid_.q);
  if (s.z.size() > 0) mid_.z = s.z;
  sys.evaluate(mid_, contacts.need() | Need::mass | Need::force, T_);

  // free motion, then the impulses of the contacts with g_M <= 0, (8), (11)-(13)
  for (int i = 0; i < rows_.size(); ++i) rows_[i] = -T_.g_t[i];
  contacts.choose(sys, T_, mid_.q);
  std::fill_n(s1.lambda.data(), s1.lambda.size(), 0.0);
  if (!contacts.solve(T_, h, rows_, s.v, s1.v, s1.lambda, report)) return false;
  s1.t = s.t + h;
  for (int i = 0; i < n; ++i) dx[i] = 0.5 * h * (v[i] + s1.v[i]);  // (9)
  sys.retract(s.q, dx_, s1.q);
  if (s.z.size() > 0) s1.z = s.z + h * T_.zdot;
  return true;
}

}  // namespace escapement
