// PHEM56: partitioned half-explicit Runge-Kutta method of order 5 for the index-2 form, after A. Murua (1995): [000]
// names it as the cheaper successor of HEM5. Five linear systems per step, and one for the acceleration at its end,
// with which the next step begins.
#include "schemes/index1.hpp"
#include "schemes/phem56_tableau.hpp"
#include "schemes/registry.hpp"
#include "schemes/stages_on_rows.hpp"

namespace escapement::inline schemes {

namespace {

using phem56_tableau::stages;

constexpr auto c = to_double(phem56_tableau::tableau.c);
constexpr auto a = to_double(phem56_tableau::tableau.a);
constexpr auto e = [] {  // b - b_hat
  auto difference = to_double(phem56_tableau::tableau.b);
  const auto b_hat = to_double(phem56_tableau::tableau.b_hat);
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= b_hat[i];
  return difference;
}();
constexpr auto cc = to_double(phem56_tableau::cc);
constexpr auto aa = to_double(phem56_tableau::aa);

class Phem56 : public Scheme {
 public:
  explicit Phem56(const Options& options);

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void estimate_errors(bool wanted) override { index1_.control_errors(wanted); }

 private:
  Status first_stage(const System& sys, const State& s);
  Status stage(const System& sys, const State& s, double h, int i);
  Status near_dead_point(const System& sys, const State& s, double h);
  StepReport try_step(const System& sys, const State& s, double h, State& s1, bool on_rows);
  double error(const System& sys, const State& s1, double h, bool on_rows);

  SchemeInfo info_;
  Projection projection_;
  Index1 index1_;
  Terms T_;              // at Q_i, V_i
  Terms TT_;             // at QQ_i; after a step at its end
  State stage_, point_;  // (Q_i, V_i) and (QQ_i, VV_i)
  StageRates Xdot_;      // the last one: at the end
  Vec r_, Lambda_, error_q_, error_v_, error_z_, momentum_;
};

void Phem56::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  sys.prepare(T_);
  sys.prepare(TT_);
  stage_ = point_ = make_state(dim);
  Xdot_.resize(stages + 1, dim);
  r_.setZero(dim.rows());
  Lambda_.setZero(dim.rows());
  error_q_.setZero(dim.q);
  error_v_.setZero(dim.v);
  error_z_.setZero(dim.z);
  momentum_.setZero(dim.v);
  projection_.resize(sys);
  index1_.start(sys, s, TT_);
  s.memory = {};
  index1_.watch(s);
}

// the acceleration of the last step's end
Status Phem56::first_stage(const System& sys, const State& s) {
  const bool known = index1_.knows(s);
  index1_.forget();
  copy_point(s, stage_);
  stage_.vdot = s.vdot;
  if (!known) {
    if (const Status status = index1_.solve(sys, stage_, Need(0), TT_); status != Status::ok) return status;
  }
  sys.rate(s.q, s.v, Xdot_.q[0]);
  Xdot_.v[0] = stage_.vdot;
  Xdot_.z[0] = TT_.zdot;
  return Status::ok;
}

// [ M(Q_i)  -G(Q_i)^T ] [ Vdot_i   ]   [ f(Q_i, V_i)                                                         ]
// [ G(QQ_i)  0        ] [ Lambda_i ] = [ -(G(QQ_i)(v_n + h sum_{j<i} aa_ij Vdot_j) + g_t(QQ_i)) / (h aa_ii) ]
Status Phem56::stage(const System& sys, const State& s, double h, int i) {
  Xdot_.lead(s, h, c[i], std::span(a[i]).first(i), stage_);
  sys.evaluate(stage_, Need::mass | Need::force | Need::jacobian, T_);
  sys.rate(stage_.q, stage_.v, Xdot_.q[i]);
  Xdot_.z[i] = T_.zdot;

  Xdot_.v[i].setZero();
  Xdot_.lead(s, h, cc[i], std::span(aa[i]).first(i + 1), point_);
  if (i == stages - 1) {
    sys.normalize(point_.q);
    // the factors are those of the last stage, which has met the constraints at the step's end too
    const Status status = projection_.project_ahead(sys, point_, T_, TT_, index1_.kkt());
    if (status != Status::ok) return status;
  }
  sys.evaluate(point_, Need::jacobian, TT_);
  velocity_rows(TT_, point_.v, r_);
  r_ *= -1 / (h * aa[i][i]);
  if (!index1_.kkt().factor(T_.M, T_.top(), TT_.G)) return failure_of(index1_.kkt());
  index1_.kkt().solve(T_.f, r_, Xdot_.v[i], Lambda_);
  point_.v += (h * aa[i][i]) * Xdot_.v[i];
  return Status::ok;
}

// Dormand and Prince's method on the index-1 form
Status Phem56::near_dead_point(const System& sys, const State& s, double h) {
  const auto weights = [](int i) { return std::span(a[i]).first(i); };
  const Status status = stages_on_rows(sys, s, h, std::span(c).first(stages), weights, index1_, T_, Xdot_, stage_, [](int) {});
  if (status != Status::ok) return status;
  Xdot_.lead(s, h, 1, aa[stages - 1], point_);
  sys.normalize(point_.q);
  return Status::ok;
}

StepReport Phem56::step(const System& sys, const State& s, double h, State& s1) {
  return index1_.step(s, s1, [&](bool on_rows) { return try_step(sys, s, h, s1, on_rows); });
}

StepReport Phem56::try_step(const System& sys, const State& s, double h, State& s1, bool on_rows) {
  StepReport report;
  if (on_rows) {
    index1_.forget();
    report.status = near_dead_point(sys, s, h);
  } else {
    report.status = first_stage(sys, s);
    for (int i = 1; i < stages && report.ok(); ++i) report.status = stage(sys, s, h, i);
  }
  if (!report.ok()) return report;
  s1.memory = s.memory;
  copy_point(point_, s1);
  report.status = index1_.finish(sys, s1, Need::jacobian, TT_, on_rows);  // [000] (15)
  if (report.ok()) report.error = error(sys, s1, h, on_rows);
  return report;
}

// h sum_i (b_i - b_hat_i) Xdot_i, the result's own derivative included
double Phem56::error(const System& sys, const State& s1, double h, bool on_rows) {
  sys.rate(s1.q, s1.v, Xdot_.q[stages]);
  Xdot_.v[stages] = s1.vdot;
  Xdot_.z[stages] = TT_.zdot;
  Xdot_.sum(h, e, error_q_, error_v_, error_z_);
  // the stages' multipliers are of low order: without their directions the estimate falls as h^5 instead of h^4
  if (on_rows) {
    index1_.make_tangential(sys, s1, TT_, error_q_, error_v_);
  } else if (sys.dim().rows() > 0) {
    r_.setZero();
    momentum_.setZero();
    TT_.M.add_product(1, error_v_, momentum_);
    index1_.kkt().solve(momentum_, r_, error_v_, Lambda_);
  }
  return error_norm(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
}

SchemeInfo phem56_info() {
  SchemeInfo info;
  info.id = "phem56";
  info.description = "partitioned half-explicit Runge-Kutta method with 6 stages (Murua 1995), index 2";
  info.paper = "000";
  info.equations = "further work";
  info.order = 5;
  info.index = 2;
  info.keeps_velocity = true;
  info.error_power = 5;
  info.options = {Projection::option("none")};
  return info;
}

Phem56::Phem56(const Options& options)
    : info_(phem56_info()), projection_(options), index1_(projection_.after_half_explicit()) {
  info_.keeps_position = projection_.position();
}

}  // namespace

SchemeEntry phem56_scheme() { return scheme_entry<Phem56>(phem56_info()); }

}  // namespace escapement
