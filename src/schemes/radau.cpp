// Radau IIA with three stages, order 5, for stiff systems: the index-2 form, after Hairer and Wanner, Solving Ordinary Differential
// Equations II (2nd ed., 1996), sections IV.8, VI.4 and VII.4. Both levels of the constraints are met at the end of a step by projection.
//
//   T(X_i) X'_i = V_i,   M(Q_i) V'_i = f(Q_i, V_i, Z_i) + G(Q_i)^T Lambda_i,   Z'_i = zdot(Q_i, V_i, Z_i),   G(Q_i) V_i + g_t = 0
//   Q_i = retract(q_n, X_i),   X_i = h sum_j a_ij X'_j,   V_i = v_n + h sum_j a_ij V'_j,   Z_i = z_n + h sum_j a_ij Z'_j
//
// Newton's method with A replaced by its lower factor L (P. J. van der Houwen and J. J. B. de Swart 1997): stage after stage, each a
// system of the size of one implicit Euler step. What L leaves out falls by 0.4 or faster from iteration to iteration, on
// infinitely stiff parts in three of them.
#include <cmath>

#include "schemes/implicit_point.hpp"
#include "schemes/index1.hpp"
#include "schemes/newton.hpp"
#include "schemes/radau_tableau.hpp"
#include "schemes/registry.hpp"
#include "schemes/stage_rates.hpp"

namespace escapement::inline schemes {

namespace {

using namespace radau_tableau;

class Radau : public Scheme {
 public:
  explicit Radau(const Options& options);

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void estimate_errors(bool wanted) override { estimate_ = wanted; }
  void set_tolerance(double tolerance, bool) override {
    controlled_ = true;
    if (given_ == 0) newton_ = NewtonControl(enough * tolerance, most_iterations);
  }

 private:
  struct Stage {
    ImplicitPoint point;
    SaddleSolver kkt;
    State s;            // (Q_i, V_i, Z_i), V'_i, Lambda_i
    Vec X, Xdot, Zdot;  // X'_i, Z'_i
    Vec dX, dV, dZ, dXdot, dVdot, dZdot, dLambda;
    Matrix bottom;
  };

  void predict(const State& s, double h);
  void place(const System& sys, const State& s, double h);
  Status correct(const System& sys, double h, int i, bool new_matrix);
  Status factor(const System& sys, Stage& stage, double c);
  Status solve_stages(const System& sys, const State& s, double h, StepReport& report);
  NewtonControl::Verdict judge(const System& sys, double h);
  double error(const System& sys, const State& s, double h, const State& s1);
  int solves();

  // an iteration that ends at this part of the tolerance adds nothing to the step's error that one would see
  static constexpr double enough = 0.01;
  static constexpr int most_iterations = 60;  // to rounding, by 0.4 each
  static constexpr double slow = 0.6;         // slower than L explains: the matrices belong to another place

  SchemeInfo info_;
  Index1 index1_;
  NewtonControl newton_;
  double given_;             // newton_tolerance of the options
  bool controlled_ = false;  // by a tolerance
  bool estimate_ = true;
  std::array<Stage, stages> stage_;
  Terms T_;              // at the step's end
  Tangent retraction_;   // T(X_i)
  Matrix A_;             // M/c^2 + D/c + K
  Vec zdot_n_;
  Vec e_x_, e_v_, e_z_, r_, a_, b_, dv_, dz_;
  Vec error_q_, error_x_, error_v_, error_z_;
};

void Radau::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  sys.prepare(T_);
  sys.prepare(retraction_);
  for (Stage& stage : stage_) {
    stage.point.resize(sys, ImplicitPoint::Imposed::velocity);
    stage.kkt.resize(dim.v, dim.rows(), sys.joint_rows());
    stage.s = make_state(dim);
    for (Vec* x : {&stage.X, &stage.Xdot, &stage.dX, &stage.dV, &stage.dXdot, &stage.dVdot}) x->setZero(dim.v);
    for (Vec* z : {&stage.Zdot, &stage.dZ, &stage.dZdot}) z->setZero(dim.z);
    stage.dLambda.setZero(dim.rows());
  }
  for (Vec* x : {&e_x_, &e_v_, &r_, &a_, &dv_, &error_x_, &error_v_}) x->setZero(dim.v);
  for (Vec* z : {&zdot_n_, &e_z_, &dz_, &error_z_}) z->setZero(dim.z);
  b_.setZero(dim.rows());
  error_q_.setZero(dim.q);
  index1_.start(sys, s, T_);
  zdot_n_ = T_.zdot;
  s.memory = {};

  // first matrices: patterns are analysed here and not in a step
  if (!s.vdot.allFinite()) return;
  predict(s, 0);
  for (Stage& stage : stage_) {
    copy_point(s, stage.s);
    stage.point.evaluate(sys, stage.s, stage.Zdot);
    factor(sys, stage, 1);
  }
}

// constant accelerations
void Radau::predict(const State& s, double h) {
  for (int i = 0; i < stages; ++i) {
    Stage& stage = stage_[i];
    stage.Xdot = s.v + c[i] * h * s.vdot;
    stage.s.vdot = s.vdot;
    stage.s.lambda = s.lambda;
    stage.Zdot = zdot_n_;
  }
}

// Q_i, V_i, Z_i from the rates
void Radau::place(const System& sys, const State& s, double h) {
  for (int i = 0; i < stages; ++i) {
    Stage& stage = stage_[i];
    stage.X.setZero();
    stage.s.v = s.v;
    stage.s.z = s.z;
    for (int j = 0; j < stages; ++j) {
      stage.X += h * a[i][j] * stage_[j].Xdot;
      stage.s.v += h * a[i][j] * stage_[j].s.vdot;
      stage.s.z += h * a[i][j] * stage_[j].Zdot;
    }
    stage.s.t = s.t + c[i] * h;
    sys.retract(s.q, stage.X, stage.s.q);
  }
}

// with dV = dX/c and dV' = dX/c^2
Status Radau::factor(const System& sys, Stage& stage, double c) {
  if (!stage.point.linearize(sys, stage.s, stage.X, 1 / c)) return Status::singular_matrix;
  const Terms& T = stage.point.terms();
  A_.set_sum({{1 / (c * c), &T.M}, {1 / c, &stage.point.D()}, {1, &stage.point.K_x()}});
  if (!stage.kkt.factor(A_, T.top(), stage.point.impose(1 / c, 1 / (c * c), stage.bottom))) return failure_of(stage.kkt);
  return Status::ok;
}

// the stage's corrections, those of the stages before it known. With c = h l_ii, e = h sum_{j<i} l_ij dX'_j and so on, and the
// kinematic residual r = V_i - T(X_i) X'_i:
//   dX = c dX' + e_x,   dX' = dV + r,   dV = c dV' + e_v
Status Radau::correct(const System& sys, double h, int i, bool new_matrix) {
  Stage& stage = stage_[i];
  const double c = h * l[i][i];
  e_x_.setZero();
  e_v_.setZero();
  e_z_.setZero();
  for (int j = 0; j < i; ++j) {
    e_x_ += h * l[i][j] * stage_[j].dXdot;
    e_v_ += h * l[i][j] * stage_[j].dVdot;
    e_z_ += h * l[i][j] * stage_[j].dZdot;
  }
  dz_ = stage.Zdot - e_z_ / c;
  stage.point.evaluate(sys, stage.s, dz_);
  if (new_matrix)
    if (const Status status = factor(sys, stage, c); status != Status::ok) return status;

  r_ = stage.s.v;
  if (sys.retract_tangent(stage.X, retraction_.retraction)) retraction_.retraction.add_product(-1, stage.Xdot, r_);
  else r_ -= stage.Xdot;

  const Terms& T = stage.point.terms();
  a_ = -stage.point.R_q_condensed();
  e_x_ += c * r_;
  dv_ = e_x_ / c;
  stage.point.D().add_product(1, dv_, a_);
  dv_ += e_v_;
  T.M.add_product(1 / c, dv_, a_);
  stage.point.imposed_residual(stage.s, 1 / c, 1 / (c * c), b_);
  b_ = -b_;
  T.G.add_product(1, e_x_, b_);
  stage.kkt.solve(a_, b_, stage.dX, stage.dLambda);

  stage.dV = (stage.dX - e_x_) / c;
  stage.dXdot = stage.dV + r_;
  stage.dVdot = (stage.dV - e_v_) / c;
  stage.point.z_step(stage.dX, stage.dV, stage.dZ);
  stage.dZdot = (stage.dZ - e_z_) / c;
  return Status::ok;
}

Status Radau::solve_stages(const System& sys, const State& s, double h, StepReport& report) {
  newton_.begin(NewtonControl::Aim::stagnation, sys.dim().v);  // one small correction does not promise that the next is
  bool new_matrix = true;
  double last = 0;
  for (;;) {
    place(sys, s, h);
    for (int i = 0; i < stages; ++i)
      if (const Status status = correct(sys, h, i, new_matrix); status != Status::ok) return status;
    double size = 0;
    for (Stage& stage : stage_) {
      stage.Xdot += stage.dXdot;
      stage.s.vdot += stage.dVdot;
      stage.Zdot += stage.dZdot;
      stage.s.lambda.head(stage.dLambda.size()) += stage.dLambda;
      size = std::max(size, stage.dX.lpNorm<Eigen::Infinity>());
    }
    ++report.newton_iterations;
    switch (judge(sys, h)) {
      case NewtonControl::Verdict::converged: place(sys, s, h); return Status::ok;
      case NewtonControl::Verdict::failed: stage_[stages - 1].point.note(report); return Status::newton_failed;
      case NewtonControl::Verdict::iterate: break;
    }
    new_matrix = last > 0 && size > slow * last;
    last = size;
  }
}

// corrections over what counts as one; velocities count for what they move in the step, and by themselves where a tolerance bounds them
NewtonControl::Verdict Radau::judge(const System& sys, double h) {
  const Scale& one = sys.scale();
  const double of_v = controlled_ ? 1 : h;
  double norm = 0, size = 0, pivot = 1;
  for (const Stage& stage : stage_) {
    for (int k = 0; k < stage.dX.size(); ++k) norm = std::max(norm, std::max(std::abs(stage.dX[k]), of_v * std::abs(stage.dV[k])) / one.v(k));
    for (int k = 0; k < stage.dZ.size(); ++k) norm = std::max(norm, std::abs(stage.dZ[k]) / (1 + std::abs(stage.s.z[k])));
    for (int k = 0; k < stage.s.q.size(); ++k) size = std::max(size, std::abs(stage.s.q[k]) / one.q(k));
    pivot = std::min(pivot, stage.kkt.pivot());
  }
  ++size;
  return newton_.judge(norm, size, newton_.at_rounding(norm / size, 0, 0, pivot));
}

// The method of order 3 with the weights b_hat and gamma_0 at the step's start, section IV.8: y_hat - y = gamma_0 (h y'_n +
// sum_i d_i (Y_i - y_n)), damped by the last stage's matrix, which leaves O(h^4) as it is and takes out what is stiff and what
// lies across the constraints
double Radau::error(const System& sys, const State& s, double h, const State& s1) {
  Stage& stage = stage_[stages - 1];
  const double step_c = h * l[stages - 1][stages - 1];
  error_x_ = gamma_0 * h * s.v;
  error_v_ = gamma_0 * h * s.vdot;
  error_z_ = gamma_0 * h * zdot_n_;
  for (int i = 0; i < stages; ++i) {
    error_x_ += gamma_0 * d[i] * stage_[i].X;
    error_v_ += gamma_0 * d[i] * (stage_[i].s.v - s.v);
    error_z_ += gamma_0 * d[i] * (stage_[i].s.z - s.z);
  }
  a_.setZero();
  if (error_z_.size() > 0) {
    dz_ = stage.Zdot - error_z_ / step_c;
    stage.point.evaluate(sys, stage.s, dz_);
    a_ = -stage.point.R_q_condensed();
  }
  stage.point.terms().M.add_product(1 / step_c, error_v_, a_);
  stage.point.K_x().add_product(-1, error_x_, a_);
  b_.setZero();
  stage.point.V_x().add_product(-step_c, error_x_, b_);
  b_ = b_.cwiseProduct(stage.point.at_velocity());
  stage.kkt.solve(a_, b_, stage.dX, stage.dLambda);
  error_v_ = stage.dX / step_c;
  error_x_ += stage.dX;
  stage.point.z_step(error_x_, error_v_, error_z_);
  sys.rate(s1.q, error_x_, error_q_);
  return error_norm(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
}

int Radau::solves() {
  int all = index1_.kkt().solves();
  for (const Stage& stage : stage_) all += stage.kkt.solves();
  return all;
}

StepReport Radau::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int before = solves();
  if (!index1_.knows(s)) {
    stage_[0].s = s;
    report.status = index1_.solve(sys, stage_[0].s, Need(0), T_);
    if (!report.ok()) return report;
  }
  zdot_n_ = T_.zdot;
  predict(s, h);
  report.status = solve_stages(sys, s, h, report);
  if (report.ok()) {
    copy_point(stage_[stages - 1].s, s1);
    s1.t = s.t + h;
    s1.memory = s.memory;
    sys.normalize(s1.q);
    index1_.forget();
    report.status = index1_.finish(sys, s1, Need(0), T_);
  }
  if (report.ok() && estimate_) report.error = error(sys, s, h, s1);
  report.linear_solves = solves() - before;
  return report;
}

SchemeInfo radau_info() {
  SchemeInfo info;
  info.id = "radau";
  info.description = "Radau IIA with 3 stages: implicit, for stiff systems and tight tolerances, index 2";
  info.paper = "Hairer, Wanner 1996";
  info.equations = "IV.8, VII.4";
  info.order = 5;
  info.index = 2;
  info.keeps_velocity = true;
  info.error_power = 4;
  info.options = {Projection::option("both"), NewtonControl::tolerance_option()};
  return info;
}

Radau::Radau(const Options& options)
    : info_(radau_info()), index1_(Projection(options)), newton_(options.number("newton_tolerance"), most_iterations), given_(options.number("newton_tolerance")) {
  info_.keeps_position = Projection(options).position();
}

}  // namespace

SchemeEntry radau_scheme() { return scheme_entry<Radau>(radau_info()); }

}  // namespace escapement
