// The nonsmooth generalized-alpha scheme, [001] (5)-(6), after Chen et al.: smooth motion by generalized-alpha, impulses by
// implicit Euler. With both levels (the -ggl id) bilateral and unilateral constraints hold at position and velocity level in
// one semismooth Newton iteration; without, only the velocity level holds and q = q~ + h/2 W.
//
// Unknowns, all of the size of velocities or impulses: y1 = h v~', W, y5 = U/h, y2 = h lambda~, Lam, y6 = nu/h.
#include <cmath>
#include <limits>

#include "math/copy_numbers.hpp"
#include "schemes/monolithic_scheme.hpp"

namespace escapement::inline schemes {

namespace {

class NonsmoothGeneralizedAlpha final : public MonolithicScheme {
 public:
  NonsmoothGeneralizedAlpha(const Options& options, bool both_levels);

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;

 private:
  friend SemismoothNewton;
  enum : int { smooth_level, velocity_level, position_level };           // of rows among the unknowns
  enum : int { memory_a, memory_vdot, memory_lambda, memory_zdot };      // vectors

  bool solve(const Step&);
  bool solve_velocity_level(const Step&);
  bool drop_pulling_contacts();

  // of one Newton iteration
  void guess(const Step&);
  template <class Visit>
  void for_each_unknown(Visit&&);  // one after the other
  void evaluate(const Step& step, Contacts) { evaluate(step, Need::mass | Need::force | rows_needed()); }
  bool choose(const Step&, Contacts);
  void residual(const Step&);
  void tangent(const Step&);
  bool resembles();
  void row_tangent(const Step&);
  SemismoothNewton::Increment move();
  void arrive(const Step& step, Contacts) {
    evaluate(step, step.s.z.size() > 0 ? Need::force | needed_at_start() : needed_at_start());
    end_known_ = true;
  }
  FreeStep trial() { return {T0().M, end_, T0(), T1()}; }
  bool newton(const Step& step, Contacts contacts) { return newton_.solve(*this, step, contacts); }

  void evaluate(const Step&, Need need);
  Need rows_needed() const { return sets_.rows + sets_.slips == 0 ? Need(0) : sets_.rows_needed(); }
  double normal_impulse(const ContactSets::Rub& rub) {
    total_ = sets_.Lam.head(sets_.rows) + y2_.head(sets_.rows);
    return sets_.laws[rub.law].pressing(total_, rub.normal);
  }
  Need needed_at_start() const { return sets_.rows + sets_.slips == 0 ? Need(0) : Need::mass | rows_needed(); }
  void look_at_start(const Step&);
  Terms& T0() { return terms_[1 - latest_]; }  // at the start
  Terms& T1() { return terms_[latest_]; }      // at the end
  bool takes_part(int row) const { return smooth_[row] || sets_.A[row] || sets_.B[row]; }
  int place(int level, int row) const { return level == position_level && !both_levels_ ? -1 : J_.at(level, row); }
  void add_by_q(int equation, const Matrix& derivative, int row, double factor);
  void add_block_by_q(int equation, const Matrix& derivative, double factor);
  void add_by_v(int equation, const Matrix& derivative, int row, double factor);
  void finish(const Step&);
  bool note_contacts(const Step&);
  bool goes_on(const Step&) const;
  void estimate(const Step&, bool hit);

  bool both_levels_, smooth_closed_;
  double alpha_m_, alpha_f_, gamma_, beta_, c_;
  bool as_before_ = true;  // the unknowns are looked for where the last steps lead
  Terms terms_[2];
  int latest_ = 1;  // of them, those at the end
  Tangent D1_, D2_, D3_;
  State end_;
  bool end_known_ = false;  // T1() belongs to the end of the last step
  bool placed_ = false;     // rows have places among the unknowns, those of the present sets
  Vec v_tilde_;
  Vec total_;                  // impulses by row
  Vec y1_, W_, y5_, y2_, y6_;  // y2 and y6 by row
  Vec mu_, zero_, dx_, r_, dv_, h_a_;
  Vec mean_;  // smooth acceleration of the step
  Matrix turn_;
  bool turned_ = false;
  std::vector<char> S_;       // closed contacts with a smooth multiplier
  std::vector<char> smooth_;  // rows with one
};

NonsmoothGeneralizedAlpha::NonsmoothGeneralizedAlpha(const Options& options, bool both_levels)
    : MonolithicScheme(options), both_levels_(both_levels), smooth_closed_(both_levels && options.text("closed_contacts") == "smooth") {
  const double rho = options.number("rho_infinity");
  alpha_m_ = (2 * rho - 1) / (rho + 1);
  alpha_f_ = rho / (rho + 1);
  gamma_ = 0.5 + alpha_f_ - alpha_m_;
  beta_ = 0.25 * (gamma_ + 0.5) * (gamma_ + 0.5);
  c_ = (1 - alpha_f_) / (1 - alpha_m_);
}

void NonsmoothGeneralizedAlpha::start(const System& sys, State& s) {
  const Dim& dim = sys.dim();
  for (Terms& T : terms_) sys.prepare(T);
  for (Tangent* D : {&D1_, &D2_, &D3_}) sys.prepare(*D);
  const int levels = both_levels_ ? 3 : 2;
  newton_.start(sys, {.vectors = levels, .levels = levels}, PositionCorrection::Metric::kinetic, T0(), D1_);
  turn_.copy(D1_.retraction);
  end_ = make_state(dim);
  end_known_ = placed_ = false;
  for (Vec* x : {&v_tilde_, &y1_, &W_, &y5_, &zero_, &dx_, &r_, &dv_, &h_a_, &mean_}) x->setZero(dim.v);
  for (Vec* x : {&mu_, &y2_, &y6_}) x->setZero(dim.multipliers());
  total_.setZero(dim.rows());
  for (auto* set : {&S_, &smooth_}) set->assign(dim.rows(), 0);

  errors_.start(sys, s, sets_);
  s.memory.vectors.assign(4, Vec::Zero(dim.v));
  s.memory.vectors[memory_a] = s.memory.vectors[memory_vdot] = s.vdot;
  s.memory.vectors[memory_lambda] = s.lambda;
  sys.evaluate(s, Need::force, T0());
  s.memory.vectors[memory_zdot] = T0().zdot;
  start_memory(sys, s, 3 * dim.v + 2 * dim.rows() + dim.multipliers(), 2 * dim.unilateral + 2);  // own numbers: closed at rest
}

StepReport NonsmoothGeneralizedAlpha::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  const Step step{sys, s, h, s1, report};
  if (needed_at_start() != Need(0)) look_at_start(step);
  newton_.begin_step(step);
  newton_.smooth = as_before_ = true;
  std::fill(sets_.T.begin(), sets_.T.end(), 0);
  const int contacts = sets_.contacts();
  for (int i = 0; smooth_closed_ && i < contacts; ++i) S_[sets_.joints + i] = s.memory.numbers[contacts + 1 + i] != 0;

  if (!(both_levels_ ? solve(step) : solve_velocity_level(step))) return report;
  if (needed_at_start() != Need(0) && !is_finite(T1().M)) {  // with which the next step would begin
    report.status = Status::not_finite;
    return report;
  }
  if (!errors_.follows_surfaces(step, T0(), T1(), dx_, sets_)) return report;
  finish(step);
  return report;
}

// the terms at the step's start are those of the last step's end, where nobody has moved it; the loop may have put t on its grid
void NonsmoothGeneralizedAlpha::look_at_start(const Step& step) {
  const State& s = step.s;
  const bool same_time = std::abs(s.t - end_.t) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(s.t);
  const auto same = [](const Vec& a, const Vec& b) { return std::equal(a.data(), a.data() + a.size(), b.data()); };
  if (end_known_ && same_time && s.z.size() == 0 && same(s.q, end_.q) && same(s.v, end_.v)) {
    latest_ = 1 - latest_;
  } else {
    step.sys.evaluate(s, needed_at_start(), T0());
  }
  end_known_ = false;
  sets_.look_at_start(T0().M, T0(), s.v);
}

// the position set depends on q~ only, which no impulse changes: it may follow the iterate
bool NonsmoothGeneralizedAlpha::solve(const Step& step) {
  do {
    guess(step);
    if (newton(step, Contacts::implicit) && sets_.consistent(T1().g, step.report)) continue;
    as_before_ = false;
    std::fill(S_.begin(), S_.end(), 0);
    if (newton_.solve_supports(*this, step)) continue;
    if (!takes_mean(step.report)) return false;
    end_known_ = false;
  } while (drop_pulling_contacts());
  return true;
}

bool NonsmoothGeneralizedAlpha::solve_velocity_level(const Step& step) {
  guess(step);
  if (!newton(step, Contacts::none)) return false;
  return !take_sunk(T1().g) || newton(step, Contacts::frozen);
}

// smooth multipliers of closed contacts must push
bool NonsmoothGeneralizedAlpha::drop_pulling_contacts() {
  bool dropped = false;
  for (int j = sets_.joints; j < sets_.rows; ++j)
    if (S_[j] && y2_[j] < 0) {
      S_[j] = false;
      dropped = true;
    }
  return dropped;
}

template <class Visit>
void NonsmoothGeneralizedAlpha::for_each_unknown(Visit&& visit) {
  for (Vec* x : {&y1_, &W_, &y5_})
    for (int i = 0; i < sets_.v; ++i) visit((*x)[i]);
  for (Vec* x : {&y2_, &y6_})
    for (int j = 0; j < sets_.rows; ++j) visit((*x)[j]);
  for (int j = 0; j < sets_.rows + sets_.slips; ++j) visit(sets_.Lam[j]);
}

void NonsmoothGeneralizedAlpha::guess(const Step& step) {
  const Vec &vdot = step.s.memory.vectors[memory_vdot], &lambda = step.s.memory.vectors[memory_lambda];
  for (int i = 0; i < sets_.v; ++i) {
    y1_[i] = step.h * vdot[i];
    W_[i] = y5_[i] = 0;
  }
  for (int j = 0; j < sets_.rows + sets_.slips; ++j) {
    y2_[j] = j < sets_.joints || (j < sets_.rows && S_[j]) ? step.h * lambda[j] : 0;
    sets_.Lam[j] = y6_[j] = 0;
  }
  if (end_.z.size() > 0) end_.z = step.s.z;
  if (!as_before_ || end_.z.size() > 0 || !guess_.foretell(step.s, step.h)) return;  // states of first order are found by iteration alone
  const double* known = guess_.unknowns.data();
  for_each_unknown([&known](double& x) { x = *known++; });
}

// (6): q, v~ and v of the iterate, and the terms there
void NonsmoothGeneralizedAlpha::evaluate(const Step& step, Need need) {
  const auto& [sys, s, h, s1, report] = step;
  const Vec &a = s.memory.vectors[memory_a], &vdot = s.memory.vectors[memory_vdot];
  const Vec& moved = both_levels_ ? y5_ : W_;
  const double part = both_levels_ ? h : 0.5 * h, am = alpha_m_, af = alpha_f_, beta = beta_, gamma = gamma_;
  for (int i = 0, n = sets_.v; i < n; ++i) {
    const double h_a = ((1 - af) * y1_[i] + h * (af * vdot[i] - am * a[i])) / (1 - am);                       // h a_{n+1}, (6c)
    const double v_tilde = s.v[i] + h * (1 - gamma) * a[i] + gamma * h_a;                                      // (6b)
    dx_[i] = h * s.v[i] + h * h * (0.5 - beta) * a[i] + h * beta * h_a + part * moved[i];                      // (6a)
    h_a_[i] = h_a;
    v_tilde_[i] = v_tilde;
    end_.v[i] = v_tilde + W_[i];
  }
  end_.t = s.t + h;
  sys.retract(s.q, dx_, end_.q);
  if (need != Need(0)) sys.evaluate(end_, need, T1());
  if (end_.z.size() > 0) end_.z = s.z + 0.5 * h * (s.memory.vectors[memory_zdot] + T1().zdot);
}

// position set A and velocity set B, a part of A: docs/errata.md on (5e)
bool NonsmoothGeneralizedAlpha::choose(const Step& step, Contacts contacts) {
  sets_.begin_iteration();
  bool changed = false, placed = placed_;
  const Terms& T = T1();
  for (int j = 0; j < sets_.rows; ++j) {
    const bool smooth = (j < sets_.joints || S_[j]) && !sets_.off[j];
    placed = placed && smooth_[j] == smooth;
    smooth_[j] = smooth;
    bool a = smooth && sets_.positional[j];
    if (!smooth && sets_.is_contact(j)) {
      if (contacts == Contacts::implicit) a = sets_.sizes.pulls(j, y6_[j], T.g[j] / step.h);
      if (contacts == Contacts::frozen) a = sets_.T[j];
    }
    if (smooth || a || sets_.B[j]) sets_.law[j] = row_times(T.G, j, end_.v) + T.g_t[j] + sets_.restitution(j) * sets_.gdn[j];  // (5e); e for either sign of gdn
    changed |= sets_.put(j, a, smooth || (a && sets_.strikes(j)), y6_);
    if (!both_levels_) y6_[j] = 0;
  }
  for (int i = 0; i < sets_.slips; ++i) sets_.slip[i] = row_times(T.T, i, end_.v) + T.t0[i];
  for (std::size_t r = 0; r < sets_.rubs.size(); ++r) changed |= sets_.choose_friction(r, std::max(0.0, normal_impulse(sets_.rubs[r])));
  if (changed || !placed) {
    J_.begin_places();
    J_.place(smooth_level, smooth_);
    J_.place(velocity_level, sets_.B);
    sets_.place_friction(J_);
    if (both_levels_) J_.place(position_level, sets_.A);
    placed_ = true;
  }
  return changed;
}

void NonsmoothGeneralizedAlpha::residual(const Step& step) {
  const int v = sets_.v;
  const Terms& T = T1();
  Vec& R = J_.right_side();
  if (sets_.slips > 0) std::fill_n(R.data(), J_.size(), 0.0);
  double* part_of_R = R.data();  // an equation of motion
  // M times a vector of unknowns, less G^T times multipliers
  const auto balance = [&](const Vec& y, const Vec& multipliers) {
    add_product(T.M, y, part_of_R);
    for (int j = 0; j < sets_.rows; ++j)
      if (multipliers[j] != 0) add_row(T.G, j, -multipliers[j], part_of_R);
  };
  // half of the friction impulse moves q as well: a contact that sticks would creep without
  const auto rub = [&](double part) {
    for (int i = 0; i < sets_.slips; ++i)
      if (J_.slip_at(i) >= 0) add_row(T.T, i, -part * sets_.Lam[sets_.rows + i], part_of_R);
  };
  for (int i = 0; i < v; ++i) part_of_R[i] = -step.h * T.f[i];  // M v~' = f + G^T lambda~, (5a)
  balance(y1_, y2_);
  part_of_R += v;
  std::fill_n(part_of_R, v, 0.0);  // M W = G^T Lam, (5b)
  balance(W_, sets_.Lam);
  rub(1);
  if (both_levels_) {  // M U = G^T nu, (5c)
    part_of_R += v;
    std::fill_n(part_of_R, v, 0.0);
    balance(y5_, y6_);
    rub(0.5);
  }
  for (int j = 0; j < sets_.rows; ++j) {
    if (!takes_part(j)) continue;
    if (smooth_[j]) R[J_.at(smooth_level, j)] = row_times(T.G, j, v_tilde_) + T.g_t[j];  // (5a)
    if (sets_.B[j]) R[J_.at(velocity_level, j)] = sets_.law[j];                       // (5e)
    if (both_levels_ && sets_.A[j]) R[J_.at(position_level, j)] = T.g[j] / step.h;    // (5d)
  }
  for (std::size_t r = 0; r < sets_.rubs.size(); ++r) friction_residual(sets_, r, normal_impulse(sets_.rubs[r]), J_);
}

// dq = h beta c dy1 + h dy5, without -ggl h beta c dy1 + h/2 dW
void NonsmoothGeneralizedAlpha::add_by_q(int equation, const Matrix& derivative, int row, double factor) {
  const Matrix* turn = turned_ ? &turn_ : nullptr;
  const double h = sets_.h;
  J_.add_row(equation, 0, factor * h * beta_ * c_, derivative, row, turn);
  J_.add_row(equation, (both_levels_ ? 2 : 1) * sets_.v, factor * (both_levels_ ? h : 0.5 * h), derivative, row, turn);
}

void NonsmoothGeneralizedAlpha::add_block_by_q(int equation, const Matrix& derivative, double factor) {
  const Matrix* turn = turned_ ? &turn_ : nullptr;
  const double h = sets_.h;
  J_.add_block(equation, 0, factor * h * beta_ * c_, derivative, turn);
  J_.add_block(equation, (both_levels_ ? 2 : 1) * sets_.v, factor * (both_levels_ ? h : 0.5 * h), derivative, turn);
}

// dv = gamma c dy1 + dW
void NonsmoothGeneralizedAlpha::add_by_v(int equation, const Matrix& derivative, int row, double factor) {
  J_.add_row(equation, 0, factor * gamma_ * c_, derivative, row);
  J_.add_row(equation, sets_.v, factor, derivative, row);
}

//              y1             W      y5      y2     Lam    y6
//   (5a)   M + h (K, D)                     -G^T
//   (5b)   .. by q            M                    -G^T
//   (5c)   .. by q                   M                    -G^T       then rows by q and v
void NonsmoothGeneralizedAlpha::tangent(const Step& step) {
  const int v = sets_.v, levels = both_levels_ ? 3 : 2;
  const double h = step.h;
  const Terms& T = T1();
  turned_ = step.sys.retract_tangent(dx_, turn_);
  J_.clear();
  for (int level = 0; level < levels; ++level) {
    J_.add_block(level * v, level * v, 1, T.M);
    for (int j = 0; j < sets_.rows; ++j)
      if (J_.at(level, j) >= 0) J_.add_column(level * v, J_.at(level, j), -1, T.G, j);
  }
  for (int i = 0; i < sets_.slips; ++i) {
    if (J_.slip_at(i) < 0) continue;
    J_.add_column(v, J_.slip_at(i), -1, T.T, i);
    if (both_levels_) J_.add_column(2 * v, J_.slip_at(i), -0.5, T.T, i);
  }
  // what multiplies M and G^T in (5a) to (5c)
  for (int i = 0; i < v; ++i) dv_[i] = y1_[i] / h;
  for (int j = 0; j < sets_.rows + sets_.slips; ++j) mu_[j] = y2_[j] / h;
  step.sys.tangent(end_, dv_, mu_, Parts::all, D1_);
  add_block_by_q(0, D1_.K, h);
  J_.add_block(0, 0, h * gamma_ * c_, D1_.D);
  J_.add_block(0, v, h, D1_.D);
  const auto by_q = [&](int level, const Vec& y, const Vec& multipliers) {
    if (std::all_of(y.data(), y.data() + v, [](double x) { return x == 0; })) return;
    step.sys.tangent(end_, y, multipliers, Parts::mass | Parts::constraint, D2_);
    add_block_by_q(level * v, D2_.K, 1);
  };
  by_q(1, W_, sets_.Lam);
  if (both_levels_) {
    for (int i = sets_.rows; i < sets_.rows + sets_.slips; ++i) y6_[i] = 0.5 * sets_.Lam[i];
    by_q(2, y5_, y6_);
  }
  row_tangent(step);
}

// by what turns in it as the mechanism moves
bool NonsmoothGeneralizedAlpha::resembles() {
  bool same = as_before_ && guess_.is_close() && J_.resembles(0, 0, T1().M);
  for (int level = 0; level < 2; ++level)
    for (int j = 0; j < sets_.rows; ++j)
      if (const int at = J_.at(level, j); at >= 0) same = same && J_.resembles_column(level * sets_.v, at, -1, T1().G, j);
  return same;
}

// of (5d), (5e), smooth rows and friction
void NonsmoothGeneralizedAlpha::row_tangent(const Step& step) {
  if (!J_.has_rows()) return;
  const Terms& T = T1();
  step.sys.tangent(end_, zero_, mu_, Parts::velocity_rows, D2_);
  if (std::find(smooth_.begin(), smooth_.end(), 1) != smooth_.end()) {
    std::swap(end_.v, v_tilde_);
    step.sys.tangent(end_, zero_, mu_, Parts::velocity_rows, D3_);
    std::swap(end_.v, v_tilde_);
  }
  for (int j = 0; j < sets_.rows; ++j) {
    if (!takes_part(j)) continue;
    if (const int at = place(smooth_level, j); at >= 0) {
      add_by_q(at, D3_.V_q, j, 1);
      J_.add_row(at, 0, gamma_ * c_, T.G, j);
    }
    if (const int at = place(velocity_level, j); at >= 0) {
      add_by_q(at, D2_.V_q, j, 1);
      add_by_v(at, T.G, j, 1);
    }
    if (const int at = place(position_level, j); at >= 0) add_by_q(at, T.G, j, 1 / step.h);
  }
  for (std::size_t r = 0; r < sets_.rubs.size(); ++r)
    friction_tangent(sets_, r, total_, {velocity_level, smooth_level}, J_, [&](int slip, int equation, double factor) {
      add_by_q(equation, D2_.V_q, sets_.rows + slip, factor);
      add_by_v(equation, T.T, slip, factor);
    });
}

SemismoothNewton::Increment NonsmoothGeneralizedAlpha::move() {
  Correction x(J_.right_side(), sets_);
  x.take_vector(y1_, 0);
  const double velocity = x.take_vector(W_, sets_.v), motion = both_levels_ ? x.take_vector(y5_, 2 * sets_.v) : velocity;
  for (int j = 0; j < sets_.rows; ++j) {
    if (!takes_part(j)) continue;
    x.take(y2_, j, place(smooth_level, j));
    x.take(sets_.Lam, j, place(velocity_level, j));
    x.take(y6_, j, place(position_level, j));
  }
  for (int i = 0; i < sets_.slips; ++i) x.take(sets_.Lam, sets_.rows + i, J_.slip_at(i));
  return {x.size(), motion, velocity};
}

void NonsmoothGeneralizedAlpha::finish(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  s1.t = s.t + h;
  s1.q = end_.q;
  s1.v = end_.v;
  if (s.z.size() > 0) s1.z = end_.z;
  s1.memory.numbers = s.memory.numbers;
  std::vector<Vec>& memory = s1.memory.vectors;
  memory.resize(s.memory.vectors.size());
  const auto copy = [](const Vec& x, Vec& out) {
    if (out.size() != x.size()) out.resize(x.size());
    copy_numbers(x.data(), static_cast<std::size_t>(x.size()), out.data());
  };
  const auto over_h = [h = h](const Vec& x, Vec& out) {
    if (out.size() != x.size()) out.resize(x.size());
    for (Eigen::Index i = 0, n = x.size(); i < n; ++i) out[i] = x[i] / h;
  };
  over_h(y1_, s1.vdot);
  over_h(h_a_, memory[memory_a]);
  copy(s1.vdot, memory[memory_vdot]);
  over_h(y2_, memory[memory_lambda]);
  copy(s.memory.vectors[memory_zdot], memory[memory_zdot]);
  if (s.z.size() > 0) memory[memory_zdot] = T1().zdot;
  for (int j = 0; j < sets_.rows + sets_.slips; ++j) s1.lambda[j] = (sets_.Lam[j] + y2_[j]) / h;
  for (int i = 0; i < sets_.v; ++i) mean_[i] = (v_tilde_[i] - s.v[i]) / h;
  const bool hit = note_contacts(step);
  double* found = guess_.unknowns.data();
  for_each_unknown([&found](double x) { *found++ = x; });
  remember(step, goes_on(step));
  if (errors_.wanted()) estimate(step, hit);
}

// closed contacts, impacts, work of impulses. True: an approaching contact took one
bool NonsmoothGeneralizedAlpha::note_contacts(const Step& step) {
  const auto& [sys, s, h, s1, report] = step;
  const Vec& Lam = sets_.Lam;
  const Terms &at_start = T0(), &at_end = T1();
  const Scale& one = sys.scale();
  impacts_.clear();
  const double slow = rest_velocity(sys, s.v);
  bool hit = false, any = false;
  const int n = sets_.contacts();
  for (int i = 0; i < n; ++i) {
    const int j = sets_.joints + i;
    const bool closed = sets_.A[j] && sets_.B[j];
    const double impulse = Lam[j] + y2_[j];
    any = any || sets_.A[j];
    s1.memory.numbers[i] = closed && impulse > 0;
    s1.memory.numbers[n + 1 + i] = 0;
    if (!closed) continue;
    const double rest = slow * one_of_row(one, at_start.G, j), before = sets_.gdn[j], after = row_times(at_end.G, j, end_.v) + at_end.g_t[j];
    hit = hit || (impulse > 0 && before < -rest);
    report.contact_work += 0.5 * impulse * (before + after - at_start.g_t[j] - at_end.g_t[j]);
    const bool struck = s.memory.numbers[i] == 0 && before < 0;
    if (Lam[j] > 0 && (struck || sets_.jammed[j])) impacts_.push_back({i, before, after, Lam[j]});
    s1.memory.numbers[n + 1 + i] = std::abs(before) < rest && std::abs(after) < rest && (!S_[j] || y2_[j] >= 0);
  }
  add_work_of_friction(at_start, s.v, at_end, end_.v, report);
  if (any) {  // impulses move the position otherwise than the velocities, against the forces
    std::fill_n(r_.data(), sets_.v, 0.0);
    add_product(at_end.M, mean_, r_);
    double work = 0;
    for (int i = 0; i < sets_.v; ++i) work += r_[i] * (dx_[i] - 0.5 * h * (s.v[i] + end_.v[i]));
    report.contact_work -= work;
  }
  return hit;
}

// contacts are closed or open as in the last step, and those at rest that are closed
bool NonsmoothGeneralizedAlpha::goes_on(const Step& step) const {
  const std::vector<double>&before = step.s.memory.numbers, &now = step.s1.memory.numbers;
  const int n = sets_.contacts();
  bool same = true;
  for (int i = 0; i < n; ++i) same = same && now[i] == before[i] && (now[i] == 0 || now[n + 1 + i] != 0);
  return same;
}

void NonsmoothGeneralizedAlpha::estimate(const Step& step, bool hit) {
  const auto& [sys, s, h, s1, report] = step;
  // the joints' part of the forces that make the mean acceleration moves nothing within the joints
  errors_.estimate(step, {.M = T1().M, .rows = T1(), .f = nullptr, .acceleration = &mean_, .distance = h, .last = s.memory.numbers.back(), .hidden = 1}, sets_, hit);
  // after a force has jumped, a rings about v~', which growing steps would amplify
  if (report.next_step == 0) {
    dv_ = mean_ - 0.5 * (s.vdot + s1.vdot);
    dv_ *= h;
    errors_.add_velocities(step, dv_);
  }
  if (!hit) errors_.add_turn(step, T0(), T1(), sets_);
  for (int j = sets_.joints; j < sets_.rows && !both_levels_; ++j)
    errors_.add_gap(step, j - sets_.joints, std::min(0.0, T0().g[j]) - std::min(0.0, T1().g[j]));  // sunk in
}

SchemeInfo nonsmooth_generalized_alpha_info(bool both_levels) {
  SchemeInfo info;
  info.id = both_levels ? "nonsmooth-generalized-alpha-ggl" : "nonsmooth-generalized-alpha";
  info.description = both_levels ? "nonsmooth generalized-alpha with position and velocity level in one semismooth Newton iteration"
                                 : "nonsmooth generalized-alpha: impulses of first order, smooth motion of second, velocity level";
  info.paper = "001";
  info.equations = both_levels ? "(5)-(6)" : "(3), (6)";
  info.order = 2;
  info.keeps_position = both_levels;
  info.keeps_velocity = true;
  info.time_stepping = true;
  info.error_power = 2;
  info.options = monolithic_options();
  info.options.push_back({.name = "rho_infinity", .value = 0.8, .description = "spectral radius at infinite frequency", .min = 0, .max = 1});
  if (both_levels)
    info.options.push_back({.name = "closed_contacts", .value = std::string("impulsive"), .description = "forces of contacts that stay closed: impulsive, or smooth multipliers", .choices = {"impulsive", "smooth"}});
  return info;
}

const SchemeInfo& NonsmoothGeneralizedAlpha::info() const {
  static const SchemeInfo one = nonsmooth_generalized_alpha_info(false), both = nonsmooth_generalized_alpha_info(true);
  return both_levels_ ? both : one;
}

}  // namespace

SchemeEntry nonsmooth_generalized_alpha_scheme() {
  return {nonsmooth_generalized_alpha_info(false), [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothGeneralizedAlpha>(options, false); }};
}

SchemeEntry nonsmooth_generalized_alpha_ggl_scheme() {
  return {nonsmooth_generalized_alpha_info(true), [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothGeneralizedAlpha>(options, true); }};
}

}  // namespace escapement
