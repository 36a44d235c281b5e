// Backward differentiation formulas of order 1 to 5 for the index-3 form, with the scaling of [003].
//
// With order: variable the order follows the tolerance, and both levels of the constraints hold after Gear, Gupta and Leimkuhler: at
// index 3 velocities and multipliers would feel every change of order and step.
//
// On rotations the formula works on increments about the position that the history predicts: there the tangent of
// retract is the identity up to the formula's own error, so that the rate of the increment is the velocity.
#include <fmt/format.h>

#include "schemes/bdf_order.hpp"
#include "schemes/error_norm.hpp"
#include "schemes/implicit_solver.hpp"
#include "schemes/registry.hpp"
#include "schemes/starting_step.hpp"
#include "schemes/three_field_solver.hpp"

namespace escapement::inline schemes {

namespace {

class Bdf : public Scheme {
 public:
  Bdf(SchemeInfo info, const Options& options);

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void estimate_errors(bool wanted) override { estimate_ = wanted; }
  void set_tolerance(double tolerance, bool per_unit_step) override {
    tolerance_ = tolerance;
    per_unit_step_ = per_unit_step;
  }
  bool trace_newton(NewtonTrace* trace) override {
    two_field_.trace(trace);
    three_field_.trace(trace);
    return true;
  }

 private:
  // layout of State::memory: earlier q, then v, then z; numbers: how many are filled, then the step sizes before t_n, then, where it
  // varies, the order of the next step and how many this order has made
  const Vec& past_q(const State& s, int i) const { return i == 0 ? s.q : s.memory.vectors[i - 1]; }
  const Vec& past_v(const State& s, int i) const { return i == 0 ? s.v : s.memory.vectors[depth_ + i - 1]; }
  const Vec& past_z(const State& s, int i) const { return i == 0 ? s.z : s.memory.vectors[2 * depth_ + i - 1]; }
  double order_after(const State& s) const { return s.memory.numbers[static_cast<std::size_t>(depth_) + 1]; }
  double age_after(const State& s) const { return s.memory.numbers[static_cast<std::size_t>(depth_) + 2]; }
  void set_order(State& s, double order, double age) const {
    s.memory.numbers[static_cast<std::size_t>(depth_) + 1] = order;
    s.memory.numbers[static_cast<std::size_t>(depth_) + 2] = age;
  }
  double allowed(double h) const { return per_unit_step_ ? tolerance_ * h : tolerance_; }
  void remember(const State& s, double h, State& s1) const;

  void set_form(const System& sys, const State& s, double h);
  Status starting_step(const System& sys, const State& s, double h, State& s1, StepReport& report);
  Status formula_step(const System& sys, const State& s, double h, State& s1, StepReport& report);
  Status estimate(const System& sys, const State& s1, StepReport& report);
  double error_of(const System& sys, const State& s, double h, const State& s1, int order);
  void choose_order(const System& sys, const State& s, double h, State& s1, StepReport& report);
  int linear_solves() {
    return two_field_.linear_solves() + three_field_.linear_solves() + starting_.linear_solves() + kkt_.solves();
  }

  SchemeInfo info_;
  bool variable_;
  int order_;  // of the present step
  int first_order_, depth_;
  bool three_fields_;
  bool guess_previous_;
  ImplicitSolver two_field_;
  ThreeFieldSolver three_field_;
  StartingStep starting_;
  bool estimate_ = true, per_unit_step_ = false;
  double tolerance_ = 0;

  BdfFormula formula_;
  ImplicitForm form_;
  Vec x_, x_p_, q_p_, v_p_, zdot1_;  // increments; predictions
  Terms T_;
  SaddleSolver kkt_;  // [M -G^T; G 0] at the new point
  State reference_;
  Vec error_q_, error_v_, error_z_, a_, b_, mu_;
  ErrorNorm error_norm_;
};

bool varies(const Options& options) { return std::holds_alternative<std::string>(options.all().at("order")); }

Bdf::Bdf(SchemeInfo info, const Options& options)
    : info_(std::move(info)),
      variable_(varies(options)),
      order_(variable_ ? 2 : options.integer("order")),
      first_order_(order_),
      depth_(variable_ ? max_bdf_order : order_),
      three_fields_(!variable_ && options.text("form") == "three-field"),
      guess_previous_(options.text("guess") == "previous"),
      two_field_(variable_ ? ImplicitSolver::Imposed::position_and_velocity : ImplicitSolver::Imposed::position,
                 options.text("scaling"), NewtonControl(options.number("newton_tolerance")), !variable_),
      three_field_(options.text("scaling"), NewtonControl(options.number("newton_tolerance"))),
      error_norm_(options) {
  two_field_.give(ScalingAverages(options));
  three_field_.give(ScalingAverages(options));
  info_.error_power = order_ + 1;
  info_.max_growth = largest_bdf_growth[order_];
  info_.order = variable_ ? max_bdf_order : order_;
  if (!variable_) return;
  for (const char* name : {"form", "guess"})
    if (options.given(name))
      throw OptionError(name, fmt::format("option '{}' belongs to orders given by a number; leave it out with order: variable", name));
  info_.index = 2;
  info_.keeps_velocity = true;
}

void Bdf::start(const System& sys, State& s) {
  if (variable_ && tolerance_ == 0)
    throw OptionError("order", "option 'order' is variable, which needs a tolerance; give the run one, or an order from 1 to 5");
  const Dim& dim = sys.dim();
  sys.prepare(T_);
  kkt_.resize(dim.v, dim.rows(), sys.joint_rows());
  // after an event the velocity may lie across the rows by what the formula leaves there; no smooth motion begins so
  Projection to_rows(false, true);
  to_rows.resize(sys);
  to_rows.project(sys, s, Need(0), T_, kkt_);
  order_ = first_order_;
  starting_.start(sys, s, order_ + 1);
  three_fields_ ? three_field_.start(sys, s) : two_field_.start(sys, s);
  form_.resize(dim);
  reference_ = make_state(dim);
  for (Vec* v : {&x_, &x_p_, &v_p_, &error_v_, &a_}) v->setZero(dim.v);
  for (Vec* r : {&b_, &mu_}) r->setZero(dim.rows());
  zdot1_.setZero(dim.z);
  error_z_.setZero(dim.z);
  error_q_.setZero(dim.q);
  q_p_.setZero(dim.q);

  s.memory.vectors.clear();
  for (const Vec* x : {&s.q, &s.v, &s.z}) s.memory.vectors.insert(s.memory.vectors.end(), depth_, *x);
  s.memory.numbers.assign(1 + depth_ + (variable_ ? 2 : 0), 0);
  if (variable_) set_order(s, first_order_, 0);
}

StepReport Bdf::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int solves = linear_solves();
  if (variable_) order_ = static_cast<int>(order_after(s));
  const bool starting = s.memory.numbers[0] < first_order_;
  report.status = starting ? starting_step(sys, s, h, s1, report) : formula_step(sys, s, h, s1, report);
  if (report.ok()) remember(s, h, s1);
  if (report.ok() && variable_ && !starting) choose_order(sys, s, h, s1, report);
  report.linear_solves = linear_solves() - solves;
  return report;
}

void Bdf::remember(const State& s, double h, State& s1) const {
  s1.memory = s.memory;
  for (int i = 1; i <= depth_; ++i) {
    s1.memory.vectors[i - 1] = past_q(s, i - 1);
    s1.memory.vectors[depth_ + i - 1] = past_v(s, i - 1);
    s1.memory.vectors[2 * depth_ + i - 1] = past_z(s, i - 1);
    s1.memory.numbers[i] = i == 1 ? h : s.memory.numbers[i - 1];
  }
  s1.memory.numbers[0] = std::min<double>(s.memory.numbers[0] + 1, depth_);
}

// the first steps make the history that the formula needs
Status Bdf::starting_step(const System& sys, const State& s, double h, State& s1, StepReport& report) {
  const Status status = starting_.step(sys, s, h, s1, reference_);
  error_q_ = s1.q - reference_.q;
  error_v_ = s1.v - reference_.v;
  error_z_ = s1.z - reference_.z;
  report.error = error_norm_(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
  return status;
}

Status Bdf::formula_step(const System& sys, const State& s, double h, State& s1, StepReport& report) {
  set_form(sys, s, h);
  s1.lambda = s.lambda;
  s1.v = guess_previous_ ? s.v : v_p_;
  s1.vdot = form_.a0;  // y = 0
  zdot1_ = form_.w0;
  // velocities to a hundredth of what the step may be wrong by
  const double enough = variable_ ? 0.01 * allowed(h) / std::max(1.0, form_.c_v) : 0;
  const Status status = three_fields_ ? three_field_.solve(sys, form_, s1, zdot1_, report)
                                      : two_field_.solve(sys, form_, s, s1, zdot1_, report, enough);
  return status == Status::ok && estimate_ && !variable_ ? estimate(sys, s1, report) : status;
}

// v1 = (alpha_0 y + sum alpha_i x_i)/h about the position it starts from, v1' = (alpha_0 v1 + sum alpha_i v_i)/h, [003]
// (34), (35)
void Bdf::set_form(const System& sys, const State& s, double h) {
  const int k = order_;
  formula_ = make_bdf_formula(k, h, std::span(s.memory.numbers).subspan(1));
  const auto& alpha = formula_.alpha;
  const auto& weight = formula_.extrapolation;
  form_.t1 = s.t + h;
  form_.h = h;
  form_.c_v = form_.c_z = alpha[0] / h;
  form_.c_a = form_.c_v * form_.c_v;

  x_p_.setZero();
  for (int i = 1; i <= k; ++i) {
    sys.difference(s.q, past_q(s, i), x_);
    x_p_ += weight[i] * x_;
  }
  sys.retract(s.q, x_p_, q_p_);
  form_.base = guess_previous_ ? s.q : q_p_;

  form_.v0.setZero();
  form_.a0.setZero();
  form_.w0.setZero();
  v_p_ = weight[0] * s.v;
  form_.z0 = weight[0] * s.z;
  for (int i = 1; i <= k; ++i) {
    sys.difference(form_.base, past_q(s, i - 1), x_);
    form_.v0 += (alpha[i] / h) * x_;
    form_.a0 += (alpha[i] / h) * past_v(s, i - 1);
    form_.w0 += (alpha[i] / h) * past_z(s, i - 1);
    v_p_ += weight[i] * past_v(s, i);
    form_.z0 += weight[i] * past_z(s, i);
  }
  form_.a0 += form_.c_v * form_.v0;
  form_.w0 += form_.c_z * form_.z0;
}

// from the distance between the formula's result and the prediction
Status Bdf::estimate(const System& sys, const State& s1, StepReport& report) {
  error_q_ = formula_.error_constant * (s1.q - q_p_);
  error_v_ = formula_.error_constant * (s1.v - v_p_);
  error_z_ = formula_.error_constant * (s1.z - form_.z0);
  // the velocity normal to the constraints follows from q alone and jumps with the step size: it must not control the
  // step
  if (sys.dim().rows() > 0) {
    sys.evaluate(s1, Need::mass | Need::jacobian, T_);
    a_.setZero();
    T_.M.add_product(1, error_v_, a_);
    if (!kkt_.factor(T_.M, T_.G)) return failure_of(kkt_);
    kkt_.solve(a_, b_, error_v_, mu_);
  }
  report.error = error_norm_(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
  return Status::ok;
}

// of s1 against the polynomial of this degree through the history, times what the formula's own error is of that distance
double Bdf::error_of(const System& sys, const State& s, double h, const State& s1, int order) {
  const BdfFormula formula = make_bdf_formula(order, h, std::span(s.memory.numbers).subspan(1));
  const auto& weight = formula.extrapolation;
  x_p_.setZero();
  error_v_ = s1.v - weight[0] * s.v;
  error_z_ = s1.z - weight[0] * s.z;
  for (int i = 1; i <= order; ++i) {
    sys.difference(s.q, past_q(s, i), x_);
    x_p_ += weight[i] * x_;
    error_v_ -= weight[i] * past_v(s, i);
    error_z_ -= weight[i] * past_z(s, i);
  }
  sys.retract(s.q, x_p_, q_p_);
  error_q_ = formula.error_constant * (s1.q - q_p_);
  error_v_ *= formula.error_constant;
  error_z_ *= formula.error_constant;
  return error_norm_(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, sys.dim()));
}

void Bdf::choose_order(const System& sys, const State& s, double h, State& s1, StepReport& report) {
  report.error = error_of(sys, s, h, s1, order_);
  const double age = age_after(s) + 1, points = s.memory.numbers[0];
  const bool settled = age > order_ && points > order_;
  const BdfChoice next = choose_bdf_order(order_, settled, [&](int order) { return (order == order_ ? report.error : error_of(sys, s, h, s1, order)) / allowed(h); });
  const bool failed = report.error > allowed(h);  // the same order again, with a shorter step
  report.next_step = h * (failed ? std::min(0.9, next.growth) : next.growth);
  set_order(s1, next.order, next.order == order_ ? age : 0);
}

SchemeInfo bdf_info() {
  SchemeInfo info;
  info.id = "bdf";
  info.description = "backward differentiation formulas of order 1 to 5, index 3";
  info.paper = "003";
  info.equations = "(2)-(53)";
  info.order = 2;
  info.index = 3;
  info.keeps_position = true;
  info.error_power = 3;
  info.max_growth = largest_bdf_growth[2];
  info.options = {
      {.name = "order",
       .value = 2.0,
       .description = "order of the formula; variable: as the tolerance asks for, with both levels of the constraints",
       .choices = {"variable"},
       .min = 1,
       .max = max_bdf_order,
       .integer = true},
      {.name = "form",
       .value = std::string("three-field"),
       .description = "unknowns of the Newton system: q, v and lambda, or q and lambda",
       .choices = {"three-field", "two-field"}},
      {.name = "scaling",
       .value = std::string("full"),
       .description = "scaling of the Newton system; in the two-field form multipliers and full are the same",
       .choices = {"none", "left", "multipliers", "full"}},
      NewtonControl::tolerance_option(),
      {.name = "guess",
       .value = std::string("extrapolated"),
       .description =
           "where Newton's iteration begins: at the extrapolated history, or at the last position and velocity, "
           "for comparison only",
       .choices = {"extrapolated", "previous"}},
  };
  for (const OptionInfo& option : ScalingAverages::options()) info.options.push_back(option);
  for (const OptionInfo& option : ErrorNorm::options()) info.options.push_back(option);
  return info;
}

}  // namespace

SchemeEntry bdf_scheme() {
  return {bdf_info(), [](const Options& options) -> std::unique_ptr<Scheme> {
            return std::make_unique<Bdf>(bdf_info(), options);
          }};
}

}  // namespace escapement
