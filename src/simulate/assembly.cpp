#include "simulate/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "math/saddle_solver.hpp"

namespace escapement {

namespace {

constexpr int most_iterations = 100;

// min |increment|_M subject to the active rows and the kept entries
class Assembler {
 public:
  Assembler(const System& system, const State& given)
      : system_(system), dim_(system.dim()), s_(given), trial_(given), q0_(given.q) {
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
  bool factor(const Matrix& A);   // with the active rows; kept entries are taken out of everything
  double residual(const State&);  // largest scaled |g| of the active rows; fills T_.g
  bool reach_constraints();
  void approach_given();
  bool change_active();

  const System& system_;
  const Dim& dim_;
  State s_, trial_;
  Vec q0_, dx_, w_, mu_full_;
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
  system_.evaluate(s, Need::gap, T_);
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
  for (int iteration = 0; iteration < most_iterations && now > 0; ++iteration) {
    system_.evaluate(s_, Need::gap | Need::jacobian, T_);
    if (!factor(M0_)) return false;
    a_.setZero();
    b_.setZero();
    for (int i = 0; i < dim_.rows(); ++i)
      if (active_[static_cast<std::size_t>(i)]) b_[i] = -T_.g[i];
    solver_.solve(a_, b_, d_, mu_);
    double next = INFINITY;
    for (double part = 1; part > 1e-6 && !(next < now); part /= 2) {
      system_.retract(s_.q, part * d_, trial_.q);
      next = residual(trial_);
    }
    if (!(next < now)) break;  // as good as it gets
    s_.q = trial_.q;
    now = next;
  }
  return now <= 1e-9;
}

// Newton's method for M0 dx = C^T mu, g = 0: from a consistent position to the nearest one
void Assembler::approach_given() {
  const Vec q_reached = s_.q;
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
    system_.retract(s_.q, d_, trial_.q);
    s_.q = trial_.q;
    if (d_.lpNorm<Eigen::Infinity>() <= 1e-14 * (1 + s_.q.lpNorm<Eigen::Infinity>())) break;
  }
  if (!(residual(s_) <= 1e-12 && distance() <= reached * (1 + 1e-12))) s_.q = q_reached;
  distance();
}

// a gap that is negative joins, one that would have to pull leaves; returns whether anything changed
bool Assembler::change_active() {
  system_.evaluate(s_, Need::gap, T_);
  bool changed = false;
  for (int i = dim_.bilateral; i < dim_.rows(); ++i) {
    char& active = active_[static_cast<std::size_t>(i)];
    const char wanted = active ? mu_[i] >= 0 : T_.g[i] < -1e-12;
    changed = changed || wanted != active;
    active = wanted;
  }
  return changed;
}

bool Assembler::solve_positions(const std::vector<int>& keep) {
  set_kept(keep);
  bool ok = false;
  for (int pass = 0; pass < 2 * dim_.unilateral + 2; ++pass) {
    ok = reach_constraints();
    if (!ok) return false;
    approach_given();
    if (!change_active()) break;
  }
  reach_constraints();  // the last digits
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
      if (!(T.g[i] >= 0)) note(StartLevel::gap, i, T.g[i], 1);
      continue;
    }
    if (system.level(i) == Level::position) note(StartLevel::position, i, T.g[i], scale[i]);
    double size = 1 + std::abs(T.g_t[i]);
    T.G.for_each_in_row(i, [&](int j, double value) { size += std::abs(value * s.v[j]); });
    note(StartLevel::velocity, i, rows[i], size);
  }
  return worst;
}

Assembly assemble(const System& system, State& s, const std::vector<int>& keep_q, const std::vector<int>& keep_v) {
  Assembler assembler(system, s);
  Assembly result;
  result.ok = assembler.solve_positions(keep_q);
  assembler.solve_velocities(keep_v);
  const State& found = assembler.state();
  result.moved = assembler.moved();
  result.changed = s.v.size() ? (found.v - s.v).lpNorm<Eigen::Infinity>() : 0;
  s.q = found.q;
  s.v = found.v;
  return result;
}

}  // namespace escapement
