// The unified midpoint rule with Gear-Gupta-Leimkuhler stabilisation, [004] (36)-(52): position and velocity level in one
// Newton iteration. By default the corrected scheme: kinetic metric, impact law with G(q_{n+1}) and G(q_n), contact set from a
// contact-free trial step, gap = 0 while an impulse acts (docs/schemes/moreau-midpoint-ggl.md says why).
#include <cmath>

#include "schemes/midpoint_increment.hpp"
#include "schemes/monolithic_scheme.hpp"
#include "schemes/position_correction.hpp"
#include "schemes/registry.hpp"

namespace escapement {

namespace {

class MoreauMidpointGgl final : public MonolithicScheme {
 public:
  explicit MoreauMidpointGgl(const Options& options);

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;

 private:
  enum class Variant { corrected, paper, reference };

  void look_at_start(const System& sys, const State& s);  // gap rates and effective masses
  void guess(const State& s, double h);
  bool solve_contacts(const System& sys, const State& s, double h, StepReport& report);
  bool solve_supports(const System& sys, const State& s, double h, StepReport& report);
  bool solve_decided(const System& sys, const State& s, double h, StepReport& report);
  bool newton(const System& sys, const State& s, double h, bool with_contacts, StepReport& report);
  bool iterate(const System& sys, const State& s, double h, bool with_contacts, StepReport& report);
  void evaluate_middle(const System& sys, const State& s, double h, bool rows);
  void move_to_end(const System& sys, const State& s, double h);
  void evaluate_end(const System& sys, bool rows);
  bool choose_sets(double h, bool with_contacts);  // true: they changed
  double law_row(int row) const override;          // R3 of a row of G
  double slip_row(int slip) const override;
  void add_slip_row(int slip, int equation, double factor) override;
  MidpointIncrement::Point point() const;  // what R1 is made of
  void assemble(const System& sys, const State& s, double h);
  void assemble_motion(const System& sys, const State& s, double h);         // R2
  void assemble_velocity_level(const System& sys, const State& s, double h);  // R3 and slips
  void assemble_velocity_row(int row, int at, double h);
  Increment update() override;
  void finish(const System& sys, const State& s, double h, State& s1, StepReport& report);
  void vary_forces(const ContactErrors::Step& step) override { errors_.vary_from(step, Tm_.f); }
  bool at_mid() const { return variant_ != Variant::corrected; }  // the printed law uses W_M
  bool has_rows() const { return bilateral_ > 0 || brakes_; }  // also where no contact acts

  Variant variant_;
  bool kinetic_;
  MidpointIncrement position_;
  PositionCorrection supports_;
  bool with_rows_soon_ = false;  // a contact was closed: the trial step will hardly be the last word
  bool end_known_ = false;       // all terms at the end belong to the present iterate
  Terms T0_, Tm_, T1_;  // at the start, the midpoint, the end
  Tangent Dm_, D1_, Dn_;
  State mid_, end_;
  Matrix M_;          // M_M, at the explicit midpoint
  Vec y1_, v1_, y4_;  // unknowns beside the impulses Lam_: (q - q_n)/h, v_{n+1}, Psi/h
  Vec mu_, w_, dx_, v_mid_rows_;
  int a_count_ = 0;
  bool any_rows_ = true;  // the sets may hold some
};

MoreauMidpointGgl::MoreauMidpointGgl(const Options& options) : MonolithicScheme(options) {
  const std::string& variant = options.text("variant");
  variant_ = variant == "paper" ? Variant::paper : variant == "reference" ? Variant::reference : Variant::corrected;
  // [004] (25) takes the Euclidean metric, [001] the kinetic one
  kinetic_ = options.given("metric") ? options.text("metric") == "kinetic" : variant_ == Variant::corrected;
}

void MoreauMidpointGgl::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  for (Terms* T : {&T0_, &Tm_, &T1_}) sys.prepare(*T);
  for (Tangent* D : {&Dm_, &D1_, &Dn_}) sys.prepare(*D);
  start_rows(sys, {.vectors = 2, .dense_vectors = 1, .levels = 2}, T0_, Dm_);
  position_.start(sys, kinetic_, system_);
  if (dim.unilateral > 0) supports_.start(sys, kinetic_ ? PositionCorrection::Metric::kinetic : PositionCorrection::Metric::euclidean);
  M_.copy(T0_.M);
  mid_ = end_ = make_state(dim);
  for (Vec* x : {&y1_, &v1_, &w_, &dx_}) x->setZero(v_);
  mu_.setZero(dim.multipliers());
  for (Vec* x : {&y4_, &v_mid_rows_}) x->setZero(rows_);
  s.memory.vectors.clear();
  s.memory.numbers.assign(rows_ - bilateral_ + 2, 0);  // per contact: closed in the last step; of ContactErrors; the step's size
  start_accelerations(sys, s);
  errors_.start(sys, s);
}

StepReport MoreauMidpointGgl::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  h_ = h;

  // explicit midpoint: M_M, and the predictor of the printed scheme
  mid_.t = s.t + 0.5 * h;
  dx_ = 0.5 * h * s.v;
  sys.retract(s.q, dx_, mid_.q);
  mid_.v = s.v;
  if (s.z.size() > 0) mid_.z = end_.z = s.z;
  sys.evaluate(mid_, variant_ == Variant::corrected ? Need::mass : Need::mass | Need::gap, Tm_);
  M_.copy(Tm_.M);
  const bool trial = variant_ == Variant::corrected;
  if (has_rows() || (!trial && rows_ > 0)) look_at_start(sys, s);
  contacts_.scale(sys, s, h, tolerance_);
  std::fill(jammed_.begin(), jammed_.end(), 0);

  guess(s, h);
  bool any = !trial;
  for (int j = bilateral_; j < rows_; ++j) T_[j] = !trial && Tm_.g[j] <= 0;

  // contact-free trial; where every gap stays open it is the step
  end_known_ = with_rows_soon_ = false;
  for (int i = 0; i < rows_ - bilateral_; ++i) with_rows_soon_ = with_rows_soon_ || s.memory.numbers[i] != 0;
  if (trial) {
    if (!newton(sys, s, h, false, report)) return report;
    for (int j = bilateral_; j < rows_; ++j) {
      T_[j] = T1_.g[j] <= 0;
      any = any || T_[j];
    }
    if (any && !has_rows()) look_at_start(sys, s);
  }
  const bool with_rows = any;
  if (any && !solve_contacts(sys, s, h, report) && !(trial && solve_supports(sys, s, h, report))) {
    if (estimates() || report.status != Status::contradicting_rows) return report;
    report.status = Status::ok;  // fixed steps go on with the mean: who judges the run sees the gaps
  }
  if (with_rows && !follows_surfaces(sys, T0_, T1_, dx_, h, report)) return report;
  finish(sys, s, h, s1, report);
  return report;
}

// T only grows, so this ends after at most one pass per contact. False: no solution, or rows that contradict each other
bool MoreauMidpointGgl::solve_contacts(const System& sys, const State& s, double h, StepReport& report) {
  for (bool grown = true; grown;) {
    if (!newton(sys, s, h, true, report)) return false;
    grown = false;
    if (variant_ != Variant::corrected) return true;
    for (int j = bilateral_; j < rows_; ++j)
      if (A_[j] && !T_[j]) {
        T_[j] = true;
        grown = true;
      }
  }
  return consistent(T1_.g, h, report);
}

// Where contacts of T contradict each other, at most those carry the load that push the contact-free trial back to where
// no gap is negative: the others stay open
bool MoreauMidpointGgl::solve_supports(const System& sys, const State& s, double h, StepReport& report) {
  report.status = Status::ok;
  report.worst = {};
  guess(s, h);
  end_known_ = false;
  if (!newton(sys, s, h, false, report)) return false;
  evaluate_end(sys, true);
  if (!supports_.apply(sys, T1_.G, M_, end_, report)) return false;
  for (int j = bilateral_; j < rows_; ++j) T_[j] = supports_.psi()[j] > 0;
  guess(s, h);
  end_known_ = false;
  return solve_contacts(sys, s, h, report);
}

void MoreauMidpointGgl::guess(const State& s, double h) {
  y1_ = v1_ = s.v;
  bool smooth = bilateral_ > 0;
  for (int i = 0; i < rows_ - bilateral_; ++i) smooth = smooth && s.memory.numbers[i] == 0;
  if (smooth) {  // the last step's mean acceleration goes on
    v1_ += h * s.vdot;
    y1_ += 0.5 * h * s.vdot;
  }
  Lam_.setZero();
  y4_.setZero();
  Lam_.head(bilateral_) = h * s.lambda.head(bilateral_);
  for (const Rub& rub : rubs_)
    if (rub.normal < 0) Lam_.segment(rows_ + rub.first, rub.count) = h * s.lambda.segment(rows_ + rub.first, rub.count);
}

void MoreauMidpointGgl::look_at_start(const System& sys, const State& s) {
  sys.evaluate(s, rows_needed(), T0_);
  prepare_rows(M_, T0_, s.v);
}

bool MoreauMidpointGgl::newton(const System& sys, const State& s, double h, bool with_contacts, StepReport& report) {
  const auto again = [&] {
    if (report.status != Status::newton_failed) return false;
    report.status = Status::ok;
    report.worst = {};
    guess(s, h);
    end_known_ = false;
    return iterate(sys, s, h, with_contacts, report);
  };
  by_slip_ = one_at_a_time_ = false;
  bool solved = iterate(sys, s, h, with_contacts, report);
  if (!solved && with_contacts && slips_ > 0) {
    by_slip_ = true;
    solved = again();
    by_slip_ = false;
  }
  if (!solved && with_contacts) {
    one_at_a_time_ = true;
    solved = again();
    one_at_a_time_ = false;
  }
  return solved || (with_contacts && slips_ > 0 && solve_decided(sys, s, h, report));
}

bool MoreauMidpointGgl::solve_decided(const System& sys, const State& s, double h, StepReport& report) {
  if (report.status != Status::newton_failed) return false;
  report.status = Status::ok;
  report.worst = {};
  guess(s, h);
  end_known_ = false;
  if (!iterate(sys, s, h, false, report)) return false;
  evaluate_end(sys, true);
  if (!decide(M_, T0_, s.v, T1_, v1_, report)) return false;
  guess(s, h);
  end_known_ = false;
  decided_ = true;
  const bool solved = iterate(sys, s, h, true, report);
  decided_ = false;
  return solved;
}

bool MoreauMidpointGgl::iterate(const System& sys, const State& s, double h, bool with_contacts, StepReport& report) {
  const bool rows = with_contacts || has_rows();
  begin_iteration(most_iterations_now());
  Newton newton = Newton::goes_on;
  while (newton == Newton::goes_on) {
    evaluate_middle(sys, s, h, rows);
    if (rows && !end_known_) {
      move_to_end(sys, s, h);
      evaluate_end(sys, true);
    }
    end_known_ = false;
    const bool changed = choose_sets(h, with_contacts);
    const bool regular = position_.eliminate(sys, h, point());
    assemble(sys, s, h);
    newton = judge(regular && system_.solve(contacts_.largest_noise()), changed, report);
  }
  if (newton == Newton::failed) return false;
  if (s.z.size() > 0) evaluate_middle(sys, s, h, rows);
  move_to_end(sys, s, h);
  // gaps decide what follows a trial; with contacts the sets have decided
  end_known_ = !with_contacts && (rows || with_rows_soon_);
  if (!with_contacts) evaluate_end(sys, end_known_);
  return true;
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
  if (rows_ > 0) sys.evaluate(end_, rows ? rows_needed() : Need::gap, T1_);
}

double MoreauMidpointGgl::law_row(int j) const {
  const double e = restitution(j);
  if (at_mid()) return Tm_.G.row_dot(j, v1_) + Tm_.g_t[j] + e * v_mid_rows_[j];  // [004] (42)
  return T1_.G.row_dot(j, v1_) + T1_.g_t[j] + e * gdn_[j];
}

double MoreauMidpointGgl::slip_row(int i) const {
  const Terms& T = at_mid() ? Tm_ : T1_;
  return T.T.row_dot(i, v1_) + T.t0[i];
}

// A: rows whose gap is to be zero; B: rows whose impact law holds; both by the complementarity function
bool MoreauMidpointGgl::choose_sets(double h, bool with_contacts) {
  begin_sets();
  system_.begin_places();
  a_count_ = 0;
  if (!with_contacts && !has_rows()) {
    if (!any_rows_) return false;
    any_rows_ = false;
    for (auto* set : {&A_, &B_}) std::fill(set->begin(), set->end(), 0);
    for (auto* index : {&a_index_, &b_index_, &t_index_}) std::fill(index->begin(), index->end(), -1);
    std::fill(friction_.begin(), friction_.end(), FrictionMode::off);
    return false;
  }
  any_rows_ = true;
  bool changed = false;
  const bool position_level = variant_ != Variant::reference;
  for (int j = 0; j < rows_; ++j) {
    const bool joint = j < bilateral_ && !off_[j];
    const bool b = joint || (j >= bilateral_ && with_contacts && T_[j] && !off_[j] && (decided_ ? decided_B_[j] : contacts_.pulls(j, Lam_[j], law_row(j))));
    bool a = joint && position_level && positional_[j];
    if (j >= bilateral_ && with_contacts && position_level && !off_[j]) {
      a = contacts_.pulls(j, y4_[j], T1_.g[j] / h);
      if (variant_ == Variant::corrected) a = a || b;  // without it the contact hovers after the impact
      if (variant_ == Variant::paper) a = a && T_[j];  // both levels reduced to the predicted set
    }
    changed |= put(j, a, b, y4_);
  }
  for (std::size_t r = 0; r < rubs_.size(); ++r) changed |= choose_friction(r, pressing(rubs_[r], Lam_));
  for (int j = 0; j < rows_; ++j) b_index_[j] = B_[j] ? system_.place(0, j) : -1;
  place_friction();
  for (int j = 0; j < rows_; ++j) a_index_[j] = A_[j] ? system_.place(1, j) : -1;
  a_count_ = static_cast<int>(std::count(A_.begin(), A_.end(), 1));
  return changed;
}

// R1 = M_M (y1 - v_m) - W^T y4, (36)
MidpointIncrement::Point MoreauMidpointGgl::point() const {
  return {mid_, Tm_, M_, contacts_.mass_factors(), y1_, y4_, a_index_, system_.size() - a_count_, a_count_};
}

void MoreauMidpointGgl::assemble(const System& sys, const State& s, double h) {
  system_.clear();
  position_.begin(point());
  assemble_motion(sys, s, h);
  assemble_velocity_level(sys, s, h);
  for (int r = 0; r < rows_; ++r) {  // the position level
    if (a_index_[r] < 0) continue;
    position_.add(T1_.G, r, a_index_[r], 1, true);
    R_[a_index_[r]] += T1_.g[r] / h;
  }
  position_.insert();
}

void MoreauMidpointGgl::assemble_motion(const System& sys, const State& s, double h) {
  // R2 = M_M (v - v_n) - h f(q_m, v_m) - W^T Lam, (37)
  mu_ = Lam_ / h;
  sys.tangent(mid_, w_, mu_, system_.size() > system_.motion() ? Parts::force | Parts::constraint : Parts::force, Dm_);
  for (int i = 0; i < v_; ++i) {
    M_.for_each_in_row(i, [&](int j, double m) {
      if (m == 0) return;
      J(i, j) += m;
      R_[i] += m * (v1_[j] - s.v[j]);
    });
    R_[i] -= h * Tm_.f[i];
    position_.add(Dm_.K, i, i, 0.5 * h * h, false);
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
}

// with its derivative in q
void MoreauMidpointGgl::assemble_velocity_level(const System& sys, const State& s, double h) {
  bool velocity = false;
  for (int r = 0; r < rows_; ++r) velocity = velocity || B_[r];
  for (FrictionMode mode : friction_) velocity = velocity || mode != FrictionMode::off;
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
  for (std::size_t r = 0; r < rubs_.size(); ++r) {
    const int normal = rubs_[r].normal;
    assemble_friction(r, pressing(rubs_[r], Lam_), {normal < 0 ? -1 : b_index_[normal]});
  }
}

void MoreauMidpointGgl::add_slip_row(int slip, int equation, double factor) {
  const Terms& T = at_mid() ? Tm_ : T1_;
  T.T.for_each_in_row(slip, [&](int j, double t) { J(equation, j) += factor * t; });
  position_.add(D1_.V_q, rows_ + slip, equation, factor * (at_mid() ? 0.5 * h_ : h_), !at_mid());
}

void MoreauMidpointGgl::assemble_velocity_row(int r, int at, double h) {
  const Terms& T = at_mid() ? Tm_ : T1_;
  T.G.for_each_in_row(r, [&](int j, double g) { J(at, j) += g; });
  const double step = at_mid() ? 0.5 * h : h;
  position_.add(D1_.V_q, r, at, step, !at_mid());
  if (at_mid() && r >= bilateral_) position_.add(Dn_.V_q, r, at, restitution(r) * step, false);
  R_[at] += law_row(r);
}

MoreauMidpointGgl::Increment MoreauMidpointGgl::update() {
  double size = 0;
  const double* dy4 = R_.data() + system_.size() - a_count_;
  for (int i = 0; i < v_; ++i) {
    const double dy1 = position_.dy1(i, R_.data(), dy4);
    v1_[i] -= R_[i];
    y1_[i] -= dy1;
    size = larger(size, contacts_.size_of_velocity(i, larger(std::abs(R_[i]), std::abs(dy1))));
  }
  const double motion = size;
  if (system_.size() == system_.motion()) return {size, motion};
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
  return {size, motion};
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
  const double rest = rest_velocity(sys, s.v);
  for (int i = 0; i < rows_ - bilateral_; ++i) {
    const int j = bilateral_ + i;
    const bool closed = B_[j] && Lam_[j] > 0;
    hit = hit || (closed && gdn_[j] < -rest * one_of_row(sys.scale(), T0_.G, j));
    if (closed) {
      report.contact_work += 0.5 * Lam_[j] * (Tm_.G.row_dot(j, s.v) + Tm_.G.row_dot(j, v1_));
      if ((s.memory.numbers[i] == 0 && gdn_[j] < 0) || jammed_[j]) {
        if (impacts_.empty()) evaluate_end(sys, true);
        impacts_.push_back({i, gdn_[j], T1_.G.row_dot(j, v1_) + T1_.g_t[j], Lam_[j]});
      }
    }
    s1.memory.numbers[i] = closed;
  }
  for (int i = 0; i < slips_; ++i)
    report.contact_work += 0.5 * Lam_[rows_ + i] * (Tm_.T.row_dot(i, s.v) + Tm_.T.row_dot(i, v1_));
  // Psi moves the position against the forces, beyond what the velocities do
  bool moved = false;
  for (int j = bilateral_; j < rows_; ++j) moved = moved || y4_[j] != 0;
  if (moved) report.contact_work -= h * Tm_.f.dot(y1_ - 0.5 * (s.v + v1_));
  s1.memory.numbers.back() = h;
  if (!estimates()) return;
  const double last = s.memory.numbers.back();
  // accelerations are means over their steps
  estimate({sys, s, h, s1, report}, {.M = M_, .rows = Tm_, .distance = 0.5 * (h + last), .last = last, .hidden = 0.5}, hit);
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
