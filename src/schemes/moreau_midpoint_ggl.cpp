// The unified midpoint rule with Gear-Gupta-Leimkuhler stabilisation, [004] (36)-(52): position and velocity level in one
// Newton iteration. By default the corrected scheme: kinetic metric, impact law with G(q_{n+1}) and G(q_n), contact set from a
// contact-free trial step, gap = 0 while an impulse acts (docs/schemes/moreau-midpoint-ggl.md says why).
//
// Unknowns (38), all of the size of velocities or impulses: v = v_{n+1}, y1 = (q_{n+1} - q_n)/h, Lam, y4 = Psi/h.
#include <cmath>

#include "schemes/monolithic_scheme.hpp"

namespace escapement::inline schemes {

namespace {

class MoreauMidpointGgl final : public MonolithicScheme {
 public:
  explicit MoreauMidpointGgl(const Options& options);

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;

 private:
  friend SemismoothNewton;
  enum class Variant { corrected, paper, reference };
  enum : int { velocity_level, position_level };  // of rows among the unknowns
  enum : int { steady = 1 };                      // State::memory.numbers: behind the contacts

  void explicit_midpoint(const Step&);
  void look_at_start(const Step& step) {
    step.sys.evaluate(step.s, sets_.rows_needed(), T0_);
    sets_.look_at_start(M_, T0_, step.s.v);
  }
  bool solve(const Step&);
  bool solve_printed(const Step&);
  bool solve_closed(const Step&);

  // of one Newton iteration: see SemismoothNewton
  void guess(const Step&);
  void evaluate(const Step&, Contacts);
  bool choose(const Step&, Contacts);
  void residual(const Step&);
  void tangent(const Step&);
  bool resembles() const;
  void velocity_tangent(const Step&);
  SemismoothNewton::Increment move();
  void arrive(const Step&, Contacts);
  FreeStep trial() { return {M_, end_, T0_, T1_}; }
  bool newton(const Step& step, Contacts contacts) { return newton_.solve(*this, step, contacts); }
  void evaluate_middle(const Step&, bool rows);
  void move_to_end(const Step&);
  // terms at q_{n+1}, v_{n+1}; without rows the gaps alone
  void evaluate_end(const System& sys, bool rows) {
    if (sets_.rows > 0) sys.evaluate(end_, rows ? sets_.rows_needed() : Need::gap, T1_);
  }
  void finish(const Step&);
  void note_unknowns(const State&);
  bool note_contacts(const Step&);
  bool corrected() const { return variant_ == Variant::corrected; }
  const Terms& law_terms() const { return corrected() ? T1_ : Tm_; }  // the printed law uses W_M
  const Matrix& metric() const { return kinetic_ ? M_ : identity_; }
  bool has_rows(Contacts contacts) const { return contacts != Contacts::none || sets_.joints > 0 || sets_.brakes; }

  Variant variant_;
  bool kinetic_;
  Terms T0_, Tm_, T1_;  // at the start, the midpoint, the end
  Tangent Dm_, Dy_, D1_, Dn_;
  State mid_, end_;
  Matrix M_, identity_;         // M_M, at the explicit midpoint
  Matrix turn_mid_, turn_end_;  // tangents of retract at h/2 y1 and h y1, where rotations make them other than the identity
  bool turned_ = false;
  Vec v1_, y1_, y4_;
  Vec mu_, zero_, dx_, dv_;
  bool& smooth_ = newton_.smooth;  // the motion goes on as in the last step
  bool rows_soon_ = false;         // a contact was closed: the trial step will hardly be the last word
  bool end_known_ = false;         // all terms at the end belong to the present iterate
  bool placed_ = false;            // rows have places among the unknowns, those of the present sets
};

MoreauMidpointGgl::MoreauMidpointGgl(const Options& options) : MonolithicScheme(options) {
  const std::string& variant = options.text("variant");
  variant_ = variant == "paper" ? Variant::paper : variant == "reference" ? Variant::reference : Variant::corrected;
  // [004] (25) takes the Euclidean metric, [001] the kinetic one
  kinetic_ = options.given("metric") ? options.text("metric") == "kinetic" : corrected();
}

void MoreauMidpointGgl::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  for (Terms* T : {&T0_, &Tm_, &T1_}) sys.prepare(*T);
  for (Tangent* D : {&Dm_, &Dy_, &D1_, &Dn_}) sys.prepare(*D);
  newton_.start(sys, {.vectors = 2, .levels = 2}, kinetic_ ? PositionCorrection::Metric::kinetic : PositionCorrection::Metric::euclidean, T0_, Dm_);
  M_.copy(T0_.M);
  identity_.copy(T0_.M);
  identity_.set_zero();
  for (int i = 0; i < dim.v; ++i) identity_.add(i, i, 1);
  for (Matrix* turn : {&turn_mid_, &turn_end_}) turn->copy(Dm_.retraction);
  placed_ = false;
  mid_ = end_ = make_state(dim);
  for (Vec* x : {&v1_, &y1_, &zero_, &dx_, &dv_}) x->setZero(dim.v);
  mu_.setZero(dim.multipliers());
  y4_.setZero(dim.rows());
  errors_.start(sys, s, sets_);
  s.memory.vectors.clear();
  start_memory(sys, s, 2 * dim.v + dim.rows() + dim.multipliers(), dim.unilateral + 3);
  s.memory.numbers[dim.unilateral + steady] = 1;
}

StepReport MoreauMidpointGgl::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const Step step{sys, s, h, s1, report};
  explicit_midpoint(step);
  newton_.begin_step(step);
  if (!(corrected() ? solve(step) : solve_printed(step)) && !takes_mean(report)) return report;
  if (!errors_.follows_surfaces(step, T0_, T1_, dx_, sets_)) return report;
  finish(step);
  return report;
}

// M_M at q_n + h/2 v_n, (10), and the gaps that predict the printed set
void MoreauMidpointGgl::explicit_midpoint(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  mid_.t = s.t + 0.5 * h;
  for (int i = 0; i < sets_.v; ++i) {
    dx_[i] = 0.5 * h * s.v[i];
    mid_.v[i] = s.v[i];
  }
  sys.retract(s.q, dx_, mid_.q);
  if (s.z.size() > 0) mid_.z = end_.z = s.z;
  sys.evaluate(mid_, corrected() ? Need::mass : Need::mass | Need::gap, Tm_);
  M_.copy(Tm_.M);
  end_known_ = false;
}

// Figure 7: contacts with g(q_n + h/2 v_n) <= 0, for both levels
bool MoreauMidpointGgl::solve_printed(const Step& step) {
  if (sets_.rows > 0) look_at_start(step);
  for (int j = sets_.joints; j < sets_.rows; ++j) sets_.T[j] = Tm_.g[j] <= 0;
  smooth_ = false;
  guess(step);
  return newton(step, Contacts::frozen);
}

// the corrected set: a contact-free trial, which is the step where every gap stays open
bool MoreauMidpointGgl::solve(const Step& step) {
  const std::vector<double>& before = step.s.memory.numbers;
  const int contacts = sets_.contacts();
  rows_soon_ = std::any_of(before.begin(), before.begin() + contacts, [](double closed) { return closed != 0; });
  smooth_ = before[contacts + steady] != 0;
  bool looked = has_rows(Contacts::none) || rows_soon_;
  if (looked) look_at_start(step);
  if (rows_soon_ && smooth_ && solve_closed(step)) return true;
  smooth_ = smooth_ && !rows_soon_;
  guess(step);
  if (!newton(step, Contacts::none)) return false;
  if (!take_sunk(T1_.g)) return true;
  smooth_ = false;
  if (!looked) look_at_start(step);
  return newton_.solve_contacts(*this, step) || newton_.solve_supports(*this, step);
}

// Contacts that have been closed and at rest stay so: no trial is needed to see that they act, where Lam/2 + Psi/h says clearly
// that they would sink in without. False, with nothing said: one of them would not, or another one closes
bool MoreauMidpointGgl::solve_closed(const Step& step) {
  constexpr double clearly = 0.1;
  for (int j = sets_.joints; j < sets_.rows; ++j) sets_.T[j] = step.s.memory.numbers[j - sets_.joints] != 0;
  sets_.empty();  // what the last step left must not matter
  placed_ = false;
  guess(step);
  bool closed = newton(step, Contacts::closed);
  for (int j = sets_.joints; closed && j < sets_.rows; ++j)
    closed = sets_.T[j] ? 0.5 * sets_.Lam[j] + y4_[j] > clearly * sets_.Lam[j] : T1_.g[j] > 0;
  if (closed && sets_.consistent(T1_.g, step.report)) return true;
  step.report.status = Status::ok;
  step.report.worst = {};
  end_known_ = false;
  return false;
}

void MoreauMidpointGgl::guess(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  std::fill_n(y4_.data(), sets_.rows, 0.0);
  if (smooth_ && s.z.size() == 0 && guess_.foretell(s, h)) {  // states of first order are found by iteration alone
    const double* x = guess_.unknowns.data();
    for (int i = 0; i < sets_.v; ++i) v1_[i] = s.v[i] + *x++;
    for (int i = 0; i < sets_.v; ++i) y1_[i] = s.v[i] + *x++;
    for (int j = 0; j < sets_.rows; ++j) y4_[j] = *x++;
    for (int j = 0; j < sets_.rows + sets_.slips; ++j) sets_.Lam[j] = *x++;
  } else if (smooth_) {  // the last step's mean acceleration and forces go on
    for (int i = 0; i < sets_.v; ++i) {
      v1_[i] = s.v[i] + h * s.vdot[i];
      y1_[i] = s.v[i] + 0.5 * h * s.vdot[i];
    }
    for (int j = 0; j < sets_.rows + sets_.slips; ++j) sets_.Lam[j] = h * s.lambda[j];
  } else {
    v1_ = y1_ = s.v;
    sets_.Lam.setZero();
    sets_.Lam.head(sets_.joints) = h * s.lambda.head(sets_.joints);
    for (const ContactSets::Rub& rub : sets_.rubs)
      if (rub.normal < 0) sets_.Lam.segment(sets_.rows + rub.first, rub.count) = h * s.lambda.segment(sets_.rows + rub.first, rub.count);
  }
  end_known_ = false;
}

void MoreauMidpointGgl::evaluate(const Step& step, Contacts contacts) {
  const bool rows = has_rows(contacts);
  evaluate_middle(step, rows);
  if (!rows) return;
  if (!end_known_) {
    move_to_end(step);
    evaluate_end(step.sys, true);
  }
  end_known_ = false;
  const Terms& T = law_terms();
  for (int j = 0; j < sets_.rows; ++j) {
    const double e = sets_.restitution(j), before = corrected() ? sets_.gdn[j] : row_times(Tm_.G, j, step.s.v) + Tm_.g_t[j];
    sets_.law[j] = row_times(T.G, j, v1_) + T.g_t[j] + e * before;  // (42)
  }
  for (int i = 0; i < sets_.slips; ++i) sets_.slip[i] = row_times(T.T, i, v1_) + T.t0[i];
}

// terms at q_m = (q_n + q_{n+1})/2, v_m = (v_n + v_{n+1})/2
void MoreauMidpointGgl::evaluate_middle(const Step& step, bool rows) {
  const auto& [sys, s, h, s1, report] = step;
  for (int i = 0; i < sets_.v; ++i) {
    dx_[i] = 0.5 * h * y1_[i];
    mid_.v[i] = 0.5 * (s.v[i] + v1_[i]);
  }
  sys.retract(s.q, dx_, mid_.q);
  const bool extra = s.z.size() > 0;
  if (extra) mid_.z = 0.5 * (s.z + end_.z);
  sys.evaluate(mid_, !rows ? Need::force : sets_.slips > 0 ? Need::force | Need::jacobian | Need::slip : Need::force | Need::jacobian, Tm_);
  if (extra) end_.z = s.z + h * Tm_.zdot;
}

void MoreauMidpointGgl::move_to_end(const Step& step) {
  for (int i = 0; i < sets_.v; ++i) dx_[i] = step.h * y1_[i];
  step.sys.retract(step.s.q, dx_, end_.q);
  end_.t = step.s.t + step.h;
  end_.v = v1_;
}

// A: rows whose gap is to be zero; B: rows whose impact law holds; both by the complementarity function, (39), (44)
bool MoreauMidpointGgl::choose(const Step& step, Contacts contacts) {
  const bool none = !has_rows(contacts);
  if (none && !sets_.any()) return false;
  if (none) {
    sets_.empty();
    placed_ = false;
  }
  sets_.begin_iteration();
  bool changed = false;
  const bool acting = contacts != Contacts::none, all = contacts == Contacts::closed, positions = variant_ != Variant::reference;
  for (int j = 0; j < sets_.rows && !none; ++j) {
    const bool joint = sets_.is_joint(j), contact = acting && sets_.is_contact(j);
    const bool b = joint || (contact && sets_.T[j] && (all || sets_.strikes(j)));
    bool a = joint && positions && sets_.positional[j];
    if (contact && all) {
      a = b;
      if (b && sets_.Lam[j] <= 0) step.report.status = Status::newton_failed;  // it would pull
    } else if (contact && positions) {
      a = sets_.sizes.pulls(j, y4_[j], T1_.g[j] / step.h);
      a = corrected() ? a || b : a && sets_.T[j];  // without b the contact hovers after the impact; printed: the predicted set
    }
    changed |= sets_.put(j, a, b, y4_);
  }
  for (std::size_t r = 0; r < sets_.rubs.size() && !none; ++r) changed |= sets_.choose_friction(r, sets_.normal_impulse(r));
  if (changed || !placed_) {
    J_.begin_places();
    J_.place(velocity_level, sets_.B);
    sets_.place_friction(J_);
    J_.place(position_level, sets_.A);
    placed_ = true;
  }
  return changed;
}

void MoreauMidpointGgl::residual(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  const int v = sets_.v;
  Vec& R = J_.right_side();
  if (sets_.slips > 0) std::fill_n(R.data(), J_.size(), 0.0);
  // R2 = M_M (v - v_n) - h f(q_m, v_m) - W^T Lam, (37)
  double* part_of_R = R.data();  // an equation of motion
  for (int i = 0; i < v; ++i) {
    dv_[i] = v1_[i] - s.v[i];
    part_of_R[i] = -h * Tm_.f[i];
  }
  add_product(M_, dv_, part_of_R);
  for (int j = 0; j < sets_.rows; ++j)
    if (sets_.B[j]) add_row(Tm_.G, j, -sets_.Lam[j], part_of_R);
  for (int i = 0; i < sets_.slips; ++i)
    if (J_.slip_at(i) >= 0) add_row(Tm_.T, i, -sets_.Lam[sets_.rows + i], part_of_R);
  // R1 = M_M (y1 - v_m) - W^T y4, (36)
  part_of_R += v;
  for (int i = 0; i < v; ++i) {
    dv_[i] = y1_[i] - mid_.v[i];
    part_of_R[i] = 0;
  }
  add_product(metric(), dv_, part_of_R);
  for (int j = 0; j < sets_.rows; ++j)
    if (sets_.A[j]) add_row(Tm_.G, j, -y4_[j], part_of_R);
  // R3 = impact law, R4 = g/h, (39)
  for (int j = 0; j < sets_.rows; ++j) {
    if (sets_.B[j]) R[J_.at(velocity_level, j)] = sets_.law[j];
    if (sets_.A[j]) R[J_.at(position_level, j)] = T1_.g[j] / h;
  }
  for (std::size_t r = 0; r < sets_.rubs.size(); ++r) friction_residual(sets_, r, sets_.normal_impulse(r), J_);
}

//            v              y1                     Lam     y4                        (43)
//   R2   M_M + h/2 D    h^2/2 K                   -W^T
//   R1   -M_M/2         M_M - h/2 (W^T y4)_q              -W^T
//   R3   G              h (G v + e ..)_q
//   R4                  G(q_{n+1})
void MoreauMidpointGgl::tangent(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  const int v = sets_.v;
  for (int i = 0; i < v; ++i) dx_[i] = 0.5 * h * y1_[i];
  turned_ = sys.retract_tangent(dx_, turn_mid_);
  if (turned_) {
    dx_ *= 2;
    sys.retract_tangent(dx_, turn_end_);
  }
  const Matrix *at_middle = turned_ ? &turn_mid_ : nullptr, *at_end = turned_ ? &turn_end_ : nullptr;
  J_.clear();
  for (int j = 0; j < sets_.rows + sets_.slips; ++j) mu_[j] = sets_.Lam[j] / h;
  sys.tangent(mid_, zero_, mu_, J_.has_rows() ? Parts::force | Parts::constraint : Parts::force, Dm_);
  J_.add_block(0, 0, 1, M_);
  J_.add_block(0, 0, 0.5 * h, Dm_.D);
  J_.add_block(0, v, 0.5 * h * h, Dm_.K, at_middle);
  J_.add_block(v, 0, -0.5, metric());
  J_.add_block(v, v, 1, metric());
  if (std::any_of(y4_.data(), y4_.data() + sets_.rows, [](double y) { return y != 0; })) {
    mu_.setZero();
    mu_.head(sets_.rows) = y4_;
    sys.tangent(mid_, zero_, mu_, Parts::constraint, Dy_);
    J_.add_block(v, v, 0.5 * h, Dy_.K, at_middle);
  }
  velocity_tangent(step);
  for (int j = 0; j < sets_.rows; ++j) {
    if (sets_.B[j]) J_.add_column(0, J_.at(velocity_level, j), -1, Tm_.G, j);
    if (!sets_.A[j]) continue;
    const int at = J_.at(position_level, j);
    J_.add_column(v, at, -1, Tm_.G, j);
    J_.add_row(at, v, 1, T1_.G, j, at_end);
  }
  for (int i = 0; i < sets_.slips; ++i)
    if (J_.slip_at(i) >= 0) J_.add_column(0, J_.slip_at(i), -1, Tm_.T, i);
}

// by what turns in it as the mechanism moves
bool MoreauMidpointGgl::resembles() const {
  bool same = guess_.is_close() && J_.resembles(0, 0, M_);
  for (int j = 0; j < sets_.rows; ++j)
    if (sets_.B[j]) same = same && J_.resembles_column(0, J_.at(velocity_level, j), -1, Tm_.G, j);
  return same;
}

// rows of R3 and of friction, (45)-(48)
void MoreauMidpointGgl::velocity_tangent(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  if (!J_.has_rows()) return;
  const int v = sets_.v;
  const Terms& T = law_terms();
  const Matrix* turn = !turned_ ? nullptr : corrected() ? &turn_end_ : &turn_mid_;
  const double by_y1 = corrected() ? h : 0.5 * h;
  if (corrected()) {
    sys.tangent(end_, zero_, mu_, Parts::velocity_rows, D1_);
  } else {
    // W_M (v + e v_n): V_q is affine in the velocity, so two evaluations give any combination
    mid_.v = v1_;
    sys.tangent(mid_, zero_, mu_, Parts::velocity_rows, D1_);
    mid_.v = s.v;
    sys.tangent(mid_, zero_, mu_, Parts::velocity_rows, Dn_);
    mid_.v = 0.5 * (s.v + v1_);
  }
  for (int j = 0; j < sets_.rows; ++j) {
    if (!sets_.B[j]) continue;
    const int at = J_.at(velocity_level, j);
    J_.add_row(at, 0, 1, T.G, j);
    J_.add_row(at, v, by_y1, D1_.V_q, j, turn);
    if (!corrected() && sets_.restitution(j) != 0) J_.add_row(at, v, sets_.restitution(j) * by_y1, Dn_.V_q, j, turn);
  }
  for (std::size_t r = 0; r < sets_.rubs.size(); ++r)
    friction_tangent(sets_, r, sets_.Lam, {velocity_level}, J_, [&](int slip, int equation, double factor) {
      J_.add_row(equation, 0, factor, T.T, slip);
      J_.add_row(equation, v, factor * by_y1, D1_.V_q, sets_.rows + slip, turn);
    });
}

SemismoothNewton::Increment MoreauMidpointGgl::move() {
  Correction x(J_.right_side(), sets_);
  const double velocity = x.take_vector(v1_, 0), motion = x.take_vector(y1_, sets_.v);
  for (int j = 0; j < sets_.rows && J_.has_rows(); ++j) {
    if (!sets_.A[j] && !sets_.B[j]) continue;
    x.take(sets_.Lam, j, J_.at(velocity_level, j));
    x.take(y4_, j, J_.at(position_level, j));
  }
  for (int i = 0; i < sets_.slips; ++i) x.take(sets_.Lam, sets_.rows + i, J_.slip_at(i));
  return {x.size(), motion, velocity};
}

void MoreauMidpointGgl::arrive(const Step& step, Contacts contacts) {
  const bool rows = has_rows(contacts);
  if (step.s.z.size() > 0) evaluate_middle(step, rows);
  move_to_end(step);
  if (contacts != Contacts::none) return;
  // gaps decide what follows a trial; with contacts the sets have decided
  end_known_ = rows || rows_soon_;
  evaluate_end(step.sys, end_known_);
}

void MoreauMidpointGgl::finish(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  s1.t = s.t + h;
  s1.q = end_.q;
  if (s.z.size() > 0) s1.z = end_.z;
  for (int i = 0; i < sets_.v; ++i) {
    s1.v[i] = v1_[i];
    s1.vdot[i] = (v1_[i] - s.v[i]) / h;
  }
  for (int j = 0; j < sets_.rows + sets_.slips; ++j) s1.lambda[j] = sets_.Lam[j] / h;
  s1.memory.numbers.assign(s.memory.numbers.begin(), s.memory.numbers.end());
  const bool hit = note_contacts(step);
  note_unknowns(s);
  remember(step, s1.memory.numbers[sets_.contacts() + steady] != 0);
  // Psi moves the position against the forces, beyond what the velocities do
  bool moved = false;
  for (int j = sets_.joints; j < sets_.rows; ++j) moved = moved || y4_[j] != 0;
  if (moved) report.contact_work -= h * Tm_.f.dot(y1_ - 0.5 * (s.v + v1_));
  if (!errors_.wanted()) return;
  const double last = s.memory.numbers.back();
  // accelerations are means over their steps
  errors_.estimate(step, {.M = M_, .rows = Tm_, .f = &Tm_.f, .acceleration = nullptr, .distance = 0.5 * (h + last), .last = last, .hidden = 0.5}, sets_, hit);
}

// what the next guess comes from
void MoreauMidpointGgl::note_unknowns(const State& s) {
  double* x = guess_.unknowns.data();
  for (int i = 0; i < sets_.v; ++i) *x++ = v1_[i] - s.v[i];
  for (int i = 0; i < sets_.v; ++i) *x++ = y1_[i] - s.v[i];
  for (int j = 0; j < sets_.rows; ++j) *x++ = y4_[j];
  for (int j = 0; j < sets_.rows + sets_.slips; ++j) *x++ = sets_.Lam[j];
}

// closed contacts, impacts, work of impulses. True: an approaching contact took one
bool MoreauMidpointGgl::note_contacts(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  const Vec& Lam = sets_.Lam;
  bool hit = false, calm = true;
  impacts_.clear();
  const double rest = rest_velocity(sys, s.v);
  for (int i = 0; i < sets_.contacts(); ++i) {
    const int j = sets_.joints + i;
    const bool closed = sets_.B[j] && Lam[j] > 0;
    if (closed) {
      const double slow = rest * one_of_row(sys.scale(), T0_.G, j);
      hit = hit || sets_.gdn[j] < -slow;
      calm = calm && std::abs(sets_.gdn[j]) <= slow;
      report.contact_work += 0.5 * Lam[j] * (row_times(Tm_.G, j, s.v) + row_times(Tm_.G, j, v1_));
      if ((s.memory.numbers[i] == 0 && sets_.gdn[j] < 0) || sets_.jammed[j]) {
        if (impacts_.empty()) evaluate_end(sys, true);
        impacts_.push_back({i, sets_.gdn[j], T1_.G.row_dot(j, v1_) + T1_.g_t[j], Lam[j]});
      }
    }
    calm = calm && closed == (s.memory.numbers[i] != 0);
    s1.memory.numbers[i] = closed;
  }
  s1.memory.numbers[sets_.contacts() + steady] = calm;
  add_work_of_friction(Tm_, s.v, Tm_, v1_, report);
  return hit;
}

SchemeInfo moreau_midpoint_ggl_info() {
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
  static const SchemeInfo info = moreau_midpoint_ggl_info();
  return info;
}

}  // namespace

SchemeEntry moreau_midpoint_ggl_scheme() { return scheme_entry<MoreauMidpointGgl>(moreau_midpoint_ggl_info()); }

}  // namespace escapement
