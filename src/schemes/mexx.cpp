// MEXX: extrapolation of a half-explicit method for the index-2 form, after C. Lubich, U. Nowak, U. Poehle and C.
// Engstler (1992): [000] names it as further work.
//
// The base method is the explicit midpoint rule with tau = h/n, whose multipliers hold the constraints at the next
// point:
//
//   q_{i+1} = q_{i-1} + 2 tau H(q_i) v_i
//   M(q_i) (v_{i+1} - v_{i-1}) = 2 tau (f(q_i, v_i) + G(q_i)^T Lambda_i),   G(q_{i+1}) v_{i+1} + g_t(q_{i+1}) = 0
//
// from a first step of half the length. Read backwards in time it is the same recursion; the even points and the odd
// points each follow a function of t whose expansion has even powers of tau alone, and so do Vdot_i and Lambda_i at the
// odd ones. The start does not spoil this: the odd function's value b at t_n is fixed by (b(tau) + b(-tau))/2 - y_n
// lying in the directions of the multipliers, a condition that is itself even in tau. Hence extrapolation in tau^2, two
// orders per column.
//
// With n = 2, 6, 10, ... the middle of the step is an odd point of every column, as dense output needs it.
#include <fmt/format.h>

#include "schemes/extrapolated_output.hpp"
#include "schemes/extrapolation_control.hpp"
#include "schemes/index1.hpp"
#include "schemes/registry.hpp"

namespace escapement::inline schemes {

namespace {

constexpr int most_columns = ExtrapolationControl::most_columns;
constexpr std::array<int, most_columns> substeps{2, 6, 10, 14, 18, 22};
constexpr double dense_errors = 10;  // tolerances that the error of dense output is to stay below
constexpr double torn = 100;         // times that: smooth motions stay ten times below it

class Mexx : public Scheme {
 public:
  explicit Mexx(const Options& options);

  const SchemeInfo& info() const override { return info_; }
  void set_tolerance(double tolerance, bool per_unit_step) override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void estimate_errors(bool wanted) override { index1_.control_errors(wanted); }
  void interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const override;

 private:
  // where the parts stand in a column's results: at the step's end and in its middle
  struct Layout {
    int q = 0, v = 0, z = 0, q_mid = 0, v_mid = 0, z_mid = 0, size = 0;
  };
  enum Number { target, used, numbers };  // of State::memory.numbers: columns to aim at; of this step

  StepReport try_step(const System& sys, const State& s, double h, State& s1, bool on_rows);
  double allowed(double h) const { return per_unit_step_ ? tolerance_ * h : tolerance_; }
  Status column(const System& sys, const State& s, double h, int k);
  Status substep(const System& sys, const State& s, double tau, int i);
  Status substep_on_rows(const System& sys, const State& s, double tau, int i);
  void record(int i, int n, int k);
  void extrapolate(int k);
  Status extrapolation(const System& sys, const State& s, double h, StepReport& report);
  Status error(const System& sys, const State& s1, double& error);
  void remember(const State& s, State& s1);

  SchemeInfo info_;
  int columns_;
  double tolerance_ = 0;
  bool per_unit_step_ = false;
  ExtrapolationControl control_{substeps};

  Dim dim_;
  Layout at_;
  Index1 index1_;
  Terms T0_, T_[2];  // at the step's start; at the current and the next point
  State x_[3];       // y_{i-1}, y_i, y_{i+1}, in turn
  Vec qdot_, Vdot_, Lambda_, r_;
  ExtrapolatedOutput output_{substeps};
  std::array<Vec, most_columns> table_;  // per column; the first one becomes the result
  int used_ = 2;
  bool on_rows_ = false;  // this step
  State projected_;       // a point of such a step on the rows
  Vec error_q_, error_v_, error_z_;
};

void Mexx::set_tolerance(double tolerance, bool per_unit_step) {
  tolerance_ = tolerance;
  per_unit_step_ = per_unit_step;
}

void Mexx::start(const System& sys, State& s) {
  dim_ = sys.dim();
  const int q = dim_.q, v = dim_.v, z = dim_.z, m = dim_.rows();
  Layout& at = at_;
  at.q = 0, at.v = q, at.z = at.v + v;
  at.q_mid = at.z + z, at.v_mid = at.q_mid + q, at.z_mid = at.v_mid + v, at.size = at.z_mid + z;

  sys.prepare(T0_);
  for (Terms& T : T_) sys.prepare(T);
  for (State& x : x_) x = make_state(dim_);
  projected_ = make_state(dim_);
  for (Vec& y : table_) y.setZero(at.size);
  for (Vec* x : {&Vdot_, &error_v_}) x->setZero(v);
  error_z_.setZero(dim_.z);
  for (Vec* x : {&Lambda_, &r_}) x->setZero(m);
  for (Vec* x : {&qdot_, &error_q_}) x->setZero(q);

  output_.start(dim_, s);
  s.memory.numbers.assign(numbers, 0);
  s.memory.numbers[target] = tolerance_ > 0 ? control_.first_target(tolerance_) : columns_;
  index1_.start(sys, s, T0_);
  index1_.watch(s);
}

// from y_{i-1} and y_i to y_{i+1}; the first one from y_0 alone, with half the length
Status Mexx::substep(const System& sys, const State& s, double tau, int i) {
  const State& before = i <= 1 ? s : x_[(i + 2) % 3];
  const State& now = i == 0 ? s : x_[i % 3];
  State& next = x_[(i + 1) % 3];
  Terms& T = i == 0 ? T0_ : T_[i % 2];
  Terms& T1 = T_[(i + 1) % 2];
  const double length = i == 0 ? tau : 2 * tau;

  if (i > 0) sys.evaluate(now, Need::mass | Need::force, T);
  sys.rate(now.q, now.v, qdot_);
  next.t = s.t + (i + 1) * tau;
  next.q = before.q + length * qdot_;
  next.z = before.z + length * T.zdot;
  sys.evaluate(next, Need::jacobian, T1);
  velocity_rows(T1, before.v, r_);
  r_ *= -1 / length;
  if (!index1_.kkt().factor(T.M, T.top(), T1.G)) return failure_of(index1_.kkt());
  index1_.kkt().solve(T.f, r_, Vdot_, Lambda_);
  next.v = before.v + length * Vdot_;
  return Status::ok;
}

// near dead points: the explicit midpoint rule on the index-1 form, whose expansion is even too (Gragg)
Status Mexx::substep_on_rows(const System& sys, const State& s, double tau, int i) {
  const State& before = i <= 1 ? s : x_[(i + 2) % 3];
  const State& now = i == 0 ? s : x_[i % 3];
  State& next = x_[(i + 1) % 3];
  Terms& T = i == 0 ? T0_ : T_[i % 2];
  const double length = i == 0 ? tau : 2 * tau;

  projected_.t = now.t;
  projected_.q = now.q;
  projected_.v = now.v;
  projected_.z = now.z;
  if (const Status status = index1_.solve_on_rows(sys, projected_, T); status != Status::ok) return status;
  sys.rate(projected_.q, projected_.v, qdot_);
  Vdot_ = projected_.vdot;
  Lambda_ = projected_.lambda.head(dim_.rows());
  next.t = s.t + (i + 1) * tau;
  next.q = before.q + length * qdot_;
  next.v = before.v + length * Vdot_;
  next.z = before.z + length * T.zdot;
  return Status::ok;
}

// the base method with the substeps of column k = 0, 1, ...
Status Mexx::column(const System& sys, const State& s, double h, int k) {
  const int n = substeps[k];
  const double tau = h / n;
  for (int i = 0; i < n; ++i) {
    const Status status = on_rows_ ? substep_on_rows(sys, s, tau, i) : substep(sys, s, tau, i);
    if (status != Status::ok) return status;
    if (k == 1 && !on_rows_) index1_.look(s);  // steps of this order may begin and end far from what they pass
    if (i % 2 == 1) record(i, n, k);
  }
  output_.difference(k);
  const State& end = x_[n % 3];
  Vec& y = table_[k];
  y.segment(at_.q, dim_.q) = end.q;
  y.segment(at_.v, dim_.v) = end.v;
  y.segment(at_.z, dim_.z) = end.z;
  return Status::ok;
}

void Mexx::record(int i, int n, int k) {
  output_.sample(i / 2, qdot_, Vdot_, Lambda_, T_[i % 2].zdot);
  if (i != n / 2) return;
  const State& now = x_[i % 3];
  Vec& y = table_[k];
  y.segment(at_.q_mid, dim_.q) = now.q;
  y.segment(at_.v_mid, dim_.v) = now.v;
  y.segment(at_.z_mid, dim_.z) = now.z;
}

// Aitken and Neville in tau^2; afterwards table_[0] is the best, table_[1] the one without the coarsest column
void Mexx::extrapolate(int k) {
  for (int j = k - 1; j >= 0; --j) {
    const double ratio = static_cast<double>(substeps[k]) / substeps[j], part = 1 / (ratio * ratio - 1);
    table_[j] = table_[j + 1] + part * (table_[j + 1] - table_[j]);
    output_.extrapolate(j, part);
  }
}

Status Mexx::error(const System& sys, const State& s1, double& error) {
  error_q_ = table_[0].segment(at_.q, dim_.q) - table_[1].segment(at_.q, dim_.q);
  error_v_ = table_[0].segment(at_.v, dim_.v) - table_[1].segment(at_.v, dim_.v);
  error_z_ = table_[0].segment(at_.z, dim_.z) - table_[1].segment(at_.z, dim_.z);
  if (on_rows_) {
    State& end = projected_;
    end.t = s1.t;
    end.q = table_[0].segment(at_.q, dim_.q);
    end.v = table_[0].segment(at_.v, dim_.v);
    end.z = table_[0].segment(at_.z, dim_.z);
    if (const Status status = index1_.solve_on_rows(sys, end, T_[0]); status != Status::ok) return status;
    index1_.make_tangential(sys, end, T_[0], error_q_, error_v_);
  }
  error = error_norm(error_q_, error_v_, s1, sys.scale(), own_states(error_z_, dim_));
  return std::isfinite(error) ? Status::ok : Status::not_finite;
}

// column after column; with fixed steps as many as the order asks for, else until the tolerance is met or out of reach
Status Mexx::extrapolation(const System& sys, const State& s, double h, StepReport& report) {
  const bool controlled = tolerance_ > 0;
  if (controlled)
    control_.begin(h, allowed(h), static_cast<int>(s.memory.numbers[target]));
  for (int k = 0; k < (controlled ? most_columns : columns_); ++k) {
    if (const Status status = column(sys, s, h, k); status != Status::ok) return status;
    extrapolate(k);
    used_ = k + 1;
    if (k < 1) continue;
    if (const Status status = error(sys, x_[substeps[k] % 3], report.error); status != Status::ok) return status;
    if (controlled && control_.judge(k + 1, report.error) != ExtrapolationControl::Verdict::go_on) break;
  }
  if (controlled) report.next_step = control_.next_step();
  return Status::ok;
}

StepReport Mexx::step(const System& sys, const State& s, double h, State& s1) {
  return index1_.step(s, s1, [&](bool on_rows) { return try_step(sys, s, h, s1, on_rows); });
}

StepReport Mexx::try_step(const System& sys, const State& s, double h, State& s1, bool on_rows) {
  StepReport report;
  on_rows_ = on_rows;
  if (!on_rows && !index1_.knows(s)) sys.evaluate(s, Need::mass | Need::force | Need::jacobian, T0_);
  index1_.forget();
  report.status = extrapolation(sys, s, h, report);
  if (report.ok()) {
    const Vec& y = table_[0];
    s1.t = s.t + h;
    s1.q = y.segment(at_.q, dim_.q);
    s1.v = y.segment(at_.v, dim_.v);
    s1.z = y.segment(at_.z, dim_.z);
    sys.normalize(s1.q);
    remember(s, s1);
    report.status = index1_.finish(sys, s1, Need(0), T0_, on_rows);
    output_.end(T0_.zdot, s1);
  }
  // high orders take steps so long that the polynomial within lags behind their ends
  if (report.ok() && !on_rows && tolerance_ > 0 && report.error <= allowed(h)) {
    const double excess = output_.error(sys, s, s1, used_) / (dense_errors * allowed(h));
    if (excess > 0) report.next_step = std::min(report.next_step, h * std::pow(excess, -1.0 / (2 * used_ + 4)));
    // and where it is this far off, a force near an end of the step lies between all samples: columns that agree have not met it
    if (excess > torn) report.error = allowed(h) * excess / torn;
  }
  return report;
}

void Mexx::remember(const State& s, State& s1) {
  s1.memory = s.memory;
  s1.memory.numbers[target] = tolerance_ > 0 ? control_.next_target() : columns_;
  s1.memory.numbers[used] = used_;
  output_.remember(used_, table_[0].tail(at_.size - at_.q_mid), T0_.zdot, s1);
}

void Mexx::interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const {
  output_.interpolate(sys, s, s1, static_cast<int>(s1.memory.numbers[used]), theta, out);
}

SchemeInfo mexx_info(int order = 8) {
  SchemeInfo info;
  info.id = "mexx";
  info.description = "extrapolation of a half-explicit midpoint rule (Lubich et al. 1992), index 2";
  info.paper = "000";
  info.equations = "further work";
  info.order = order;
  info.index = 2;
  info.keeps_velocity = true;
  info.error_power = order - 1;
  info.options = {{.name = "order",
                   .value = 8.0,
                   .description = "order with fixed steps, even; with a tolerance the order is chosen in each step",
                   .min = 4,
                   .max = 2 * most_columns,
                   .integer = true},
                  Projection::option("velocity")};
  return info;
}

Mexx::Mexx(const Options& options) : info_(mexx_info(options.integer("order"))), index1_(Projection(options)) {
  if (info_.order % 2 != 0)
    throw OptionError("order", fmt::format("option 'order' is {} but must be even", info_.order));
  columns_ = info_.order / 2;
  const Projection projection(options);
  info_.keeps_position = projection.position();
  info_.keeps_velocity = projection.velocity();
}

}  // namespace

SchemeEntry mexx_scheme() { return scheme_entry<Mexx>(mexx_info()); }

}  // namespace escapement
