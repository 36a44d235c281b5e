// The explicit structural methods, [002] section 4, on the index-1 form with projection: they cannot carry a position
// constraint themselves, docs/schemes/structural.md.
#include "schemes/index1.hpp"
#include "schemes/registry.hpp"
#include "schemes/structural_start.hpp"

namespace escapement::inline schemes {

namespace {

SchemeInfo structural_explicit_info() {
  SchemeInfo info;
  info.id = "structural-explicit";
  info.description = "explicit structural method of degree 3 to 5, one evaluation per step";
  info.paper = "002";
  info.equations = "(11)-(20)";
  info.order = 4;
  info.index = 1;
  info.keeps_position = info.keeps_velocity = true;
  info.options = structural_options();
  info.options.push_back(Projection::option("both"));
  return info;
}

class StructuralExplicit : public Scheme {
 public:
  explicit StructuralExplicit(const Options& options)
      : info_(structural_explicit_info()), method_(StructuralFamily::E, options), start_(options), index1_(Projection(options)) {
    info_.order = method_.order();
  }

  const SchemeInfo& info() const override { return info_; }
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override {
    return start_.step(method_, s, h, s1, [&](const State& a, double k, State& b) { return advance(sys, a, k, b); });
  }

 private:
  StepReport advance(const System& sys, const State& s, double h, State& s1);

  SchemeInfo info_;
  StructuralMethod method_;
  StructuralStart start_;
  StructuralPosition position_;
  Index1 index1_;
  Terms T_;
  DerivativeChain x_, x1_;  // at t and at t + h
  Vec p_before_, dx_;       // p(t - h); increment of the position
};

void StructuralExplicit::start(const System& sys, State& s) {
  const int n = sys.dim().v + sys.dim().z;
  sys.prepare(T_);
  position_.resize(sys);
  for (DerivativeChain* chain : {&x_, &x1_}) set_zero(*chain, method_.degree(), sys.dim());
  p_before_.setZero(n);
  dx_.setZero(n);
  index1_.start(sys, s, T_);
  start_.begin(sys, method_, s, T_.zdot);
}

StepReport StructuralExplicit::advance(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const int g = method_.degree(), nv = sys.dim().v, nz = sys.dim().z, solves = index1_.kkt().solves();
  method_.set_step(h);
  report.status = start_.load(sys, method_, s, h, x_, p_before_);
  if (!report.ok()) return report;
  const Vec& p = x_[g - 1];
  Vec& p1 = x1_[g - 1];

  s1.memory = s.memory;
  s1.t = s.t + h;
  method_.equation(0, x_, p_before_, p, dx_);  // [002] (16)
  position_.set_turn(sys, method_, s.q, x_);
  position_.move(sys, s.q, dx_, s1.q);
  method_.equation(1, x_, p_before_, p, x1_[1]);  // [002] (17)
  s1.v = x1_[1].head(nv);
  s1.z = x1_[1].tail(nz);

  // [002] (20), the equilibrium of the next step, at the projected state
  report.status = index1_.finish(sys, s1, Need(0), T_);
  report.linear_solves = index1_.kkt().solves() - solves;
  if (!report.ok()) return report;
  x1_[1].head(nv) = s1.v;
  x1_[2].head(nv) = s1.vdot;
  x1_[2].tail(nz) = T_.zdot;
  if (!s1.q.allFinite() || !x1_[1].allFinite() || !x1_[2].allFinite()) {
    report.status = Status::not_finite;
    return report;
  }

  // the derivatives of the next step
  if (g > 3) method_.highest(2, x_, p, x1_[2], p1);                         // [002] (18)
  for (int m = 3; m <= g - 2; ++m) method_.equation(m, x_, p, p1, x1_[m]);  // [002] (19)
  StructuralStart::store(method_, x1_, p, h, s1);
  return report;
}

}  // namespace

SchemeEntry structural_explicit_scheme() { return scheme_entry<StructuralExplicit>(structural_explicit_info()); }

}  // namespace escapement
