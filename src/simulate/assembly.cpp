#include "simulate/assembly.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/saddle_solver.hpp"
#include "math/tolerances.hpp"

namespace escapement::inline simulate {

namespace {

constexpr int most_corrections = 100;
constexpr double walking_step = std::numbers::pi / 2;
constexpr int most_walking_steps = 4000;  // a thousand turns

// min |increment|_M subject to the active rows and the kept entries
class Assembler {
 public:
  Assembler(const System& system, const State& given, const DrivenTurns& turns)
      : system_(system), dim_(system.dim()), turns_(turns), s_(given), trial_(given), q0_(given.q), z0_(given.z) {
    system_.prepare(T_);
    system_.prepare(D_);
    system_.evaluate(given, Need::mass, T_);
    M0_ = T_.M;
    active_.assign(static_cast<std::size_t>(dim_.rows()), 0);
    std::fill_n(active_.begin(), dim_.bilateral, 1);
    dx_ = Vec::Zero(dim_.v);
    w_ = Vec::Zero(dim_.v);
    mu_full_ = Vec::Zero(dim_.multipliers());
  }

  bool solve_positions(const std::vector<int>& keep);
  void solve_velocities(const std::vector<int>& keep);
  const State& state() const { return s_; }
  double moved() const { return dx_.size() ? dx_.lpNorm<Eigen::Infinity>() : 0; }

 private:
  void set_kept(const std::vector<int>& keep);
  void evaluate(const State&, Need);  // with the drives where the walk is
  void move(double part);             // trial_ = s_ moved by part d_
  bool walk_drives();
  bool factor(const Matrix& A);   // with the active rows; kept entries are taken out of everything
  double residual(const State&);  // largest scaled |g| of the active rows; fills T_.g
  bool reach_constraints();
  void approach_given();
  bool change_active();

  const System& system_;
  const Dim& dim_;
  const DrivenTurns& turns_;
  double walked_ = 1;  // share of the drives' angles that the rows hold
  State s_, trial_;
  Vec q0_, z0_, dx_, w_, mu_full_;
  Terms T_;
  Tangent D_;
  Matrix M0_, C_, A_, free_;
  std::vector<char> active_, kept_;
  SaddleSolver solver_;
  Vec a_, b_, d_, mu_, scale_;
};

void Assembler::set_kept(const std::vector<int>& keep) {
  kept_.assign(static_cast<std::size_t>(dim_.v), 0);
  for (int i : keep) kept_[static_cast<std::size_t>(i)] = 1;
  C_ = T_.G;  // its storage
  solver_.resize(dim_.v, dim_.rows());
  a_ = d_ = Vec::Zero(dim_.v);
  b_ = mu_ = Vec::Zero(dim_.rows());
}

void Assembler::evaluate(const State& s, Need need) {
  system_.evaluate(s, need, T_);
  if (walked_ == 1 || !has(need, Need::gap)) return;
  for (const DrivenTurns::Drive& drive : turns_.drives)
    T_.g[drive.row] = std::remainder(T_.g[drive.row] + (1 - walked_) * drive.angle, 2 * std::numbers::pi);
}

// first-order states move with an increment as they do with a velocity
void Assembler::move(double part) {
  system_.retract(s_.q, part * d_, trial_.q);
  if (dim_.z == 0) return;
  system_.tangent(s_, w_, mu_full_, Parts::force, D_);
  trial_.z = s_.z + part * (D_.zdot_v * d_);
}

// from the given position to the drives' angles in steps that leave no doubt about the way round
bool Assembler::walk_drives() {
  double most = 0;
  for (const DrivenTurns::Drive& drive : turns_.drives) most = std::max(most, std::abs(drive.angle));
  const double steps = std::ceil(most / walking_step);
  if (!(steps <= most_walking_steps)) return false;
  for (int k = 1; k <= steps; ++k) {
    walked_ = k / steps;
    if (!reach_constraints()) return false;
    turns_.count(s_);
  }
  return true;
}

bool Assembler::factor(const Matrix& A) {
  const auto kept = [&](int i) { return kept_[static_cast<std::size_t>(i)] != 0; };
  C_.set_zero();
  for (int i = 0; i < dim_.rows(); ++i)
    if (active_[static_cast<std::size_t>(i)])
      T_.G.for_each_in_row(i, [&](int j, double value) {
        if (!kept(j)) C_.add(i, j, value);
      });
  free_ = A;
  for (int i = 0; i < dim_.v; ++i)
    A.for_each_in_row(i, [&](int j, double value) {
      if (i != j && (kept(i) || kept(j))) free_.add(i, j, -value);
    });
  for (int i = 0; i < dim_.v; ++i)
    if (kept(i)) free_.add(i, i, 1 - A(i, i));
  return solver_.factor(free_, C_);
}

double Assembler::residual(const State& s) {
  evaluate(s, Need::gap);
  system_.position_scale(s, scale_);
  double worst = 0;
  for (int i = 0; i < dim_.rows(); ++i)
    if (active_[static_cast<std::size_t>(i)]) {
      const double r = std::abs(T_.g[i]) / scale_[i];
      worst = std::isfinite(r) ? std::max(worst, r) : INFINITY;
    }
  return worst;
}

// the smallest step onto the linearised constraints, shortened until it helps
bool Assembler::reach_constraints() {
  double now = residual(s_);
  for (int iteration = 0; iteration < most_corrections && now > 0; ++iteration) {
    evaluate(s_, Need::gap | Need::jacobian);
    if (!factor(M0_)) return false;
    a_.setZero();
    b_.setZero();
    for (int i = 0; i < dim_.rows(); ++i)
      if (active_[static_cast<std::size_t>(i)]) b_[i] = -T_.g[i];
    solver_.solve(a_, b_, d_, mu_);
    double next = INFINITY;
    for (double part = 1; part > little::shortest_part && !(next < now); part /= 2) {
      move(part);
      next = residual(trial_);
    }
    if (!(next < now)) break;  // as good as it gets
    s_.q = trial_.q;
    s_.z = trial_.z;
    now = next;
  }
  return now <= little::resting_gap;
}

// Newton's method for M0 dx = C^T mu, g = 0: from a consistent position to the nearest one
void Assembler::approach_given() {
  const Vec q_reached = s_.q, z_reached = s_.z;
  const auto distance = [&] {
    system_.difference(q0_, s_.q, dx_);
    w_.setZero();
    M0_.add_product(1, dx_, w_);
    return dx_.dot(w_);
  };
  const double reached = distance();
  for (int iteration = 0; iteration < 30; ++iteration) {
    system_.evaluate(s_, Need::gap | Need::jacobian, T_);
    mu_full_.setZero();
    if (iteration > 0) mu_full_.head(dim_.rows()) = mu_.head(dim_.rows());
    system_.tangent(s_, dx_, mu_full_, Parts::constraint, D_);
    A_.set_sum({{1, &M0_}, {1, &D_.K}});
    if (!factor(A_)) break;
    distance();
    for (int i = 0; i < dim_.v; ++i) a_[i] = kept_[static_cast<std::size_t>(i)] ? 0 : -w_[i];
    b_.setZero();
    for (int i = 0; i < dim_.rows(); ++i)
      if (active_[static_cast<std::size_t>(i)]) b_[i] = -T_.g[i];
    solver_.solve(a_, b_, d_, mu_);
    if (!d_.allFinite()) break;
    move(1);
    s_.q = trial_.q;
    s_.z = trial_.z;
    if (d_.lpNorm<Eigen::Infinity>() <= little::digits * (system_.scale().unit() + s_.q.lpNorm<Eigen::Infinity>())) break;
  }
  if (!(residual(s_) <= little::touching && distance() <= reached * (1 + little::instant))) {
    s_.q = q_reached;
    s_.z = z_reached;
  }
  distance();
}

// a gap that is negative joins, one that would have to pull leaves; returns whether anything changed
bool Assembler::change_active() {
  system_.evaluate(s_, Need::gap, T_);
  bool changed = false;
  for (int i = dim_.bilateral; i < dim_.rows(); ++i) {
    char& active = active_[static_cast<std::size_t>(i)];
    const char wanted = active ? mu_[i] >= 0 : T_.g[i] < -little::touching * system_.scale().unit();
    changed = changed || wanted != active;
    active = wanted;
  }
  return changed;
}

bool Assembler::solve_positions(const std::vector<int>& keep) {
  set_kept(keep);
  bool ok = false;
  if (!walk_drives()) {
    // the shorter way, where the whole one is barred: only the driven joints' own turns are known then
    walked_ = 1;
    s_.q = q0_;
    s_.z = z0_;
    for (const DrivenTurns::Drive& drive : turns_.drives)
      if (drive.counter >= 0) s_.z[drive.counter] = z0_[drive.counter] + drive.angle;
  }
  for (int pass = 0; pass < 2 * dim_.unilateral + 2; ++pass) {
    ok = reach_constraints();
    if (!ok) return false;
    approach_given();
    if (!change_active()) break;
  }
  reach_constraints();  // the last digits
  if (turns_.count) turns_.count(s_);
  system_.difference(q0_, s_.q, dx_);
  return ok;
}

void Assembler::solve_velocities(const std::vector<int>& keep) {
  set_kept(keep);
  std::fill(active_.begin() + dim_.bilateral, active_.end(), 0);
  system_.evaluate(s_, Need::mass | Need::jacobian, T_);
  if (!factor(T_.M)) return;
  Vec rows(dim_.rows());
  for (int pass = 0; pass < 3; ++pass) {  // repeated for the last digits
    velocity_rows(T_, s_.v, rows);
    a_.setZero();
    b_.setZero();
    b_.head(dim_.bilateral) = -rows.head(dim_.bilateral);
    solver_.solve(a_, b_, d_, mu_);
    s_.v += d_;
  }
}

}  // namespace

StartViolation worst_violation(const System& system, const State& s) {
  const Dim& dim = system.dim();
  Terms T;
  system.prepare(T);
  system.evaluate(s, Need::gap | Need::jacobian, T);
  Vec scale, rows(dim.rows());
  system.position_scale(s, scale);
  velocity_rows(T, s.v, rows);
  StartViolation worst;
  const auto note = [&](StartLevel level, int row, double value, double over) {
    const double scaled = std::abs(value) / over;
    if (!(scaled <= worst.scaled)) worst = {level, row, value, scaled};
  };
  for (int i = 0; i < dim.rows(); ++i) {
    if (i >= dim.bilateral) {
      if (!(T.g[i] >= 0)) note(StartLevel::gap, i, T.g[i], row_scale(system.scale(), T.G, i));
      continue;
    }
    if (system.level(i) == Level::position) note(StartLevel::position, i, T.g[i], scale[i]);
    note(StartLevel::velocity, i, rows[i], velocity_scale(system.scale(), T, i, s.v));
  }
  return worst;
}

Assembly assemble(const System& system, State& s, const std::vector<int>& keep_q, const std::vector<int>& keep_v,
                  const DrivenTurns& turns) {
  Assembler assembler(system, s, turns);
  Assembly result;
  result.ok = assembler.solve_positions(keep_q);
  assembler.solve_velocities(keep_v);
  const State& found = assembler.state();
  result.moved = assembler.moved();
  result.changed = s.v.size() ? (found.v - s.v).lpNorm<Eigen::Infinity>() : 0;
  s.q = found.q;
  s.v = found.v;
  s.z = found.z;
  return result;
}

}  // namespace escapement
