// Generalized-alpha scheme for the index-3 form, [000] section 2.1 after Brüls and Arnold; Newmark's scheme and HHT are
// choices of its parameters. The constraints may also be imposed at another level or at two levels, see ImplicitSolver.
#include <cmath>

#include "math/tolerances.hpp"
#include "schemes/error_norm.hpp"
#include "schemes/implicit_solver.hpp"
#include "schemes/index1.hpp"
#include "schemes/index3_errors.hpp"
#include "schemes/registry.hpp"
#include "schemes/smooth_guess.hpp"

namespace escapement::inline schemes {

namespace {

struct Parameters {
  double alpha_m = 0, alpha_f = 0, gamma = 0.5, beta = 0.25;
};

double beta_of(double gamma) { return 0.25 * (gamma + 0.5) * (gamma + 0.5); }  // [000] (8)

Parameters generalized_alpha(double rho) {
  Parameters p;
  p.alpha_m = (2 * rho - 1) / (rho + 1);  // [000] (8)
  p.alpha_f = rho / (rho + 1);
  p.gamma = 0.5 + p.alpha_f - p.alpha_m;
  p.beta = beta_of(p.gamma);
  return p;
}

Parameters hht(double alpha) { return {0, -alpha, 0.5 - alpha, beta_of(0.5 - alpha)}; }

ImplicitSolver::Imposed imposed_of(const std::string& level) {
  using Imposed = ImplicitSolver::Imposed;
  if (level == "velocity") return Imposed::velocity;
  if (level == "acceleration") return Imposed::acceleration;
  return level == "ggl" ? Imposed::position_and_velocity : Imposed::position;
}

// in the memory's numbers
Foresight foresight(const State& s, int first) {
  const double* known = &s.memory.numbers[first];
  return {known[0], known[1], known[2], known[3]};
}
void keep(const Foresight& known, int first, State& s1) {
  double* kept = &s1.memory.numbers[first];
  kept[0] = known.left;
  kept[1] = known.relied;
  kept[2] = known.noise;
  kept[3] = known.relied_noise;
}

// only rows at position level leave rates behind
void leave_position_rows(const System& sys, Vec& rows) {
  for (int i = 0; i < rows.size(); ++i)
    if (sys.level(i) == Level::velocity) rows[i] = 0;
}

class GeneralizedAlpha : public Scheme {
 public:
  GeneralizedAlpha(SchemeInfo info, Parameters parameters, const Options& options);

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void estimate_errors(bool wanted) override { estimate_ = wanted; }
  void set_tolerance(double tolerance, bool per_unit_step) override {
    tolerance_ = tolerance;
    per_unit_step_ = per_unit_step;
  }
  bool trace_newton(NewtonTrace* trace) override {
    trace_ = trace;
    return true;
  }

 private:
  int linear_solves() { return solver_.linear_solves() + index1_.kkt().solves(); }
  void hold(const State& s, State& s1);
  void remember(const State& s, double h, State& s1);
  Status change_step(const System& sys, const State& s, double h);
  void note_across(const System& sys, State& s1);
  void set_form(const Parameters& p, const State& s, double h);
  Status estimate(const System& sys, const State& s, double h, State& s1, StepReport& report);

  SchemeInfo info_;
  Parameters parameters_;
  ImplicitSolver solver_;
  ImplicitForm form_;
  bool estimate_ = true, per_unit_step_ = false;
  double tolerance_ = 0;
  double companion_gamma_;  // of the first-order scheme of [000] (11), which only says gamma > 1/2
  std::string estimate_of_;  // full, tangential, printed
  ErrorNorm error_norm_;
  NewtonTrace* trace_ = nullptr;

  Vec v_, a_, w_, zdot_;  // at t_n: v, acceleration-like variables of v and z, z'
  Terms T_;
  Index1 index1_;  // [M -G^T; G 0] at t_n
  Vec rows_, mu_, zero_;
  Index3Errors across_;
  Vec zdot1_, zdot1_newmark_;
  Vec error_q_, error_v_, error_z_;
  State newmark_;
};

// layout of State::memory: vectors, then that of Index3Errors and those of SmoothGuess; numbers. left: the velocity that the step has
// left, and the part of it across the rows, where it is known
enum { memory_a, memory_w, memory_zdot, memory_left, memory_left_across, memory_across, memory_guess };
enum { memory_h, memory_h_before, memory_knows_across, memory_foresight, memory_companion = memory_foresight + 4, memory_count = memory_companion + 4 };

GeneralizedAlpha::GeneralizedAlpha(SchemeInfo info, Parameters parameters, const Options& options)
    : info_(std::move(info)),
      parameters_(parameters),
      solver_(imposed_of(options.text("level")), options.text("scaling"),
              NewtonControl(options.number("newton_tolerance"))),
      companion_gamma_(options.number("companion_gamma")),
      estimate_of_(options.text("estimate")),
      error_norm_(options) {
  solver_.give(ScalingAverages(options));
  const std::string& level = options.text("level");
  info_.keeps_position = level == "position" || level == "ggl";
  info_.keeps_velocity = level == "velocity" || level == "ggl";
  info_.index = level == "position" ? 3 : level == "acceleration" ? 1 : 2;
}

void GeneralizedAlpha::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  form_.resize(dim);
  for (Vec* z : {&w_, &zdot_, &zdot1_, &zdot1_newmark_}) z->setZero(dim.z);
  for (Vec* r : {&rows_, &mu_}) r->setZero(dim.rows());
  for (Vec* v : {&v_, &a_, &zero_}) v->setZero(dim.v);
  error_q_.setZero(dim.q);
  error_v_.setZero(dim.v);
  error_z_.setZero(dim.z);
  newmark_ = make_state(dim);

  sys.prepare(T_);
  index1_.start(sys, s, T_);
  if (info_.index == 3) {  // an event leaves the velocity across the rows by what the last steps left there
    Projection to_rows(false, true);
    to_rows.resize(sys);
    to_rows.project(sys, s, Need(0), T_, index1_.kkt());
    index1_.start(sys, s, T_);
  }
  solver_.start(sys, s);
  s.memory.vectors = {s.vdot, T_.zdot, T_.zdot, zero_, zero_};  // a_0 = v'(0)
  s.memory.numbers.assign(memory_count, 0);
  across_.start(sys, s, T_);
  smooth_guess::start(s);
}

StepReport GeneralizedAlpha::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int solves = linear_solves();
  v_ = s.v;
  a_ = s.memory.vectors[memory_a];
  w_ = s.memory.vectors[memory_w];
  zdot_ = s.memory.vectors[memory_zdot];
  report.status = change_step(sys, s, h);
  if (!report.ok()) return report;

  const Parameters& p = parameters_;
  set_form(p, s, h);
  solver_.trace(trace_);
  hold(s, s1);
  const smooth_guess::Steps steps{h, s.memory.numbers[memory_h], s.memory.numbers[memory_h_before]};
  const bool extrapolated = smooth_guess::extrapolate(sys.scale(), s, memory_guess, steps, s1);
  Foresight known = foresight(s, memory_foresight);
  report.status = solver_.solve(sys, form_, s, s1, zdot1_, report, 0, &known);
  if (!report.ok() && extrapolated) {
    hold(s, s1);
    report.status = solver_.solve(sys, form_, s, s1, zdot1_, report, 0, &known);
  }
  if (report.ok() && info_.index == 3 && solver_.across_constraints(sys, s1)) report.status = Status::across_constraints;
  if (report.ok()) {
    remember(s, h, s1);
    keep(known, memory_foresight, s1);
    if (estimate_) report.status = estimate(sys, s, h, s1, report);
  }
  report.linear_solves = linear_solves() - solves;
  return report;
}

// the guess: accelerations and multipliers as they are
void GeneralizedAlpha::hold(const State& s, State& s1) {
  s1.vdot = s.vdot;
  s1.lambda = s.lambda;
  zdot1_ = zdot_;
}

void GeneralizedAlpha::remember(const State& s, double h, State& s1) {
  const Parameters& p = parameters_;
  s1.memory.vectors.resize(s.memory.vectors.size());
  s1.memory.numbers = s.memory.numbers;
  s1.memory.vectors[memory_a] = solver_.y() / (h * h * p.beta);
  s1.memory.vectors[memory_w] = solver_.u() / (h * p.gamma);
  s1.memory.vectors[memory_zdot] = zdot1_;
  for (const int k : {memory_left, memory_left_across})
    if (Vec& room = s1.memory.vectors[k]; room.size() != s.v.size()) room.setZero(s.v.size());
  s1.memory.numbers[memory_knows_across] = 0;
  s1.memory.numbers[memory_h] = h;
  s1.memory.numbers[memory_h_before] = s.memory.numbers[memory_h];
  across_.remember(s, s.memory.numbers[memory_h] == 0, h, s1);
  smooth_guess::remember(s, memory_guess, s1);
}

// a_n stands for the acceleration at t_n + (alpha_m - alpha_f) h, and at index 3 v_n leaves a residual of size h^2 in
// the constraints at velocity level: both go over to the new h, so that no ripple starts in v and lambda
Status GeneralizedAlpha::change_step(const System& sys, const State& s, double h) {
  const double last = s.memory.numbers[memory_h], ratio = last > 0 ? h / last : 1;
  if (std::abs(ratio - 1) < little::same_step) return Status::ok;
  a_ = s.vdot + ratio * (a_ - s.vdot);
  w_ = zdot_ + ratio * (w_ - zdot_);
  if (info_.index != 3 || rows_.size() == 0) return Status::ok;
  if (s.memory.numbers[memory_knows_across] != 0 && s.memory.vectors[memory_left] == s.v) {
    v_ += (ratio * ratio - 1) * s.memory.vectors[memory_left_across];
    return Status::ok;
  }
  sys.evaluate(s, Need::mass | Need::jacobian, T_);
  SaddleSolver& kkt = index1_.kkt();
  if (!kkt.factor(T_.M, T_.G)) return failure_of(kkt);
  velocity_rows(T_, s.v, rows_);
  rows_ *= ratio * ratio - 1;
  leave_position_rows(sys, rows_);
  kkt.solve(zero_, rows_, error_v_, mu_);
  v_ += error_v_;
  return Status::ok;
}

// for the next change of the step
void GeneralizedAlpha::note_across(const System& sys, State& s1) {
  if (rows_.size() == 0 || solver_.redundant()) return;
  rows_ = across_.rates();
  leave_position_rows(sys, rows_);
  solver_.find_across(rows_, s1.memory.vectors[memory_left_across]);
  s1.memory.vectors[memory_left] = s1.v;
  s1.memory.numbers[memory_knows_across] = 1;
}

// unknowns y = h^2 beta a_{n+1} and, for the extra states, u = h gamma w_{n+1}
void GeneralizedAlpha::set_form(const Parameters& p, const State& s, double h) {
  form_.t1 = s.t + h;
  form_.h = h;
  form_.base = s.q;
  for (int i = 0; i < v_.size(); ++i) {
    const double v = v_[i], a = a_[i], vdot = s.vdot[i];
    form_.x0[i] = h * v + h * h * (0.5 - p.beta) * a;                 // [000] (7)
    form_.v0[i] = v + h * (1 - p.gamma) * a;                          // [000] (7); a_n is missing in print, see docs/errata.md
    form_.a0[i] = (p.alpha_m * a - p.alpha_f * vdot) / (1 - p.alpha_f);  // [000] (6)
  }
  form_.z0 = s.z + h * (1 - p.gamma) * w_;
  form_.w0 = (p.alpha_m * w_ - p.alpha_f * zdot_) / (1 - p.alpha_f);
  form_.c_v = p.gamma / (h * p.beta);                                // gamma' of [000] (10)
  form_.c_a = (1 - p.alpha_m) / (h * h * p.beta * (1 - p.alpha_f));  // beta' of [000] (10)
  form_.c_z = (1 - p.alpha_m) / (h * p.gamma * (1 - p.alpha_f));
}

// [000] (11): against a step of Newmark's scheme of order 1 from the same state
Status GeneralizedAlpha::estimate(const System& sys, const State& s, double h, State& s1, StepReport& report) {
  if (info_.index == 3) {
    across_.look(sys, s1, T_);
    note_across(sys, s1);
  }
  a_ = s.vdot;
  w_ = zdot_;
  set_form({0, 0, companion_gamma_, beta_of(companion_gamma_)}, s, h);
  newmark_.vdot = s1.vdot;
  newmark_.lambda = s1.lambda;
  zdot1_newmark_ = zdot1_;
  solver_.trace(nullptr);
  // its velocities to a hundredth of what the step may be wrong by
  const double enough = 0.01 * tolerance_ * (per_unit_step_ ? h : 1) / std::max(1.0, form_.c_v);
  Foresight known = foresight(s, memory_companion);
  const Status status = solver_.solve_like_last(sys, form_, s, newmark_, zdot1_newmark_, report, enough, known);
  keep(known, memory_companion, s1);
  if (status != Status::ok) return status;
  for (int i = 0; i < error_q_.size(); ++i) error_q_[i] = s1.q[i] - newmark_.q[i];
  for (int i = 0; i < error_v_.size(); ++i) error_v_[i] = s1.v[i] - newmark_.v[i];
  error_z_ = s1.z - newmark_.z;
  // at index 3 the velocities normal to the constraints follow from q alone: what is wrong with them is their residual in the rows
  if (info_.index == 3 && estimate_of_ != "printed") {
    const Status along = across_.take_along(sys, s, solver_, index1_, T_, error_q_, error_v_);
    if (along != Status::ok) return along;
  }
  if (info_.index == 3 && estimate_of_ == "full") error_v_ += across_.velocities();
  report.error = error_norm_(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
  return Status::ok;
}

SchemeInfo family_info(const char* id, const char* description) {
  SchemeInfo info;
  info.id = id;
  info.description = description;
  info.paper = "000";
  info.equations = "(6)-(11)";
  info.order = 2;
  info.index = 3;
  info.keeps_position = true;
  info.error_power = 2;
  info.max_growth = 2;
  info.options = {
      {.name = "level",
       .value = std::string("position"),
       .description = "level at which the constraints are imposed; ggl: position and velocity",
       .choices = {"position", "velocity", "acceleration", "ggl"}},
      {.name = "scaling",
       .value = std::string("full"),
       .description = "scaling of the Newton system; multipliers and full are the same here",
       .choices = {"none", "left", "multipliers", "full"}},
      NewtonControl::tolerance_option(),
      {.name = "companion_gamma",
       .value = 0.6,
       .description = "gamma of the first-order companion whose distance is the error estimate",
       .min = 0.501,
       .max = 1},
      {.name = "estimate",
       .value = std::string("full"),
       .description = "velocities in the estimate: those along the constraints by formula (11) of paper 000 and those across "
                      "by their residual; for comparison only: the former alone, or all by the formula, as printed",
       .choices = {"full", "tangential", "printed"}},
  };
  for (const OptionInfo& option : ScalingAverages::options()) info.options.push_back(option);
  for (const OptionInfo& option : ErrorNorm::options()) info.options.push_back(option);
  return info;
}

SchemeInfo generalized_alpha_info() {
  SchemeInfo info = family_info("generalized-alpha", "generalized-alpha scheme, index 3");
  info.options.push_back({.name = "rho_infinity",
                          .value = 0.8,
                          .description = "spectral radius at infinite frequency; smaller damps more",
                          .min = 0,
                          .max = 1});
  return info;
}

SchemeInfo newmark_info() {
  SchemeInfo info = family_info("newmark", "Newmark's scheme, index 3; with gamma = 1/2 its multipliers oscillate");
  info.multiplier_order = 0;
  info.options.push_back({.name = "gamma",
                          .value = 0.5,
                          .description = "1/2: order 2; larger: order 1 with damping",
                          .min = 0.5,
                          .max = 2});
  info.options.push_back({.name = "beta",
                          .value = 0.25,
                          .description = "weight of the new acceleration in the position",
                          .min = 0.001,
                          .max = 2});
  return info;
}

SchemeInfo hht_info() {
  SchemeInfo info = family_info("hht", "scheme of Hilber, Hughes and Taylor, index 3");
  info.options.push_back({.name = "alpha",
                          .value = -0.05,
                          .description = "between -1/3 and 0; more negative damps more",
                          .min = -1.0 / 3,
                          .max = 0});
  return info;
}

}  // namespace

SchemeEntry generalized_alpha_scheme() {
  return {generalized_alpha_info(), [](const Options& o) -> std::unique_ptr<Scheme> {
            return std::make_unique<GeneralizedAlpha>(generalized_alpha_info(),
                                                      generalized_alpha(o.number("rho_infinity")), o);
          }};
}

SchemeEntry newmark_scheme() {
  return {newmark_info(), [](const Options& o) -> std::unique_ptr<Scheme> {
            return std::make_unique<GeneralizedAlpha>(newmark_info(),
                                                      Parameters{0, 0, o.number("gamma"), o.number("beta")}, o);
          }};
}

SchemeEntry hht_scheme() {
  return {hht_info(), [](const Options& o) -> std::unique_ptr<Scheme> {
            return std::make_unique<GeneralizedAlpha>(hht_info(), hht(o.number("alpha")), o);
          }};
}

}  // namespace escapement
