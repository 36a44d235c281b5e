// The nonsmooth generalized-alpha scheme, [001] (5)-(6), after Chen et al.: smooth motion by generalized-alpha, impulses by
// implicit Euler. With both levels (the -ggl id) bilateral and unilateral constraints hold at position and velocity level in
// one semismooth Newton iteration; without, only the velocity level holds and q = q~ + h/2 W.
//
// Unknowns, all of the size of velocities or impulses: y1 = h v~', W, y5 = U/h, y2 = h lambda~, Lam, y6 = nu/h.
#include <cmath>

#include "schemes/monolithic_scheme.hpp"
#include "schemes/position_correction.hpp"
#include "schemes/registry.hpp"

namespace escapement {

namespace {

class NonsmoothGeneralizedAlpha final : public MonolithicScheme {
 public:
  NonsmoothGeneralizedAlpha(const Options& options, bool both_levels);

  const SchemeInfo& info() const override;
  void start(const System& sys, State& s) override;
  StepReport step(const System& sys, const State& s, double h, State& s1) override;

 private:
  enum class Activation { none, implicit, frozen };  // which contacts may close: nobody, by the iterate, those of T_

  bool solve_decided(const System& sys, const State& s, double h, StepReport& report);
  bool solve_supports(const System& sys, const State& s, double h, StepReport& report);
  void guess(const State& s, double h);
  bool newton(const System& sys, const State& s, double h, Activation, StepReport& report);
  bool iterate(const System& sys, const State& s, double h, Activation, StepReport& report);
  void evaluate(const System& sys, const State& s, double h, Need need);
  Need rows_needed() const { return rows_ + slips_ == 0 ? Need(0) : MonolithicScheme::rows_needed(); }
  bool choose_sets(double h, Activation);
  double law_row(int j) const override;
  double slip_row(int i) const override { return T_end_.T.row_dot(i, end_.v) + T_end_.t0[i]; }
  void add_slip_row(int i, int equation, double factor) override {
    by_q(D4_.V_q, rows_ + i, equation, factor);
    by_v(T_end_.T, i, equation, factor);
  }
  void assemble(const System& sys, double h);
  void assemble_motion(const System& sys, double h);  // (5a)-(5c)
  void assemble_forces();                             // what rows and slips do there
  void assemble_rows(const System& sys, double h);    // (5d), (5e)
  void assemble_slips();
  double normal_impulse(const Rub& rub) {
    total_ = Lam_.head(rows_) + y2_.head(rows_);
    return pressing(rub, total_);
  }
  void by_q(const Matrix& derivative, int row, int at, double factor);  // through q_{n+1}
  void by_v(const Matrix& derivative, int row, int at, double factor);  // through v_{n+1}
  Increment update() override;
  bool drop_pulling_contacts();  // smooth multipliers of closed contacts must push
  void finish(const System& sys, const State& s, double h, State& s1, StepReport& report);
  // the joints' part of these forces moves nothing within the joints
  void vary_forces(const ContactErrors::Step& step) override { errors_.vary_from_acceleration(step, T_end_.M, mean_); }

  bool both_levels_, smooth_closed_;
  double alpha_m_, alpha_f_, gamma_, beta_, c_;
  PositionCorrection supports_;
  Terms T0_, T_end_;
  Tangent D1_, D2_, D3_, D4_;
  State end_;
  Vec v_tilde_;
  Vec total_;                  // impulses by row
  Vec y1_, W_, y5_, y2_, y6_;  // y2, y6 and the impulses Lam_ by row; Lam_ also by slip row
  Vec mu_, zero_, dx_, dv_, h_a_, force_;
  Vec mean_;  // smooth acceleration of the step
  Matrix turn_;
  bool turned_ = false;
  double q1_ = 0, qW_ = 0, q5_ = 0;  // dq = q1 dy1 + qW dW + q5 dy5
  std::vector<char> S_;        // closed contacts with a smooth multiplier
  std::vector<int> s_index_;  // place of each smooth multiplier among the unknowns
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
  for (Terms* T : {&T0_, &T_end_}) sys.prepare(*T);
  for (Tangent* D : {&D1_, &D2_, &D3_, &D4_}) sys.prepare(*D);
  const int levels = both_levels_ ? 3 : 2, contacts = dim.unilateral;
  start_rows(sys, {.vectors = levels, .dense_vectors = levels, .levels = levels}, T0_, D1_);
  if (both_levels_ && dim.unilateral > 0) supports_.start(sys, PositionCorrection::Metric::kinetic);
  turn_.copy(D1_.retraction);
  end_ = make_state(dim);
  for (Vec* x : {&v_tilde_, &y1_, &W_, &y5_, &zero_, &dx_, &dv_, &h_a_, &mean_, &force_}) x->setZero(v_);
  for (Vec* x : {&mu_, &y2_, &y6_}) x->setZero(dim.multipliers());
  total_.setZero(dim.rows());
  S_.assign(rows_, 0);
  s_index_.assign(rows_, -1);

  start_accelerations(sys, s);
  // a_n, v~'_n, lambda~_n and z'_n; per contact: closed in the last step; of ContactErrors; closed at rest; then the step's size
  s.memory.vectors.assign(4, Vec::Zero(v_));
  s.memory.vectors[0] = s.memory.vectors[1] = s.vdot;
  s.memory.vectors[2] = s.lambda;
  sys.evaluate(s, Need::force, T0_);
  s.memory.vectors[3] = T0_.zdot;
  s.memory.numbers.assign(2 * contacts + 2, 0);
  errors_.start(sys, s);
}

StepReport NonsmoothGeneralizedAlpha::step(const System& sys, const State& s, double h, State& s1) {
  StepReport report;
  h_ = h;
  if (rows_ + slips_ > 0) {
    sys.evaluate(s, Need::mass | rows_needed(), T0_);
    prepare_rows(T0_.M, T0_, s.v);
  }
  contacts_.scale(sys, s, h, tolerance_);
  std::fill(jammed_.begin(), jammed_.end(), 0);
  std::fill(T_.begin(), T_.end(), 0);
  const int contacts = rows_ - bilateral_;
  for (int i = 0; i < contacts; ++i) S_[bilateral_ + i] = smooth_closed_ && s.memory.numbers[contacts + 1 + i] != 0;

  if (both_levels_) {
    // the position set depends on q~ only, which no impulse changes: it may follow the iterate
    bool again = true;
    while (again) {
      guess(s, h);
      if (!(newton(sys, s, h, Activation::implicit, report) && consistent(T_end_.g, h, report)) &&
          !solve_supports(sys, s, h, report)) {
        if (estimates() || report.status != Status::contradicting_rows) return report;
        report.status = Status::ok;  // fixed steps go on with the mean: who judges the run sees the gaps
      }
      again = drop_pulling_contacts();
    }
  } else {
    guess(s, h);
    if (!newton(sys, s, h, Activation::none, report)) return report;
    bool any = false;
    for (int j = bilateral_; j < rows_; ++j) {
      T_[j] = T_end_.g[j] <= 0;
      any = any || T_[j];
    }
    if (any && !newton(sys, s, h, Activation::frozen, report)) return report;
  }
  if (!follows_surfaces(sys, T0_, T_end_, dx_, h, report)) return report;
  finish(sys, s, h, s1, report);
  return report;
}

// Sets that cycle or contradict each other are decided by a contact-free trial instead, never by damping, which misses
// impacts: the contacts that push it back to where no gap is negative, and those that open gaps close on the way
bool NonsmoothGeneralizedAlpha::solve_supports(const System& sys, const State& s, double h, StepReport& report) {
  report.status = Status::ok;
  report.worst = {};
  guess(s, h);
  for (char& smooth : S_) smooth = 0;
  if (!newton(sys, s, h, Activation::none, report) || !supports_.apply(sys, T_end_.G, T0_.M, end_, report)) return false;
  for (int j = bilateral_; j < rows_; ++j) T_[j] = supports_.psi()[j] > 0;
  for (bool grown = true; grown;) {
    guess(s, h);
    if (!newton(sys, s, h, Activation::frozen, report)) return false;
    grown = false;
    for (int j = bilateral_; j < rows_; ++j)
      if (!T_[j] && !off_[j] && T_end_.g[j] < -h * contacts_.noise_of_row(j)) {
        T_[j] = true;
        grown = true;
      }
  }
  return consistent(T_end_.g, h, report);
}

void NonsmoothGeneralizedAlpha::guess(const State& s, double h) {
  y1_ = h * s.memory.vectors[1];
  y2_ = h * s.memory.vectors[2];
  for (int j = bilateral_; j < rows_; ++j)
    if (!S_[j]) y2_[j] = 0;
  for (int i = 0; i < slips_; ++i) y2_[rows_ + i] = 0;
  W_.setZero();
  y5_.setZero();
  Lam_.setZero();
  y6_.setZero();
  end_.z = s.z;
}

bool NonsmoothGeneralizedAlpha::newton(const System& sys, const State& s, double h, Activation activation, StepReport& report) {
  const auto again = [&] {
    if (report.status != Status::newton_failed) return false;
    report.status = Status::ok;
    guess(s, h);
    return iterate(sys, s, h, activation, report);
  };
  by_slip_ = one_at_a_time_ = false;
  bool solved = iterate(sys, s, h, activation, report);
  if (!solved && slips_ > 0) {
    by_slip_ = true;
    solved = again();
  }
  by_slip_ = false;
  if (!solved && activation == Activation::frozen) {
    one_at_a_time_ = true;
    solved = again();
    one_at_a_time_ = false;
    if (!solved && slips_ > 0) solved = solve_decided(sys, s, h, report);
  }
  return solved;
}

bool NonsmoothGeneralizedAlpha::solve_decided(const System& sys, const State& s, double h, StepReport& report) {
  if (report.status != Status::newton_failed) return false;
  report.status = Status::ok;
  report.worst = {};
  guess(s, h);
  if (!iterate(sys, s, h, Activation::none, report) || !decide(T0_.M, T0_, s.v, T_end_, end_.v, report)) return false;
  guess(s, h);
  decided_ = true;
  const bool solved = iterate(sys, s, h, Activation::frozen, report);
  decided_ = false;
  return solved;
}

bool NonsmoothGeneralizedAlpha::iterate(const System& sys, const State& s, double h, Activation activation, StepReport& report) {
  begin_iteration(slips_ > 0 && !by_slip_ && !one_at_a_time_ ? few_iterations : most_iterations_now());
  Newton newton = Newton::goes_on;
  while (newton == Newton::goes_on) {
    evaluate(sys, s, h, Need::mass | Need::force | rows_needed());
    const bool changed = choose_sets(h, activation);
    assemble(sys, h);
    newton = judge(system_.solve(contacts_.largest_noise()), changed, report);
  }
  if (newton == Newton::failed) return false;
  evaluate(sys, s, h, s.z.size() > 0 ? Need::force | rows_needed() : rows_needed());
  return true;
}

// [001] (6): q, v~ and v of the iterate, and the terms there
void NonsmoothGeneralizedAlpha::evaluate(const System& sys, const State& s, double h, Need need) {
  const Vec &a = s.memory.vectors[0], &vdot = s.memory.vectors[1];
  h_a_ = ((1 - alpha_f_) * y1_ + h * (alpha_f_ * vdot - alpha_m_ * a)) / (1 - alpha_m_);  // h a_{n+1}, (6c)
  v_tilde_ = s.v + h * (1 - gamma_) * a + gamma_ * h_a_;                                   // (6b)
  dx_ = h * s.v + h * h * (0.5 - beta_) * a + h * beta_ * h_a_;                            // (6a)
  if (both_levels_) {
    dx_ += h * y5_;
  } else {
    dx_ += 0.5 * h * W_;
  }
  q1_ = h * beta_ * c_;
  qW_ = both_levels_ ? 0 : 0.5 * h;
  q5_ = both_levels_ ? h : 0;
  end_.t = s.t + h;
  sys.retract(s.q, dx_, end_.q);
  turned_ = sys.retract_tangent(dx_, turn_);
  end_.v = v_tilde_ + W_;
  if (need != Need(0)) sys.evaluate(end_, need, T_end_);
  if (end_.z.size() > 0) end_.z = s.z + 0.5 * h * (s.memory.vectors[3] + T_end_.zdot);
}

double NonsmoothGeneralizedAlpha::law_row(int j) const {
  return T_end_.G.row_dot(j, end_.v) + T_end_.g_t[j] + restitution(j) * gdn_[j];  // (5e); e for contacts of either sign of gdn
}

// position set A and velocity set B, a part of A: docs/errata.md on (5e)
bool NonsmoothGeneralizedAlpha::choose_sets(double h, Activation activation) {
  begin_sets();
  bool changed = false;
  for (int j = 0; j < rows_; ++j) {
    const bool joint = (j < bilateral_ || S_[j]) && !off_[j];
    bool a = joint && positional_[j];
    if (j >= bilateral_ && !joint && !off_[j]) {
      if (activation == Activation::implicit) a = contacts_.pulls(j, y6_[j], T_end_.g[j] / h);
      if (activation == Activation::frozen) a = T_[j];
    }
    const bool b = joint || (a && (decided_ ? decided_B_[j] : contacts_.pulls(j, Lam_[j], law_row(j))));
    changed |= put(j, a, b, y6_);
    if (!both_levels_) y6_[j] = 0;
  }
  for (std::size_t r = 0; r < rubs_.size(); ++r) changed |= choose_friction(r, std::max(0.0, normal_impulse(rubs_[r])));
  system_.begin_places();
  for (int j = 0; j < rows_; ++j) s_index_[j] = (j < bilateral_ || S_[j]) && !off_[j] ? system_.place(0, j) : -1;
  for (int j = 0; j < rows_; ++j) b_index_[j] = B_[j] ? system_.place(1, j) : -1;
  place_friction();
  for (int j = 0; j < rows_; ++j) a_index_[j] = both_levels_ && A_[j] ? system_.place(2, j) : -1;
  return changed;
}

void NonsmoothGeneralizedAlpha::by_q(const Matrix& derivative, int row, int at, double factor) {
  auto add = [&](int j, double x) {
    J(at, j) += q1_ * x;
    if (both_levels_) {
      J(at, 2 * v_ + j) += q5_ * x;
    } else {
      J(at, v_ + j) += qW_ * x;
    }
  };
  derivative.for_each_in_row(row, [&](int j, double x) {
    if (x == 0) return;
    if (turned_) {
      turn_.for_each_in_row(j, [&](int k, double t) { add(k, factor * x * t); });
    } else {
      add(j, factor * x);
    }
  });
}

void NonsmoothGeneralizedAlpha::by_v(const Matrix& derivative, int row, int at, double factor) {
  derivative.for_each_in_row(row, [&](int j, double x) {
    if (x == 0) return;
    J(at, j) += gamma_ * c_ * factor * x;
    J(at, v_ + j) += factor * x;
  });
}

void NonsmoothGeneralizedAlpha::assemble(const System& sys, double h) {
  system_.clear();
  assemble_motion(sys, h);
  assemble_forces();
  assemble_rows(sys, h);
  assemble_slips();
}

void NonsmoothGeneralizedAlpha::assemble_motion(const System& sys, double h) {
  const int v = v_;
  const Terms& T = T_end_;
  // R1 = M y1 - h f - G^T y2, (5a)
  dv_ = y1_ / h;
  mu_ = y2_ / h;
  sys.tangent(end_, dv_, mu_, Parts::all, D1_);
  for (int i = 0; i < v; ++i) {
    T.M.for_each_in_row(i, [&](int j, double m) {
      if (m == 0) return;
      J(i, j) += m;
      R_[i] += m * y1_[j];
      J(v + i, v + j) += m;  // R2 = M W - G^T Lam, (5b)
      R_[v + i] += m * W_[j];
      if (both_levels_) {  // R3 = M y5 - G^T y6, (5c)
        J(2 * v + i, 2 * v + j) += m;
        R_[2 * v + i] += m * y5_[j];
      }
    });
    R_[i] -= h * T.f[i];
    by_q(D1_.K, i, i, h);
    by_v(D1_.D, i, i, h);
  }
  bool jumps = false, corrects = false;
  for (int i = 0; i < v; ++i) {
    jumps = jumps || W_[i] != 0;
    corrects = corrects || y5_[i] != 0;
  }
  if (jumps) {
    sys.tangent(end_, W_, Lam_, Parts::mass | Parts::constraint, D2_);
    for (int i = 0; i < v; ++i) by_q(D2_.K, i, v + i, 1);
  }
  if (both_levels_ && corrects) {
    y6_.tail(slips_) = 0.5 * Lam_.tail(slips_);
    sys.tangent(end_, y5_, y6_, Parts::mass | Parts::constraint, D3_);
    for (int i = 0; i < v; ++i) by_q(D3_.K, i, 2 * v + i, 1);
  }
}

void NonsmoothGeneralizedAlpha::assemble_forces() {
  const int v = v_;
  const Terms& T = T_end_;
  for (int r = 0; r < rows_; ++r)
    T.G.for_each_in_row(r, [&](int j, double g) {
      if (s_index_[r] >= 0) J(j, s_index_[r]) -= g;
      R_[j] -= g * y2_[r];
      if (b_index_[r] >= 0) J(v + j, b_index_[r]) -= g;
      R_[v + j] -= g * Lam_[r];
      if (a_index_[r] >= 0) J(2 * v + j, a_index_[r]) -= g;
      if (both_levels_) R_[2 * v + j] -= g * y6_[r];
    });
  for (int i = 0; i < slips_; ++i) {
    if (t_index_[i] < 0) continue;
    T.T.for_each_in_row(i, [&](int j, double t) {
      J(v + j, t_index_[i]) -= t;
      R_[v + j] -= t * Lam_[rows_ + i];
      if (both_levels_) {  // half of the friction impulse moves q as well: a contact that sticks would creep without
        J(2 * v + j, t_index_[i]) -= 0.5 * t;
        R_[2 * v + j] -= 0.5 * t * Lam_[rows_ + i];
      }
    });
  }
}

// R4 = G v~ + g_t, R5 = impact law, R6 = gap
void NonsmoothGeneralizedAlpha::assemble_rows(const System& sys, double h) {
  const Terms& T = T_end_;
  bool smooth = false, any = false;
  for (int r = 0; r < rows_; ++r) {
    smooth = smooth || s_index_[r] >= 0;
    any = any || s_index_[r] >= 0 || b_index_[r] >= 0;
  }
  for (FrictionMode mode : friction_) any = any || mode != FrictionMode::off;
  if (any) sys.tangent(end_, zero_, mu_, Parts::velocity_rows, D4_);
  if (smooth) {
    dv_ = end_.v;
    end_.v = v_tilde_;
    sys.tangent(end_, zero_, mu_, Parts::velocity_rows, D3_);
    end_.v = dv_;
  }
  for (int r = 0; r < rows_; ++r) {
    if (const int at = s_index_[r]; at >= 0) {
      by_q(D3_.V_q, r, at, 1);
      T.G.for_each_in_row(r, [&](int j, double g) { J(at, j) += gamma_ * c_ * g; });
      R_[at] = T.G.row_dot(r, v_tilde_) + T.g_t[r];
    }
    if (const int at = b_index_[r]; at >= 0) {
      by_q(D4_.V_q, r, at, 1);
      by_v(T.G, r, at, 1);
      R_[at] = law_row(r);
    }
    if (const int at = a_index_[r]; at >= 0) {
      by_q(T.G, r, at, 1 / h);
      R_[at] = T.g[r] / h;
    }
  }
}

void NonsmoothGeneralizedAlpha::assemble_slips() {
  for (std::size_t r = 0; r < rubs_.size(); ++r) {
    const int normal = rubs_[r].normal;
    assemble_friction(r, normal_impulse(rubs_[r]), {normal < 0 ? -1 : b_index_[normal], normal < 0 ? -1 : s_index_[normal]});
  }
}

NonsmoothGeneralizedAlpha::Increment NonsmoothGeneralizedAlpha::update() {
  double size = 0;
  auto move_vector = [&](Vec& unknown, int at) {
    dv_ = R_.segment(at, v_);
    unknown -= dv_;
    size = std::max(size, contacts_.size_of_velocity(dv_));
  };
  move_vector(y1_, 0);
  move_vector(W_, v_);
  if (both_levels_) move_vector(y5_, 2 * v_);
  const double motion = size;
  auto move = [&](Vec& unknown, int row, int at) {
    if (at < 0) return;
    unknown[row] -= R_[at];
    size = std::max(size, contacts_.size_of_impulse(row, R_[at]));
  };
  for (int r = 0; r < rows_; ++r) {
    move(y2_, r, s_index_[r]);
    move(Lam_, r, b_index_[r]);
    move(y6_, r, a_index_[r]);
  }
  for (int i = 0; i < slips_; ++i) move(Lam_, rows_ + i, t_index_[i]);
  return {size, motion};
}

bool NonsmoothGeneralizedAlpha::drop_pulling_contacts() {
  bool dropped = false;
  for (int j = bilateral_; j < rows_; ++j)
    if (S_[j] && y2_[j] < 0) {
      S_[j] = false;
      dropped = true;
    }
  return dropped;
}

void NonsmoothGeneralizedAlpha::finish(const System& sys, const State& s, double h, State& s1, StepReport& report) {
  s1.t = s.t + h;
  s1.q = end_.q;
  s1.v = end_.v;
  s1.z = end_.z;
  s1.vdot = y1_ / h;
  s1.lambda = (Lam_ + y2_) / h;
  s1.memory.vectors = s.memory.vectors;
  s1.memory.numbers = s.memory.numbers;
  s1.memory.vectors[0] = h_a_ / h;
  s1.memory.vectors[1] = s1.vdot;
  s1.memory.vectors[2] = y2_ / h;
  if (s.z.size() > 0) s1.memory.vectors[3] = T_end_.zdot;
  impacts_.clear();
  const double slow = rest_velocity(sys, s.v);
  bool hit = false;
  const int n = rows_ - bilateral_;
  for (int i = 0; i < n; ++i) {
    const int j = bilateral_ + i;
    const double before = gdn_[j], after = T_end_.G.row_dot(j, end_.v) + T_end_.g_t[j];
    const bool closed = A_[j] && B_[j];
    const double rest = closed ? slow * one_of_row(sys.scale(), T0_.G, j) : 0;
    const double impulse = Lam_[j] + y2_[j];
    hit = hit || (closed && impulse > 0 && before < -rest);
    if (closed) report.contact_work += 0.5 * impulse * (before + after - T0_.g_t[j] - T_end_.g_t[j]);
    const bool struck = s.memory.numbers[i] == 0 && before < 0;
    if (closed && Lam_[j] > 0 && (struck || jammed_[j])) impacts_.push_back({i, before, after, Lam_[j]});
    s1.memory.numbers[i] = closed && impulse > 0;
    s1.memory.numbers[n + 1 + i] = closed && std::abs(before) < rest && std::abs(after) < rest && (!S_[j] || y2_[j] >= 0);
  }
  for (int i = 0; i < slips_; ++i)
    report.contact_work += 0.5 * Lam_[rows_ + i] * (T0_.T.row_dot(i, s.v) + T_end_.T.row_dot(i, end_.v));
  bool closed = false;
  for (int j = bilateral_; j < rows_; ++j) closed = closed || A_[j];
  mean_ = (v_tilde_ - s.v) / h;
  if (closed) {  // impulses move the position otherwise than the velocities, against the forces
    dv_ = dx_ - 0.5 * h * (s.v + end_.v);
    force_.setZero();
    T_end_.M.add_product(1, mean_, force_);
    report.contact_work -= force_.dot(dv_);
  }
  s1.memory.numbers.back() = h;
  if (!estimates()) return;
  const ContactErrors::Step step{sys, s, h, s1, report};
  estimate(step, {.M = T_end_.M, .rows = T_end_, .distance = h, .last = s.memory.numbers.back(), .hidden = 1}, hit);
  // after a force has jumped, a rings about v~', which growing steps would amplify
  if (report.next_step == 0) {
    dv_ = mean_ - 0.5 * (s.vdot + s1.vdot);
    dv_ *= h;
    errors_.add_velocities(step, dv_);
  }
  if (!hit) estimate_turn(step, T0_, T_end_);
  for (int j = bilateral_; j < rows_ && !both_levels_; ++j)
    errors_.add_gap(step, j - bilateral_, std::min(0.0, T0_.g[j]) - std::min(0.0, T_end_.g[j]));  // sunk in
}

SchemeInfo make_info(bool both_levels) {
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
  static const SchemeInfo one = make_info(false), both = make_info(true);
  return both_levels_ ? both : one;
}

}  // namespace

SchemeEntry nonsmooth_generalized_alpha_scheme() {
  return {make_info(false), [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothGeneralizedAlpha>(options, false); }};
}

SchemeEntry nonsmooth_generalized_alpha_ggl_scheme() {
  return {make_info(true), [](const Options& options) -> std::unique_ptr<Scheme> { return std::make_unique<NonsmoothGeneralizedAlpha>(options, true); }};
}

}  // namespace escapement
