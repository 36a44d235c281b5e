#include "schemes/explicit_runge_kutta.hpp"

namespace escapement::inline schemes {

ExplicitRungeKutta::ExplicitRungeKutta(SchemeInfo info, const Options& options) : info_(std::move(info)) {
  const Projection projection(options);
  info_.keeps_position = projection.position();
  info_.keeps_velocity = projection.velocity();
  index1_ = Index1(projection);
  if (info_.error_power > 0) error_norm_ = ErrorNorm(options);
  index1_.set_baumgarte(options.number("baumgarte_alpha"), options.number("baumgarte_beta"));
}

std::vector<OptionInfo> ExplicitRungeKutta::options() {
  return {Projection::option("both"),
          {.name = "baumgarte_alpha",
           .value = 0.0,
           .description = "alpha of g'' + 2 alpha g' + beta^2 g = 0",
           .min = 0,
           .max = 1e300},
          {.name = "baumgarte_beta",
           .value = 0.0,
           .description = "beta of g'' + 2 alpha g' + beta^2 g = 0",
           .min = 0,
           .max = 1e150}};
}

void ExplicitRungeKutta::set_tableau(int stages, const Fraction* c, const Fraction* a, const Fraction* b,
                                     const Fraction* b_hat) {
  stages_ = stages;
  c_.resize(stages);
  b_.resize(stages);
  e_.resize(stages);
  a_.assign(stages, std::vector<double>(stages));
  bool embedded = false;
  for (int i = 0; i < stages; ++i) embedded = embedded || !(b_hat[i] == Fraction(0));
  for (int i = 0; i < stages; ++i) {
    c_[i] = c[i].value();
    b_[i] = b[i].value();
    e_[i] = embedded ? (b[i] - b_hat[i]).value() : 0;
    for (int j = 0; j < stages; ++j) a_[i][j] = a[i * stages + j].value();
  }
}

void ExplicitRungeKutta::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  sys.prepare(T_);
  stage_ = make_state(dim);
  Xdot_.resize(stages_, dim);
  error_q_.setZero(dim.q);
  error_v_.setZero(dim.v);
  error_z_.setZero(dim.z);
  index1_.start(sys, s, T_);
  s.memory = {};
  index1_.watch(s);
}

StepReport ExplicitRungeKutta::step(const System& sys, const State& s, double h, State& s1) {
  return index1_.step(s, s1, [&](bool on_rows) { return try_step(sys, s, h, s1, on_rows); });
}

// Y_i = y_n + h sum_j a_ij Ydot_j,  Ydot_i = f(Y_i): section 2.3 with the misprint corrected, docs/errata.md
Status ExplicitRungeKutta::stages_of(const System& sys, const State& s, double h, bool on_rows) {
  const bool known = index1_.knows(s) && !on_rows;
  index1_.forget();
  for (int i = 0; i < stages_; ++i) {
    Xdot_.lead(s, h, c_[i], std::span<const double>(a_[i]).first(i), stage_);
    // the first stage is the last step's end
    if (i == 0 && known) {
      stage_.vdot = s.vdot;
    } else {
      const Status status = on_rows ? index1_.solve_on_rows(sys, stage_, T_) : index1_.solve(sys, stage_, Need(0), T_);
      if (status != Status::ok) return status;
    }
    sys.rate(stage_.q, stage_.v, Xdot_.q[i]);
    Xdot_.v[i] = stage_.vdot;
    Xdot_.z[i] = T_.zdot;
  }
  return Status::ok;
}

StepReport ExplicitRungeKutta::try_step(const System& sys, const State& s, double h, State& s1, bool on_rows) {
  StepReport report;
  report.status = stages_of(sys, s, h, on_rows);
  if (!report.ok()) return report;
  // y_{n+1} = y_n + h sum_i b_i Ydot_i
  s1.memory = s.memory;
  Xdot_.lead(s, h, 1, b_, s1);
  sys.normalize(s1.q);
  if (!on_rows) report.error = error(sys, s1, h, false);
  report.status = index1_.finish(sys, s1, Need(0), T_, on_rows);
  if (on_rows && report.ok()) report.error = error(sys, s1, h, true);
  return report;
}

// h sum_i (b_i - b_hat_i) Ydot_i
double ExplicitRungeKutta::error(const System& sys, const State& s1, double h, bool on_rows) {
  Xdot_.sum(h, e_, error_q_, error_v_, error_z_);
  if (on_rows) index1_.make_tangential(sys, s1, T_, error_q_, error_v_);
  return error_norm_(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
}

}  // namespace escapement
