// The implicit structural methods, [002] section 6: Newmark's method (degree 3) and its extensions.
//
// Degree 3 carries position constraints when alpha_1 > 1/2. Degrees 4 and 5 cannot: the equations they would leave for
// the multipliers amplify errors tenfold per step; they use the constraints at acceleration level, with projection.
#include "schemes/index1.hpp"
#include "schemes/registry.hpp"
#include "schemes/structural_newton.hpp"
#include "schemes/structural_start.hpp"

namespace escapement::inline schemes {

namespace {

SchemeInfo structural_implicit_info() {
  SchemeInfo info;
  info.id = "structural-implicit";
  info.description = "implicit structural method of degree 3 to 5, Newmark's method and its extensions";
  info.paper = "002";
  info.equations = "(4)-(6), (26)-(30)";
  info.order = 4;
  info.index = 1;
  info.keeps_position = info.keeps_velocity = true;
  info.options = structural_options();
  info.options.push_back(Projection::option("both"));
  info.options.push_back(StructuralNewton::option());
  return info;
}

class StructuralImplicit : public Scheme {
 public:
  explicit StructuralImplicit(const Options& options)
      : info_(structural_implicit_info()),
        method_(StructuralFamily::I, options),
        start_(options),
        newton_(options),
        index1_(Projection(options)) {
    info_.order = method_.order();
    if (!carries()) return;
    if (options.given("projection"))
      throw OptionError(
          "projection",
          "the implicit method of degree 3 carries the position constraints itself and takes no projection");
    info_.index = 3;
    info_.keeps_velocity = false;
    info_.constrained_order = method_.stable_set() ? 1 : method_.order();
    if (method_.alpha(1) <= 0.5 && !method_.stable_set()) info_.multiplier_order = 0;  // they oscillate
  }

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override {
    return start_.step(method_, s, h, s1, [&](const State& a, double k, State& b) { return advance(sys, a, k, b); });
  }

 private:
  bool carries() const { return method_.degree() == 3; }
  StepReport advance(const System& sys, const State& s, double h, State& s1);
  void take_highest(const System& sys, const State& s, State& s1);
  void equilibrium(const System& sys, const State& s, State& s1, StepReport& report);
  bool linearize(const System& sys, const State& s1);
  void position_rows(const System& sys);
  void acceleration_rows(const System& sys, const State& s1);

  SchemeInfo info_;
  StructuralMethod method_;
  StructuralStart start_;
  StructuralPosition position_;
  StructuralNewton newton_;
  Index1 index1_;
  double beta_v_ = 0, beta_x_ = 0;  // change of v and of the position per change of v'
  Terms T_;
  Tangent D_, D_shifted_;                  // D_shifted_: V_q at v + v'
  Matrix bottom_, G_product_, V_product_;  // rows x v
  Matrix K_product_;                       // v x v
  RowLevels levels_;
  State shifted_;
  DerivativeChain x_, x1_;
  Vec p_before_, dx_, r_, d_;  // v + z; p_before_ only matters to the other families
  Vec b_;                      // rows
};

void StructuralImplicit::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  const int n = dim.v + dim.z;
  sys.prepare(T_);
  sys.prepare(D_);
  sys.prepare(D_shifted_);
  position_.resize(sys);
  newton_.resize(sys);
  for (DerivativeChain* chain : {&x_, &x1_}) set_zero(*chain, method_.degree(), sys.dim());
  for (Vec* vec : {&p_before_, &dx_, &r_, &d_}) vec->setZero(n);
  b_.setZero(dim.rows());
  // alpha_1 = 1/2 leaves the multipliers of a position constraint undamped
  if (carries() && method_.stable_set() && dim.rows() > 0) {
    const double alpha_1 = 0.55;
    method_.set_alpha({(alpha_1 + 0.5) * (alpha_1 + 0.5) / 2, alpha_1});
  }
  levels_.resize(sys);

  index1_.start(sys, s, T_);
  bottom_ = T_.G;
  start_.begin(sys, method_, s, T_.zdot);
  shifted_ = s;

  // patterns are met here, not in a step
  beta_v_ = beta_x_ = 1;
  linearize(sys, s);
}

StepReport StructuralImplicit::advance(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int nv = sys.dim().v, solves = newton_.kkt().solves() + index1_.kkt().solves();
  method_.set_step(h);
  report.status = start_.load(sys, method_, s, h, x_, p_before_);
  if (!report.ok()) return report;

  s1.memory = s.memory;
  s1.t = s.t + h;
  s1.lambda = s.lambda;
  equilibrium(sys, s, s1, report);
  if (report.ok() && !carries() && sys.dim().rows() > 0) {
    report.status = index1_.finish(sys, s1, Need(0), T_);
    x1_[1].head(nv) = s1.v;
    x1_[2].head(nv) = s1.vdot;
  }
  if (report.ok() && !(s1.q.allFinite() && x1_[1].allFinite() && x1_[2].allFinite()))
    report.status = Status::not_finite;
  if (report.ok()) StructuralStart::store(method_, x1_, x_[method_.degree() - 1], h, s1);
  report.newton_iterations = newton_.iterations();
  report.linear_solves = newton_.kkt().solves() + index1_.kkt().solves() - solves;
  return report;
}

// [002] (26)-(29) for the current p(t+h)
void StructuralImplicit::take_highest(const System& sys, const State& s, State& s1) {
  const int g = method_.degree();
  const Vec &p = x_[g - 1], &p1 = x1_[g - 1];
  method_.equation(0, x_, p, p1, dx_);
  position_.move(sys, s.q, dx_, s1.q);
  for (int m = 1; m <= g - 2; ++m) method_.equation(m, x_, p, p1, x1_[m]);
  set_rates(s1, x1_, sys.dim().z);
}

// [002] (30) by Newton's method
void StructuralImplicit::equilibrium(const System& sys, const State& s, State& s1, StepReport& report) {
  using Verdict = StructuralNewton::Verdict;
  const int g = method_.degree();
  const double slope = method_.slope(2);
  beta_v_ = method_.slope(1) / slope;
  beta_x_ = method_.slope(0) / slope;

  // to begin with, the highest derivative stays
  x1_[g - 1] = x_[g - 1];
  position_.set_turn(sys, method_, s.q, x_);
  take_highest(sys, s, s1);

  newton_.begin();
  for (Verdict verdict = Verdict::go_on; verdict == Verdict::go_on;) {
    if (!linearize(sys, s1)) {
      report.status = failure_of(newton_.kkt());
      return;
    }
    newton_.solve(r_, b_, d_, s1.lambda);
    x1_[g - 1] += d_ / slope;
    take_highest(sys, s, s1);
    verdict = newton_.judge(d_, beta_v_, beta_x_, x1_[2], s1);
    if (verdict == Verdict::failed) newton_.blame(r_, b_, report);
  }
}

// residuals of [002] (30) and of the rows at s1, and the factors of their tangent
bool StructuralImplicit::linearize(const System& sys, const State& s1) {
  const bool constrained = sys.dim().rows() > 0;
  Need need = Need::mass | Need::force;
  Parts parts = Parts::all;
  if (constrained) {
    need = need | Need::jacobian | (carries() ? Need::gap : Need::curvature);
    parts = parts | Parts::velocity_rows;
    if (!carries()) parts = parts | Parts::curvature_rows;
  }
  sys.evaluate(s1, need, T_);
  sys.tangent(s1, s1.vdot, s1.lambda, parts, D_);
  const Matrix& K = position_.chain_rule(sys, D_.K, D_.retraction, K_product_);
  StructuralNewton::residual(T_, x1_[2], r_);
  if (constrained) carries() ? position_rows(sys) : acceleration_rows(sys, s1);
  return newton_.factor(T_.M, D_, K, beta_v_, beta_x_, T_.top(), bottom_);
}

// g = 0 at t + h, scaled by beta_x; rows without a position level: G v + g_t = 0, scaled by beta_v
void StructuralImplicit::position_rows(const System& sys) {
  const Matrix& G = position_.chain_rule(sys, T_.G, D_.retraction, G_product_);
  const Matrix& V_q = position_.chain_rule(sys, D_.V_q, D_.retraction, V_product_);
  bottom_.set_blocks(G.rows(), G.cols(),
                     {{1, &G, 0, 0, &levels_.has_position},
                      {1, &T_.G, 0, 0, &levels_.has_none},
                      {beta_x_ / beta_v_, &V_q, 0, 0, &levels_.has_none}});
  for (int i = 0; i < b_.size(); ++i)
    b_[i] = levels_.has_position[i] ? -T_.g[i] / beta_x_ : -(T_.g_t[i] + T_.G.row_dot(i, x1_[1])) / beta_v_;
}

// G v' + kappa = 0 at t + h; d(G v')/dq is what d(G v + g_t)/dq, affine in v, gains from v to v + v'
void StructuralImplicit::acceleration_rows(const System& sys, const State& s1) {
  shifted_.t = s1.t;
  shifted_.q = s1.q;
  shifted_.z = s1.z;
  shifted_.v = s1.v + s1.vdot;
  sys.tangent(shifted_, s1.vdot, s1.lambda, Parts::velocity_rows, D_shifted_);
  bottom_.set_blocks(
      T_.G.rows(), T_.G.cols(),
      {{1, &T_.G}, {beta_v_, &D_.kappa_v}, {beta_x_, &D_.kappa_q}, {beta_x_, &D_shifted_.V_q}, {-beta_x_, &D_.V_q}});
  b_ = -T_.kappa;
  T_.G.add_product(-1, x1_[2], b_);
}

}  // namespace

SchemeEntry structural_implicit_scheme() { return scheme_entry<StructuralImplicit>(structural_implicit_info()); }

}  // namespace escapement
