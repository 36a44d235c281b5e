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
  void estimate_errors(bool on) override { estimates_ = on; }

 private:
  enum class Variant { corrected, paper, reference };

  void prepare_rows(const System& sys, const State& s);  // gap rates at the start and effective masses
  bool newton(const System& sys, const State& s, double h, bool with_contacts, StepReport& report);
  void evaluate_middle(const System& sys, const State& s, double h, bool rows);
  void move_to_end(const System& sys, const State& s, double h);
  void evaluate_end(const System& sys, bool rows);
  bool choose_sets(double h, bool with_contacts);  // true: they changed
  double law_row(int row) const;                   // R3 of a row of G: velocity after the impact plus e times before
  double slip_row(int slip) const;
  bool eliminate(const System& sys, double h);
  bool factor_metric(const System& sys, double h);
  void assemble(const System& sys, const State& s, double h);
  void assemble_velocity_row(int row, int at, double h);
  // row `at` of Q gets factor * row of a derivative in q at the midpoint or the end
  void by_q(const Matrix& derivative, int row, int at, double factor, bool end);
  void insert_y1();  // Q dy1 with the increment that R1 gives
  double& J(int i, int j) { return J_[j * size_ + i]; }
  double& Q(int i, int j) { return Q_[j * size_ + i]; }
  double update();  // adds the increment; returns its scaled size
  void finish(const System& sys, const State& s, double h, State& s1, StepReport& report);
  bool at_mid() const { return variant_ != Variant::corrected; }  // the printed law uses W_M

  Variant variant_;
  bool kinetic_;
  double tolerance_, kappa_;
  std::vector<ContactLaw> laws_;
  int v_ = 0, bilateral_ = 0, rows_ = 0, slips_ = 0;
  std::vector<int> slip_owner_;

  MonolithicContacts contacts_;
  DenseLu lu_, metric_lu_;
  Vec J_;  // size_ x size_, columns one after the other: unknowns v, Lam, tangential Lam, y4 of active rows
  Vec Q_;  // size_ x v, the same way: derivatives along y1
  Vec R_, work_;  // right side, then the increment with its sign turned
  // increments of y1 follow from R1: dy1 = r1 + E dv + F dy4; E is 1/2 while y4 = 0
  Mat E_, F_;  // v x v; v x rows, the first a_count_ columns are in use
  Vec r1_;
  bool stretched_ = false;
  bool with_rows_soon_ = false;  // a contact was closed: the trial step will hardly be the last word
  bool end_known_ = false;       // all terms at the end belong to the present iterate
  Terms T0_, Tm_, T1_;  // at the start, the midpoint, the end
  Tangent Dm_, Dp_, D1_, Dn_;
  State mid_, end_;
  Matrix turn_mid_, turn_end_;  // tangents of retract at h/2 y1 and h y1, where rotations make them other than the identity
  bool turned_ = false;
  Matrix M_;               // M_M, at the explicit midpoint
  Vec y1_, v1_, Lam_, y4_;  // unknowns: (q - q_n)/h, v_{n+1}, impulses (rows, then slips), Psi/h
  Vec gdn_, mu_, w_, dx_, v_mid_rows_;
  std::vector<char> T_, A_, B_;         // per row of G: trial set, position set, velocity set
  std::vector<char> off_, positional_;  // rows without direction are no rows; rows that have a position level
  std::vector<FrictionMode> friction_;  // per slip row
  std::vector<int> a_index_, b_index_, t_index_;  // place of each active row among the unknowns
  int size_ = 0, a_count_ = 0;
  bool any_rows_ = true;  // the sets and places above may hold some
  double motion_ = 0;  // the last increment's size in velocities alone
  bool estimates_ = true;
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
  const int most = v_ + 2 * rows_ + slips_;
  lu_.resize(most);
  metric_lu_.resize(v_);
  J_.setZero(most * most);
  E_.setZero(v_, v_);
  F_.setZero(v_, rows_);
  r1_.setZero(v_);
  Q_.setZero(most * v_);
  R_.setZero(most);
  work_.setZero(2 * most);
  for (Terms* T : {&T0_, &Tm_, &T1_}) sys.prepare(*T);
  for (Tangent* D : {&Dm_, &Dp_, &D1_, &Dn_}) sys.prepare(*D);
  M_.copy(T0_.M);
  turn_mid_.copy(Dm_.retraction);
  turn_end_.copy(Dm_.retraction);
  mid_ = end_ = make_state(dim);
  for (Vec* x : {&y1_, &v1_, &w_, &dx_}) x->setZero(v_);
  for (Vec* x : {&Lam_, &mu_}) x->setZero(dim.multipliers());
  for (Vec* x : {&y4_, &gdn_, &v_mid_rows_}) x->setZero(rows_);
  for (auto* set : {&T_, &A_, &B_, &off_}) set->assign(rows_, 0);
  positional_.assign(rows_, 1);
  for (int j = 0; j < bilateral_; ++j) positional_[j] = sys.level(j) == Level::position;
  friction_.assign(slips_, FrictionMode::off);
  for (auto* index : {&a_index_, &b_index_}) index->assign(rows_, -1);
  t_index_.assign(slips_, -1);
  impacts_.clear();
  impacts_.reserve(laws_.size());
  s.memory.vectors.clear();
  s.memory.numbers.assign(laws_.size() + 2, 0);  // per contact: closed in the last step; estimate_error's own; the step's size
  ContactResponse response;
  response.resize(sys);
  start_accelerations(sys, s, response);
}

StepReport MoreauMidpointGgl::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;

  // explicit midpoint: M_M, and the predictor of the printed scheme
  mid_.t = s.t + 0.5 * h;
  dx_ = 0.5 * h * s.v;
  sys.retract(s.q, dx_, mid_.q);
  mid_.v = s.v;
  if (s.z.size() > 0) mid_.z = end_.z = s.z;
  sys.evaluate(mid_, variant_ == Variant::corrected ? Need::mass : Need::mass | Need::gap, Tm_);
  M_.copy(Tm_.M);
  const bool trial = variant_ == Variant::corrected;
  if (bilateral_ > 0 || (!trial && rows_ > 0)) prepare_rows(sys, s);
  contacts_.scale(s, h, tolerance_);

  y1_ = v1_ = s.v;
  bool smooth = bilateral_ > 0;
  for (std::size_t i = 0; i < laws_.size(); ++i) smooth = smooth && s.memory.numbers[i] == 0;
  if (smooth) {  // the last step's mean acceleration goes on
    v1_ += h * s.vdot;
    y1_ += 0.5 * h * s.vdot;
  }
  Lam_.setZero();
  y4_.setZero();
  Lam_.head(bilateral_) = h * s.lambda.head(bilateral_);
  bool any = !trial;
  for (int j = bilateral_; j < rows_; ++j) T_[j] = !trial && Tm_.g[j] <= 0;

  // contact-free trial; where every gap stays open it is the step
  end_known_ = with_rows_soon_ = false;
  for (std::size_t i = 0; i < laws_.size(); ++i) with_rows_soon_ = with_rows_soon_ || s.memory.numbers[i] != 0;
  if (trial) {
    if (!newton(sys, s, h, false, report)) return report;
    for (int j = bilateral_; j < rows_; ++j) {
      T_[j] = T1_.g[j] <= 0;
      any = any || T_[j];
    }
    if (any && bilateral_ == 0) prepare_rows(sys, s);
  }
  // the set may only grow, so this ends after at most one pass per contact
  for (int pass = 0; any && pass <= rows_; ++pass) {
    if (!newton(sys, s, h, true, report)) return report;
    if (!trial) break;
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

void MoreauMidpointGgl::prepare_rows(const System& sys, const State& s) {
  sys.evaluate(s, slips_ > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian, T0_);
  velocity_rows(T0_, s.v, gdn_);
  contacts_.set_masses(M_, T0_.G, T0_.T);
  for (int j = 0; j < rows_; ++j) {
    off_[j] = true;
    T0_.G.for_each_in_row(j, [&](int, double g) { off_[j] = off_[j] && g == 0; });
  }
}

bool MoreauMidpointGgl::newton(const System& sys, const State& s, double h, bool with_contacts, StepReport& report) {
  constexpr int most_iterations = 40;
  const bool rows = with_contacts || bilateral_ > 0;
  int small = 0;
  double last = 0;
  for (int i = 0; i < most_iterations; ++i) {
    evaluate_middle(sys, s, h, rows);
    if (rows && !(i == 0 && end_known_)) {
      move_to_end(sys, s, h);
      evaluate_end(sys, true);
    }
    end_known_ = false;
    const bool changed = choose_sets(h, with_contacts);
    ++report.newton_iterations;
    ++report.linear_solves;
    bool solved = eliminate(sys, h);
    if (solved) {
      assemble(sys, s, h);
      solved = solve_monolithic(lu_, J_, size_, v_, R_, work_);
    }
    if (!solved) {
      report.status = y1_.allFinite() && v1_.allFinite() && Tm_.f.allFinite() ? Status::singular_matrix : Status::not_finite;
      return false;
    }
    const double size = update();
    if (!std::isfinite(size)) {
      report.status = Status::not_finite;
      return false;
    }
    // quadratic convergence foretells the next increment: C size^2 with C = size/last^2
    const bool foretold = last > 0 && !changed && size * (size / last) * (size / last) < 1e-5 * contacts_.tolerance();
    const bool rounding = !changed && MonolithicContacts::met_rounding(size, last, motion_);
    small = size < contacts_.tolerance() || foretold || rounding ? small + 1 : 0;
    last = size;
    // degenerate contacts flip in rounding for ever: two tiny increments are enough
    if (small >= 1 && (!(changed && i > 0) || small >= 2)) {
      if (s.z.size() > 0) evaluate_middle(sys, s, h, rows);
      move_to_end(sys, s, h);
      // gaps decide what follows a trial; with contacts the sets have decided
      end_known_ = !with_contacts && (rows || with_rows_soon_);
      if (!with_contacts) evaluate_end(sys, end_known_);
      return true;
    }
  }
  report.status = Status::newton_failed;
  bool contact = false;
  for (int j = bilateral_; j < rows_; ++j) {
    if (!with_contacts || !(T_[j] || A_[j])) continue;
    contact = true;
    note_residual(report, RowResidual::Kind::row, j, law_row(j));
  }
  for (int i = 0; i < v_ && !contact; ++i) note_residual(report, RowResidual::Kind::motion, i, R_[i]);
  return false;
}

// terms at q_m, v_m of the current iterate
void MoreauMidpointGgl::evaluate_middle(const System& sys, const State& s, double h, bool rows) {
  for (int i = 0; i < v_; ++i) {
    dx_[i] = 0.5 * h * y1_[i];
    mid_.v[i] = 0.5 * (s.v[i] + v1_[i]);
  }
  sys.retract(s.q, dx_, mid_.q);
  mid_.t = s.t + 0.5 * h;
  const bool extra = s.z.size() > 0;
  if (extra) mid_.z = 0.5 * (s.z + end_.z);
  sys.evaluate(mid_, !rows ? Need::force : slips_ > 0 ? Need::force | Need::jacobian | Need::slip : Need::force | Need::jacobian, Tm_);
  if (extra) end_.z = s.z + h * Tm_.zdot;
  if (rows && at_mid())
    for (int j = 0; j < rows_; ++j) v_mid_rows_[j] = Tm_.G.row_dot(j, s.v) + Tm_.g_t[j];
}

void MoreauMidpointGgl::move_to_end(const System& sys, const State& s, double h) {
  for (int i = 0; i < v_; ++i) dx_[i] = h * y1_[i];
  sys.retract(s.q, dx_, end_.q);
  end_.t = s.t + h;
  end_.v = v1_;
}

// terms at q_{n+1}, v_{n+1}; without rows the gaps alone
void MoreauMidpointGgl::evaluate_end(const System& sys, bool rows) {
  if (rows_ > 0) sys.evaluate(end_, !rows ? Need::gap : slips_ > 0 ? Need::gap | Need::jacobian | Need::slip : Need::gap | Need::jacobian, T1_);
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
  size_ = v_;
  a_count_ = 0;
  if (!with_contacts && bilateral_ == 0) {
    if (!any_rows_) return false;
    any_rows_ = false;
    for (auto* set : {&A_, &B_}) std::fill(set->begin(), set->end(), 0);
    for (auto* index : {&a_index_, &b_index_, &t_index_}) std::fill(index->begin(), index->end(), -1);
    std::fill(friction_.begin(), friction_.end(), FrictionMode::off);
    return false;
  }
  any_rows_ = true;
  bool changed = false;
  auto put = [&](std::vector<char>& set, int j, bool value) {
    changed = changed || set[j] != value;
    set[j] = value;
  };
  const bool position_level = variant_ != Variant::reference;
  for (int j = 0; j < rows_; ++j) {
    const bool joint = j < bilateral_ && !off_[j];
    const bool b = joint || (j >= bilateral_ && with_contacts && T_[j] && !off_[j] && contacts_.pulls(j, Lam_[j], law_row(j)));
    bool a = joint && position_level && positional_[j];
    if (j >= bilateral_ && with_contacts && position_level && !off_[j]) {
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
  for (int j = 0; j < rows_; ++j) b_index_[j] = B_[j] ? size_++ : -1;
  for (int i = 0; i < slips_; ++i) t_index_[i] = friction_[i] != FrictionMode::off ? size_++ : -1;
  for (int j = 0; j < rows_; ++j) a_index_[j] = A_[j] ? size_ + a_count_++ : -1;
  size_ += a_count_;
  return changed;
}

// R1 = M_M (y1 - v_m) - W^T y4, (36), solved for the increment of y1; false: singular
bool MoreauMidpointGgl::eliminate(const System& sys, double h) {
  dx_ = 0.5 * h * y1_;
  turned_ = sys.retract_tangent(dx_, turn_mid_);
  if (turned_) {
    dx_ *= 2;
    sys.retract_tangent(dx_, turn_end_);
  }
  for (int i = 0; i < v_; ++i) r1_[i] = y1_[i] - mid_.v[i];
  stretched_ = false;
  if (a_count_ == 0) return true;

  for (int j = 0; j < rows_; ++j) stretched_ = stretched_ || y4_[j] != 0;
  // while y4 = 0 the matrix is the metric itself, whose factors are known
  const bool plain = !stretched_ && kinetic_;
  if (plain ? !contacts_.mass_is_regular() : !factor_metric(sys, h)) return false;
  for (int r = 0; r < rows_; ++r) {
    if (a_index_[r] < 0) continue;
    double* column = F_.data() + (a_index_[r] - (size_ - a_count_)) * v_;
    std::fill_n(column, v_, 0.0);
    Tm_.G.for_each_in_row(r, [&](int j, double g) { column[j] = g; });
    plain ? contacts_.divide_by_mass(column) : metric_lu_.solve(column);
  }
  if (stretched_) {
    metric_lu_.solve(r1_);
    for (int j = 0; j < v_; ++j) metric_lu_.solve(E_.data() + j * v_);
  }
  return true;
}

// A1 = M_M - h/2 HL(y4), and with y4 != 0 the right sides of E and r1
bool MoreauMidpointGgl::factor_metric(const System& sys, double h) {
  auto A = metric_lu_.matrix();
  A.setZero();
  auto metric = [&](auto&& put) {
    for (int i = 0; i < v_; ++i) {
      if (kinetic_) {
        M_.for_each_in_row(i, [&](int j, double m) { put(i, j, m); });
      } else {
        put(i, i, 1);
      }
    }
  };
  metric([&](int i, int j, double m) { A(i, j) = m; });
  if (!stretched_) return metric_lu_.factor() > 0;

  w_.setZero();
  E_.setZero();
  metric([&](int i, int j, double m) {
    w_[i] += m * r1_[j];
    E_(i, j) = 0.5 * m;
  });
  for (int r = 0; r < rows_; ++r)
    if (y4_[r] != 0) Tm_.G.add_row(r, -y4_[r], w_);
  r1_ = w_;
  mu_.setZero();
  mu_.head(rows_) = y4_;
  sys.tangent(mid_, w_, mu_, Parts::constraint, Dp_);
  for (int i = 0; i < v_; ++i)
    Dp_.K.for_each_in_row(i, [&](int j, double k) {
      if (turned_) {
        turn_mid_.for_each_in_row(j, [&](int l, double t) { A(i, l) += 0.5 * h * k * t; });
      } else {
        A(i, j) += 0.5 * h * k;
      }
    });
  return metric_lu_.factor() > 0;
}

void MoreauMidpointGgl::assemble(const System& sys, const State& s, double h) {
  std::fill_n(J_.data(), size_ * size_, 0.0);
  std::fill_n(Q_.data(), size_ * v_, 0.0);
  std::fill_n(R_.data(), size_, 0.0);

  // R2 = M_M (v - v_n) - h f(q_m, v_m) - W^T Lam, (37)
  mu_ = Lam_ / h;
  sys.tangent(mid_, w_, mu_, size_ > v_ ? Parts::force | Parts::constraint : Parts::force, Dm_);
  for (int i = 0; i < v_; ++i) {
    M_.for_each_in_row(i, [&](int j, double m) {
      J(i, j) += m;
      R_[i] += m * (v1_[j] - s.v[j]);
    });
    R_[i] -= h * Tm_.f[i];
    by_q(Dm_.K, i, i, 0.5 * h * h, false);
    Dm_.D.for_each_in_row(i, [&](int j, double d) { J(i, j) += 0.5 * h * d; });
  }
  for (int r = 0; r < rows_; ++r) {
    if (b_index_[r] < 0) continue;
    Tm_.G.for_each_in_row(r, [&](int j, double g) {
      J(j, b_index_[r]) -= g;
      R_[j] -= g * Lam_[r];
    });
  }
  for (int i = 0; i < slips_; ++i) {
    if (t_index_[i] < 0) continue;
    Tm_.T.for_each_in_row(i, [&](int j, double t) {
      J(j, t_index_[i]) -= t;
      R_[j] -= t * Lam_[rows_ + i];
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
      T.T.for_each_in_row(i, [&](int j, double t) { J(at, j) += t; });
      by_q(D1_.V_q, rows_ + i, at, at_mid() ? 0.5 * h : h, !at_mid());
      R_[at] += slip_row(i);
    } else {
      const double side = friction_[i] == FrictionMode::slide_plus ? 1 : -1, mu = side * laws_[slip_owner_[i]].friction;
      const double m = contacts_.mass(rows_ + i);
      J(at, at) = 1 / m;
      J(at, b_index_[normal]) = -mu / m;
      R_[at] = (Lam_[rows_ + i] - mu * Lam_[normal]) / m;
    }
  }
  for (int r = 0; r < rows_; ++r) {
    if (a_index_[r] < 0) continue;
    by_q(T1_.G, r, a_index_[r], 1, true);
    R_[a_index_[r]] += T1_.g[r] / h;
  }
  insert_y1();
}

void MoreauMidpointGgl::by_q(const Matrix& derivative, int row, int at, double factor, bool end) {
  if (turned_) {
    const Matrix& turn = end ? turn_end_ : turn_mid_;
    derivative.for_each_in_row(row, [&](int j, double x) { turn.for_each_in_row(j, [&](int l, double t) { Q(at, l) += factor * x * t; }); });
  } else {
    derivative.for_each_in_row(row, [&](int j, double x) { Q(at, j) += factor * x; });
  }
}

void MoreauMidpointGgl::insert_y1() {
  // plain loops: for a handful of entries they cost half of what vector expressions do
  const int n = size_, first = size_ - a_count_;
  auto add = [n](double factor, const double* from, double* to) {
    if (factor != 0)
      for (int i = 0; i < n; ++i) to[i] += factor * from[i];
  };
  for (int j = 0; j < v_; ++j) {
    const double* q = &Q(0, j);
    add(-r1_[j], q, R_.data());
    if (!stretched_) {
      add(0.5, q, &J(0, j));
    } else {
      for (int l = 0; l < v_; ++l) add(E_(j, l), q, &J(0, l));
    }
    for (int k = 0; k < a_count_; ++k) add(F_(j, k), q, &J(0, first + k));
  }
}

void MoreauMidpointGgl::assemble_velocity_row(int r, int at, double h) {
  const Terms& T = at_mid() ? Tm_ : T1_;
  T.G.for_each_in_row(r, [&](int j, double g) { J(at, j) += g; });
  const double step = at_mid() ? 0.5 * h : h;
  by_q(D1_.V_q, r, at, step, !at_mid());
  if (at_mid() && r >= bilateral_) by_q(Dn_.V_q, r, at, laws_[r - bilateral_].restitution * step, false);
  R_[at] += law_row(r);
}

double MoreauMidpointGgl::update() {
  double size = 0;
  const double* dy4 = R_.data() + size_ - a_count_;
  for (int i = 0; i < v_; ++i) {
    double dy1 = r1_[i];
    if (stretched_) {
      for (int j = 0; j < v_; ++j) dy1 += E_(i, j) * R_[j];
    } else {
      dy1 += 0.5 * R_[i];
    }
    for (int k = 0; k < a_count_; ++k) dy1 += dy4[k] * F_(i, k);
    v1_[i] -= R_[i];
    y1_[i] -= dy1;
    size = larger(size, larger(std::abs(R_[i]), std::abs(dy1)));
  }
  size = motion_ = contacts_.scaled_velocity(size);
  if (size_ == v_) return size;
  auto move = [&](Vec& unknown, int row, int at) {
    if (at < 0) return;
    unknown[row] -= R_[at];
    size = larger(size, contacts_.size_of_impulse(row, R_[at]));
  };
  for (int r = 0; r < rows_; ++r) {
    move(Lam_, r, b_index_[r]);
    move(y4_, r, a_index_[r]);
  }
  for (int i = 0; i < slips_; ++i) move(Lam_, rows_ + i, t_index_[i]);
  return size;
}

void MoreauMidpointGgl::finish(const System& sys, const State& s, double h, State& s1, StepReport& report) {
  s1.t = s.t + h;
  s1.q = end_.q;
  s1.v = v1_;
  if (s.z.size() > 0) s1.z = end_.z;
  for (int i = 0; i < v_; ++i) s1.vdot[i] = (v1_[i] - s.v[i]) / h;
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
      report.contact_work += 0.5 * Lam_[j] * (Tm_.G.row_dot(j, s.v) + Tm_.G.row_dot(j, v1_));
      if (s.memory.numbers[i] == 0 && gdn_[j] < 0) {
        if (impacts_.empty()) evaluate_end(sys, true);
        impacts_.push_back({static_cast<int>(i), gdn_[j], T1_.G.row_dot(j, v1_) + T1_.g_t[j], Lam_[j]});
      }
    }
    s1.memory.numbers[i] = closed;
  }
  for (int i = 0; i < slips_; ++i)
    report.contact_work += 0.5 * Lam_[rows_ + i] * (Tm_.T.row_dot(i, s.v) + Tm_.T.row_dot(i, v1_));
  s1.memory.numbers.back() = h;
  const double distance = 0.5 * (h + s.memory.numbers.back());  // accelerations are means over their steps
  if (!estimates_) return;
  estimate_error(s, h, static_cast<int>(laws_.size()), hit, distance, contacts_.noise(), s1, report);
  for (int i = 0; i < slips_; ++i) {
    const int contact = slip_owner_[i], at = rows_ + i;
    if (friction_[i] != FrictionMode::stick || s.memory.numbers[contact] == 0) continue;
    const double limit = laws_[contact].friction * s1.lambda[bilateral_ + contact];
    add_error(missed_slip(s.lambda[at], s1.lambda[at], limit, h, distance, contacts_.mass(at)), s1, report);
  }
}

SchemeInfo make_info() {
  SchemeInfo info;
  info.id = "moreau-midpoint-ggl";
  info.description = "unified midpoint rule with position and velocity level in one semismooth Newton iteration";
  info.paper = "004";
  info.equations = "(36)-(52), corrected";
  info.order = 2;
  info.multiplier_order = 1;  // forces are means over the step
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

SchemeEntry moreau_midpoint_ggl_scheme() { return scheme_entry<MoreauMidpointGgl>(make_info()); }

}  // namespace escapement
