// The unified midpoint rule with Gear-Gupta-Leimkuhler stabilisation, [004] (36)-(52): position and velocity level in one
// Newton iteration. By default the corrected scheme: kinetic metric, impact law with G(q_{n+1}) and G(q_n), contact set from a
// contact-free trial step, gap = 0 while an impulse acts (docs/schemes/moreau-midpoint-ggl.md says why).
#include <cmath>

#include "schemes/monolithic_contacts.hpp"
#include "schemes/registry.hpp"
#include "schemes/time_stepping.hpp"

namespace escapement {

namespace {

class MoreauMidpointGgl : public Scheme {
 public:
  explicit MoreauMidpointGgl(const Options& options);

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;
  void interpolate(const System& sys, const State& s, const State& s1, double theta, State& out) const override {
    interpolate_time_stepping(sys, s, s1, theta, out);
  }
  std::span<const ContactImpact> impacts() const override { return impacts_; }

 private:
  enum class Variant { corrected, paper, reference };

  bool newton(const System& sys, const State& s, double h, bool with_contacts, StepReport& report);
  void evaluate(const System& sys, const State& s, double h);
  bool choose_sets(double h, bool with_contacts);  // true: they changed
  double law_row(int row) const;                   // R3 of a row of G: velocity after the impact plus e times before
  double slip_row(int slip) const;
  void assemble(const System& sys, const State& s, double h);
  void assemble_velocity_row(int row, int at, double h);
  // J(at, y1 columns) += factor * row of a derivative in q at the midpoint or the end, along the increment
  void by_q(const Matrix& derivative, int row, int at, double factor, bool end);
  double update();  // solves and adds the increment; returns its scaled size
  void finish(const System& sys, const State& s, double h, State& s1, StepReport& report);
  bool at_mid() const { return variant_ != Variant::corrected; }  // the printed law uses W_M

  Variant variant_;
  bool kinetic_;
  double tolerance_, kappa_;
  std::vector<ContactLaw> laws_;
  int v_ = 0, bilateral_ = 0, rows_ = 0, slips_ = 0;
  std::vector<int> slip_owner_;

  MonolithicContacts contacts_;
  DenseLu lu_;
  Mat J_;  // the first size_ rows and columns are in use: inactive rows are no unknowns
  Vec R_, work_;  // right side, then the increment with its sign turned
  Terms T0_, Tm_, T1_;  // at the start, the midpoint, the end
  Tangent Dm_, Dp_, D1_, Dn_;
  State mid_, end_;
  Matrix turn_mid_, turn_end_;  // tangents of retract at h/2 y1 and h y1, where rotations make them other than the identity
  bool turned_ = false;
  Matrix M_;               // M_M, at the explicit midpoint
  Vec y1_, v1_, Lam_, y4_;  // unknowns: (q - q_n)/h, v_{n+1}, impulses (rows, then slips), Psi/h
  Vec gdn_, mu_, w_, dx_, v_mid_rows_;
  std::vector<char> T_, A_, B_;         // per row of G: trial set, position set, velocity set
  std::vector<FrictionMode> friction_;  // per slip row
  std::vector<int> a_index_, b_index_, t_index_;  // place of each active row among the unknowns
  int size_ = 0;
  std::vector<ContactImpact> impacts_;
};

MoreauMidpointGgl::MoreauMidpointGgl(const Options& options) : tolerance_(options.number("newton_tolerance")), kappa_(options.number("kappa")) {
  const std::string& variant = options.text("variant");
  variant_ = variant == "paper" ? Variant::paper : variant == "reference" ? Variant::reference : Variant::corrected;
  // [004] (25) takes the Euclidean metric, [001] the kinetic one
  kinetic_ = options.given("metric") ? options.text("metric") == "kinetic" : variant_ == Variant::corrected;
}

void MoreauMidpointGgl::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  laws_.assign(sys.contacts().begin(), sys.contacts().end());
  v_ = dim.v;
  bilateral_ = dim.bilateral;
  rows_ = dim.rows();
  slips_ = dim.slip;
  slip_owner_.assign(slips_, -1);
  for (std::size_t i = 0; i < laws_.size(); ++i)
    if (laws_[i].slip >= 0) slip_owner_[laws_[i].slip] = static_cast<int>(i);
  contacts_.start(sys, kappa_);
  const int most = 2 * v_ + 2 * rows_ + slips_;
  lu_.resize(most);
  J_.setZero(most, most);
  R_.setZero(most);
  work_.setZero(2 * most);
  for (Terms* T : {&T0_, &Tm_, &T1_}) sys.prepare(*T);
  for (Tangent* D : {&Dm_, &Dp_, &D1_, &Dn_}) sys.prepare(*D);
  M_.copy(T0_.M);
  turn_mid_.copy(T0_.M);
  turn_end_.copy(T0_.M);
  mid_ = end_ = make_state(dim);
  for (Vec* x : {&y1_, &v1_, &w_, &dx_}) x->setZero(v_);
  for (Vec* x : {&Lam_, &mu_}) x->setZero(dim.multipliers());
  for (Vec* x : {&y4_, &gdn_, &v_mid_rows_}) x->setZero(rows_);
  for (auto* set : {&T_, &A_, &B_}) set->assign(rows_, 0);
  friction_.assign(slips_, FrictionMode::off);
  for (auto* index : {&a_index_, &b_index_}) index->assign(rows_, -1);
  t_index_.assign(slips_, -1);
  impacts_.clear();
  impacts_.reserve(laws_.size());
  s.memory.vectors.clear();
  s.memory.numbers.assign(laws_.size() + 1, 0);  // per contact: closed in the last step; then estimate_error's own
  start_accelerations(sys, s);
}

StepReport MoreauMidpointGgl::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const Need contact = slips_ > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian;

  // explicit midpoint: M_M, and the predictor of the printed scheme
  mid_.t = s.t + 0.5 * h;
  dx_ = 0.5 * h * s.v;
  sys.retract(s.q, dx_, mid_.q);
  mid_.v = s.v;
  mid_.z = s.z;
  end_.z = s.z;
  sys.evaluate(mid_, variant_ == Variant::corrected ? Need::mass : Need::mass | Need::gap, Tm_);
  M_.copy(Tm_.M);
  if (rows_ > 0) {
    sys.evaluate(s, contact, T0_);
    velocity_rows(T0_, s.v, gdn_);
    contacts_.effective_masses(M_, T0_.G, T0_.T);
  }
  contacts_.scale(s, h, tolerance_);

  y1_ = v1_ = s.v;
  Lam_.setZero();
  y4_.setZero();
  Lam_.head(bilateral_) = h * s.lambda.head(bilateral_);
  bool any = false;
  for (int j = bilateral_; j < rows_; ++j) T_[j] = variant_ != Variant::corrected && Tm_.g[j] <= 0;

  // contact-free trial; where every gap stays open it is the step
  if (variant_ == Variant::corrected) {
    if (!newton(sys, s, h, false, report)) return report;
    for (int j = bilateral_; j < rows_; ++j) {
      T_[j] = T1_.g[j] <= 0;
      any = any || T_[j];
    }
  } else {
    any = true;
  }
  // the set may only grow, so this ends after at most one pass per contact
  for (int pass = 0; any && pass <= rows_; ++pass) {
    if (!newton(sys, s, h, true, report)) return report;
    if (variant_ != Variant::corrected) break;
    any = false;
    for (int j = bilateral_; j < rows_; ++j)
      if (A_[j] && !T_[j]) {
        T_[j] = true;
        any = true;
      }
  }
  finish(sys, s, h, s1, report);
  return report;
}

bool MoreauMidpointGgl::newton(const System& sys, const State& s, double h, bool with_contacts, StepReport& report) {
  constexpr int most_iterations = 40;
  int small = 0;
  double last = 0;
  for (int i = 0; i < most_iterations; ++i) {
    evaluate(sys, s, h);
    const bool changed = choose_sets(h, with_contacts);
    assemble(sys, s, h);
    ++report.newton_iterations;
    ++report.linear_solves;
    if (!solve_monolithic(lu_, J_, size_, 2 * v_, R_, work_)) {
      report.status = y1_.allFinite() && v1_.allFinite() ? Status::singular_matrix : Status::not_finite;
      return false;
    }
    const double size = update();
    if (!std::isfinite(size)) {
      report.status = Status::not_finite;
      return false;
    }
    // quadratic convergence foretells the next increment: C size^2 with C = size/last^2
    const bool foretold = last > 0 && !changed && size * (size / last) * (size / last) < 1e-3 * contacts_.tolerance();
    small = size < contacts_.tolerance() || foretold ? small + 1 : 0;
    last = size;
    // degenerate contacts flip in rounding for ever: two tiny increments are enough
    if (small >= 1 && (!(changed && i > 0) || small >= 2)) {
      evaluate(sys, s, h);
      return true;
    }
  }
  report.status = Status::newton_failed;
  for (int i = 0; i < v_; ++i) note_residual(report, RowResidual::Kind::motion, i, R_[v_ + i]);
  for (int j = 0; j < rows_; ++j)
    if (B_[j]) note_residual(report, RowResidual::Kind::row, j, law_row(j));
  return false;
}

// terms at q_m, v_m and at q_{n+1}, v_{n+1} of the current iterate
void MoreauMidpointGgl::evaluate(const System& sys, const State& s, double h) {
  const Need slip = slips_ > 0 ? Need::slip : Need::gap;
  dx_ = 0.5 * h * y1_;
  sys.retract(s.q, dx_, mid_.q);
  mid_.t = s.t + 0.5 * h;
  mid_.v = 0.5 * (s.v + v1_);
  mid_.z = 0.5 * (s.z + end_.z);
  sys.evaluate(mid_, Need::force | Need::jacobian | slip, Tm_);
  end_.z = s.z + h * Tm_.zdot;
  dx_ = h * y1_;
  sys.retract(s.q, dx_, end_.q);
  end_.t = s.t + h;
  end_.v = v1_;
  if (rows_ > 0) sys.evaluate(end_, Need::gap | Need::jacobian | slip, T1_);
  if (at_mid())
    for (int j = 0; j < rows_; ++j) v_mid_rows_[j] = Tm_.G.row_dot(j, s.v) + Tm_.g_t[j];
}

double MoreauMidpointGgl::law_row(int j) const {
  const double e = j < bilateral_ ? 0 : laws_[j - bilateral_].restitution;
  if (at_mid()) return Tm_.G.row_dot(j, v1_) + Tm_.g_t[j] + e * v_mid_rows_[j];  // [004] (42)
  return T1_.G.row_dot(j, v1_) + T1_.g_t[j] + e * gdn_[j];
}

double MoreauMidpointGgl::slip_row(int i) const {
  const Terms& T = at_mid() ? Tm_ : T1_;
  return T.T.row_dot(i, v1_) + T.t0[i];
}

// A: rows whose gap is to be zero; B: rows whose impact law holds; both by the complementarity function
bool MoreauMidpointGgl::choose_sets(double h, bool with_contacts) {
  bool changed = false;
  auto put = [&](std::vector<char>& set, int j, bool value) {
    changed = changed || set[j] != value;
    set[j] = value;
  };
  const bool position_level = variant_ != Variant::reference;
  for (int j = 0; j < rows_; ++j) {
    const bool joint = j < bilateral_;
    const bool b = joint || (with_contacts && T_[j] && contacts_.pulls(j, Lam_[j], law_row(j)));
    bool a = joint && position_level;
    if (!joint && with_contacts && position_level) {
      a = contacts_.pulls(j, y4_[j], T1_.g[j] / h);
      if (variant_ == Variant::corrected) a = a || b;  // without it the contact hovers after the impact
      if (variant_ == Variant::paper) a = a && T_[j];  // both levels reduced to the predicted set
    }
    put(B_, j, b);
    put(A_, j, a);
    if (!b) Lam_[j] = 0;
    if (!a) y4_[j] = 0;
  }
  for (int i = 0; i < slips_; ++i) {
    const int contact = slip_owner_[i], j = bilateral_ + contact;
    FrictionMode mode = FrictionMode::off;
    if (B_[j] && laws_[contact].friction > 0) mode = contacts_.friction_mode(rows_ + i, Lam_[rows_ + i], slip_row(i), laws_[contact].friction * Lam_[j]);
    if (mode == FrictionMode::off) Lam_[rows_ + i] = 0;
    changed = changed || friction_[i] != mode;
    friction_[i] = mode;
  }
  size_ = 2 * v_;
  for (int j = 0; j < rows_; ++j) b_index_[j] = B_[j] ? size_++ : -1;
  for (int i = 0; i < slips_; ++i) t_index_[i] = friction_[i] != FrictionMode::off ? size_++ : -1;
  for (int j = 0; j < rows_; ++j) a_index_[j] = A_[j] ? size_++ : -1;
  return changed;
}

void MoreauMidpointGgl::assemble(const System& sys, const State& s, double h) {
  J_.topLeftCorner(size_, size_).setZero();
  R_.head(size_).setZero();
  const int v = v_;
  dx_ = 0.5 * h * y1_;
  turned_ = sys.retract_tangent(dx_, turn_mid_);
  if (turned_) {
    dx_ *= 2;
    sys.retract_tangent(dx_, turn_end_);
  }

  // R1 = M_M (y1 - v_m) - W^T y4, (36)
  w_ = y1_ - mid_.v;
  auto metric = [&](int i, int j, double m) {
    J_(i, j) += m;
    J_(i, v + j) -= 0.5 * m;
    R_[i] += m * w_[j];
  };
  for (int i = 0; i < v; ++i) {
    if (kinetic_) {
      M_.for_each_in_row(i, [&](int j, double m) { metric(i, j, m); });
    } else {
      metric(i, i, 1);
    }
  }
  // R2 = M_M (v - v_n) - h f(q_m, v_m) - W^T Lam, (37)
  for (int i = 0; i < v; ++i) {
    M_.for_each_in_row(i, [&](int j, double m) {
      J_(v + i, v + j) += m;
      R_[v + i] += m * (v1_[j] - s.v[j]);
    });
    R_[v + i] -= h * Tm_.f[i];
  }
  mu_ = Lam_ / h;
  sys.tangent(mid_, w_, mu_, Parts::force | Parts::constraint, Dm_);
  for (int i = 0; i < v; ++i) {
    by_q(Dm_.K, i, v + i, 0.5 * h * h, false);
    Dm_.D.for_each_in_row(i, [&](int j, double d) { J_(v + i, v + j) += 0.5 * h * d; });
  }
  bool stretched = false;
  for (int j = 0; j < rows_; ++j) stretched = stretched || y4_[j] != 0;
  if (stretched) {
    mu_.setZero();
    mu_.head(rows_) = y4_;
    sys.tangent(mid_, w_, mu_, Parts::constraint, Dp_);
    for (int i = 0; i < v; ++i) by_q(Dp_.K, i, i, 0.5 * h, false);
  }
  for (int r = 0; r < rows_; ++r) {
    if (b_index_[r] >= 0)
      Tm_.G.for_each_in_row(r, [&](int j, double g) {
        J_(v + j, b_index_[r]) -= g;
        R_[v + j] -= g * Lam_[r];
      });
    if (a_index_[r] >= 0)
      Tm_.G.for_each_in_row(r, [&](int j, double g) {
        J_(j, a_index_[r]) -= g;
        R_[j] -= g * y4_[r];
      });
  }
  for (int i = 0; i < slips_; ++i) {
    if (t_index_[i] < 0) continue;
    Tm_.T.for_each_in_row(i, [&](int j, double t) {
      J_(v + j, t_index_[i]) -= t;
      R_[v + j] -= t * Lam_[rows_ + i];
    });
  }

  // the velocity level with its derivative in q, and the position level
  bool velocity = false;
  for (int r = 0; r < rows_; ++r) velocity = velocity || B_[r];
  if (velocity) {
    if (!at_mid()) {
      sys.tangent(end_, w_, mu_, Parts::velocity_rows, D1_);
    } else {
      // W_M (v + e v_n): V_q is affine in the velocity, so two evaluations give any combination
      mid_.v = v1_;
      sys.tangent(mid_, w_, mu_, Parts::velocity_rows, D1_);
      mid_.v = s.v;
      sys.tangent(mid_, w_, mu_, Parts::velocity_rows, Dn_);
      mid_.v = 0.5 * (s.v + v1_);
    }
    for (int r = 0; r < rows_; ++r)
      if (b_index_[r] >= 0) assemble_velocity_row(r, b_index_[r], h);
  }
  for (int i = 0; i < slips_; ++i) {
    const int at = t_index_[i];
    if (at < 0) continue;
    const int normal = bilateral_ + slip_owner_[i];
    if (friction_[i] == FrictionMode::stick) {
      const Terms& T = at_mid() ? Tm_ : T1_;
      T.T.for_each_in_row(i, [&](int j, double t) { J_(at, v + j) += t; });
      by_q(D1_.V_q, rows_ + i, at, at_mid() ? 0.5 * h : h, !at_mid());
      R_[at] = slip_row(i);
    } else {
      const double side = friction_[i] == FrictionMode::slide_plus ? 1 : -1, mu = side * laws_[slip_owner_[i]].friction;
      const double m = contacts_.mass(rows_ + i);
      J_(at, at) = 1 / m;
      J_(at, b_index_[normal]) = -mu / m;
      R_[at] = (Lam_[rows_ + i] - mu * Lam_[normal]) / m;
    }
  }
  for (int r = 0; r < rows_; ++r) {
    if (a_index_[r] < 0) continue;
    by_q(T1_.G, r, a_index_[r], 1, true);
    R_[a_index_[r]] = T1_.g[r] / h;
  }

}

void MoreauMidpointGgl::by_q(const Matrix& derivative, int row, int at, double factor, bool end) {
  if (!turned_) {
    derivative.for_each_in_row(row, [&](int j, double x) { J_(at, j) += factor * x; });
    return;
  }
  const Matrix& turn = end ? turn_end_ : turn_mid_;
  derivative.for_each_in_row(row, [&](int j, double x) { turn.for_each_in_row(j, [&](int k, double t) { J_(at, k) += factor * x * t; }); });
}

void MoreauMidpointGgl::assemble_velocity_row(int r, int at, double h) {
  const int v = v_;
  const Terms& T = at_mid() ? Tm_ : T1_;
  T.G.for_each_in_row(r, [&](int j, double g) { J_(at, v + j) += g; });
  const double step = at_mid() ? 0.5 * h : h;
  by_q(D1_.V_q, r, at, step, !at_mid());
  if (at_mid() && r >= bilateral_) by_q(Dn_.V_q, r, at, laws_[r - bilateral_].restitution * step, false);
  R_[at] = law_row(r);
}

double MoreauMidpointGgl::update() {
  double size = 0;
  dx_ = R_.head(v_);
  y1_ -= dx_;
  size = std::max(size, contacts_.size_of_velocity(dx_));
  dx_ = R_.segment(v_, v_);
  v1_ -= dx_;
  size = std::max(size, contacts_.size_of_velocity(dx_));
  auto move = [&](Vec& unknown, int row, int at) {
    if (at < 0) return;
    unknown[row] -= R_[at];
    size = std::max(size, contacts_.size_of_impulse(row, R_[at]));
  };
  for (int r = 0; r < rows_; ++r) {
    move(Lam_, r, b_index_[r]);
    move(y4_, r, a_index_[r]);
  }
  for (int i = 0; i < slips_; ++i) move(Lam_, rows_ + i, t_index_[i]);
  return size;
}

void MoreauMidpointGgl::finish(const System&, const State& s, double h, State& s1, StepReport& report) {
  s1.t = s.t + h;
  s1.q = end_.q;
  s1.v = v1_;
  s1.z = end_.z;
  s1.vdot = (v1_ - s.v) / h;
  s1.lambda = Lam_ / h;
  s1.memory.numbers.assign(s.memory.numbers.begin(), s.memory.numbers.end());
  impacts_.clear();
  bool hit = false;
  const double rest = 1e-9 * std::max(v_ > 0 ? s.v.cwiseAbs().maxCoeff() : 0.0, 1e-3);
  for (std::size_t i = 0; i < laws_.size(); ++i) {
    const int j = bilateral_ + static_cast<int>(i);
    const bool closed = B_[j] && Lam_[j] > 0;
    hit = hit || (closed && gdn_[j] < -rest);
    if (closed) {
      const double after = T1_.G.row_dot(j, v1_) + T1_.g_t[j];
      report.contact_work += 0.5 * Lam_[j] * (Tm_.G.row_dot(j, s.v) + Tm_.G.row_dot(j, v1_));
      if (s.memory.numbers[i] == 0 && gdn_[j] < 0) impacts_.push_back({static_cast<int>(i), gdn_[j], after, Lam_[j]});
    }
    s1.memory.numbers[i] = closed;
  }
  for (int i = 0; i < slips_; ++i)
    report.contact_work += 0.5 * Lam_[rows_ + i] * (Tm_.T.row_dot(i, s.v) + Tm_.T.row_dot(i, v1_));
  estimate_error(s, h, static_cast<int>(laws_.size()), hit, s1, report);
}

SchemeInfo make_info() {
  SchemeInfo info;
  info.id = "moreau-midpoint-ggl";
  info.description = "unified midpoint rule with position and velocity level in one semismooth Newton iteration";
  info.paper = "004";
  info.equations = "(36)-(52), corrected";
  info.order = 2;
  info.keeps_position = info.keeps_velocity = true;
  info.time_stepping = true;
  info.error_power = 2;
  info.options = monolithic_options();
  info.options.push_back({.name = "variant", .value = std::string("corrected"), .description = "corrected, as printed, or as printed without the position level", .choices = {"corrected", "paper", "reference"}});
  info.options.push_back({.name = "metric", .value = std::string("kinetic"), .description = "metric of the position correction; euclidean unless given with variant paper", .choices = {"kinetic", "euclidean"}});
  return info;
}

const SchemeInfo& MoreauMidpointGgl::info() const {
  static const SchemeInfo info = make_info();
  return info;
}

}  // namespace

SchemeEntry moreau_midpoint_ggl_scheme() {
  return {make_info(), [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<MoreauMidpointGgl>(options); }};
}

}  // namespace escapement
