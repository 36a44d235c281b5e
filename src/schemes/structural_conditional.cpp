// The conditionally explicit structural methods, [002] section 5: central differences (degree 3) and their extensions.
//
// The paper's step takes the equilibrium at t and gives x(t+h); here a step ends with the next equilibrium, at t+h, so
// that q, v, v' and lambda of a state belong to one instant. Position constraints are carried: lambda(t+h) is the force
// that puts the position after it, x(t+2h), on the constraints, and the memory holds that position for the next step.
#include "schemes/index1.hpp"
#include "schemes/registry.hpp"
#include "schemes/structural_newton.hpp"
#include "schemes/structural_start.hpp"

namespace escapement::inline schemes {

namespace {

SchemeInfo structural_conditional_info() {
  SchemeInfo info;
  info.id = "structural-conditional";
  info.description = "conditionally explicit structural method of degree 3 to 5, implicit in the velocity alone";
  info.paper = "002";
  info.equations = "(7)-(10), (21)-(25)";
  info.order = 4;
  info.index = 3;
  info.keeps_position = true;
  info.options = structural_options();
  info.options.push_back(StructuralNewton::option());
  return info;
}

class StructuralConditional : public Scheme {
 public:
  explicit StructuralConditional(const Options& options)
      : info_(structural_conditional_info()), method_(StructuralFamily::CE, options), start_(options), newton_(options) {
    info_.order = method_.order();
  }

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override {
    return start_.step(method_, s, h, s1, [&](const State& a, double k, State& b) { return advance(sys, a, k, b); });
  }

 private:
  StepReport advance(const System& sys, const State& s, double h, State& s1);
  Status position(const System& sys, const State& s, State& s1);
  void equilibrium(const System& sys, State& s1, StepReport& report);
  void take_highest(const System& sys, State& s1);
  void extra_ahead(const DerivativeChain& x, Vec& z) const;
  void rows(const System& sys);
  Status hold_velocity_rows(const State& s1);

  int next() const { return method_.degree() - 1; }  // place of x(t+h) in a state's memory

  SchemeInfo info_;
  StructuralMethod method_;
  StructuralStart start_;
  StructuralPosition position_;
  StructuralNewton newton_;
  Index1 index1_;  // accelerations of the start
  Projection to_position_{true, false};
  RowLevels levels_;
  double beta_v_ = 0;  // change of v(t+h) and of x(t+2h) per change of v'(t+h)
  double beta_x_ = 0;
  Terms T_, T2_;  // at t + h and at t + 2h
  Tangent D_;
  Matrix bottom_, product_;  // rows x v
  State s2_;                 // t + 2h: only its position and its extra states are known
  DerivativeChain x_, x1_;
  Vec p_before_, dx_, r_, d_;  // v + z
  Vec b_, mu_;                 // rows
  Vec dv_, zero_;              // v
};

void StructuralConditional::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  const int n = dim.v + dim.z;
  sys.prepare(T_);
  sys.prepare(T2_);
  sys.prepare(D_);
  to_position_.resize(sys);
  position_.resize(sys);
  newton_.resize(sys);
  for (DerivativeChain* chain : {&x_, &x1_}) set_zero(*chain, method_.degree(), sys.dim());
  for (Vec* vec : {&p_before_, &dx_, &r_, &d_}) vec->setZero(n);
  for (Vec* vec : {&b_, &mu_}) vec->setZero(dim.rows());
  for (Vec* vec : {&dv_, &zero_}) vec->setZero(dim.v);
  levels_.resize(sys);

  index1_.start(sys, s, T_);
  bottom_ = T_.G;
  start_.begin(sys, method_, s, T_.zdot);
  s2_ = s;

  // patterns are met here, not in a step
  sys.tangent(s, s.vdot, s.lambda, Parts::force, D_);
  beta_x_ = 1;
  rows(sys);
  newton_.factor(T_.M, D_, D_.K, 1, 0, T_.top(), bottom_);
}

StepReport StructuralConditional::advance(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int g = method_.degree(), solves = newton_.kkt().solves();
  method_.set_step(h);
  report.status = start_.load(sys, method_, s, h, x_, p_before_);
  if (!report.ok()) return report;

  s1.memory = s.memory;
  s1.t = s.t + h;
  s1.lambda = s.lambda;
  report.status = position(sys, s, s1);
  if (report.ok()) equilibrium(sys, s1, report);
  if (report.ok() && !(s1.q.allFinite() && x1_[1].allFinite() && x1_[2].allFinite()))
    report.status = Status::not_finite;
  if (report.ok()) {
    StructuralStart::store(method_, x1_, x_[g - 1], h, s1);
    s1.memory.vectors[next()] = s2_.q;
  }
  report.newton_iterations = newton_.iterations();
  report.linear_solves = newton_.kkt().solves() - solves;
  return report;
}

// [002] (21); on constraints the last equilibrium has put x(t+h) there already, unless the step is the first of its
// size
Status StructuralConditional::position(const System& sys, const State& s, State& s1) {
  const bool constrained = sys.dim().rows() > 0;
  if (constrained && StructuralStart::same_step(s, method_.h())) {
    s1.q = s.memory.vectors[next()];
    return Status::ok;
  }
  method_.equation(0, x_, p_before_, x_[method_.degree() - 1], dx_);
  position_.set_turn(sys, method_, s.q, x_);
  position_.move(sys, s.q, dx_, s1.q);
  extra_ahead(x_, s1.z);
  return constrained ? to_position_.project(sys, s1, Need(0), T_, index1_.kkt()) : Status::ok;
}

// [002] (22)-(24) at t + h for the current p(t+h)
void StructuralConditional::take_highest(const System& sys, State& s1) {
  const int g = method_.degree();
  const Vec &p = x_[g - 1], &p1 = x1_[g - 1];
  for (int m = 1; m <= g - 2; ++m) method_.equation(m, x_, p, p1, x1_[m]);
  set_rates(s1, x1_, sys.dim().z);
  if (sys.dim().rows() == 0) return;
  method_.equation(0, x1_, p, p1, dx_);  // [002] (21) of the next step
  position_.move(sys, s1.q, dx_, s2_.q);
  extra_ahead(x1_, s2_.z);
}

// the extra states one step after the instant of x; a position constraint may need them: they count an angle's turns
void StructuralConditional::extra_ahead(const DerivativeChain& x, Vec& z) const {
  if (z.size() == 0) return;
  z = x[1].tail(z.size());
  for (int k = 2; k < method_.degree(); ++k) z += method_.taylor(k - 1) * x[k].tail(z.size());
}

// [002] (25) at t + h together with g(x(t+2h)) = 0, by Newton's method
void StructuralConditional::equilibrium(const System& sys, State& s1, StepReport& report) {
  using Verdict = StructuralNewton::Verdict;
  const int g = method_.degree();
  const double slope = method_.slope(2);
  beta_v_ = method_.slope(1) / slope;
  beta_x_ = method_.slope(0) / slope;
  for (int m = 1; m <= g - 2; ++m) beta_x_ += method_.taylor(m) * method_.slope(m) / slope;

  const bool held = levels_.any_without();

  // to begin with, the highest derivative stays
  x1_[g - 1] = x_[g - 1];
  for (int m = 1; m <= g - 2; ++m) method_.equation(m, x_, x_[g - 1], x1_[g - 1], x1_[m]);
  position_.set_turn(sys, method_, s1.q, x1_);
  take_highest(sys, s1);
  s2_.t = s1.t + method_.h();
  sys.evaluate(s1, Need::mass | Need::jacobian, T_);

  newton_.begin();
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    sys.evaluate(s1, held ? Need::force | Need::curvature : Need::force, T_);
    sys.tangent(s1, s1.vdot, s1.lambda, Parts::force, D_);
    StructuralNewton::residual(T_, x1_[2], r_);
    rows(sys);
    if (!newton_.factor(T_.M, D_, D_.K, beta_v_, 0, T_.top(), bottom_)) {
      report.status = failure_of(newton_.kkt());
      return;
    }
    newton_.solve(r_, b_, d_, s1.lambda);
    x1_[g - 1] += d_ / slope;
    take_highest(sys, s1);
    verdict = newton_.judge(d_, beta_v_, beta_x_, x1_[2], s1);
    if (verdict == Verdict::failed) newton_.blame(r_, b_, report);
  }
  if (report.ok() && held) report.status = hold_velocity_rows(s1);
}

// position rows ask for x(t+2h); rows without that level are held at t + h: acceleration here, velocity afterwards
void StructuralConditional::rows(const System& sys) {
  if (sys.dim().rows() == 0) return;
  sys.evaluate(s2_, Need::gap | Need::jacobian, T2_);
  const Matrix& G2 = position_.chain_rule(sys, T2_.G, D_.retraction, product_);
  bottom_.set_blocks(G2.rows(), G2.cols(),
                     {{1, &G2, 0, 0, &levels_.has_position}, {1, &T_.G, 0, 0, &levels_.has_none}});
  for (int i = 0; i < b_.size(); ++i)
    b_[i] = levels_.has_position[i] ? -T2_.g[i] / beta_x_ : -T_.kappa[i] - T_.G.row_dot(i, x1_[2]);
}

Status StructuralConditional::hold_velocity_rows(const State& s1) {
  bottom_.set_blocks(T_.G.rows(), T_.G.cols(), {{1, &T_.G, 0, 0, &levels_.has_none}});
  velocity_rows(T_, s1.v, b_);
  b_ = -b_;
  if (!index1_.kkt().factor(T_.M, bottom_)) return failure_of(index1_.kkt());
  index1_.kkt().solve(zero_, b_, dv_, mu_);
  x1_[1].head(dv_.size()) += dv_;
  return Status::ok;
}

}  // namespace

SchemeEntry structural_conditional_scheme() { return scheme_entry<StructuralConditional>(structural_conditional_info()); }

}  // namespace escapement
