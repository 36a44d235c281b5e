// HEM5: half-explicit Runge-Kutta method of order 5 for the index-2 form, [000] section 2.2, after Brasey and Hairer.
#include "schemes/error_norm.hpp"
#include "schemes/hem5_tableau.hpp"
#include "schemes/index1.hpp"
#include "schemes/leap_watch.hpp"
#include "schemes/registry.hpp"
#include "schemes/stages_on_rows.hpp"

namespace escapement::inline schemes {

namespace {

using namespace hem5_tableau;

class Hem5 : public Scheme {
 public:
  explicit Hem5(const Options& options);

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  std::span<const Vec> stage_multipliers() const override { return Lambda_; }
  void estimate_errors(bool wanted) override { index1_.control_errors(wanted); }

 private:
  void stage_value(const State& s, double h, int i);
  Status stages_of(const System& sys, const State& s, double h);
  Status near_dead_point(const System& sys, const State& s, double h);
  StepReport try_step(const System& sys, const State& s, double h, State& s1, bool on_rows);
  double error(const System& sys, const State& s, State& s1, double h, bool on_rows);

  SchemeInfo info_;
  Projection projection_;
  bool printed_estimate_;
  ErrorNorm error_norm_;
  LeapWatch low_order_;
  Index1 index1_;
  Terms T_[2];   // terms at the current and the next stage
  State stage_;  // Q_i, V_i
  State stage7_;
  State stage8_;  // Q_8, V_8: the embedded result of order 3
  StageRates Xdot_;
  Vec r_, error_q_, error_v_, error_z_;
  std::vector<Vec> Lambda_;  // of the stages
};

void Hem5::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  for (Terms& T : T_) sys.prepare(T);
  stage_ = stage7_ = stage8_ = make_state(dim);
  Xdot_.resize(stages, dim);
  r_.setZero(dim.rows());
  Lambda_.assign(stages, Vec::Zero(dim.rows()));
  error_q_.setZero(dim.q);
  error_v_.setZero(dim.v);
  error_z_.setZero(dim.z);
  projection_.resize(sys);
  index1_.start(sys, s, T_[0]);
  s.memory.vectors.clear();
  s.memory.numbers.clear();
  low_order_.start(s);
  index1_.watch(s);
}

// X_i = x_n + h sum_{j<i} a_ij Xdot_j
void Hem5::stage_value(const State& s, double h, int i) { Xdot_.lead(s, h, c[i], std::span(a[i]).first(i), stage_); }

// from the terms at s in T_[0] to the result in stage_, whose G and g_t are in T_[0] again
Status Hem5::stages_of(const System& sys, const State& s, double h) {
  stage_value(s, h, 0);
  for (int i = 0; i < stages; ++i) {
    Terms& T = T_[i % 2];
    Terms& T1 = T_[(i + 1) % 2];
    if (i > 0) sys.evaluate(stage_, Need::mass | Need::force, T);
    sys.rate(stage_.q, stage_.v, Xdot_.q[i]);
    Xdot_.z[i] = T.zdot;
    if (i == stages - 2) copy_point(stage_, stage7_);
    if (i == stages - 1) copy_point(stage_, stage8_);

    // Q_{i+1} is explicit; V_{i+1} so far, without Vdot_i
    Xdot_.v[i].setZero();
    stage_value(s, h, i + 1);
    if (i == stages - 1) {
      sys.normalize(stage_.q);
      // the factors are those of the last stage, which has met the constraints at Q_8
      const Status status = projection_.project_ahead(sys, stage_, T, T1, index1_.kkt());
      if (status != Status::ok) return status;
    }
    sys.evaluate(stage_, Need::jacobian, T1);
    r_ = T1.g_t;
    T1.G.add_product(1, stage_.v, r_);
    r_ *= -1 / (h * a[i + 1][i]);  // [000] (14), r_i
    if (!index1_.kkt().factor(T.M, T.top(), T1.G)) return failure_of(index1_.kkt());
    index1_.kkt().solve(T.f, r_, Xdot_.v[i], Lambda_[i]);  // [000] (14)
    stage_.v += (h * a[i + 1][i]) * Xdot_.v[i];
  }
  return Status::ok;
}

Status Hem5::near_dead_point(const System& sys, const State& s, double h) {
  const auto weights = [](int i) { return std::span(a[i]).first(i); };
  const Status status = stages_on_rows(sys, s, h, std::span(c).first(stages), weights, index1_, T_[0], Xdot_, stage_, [&](int i) {
    Lambda_[i] = stage_.lambda;
    if (i == stages - 2) copy_point(stage_, stage7_);
    if (i == stages - 1) copy_point(stage_, stage8_);
  });
  if (status != Status::ok) return status;
  stage_value(s, h, stages);
  sys.normalize(stage_.q);
  return Status::ok;
}

StepReport Hem5::step(const System& sys, const State& s, double h, State& s1) {
  return index1_.step(s, s1, [&](bool on_rows) { return try_step(sys, s, h, s1, on_rows); });
}

StepReport Hem5::try_step(const System& sys, const State& s, double h, State& s1, bool on_rows) {
  StepReport report;
  // the terms at the step's start are those of the last step's end
  if (!on_rows && !index1_.knows(s)) sys.evaluate(s, Need::mass | Need::force | Need::jacobian, T_[0]);
  index1_.forget();
  report.status = on_rows ? near_dead_point(sys, s, h) : stages_of(sys, s, h);
  if (!report.ok()) return report;
  s1.memory = s.memory;
  copy_point(stage_, s1);
  if (!on_rows) report.error = error(sys, s, s1, h, false);
  report.status = index1_.finish(sys, s1, Need::jacobian, T_[0], on_rows);  // [000] (15)
  if (on_rows && report.ok()) report.error = error(sys, s, s1, h, true);
  return report;
}

double Hem5::error(const System& sys, const State& s, State& s1, double h, bool on_rows) {
  error_q_ = s1.q - stage8_.q;
  error_v_ = s1.v - stage8_.v;
  error_z_ = s1.z - stage8_.z;
  if (on_rows) index1_.make_tangential(sys, s1, T_[0], error_q_, error_v_);
  const double err1 = error_norm_(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));  // [000] (16), of order 4
  if (printed_estimate_) {
    error_q_ = s1.q - s.q - h * (2.5 * stage7_.q - 1.5 * stage8_.q);  // [000] (16) as printed
    error_v_ = s1.v - s.v - h * (2.5 * stage7_.v - 1.5 * stage8_.v);
  } else {
    error_q_ = s1.q - s.q - h * (2.5 * Xdot_.q[6] - 1.5 * Xdot_.q[7]);  // with the stages' derivatives: docs/errata.md
    error_v_ = s1.v - s.v - h * (2.5 * Xdot_.v[6] - 1.5 * Xdot_.v[7]);
  }
  error_z_ = s1.z - s.z - h * (2.5 * Xdot_.z[6] - 1.5 * Xdot_.z[7]);
  if (on_rows) index1_.make_tangential(sys, s1, T_[0], error_q_, error_v_);
  const double err2 = error_norm_(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
  if (low_order_.leaps(s, s1, err2 / (h * h * h)) && !printed_estimate_) return err1;
  const double sum = err1 + 0.01 * err2;
  return sum > 0 ? err1 * err1 / sum : 0;  // [000] (17)
}

SchemeInfo hem5_info() {
  SchemeInfo info;
  info.id = "hem5";
  info.description = "half-explicit Runge-Kutta method with 8 stages, index 2";
  info.paper = "000";
  info.equations = "(13)-(17)";
  info.order = 5;
  info.index = 2;
  info.keeps_velocity = true;
  info.error_power = 5;
  info.options = {
      Projection::option("none"),
      {.name = "estimate",
       .value = std::string("corrected"),
       .description = "formula (16) of paper 000 for the error: with the derivatives of the last stages, or as "
                      "printed with the stages, for comparison only",
       .choices = {"corrected", "printed"}}};
  for (const OptionInfo& option : ErrorNorm::options()) info.options.push_back(option);
  return info;
}

Hem5::Hem5(const Options& options)
    : info_(hem5_info()),
      projection_(options),
      printed_estimate_(options.text("estimate") == "printed"),
      error_norm_(options),
      index1_(projection_.after_half_explicit()) {
  info_.keeps_position = projection_.position();
}

}  // namespace

SchemeEntry hem5_scheme() { return scheme_entry<Hem5>(hem5_info()); }

}  // namespace escapement
