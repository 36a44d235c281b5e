// HEM5: half-explicit Runge-Kutta method of order 5 for the index-2 form, [000] section 2.2, after Brasey and Hairer.
#include <cmath>

#include "math/saddle_solver.hpp"
#include "schemes/hem5_tableau.hpp"
#include "schemes/registry.hpp"

namespace escapement {

namespace {

using namespace hem5_tableau;

class Hem5 : public Scheme {
 public:
  explicit Hem5(const Options&) {}

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;

 private:
  void stage_value(const System& sys, const State& s, double h, int i, State& out) const;
  bool accelerations(const System& sys, State& s, Terms& T);
  void error(const System& sys, const State& s, const State& s1, double h, StepReport& report);

  SaddleSolver kkt_;
  Terms T_[2];                          // terms at the current and the next stage
  State stage_;                         // Q_i, V_i
  State stage8_;                        // Q_8, V_8: the embedded result of order 3
  State known_;                         // where T_[0] has been evaluated already
  Vec Qdot_[stages], Vdot_[stages], Zdot_[stages];
  Vec r_, sum_, error_q_, error_v_, Lambda_;
};

void Hem5::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  kkt_.resize(dim.v, dim.rows());
  for (Terms& T : T_) sys.prepare(T);
  stage_ = stage8_ = known_ = make_state(dim);
  for (int i = 0; i < stages; ++i) {
    Qdot_[i].setZero(dim.q);
    Vdot_[i].setZero(dim.v);
    Zdot_[i].setZero(dim.z);
  }
  r_.setZero(dim.rows());
  Lambda_.setZero(dim.rows());
  sum_.setZero(dim.v);
  error_q_.setZero(dim.q);
  error_v_.setZero(dim.v);
  sys.evaluate(s, Need::mass | Need::force | Need::jacobian, T_[0]);
  accelerations(sys, s, T_[0]);
  known_ = s;
}

// X_i = x_n + h sum_{j<i} a_ij Xdot_j
void Hem5::stage_value(const System& sys, const State& s, double h, int i, State& out) const {
  out.t = s.t + c[i] * h;
  out.q = s.q;
  out.v = s.v;
  out.z = s.z;
  for (int j = 0; j < i; ++j) {
    if (a[i][j] == 0) continue;
    out.q += (h * a[i][j]) * Qdot_[j];
    out.v += (h * a[i][j]) * Vdot_[j];
    out.z += (h * a[i][j]) * Zdot_[j];
  }
  if (i == stages) sys.normalize(out.q);
}

StepReport Hem5::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int solves = kkt_.solves();

  // the terms at the step's start are those of the last step's end, (15)
  const bool known = known_.t == s.t && known_.q == s.q && known_.v == s.v && known_.z == s.z;
  if (!known) sys.evaluate(s, Need::mass | Need::force | Need::jacobian, T_[0]);
  known_.t = std::nan("");

  stage_value(sys, s, h, 0, stage_);
  for (int i = 0; i < stages; ++i) {
    Terms& T = T_[i % 2];
    Terms& T1 = T_[(i + 1) % 2];
    if (i > 0) sys.evaluate(stage_, Need::mass | Need::force, T);
    sys.rate(stage_.q, stage_.v, Qdot_[i]);
    Zdot_[i] = T.zdot;
    if (i == stages - 1) stage8_ = stage_;

    // Q_{i+1} is explicit; V_{i+1} so far, without Vdot_i
    Vdot_[i].setZero();
    stage_value(sys, s, h, i + 1, stage_);
    sys.evaluate(stage_, Need::jacobian, T1);
    r_ = T1.g_t;
    T1.G.add_product(1, stage_.v, r_);
    r_ *= -1 / (h * a[i + 1][i]);  // [000] (14), r_i
    if (!kkt_.factor(T.M, T.top(), T1.G)) {
      report.status = kkt_.finite() ? Status::singular_matrix : Status::not_finite;
      return report;
    }
    kkt_.solve(T.f, r_, Vdot_[i], Lambda_);  // [000] (14)
    stage_.v += (h * a[i + 1][i]) * Vdot_[i];
  }

  s1.memory = s.memory;
  s1.t = s.t + h;
  s1.q = stage_.q;
  s1.v = stage_.v;
  s1.z = stage_.z;
  if (!s1.q.allFinite() || !s1.v.allFinite()) {
    report.status = Status::not_finite;
    return report;
  }
  sys.evaluate(s1, Need::mass | Need::force, T_[0]);
  if (!accelerations(sys, s1, T_[0])) {
    report.status = kkt_.finite() ? Status::singular_matrix : Status::not_finite;
    return report;
  }
  known_.t = s1.t;
  known_.q = s1.q;
  known_.v = s1.v;
  known_.z = s1.z;
  error(sys, s, s1, h, report);
  report.linear_solves = kkt_.solves() - solves;
  return report;
}

// acceleration and multiplier at a consistent state, [000] (15); M, f, G are in T already
bool Hem5::accelerations(const System& sys, State& s, Terms& T) {
  sys.evaluate(s, Need::curvature, T);
  if (!kkt_.factor(T.M, T.top(), T.G)) return false;
  r_ = -T.kappa;
  kkt_.solve(T.f, r_, s.vdot, s.lambda);
  return true;
}

void Hem5::error(const System&, const State& s, const State& s1, double h, StepReport& report) {
  error_q_ = s1.q - stage8_.q;
  error_v_ = s1.v - stage8_.v;
  const double err1 = error_norm(error_q_, error_v_, s1);  // [000] (16), of order 4
  error_q_ = s1.q - s.q - h * (2.5 * Qdot_[6] - 1.5 * Qdot_[7]);
  error_v_ = s1.v - s.v - h * (2.5 * Vdot_[6] - 1.5 * Vdot_[7]);
  const double err2 = error_norm(error_q_, error_v_, s1);  // [000] (16) with the derivatives of the stages: docs/errata.md
  const double sum = err1 + 0.01 * err2;
  report.error = sum > 0 ? err1 * err1 / sum : 0;  // [000] (17)
}

SchemeInfo make_info() {
  SchemeInfo info;
  info.id = "hem5";
  info.description = "half-explicit Runge-Kutta method with 8 stages, index 2";
  info.paper = "000";
  info.equations = "(13)-(17)";
  info.order = 5;
  info.index = 2;
  info.keeps_velocity = true;
  info.error_power = 5;
  return info;
}

const SchemeInfo& Hem5::info() const {
  static const SchemeInfo info = make_info();
  return info;
}

}  // namespace

SchemeEntry hem5_scheme() {
  return {make_info(), [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<Hem5>(options); }};
}

}  // namespace escapement
