#include "nonsmooth/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement {

namespace {

using V3 = ManyContacts::V3;
using M3 = ManyContacts::M3;

// k and how it changes: chosen on stacks, walls and card houses, where fixed ones leave steps unsolved and unguarded ones explode.
// Above most_k what the inner problem leaves is its rounding
constexpr double first_k = 100, most_k = 1e6;
constexpr double grow = 4, shrink = 0.5, fall = 0.2;
constexpr int easy = 4, hard = 8, most_inner = 40, most_outer = 100, most_halvings = 12, patience = 4, outer_patience = 12;

// of the projection onto K at z
M3 projection_slope(double mu, const V3& z) {
  const double size = std::sqrt(z[1] * z[1] + z[2] * z[2]);
  if (z[0] >= 0 && size <= mu * z[0]) return M3::Identity();
  if (mu * size <= -z[0]) return M3::Zero();
  const double normal = (z[0] + mu * size) / (1 + mu * mu);
  const V3 t(0, size > 0 ? z[1] / size : 0, size > 0 ? z[2] / size : 0);
  const V3 e = (V3(1, 0, 0) + mu * t) / std::sqrt(1 + mu * mu);
  M3 slope = e * e.transpose();
  if (size > 0) {
    M3 across = -t * t.transpose();
    across(1, 1) += 1;
    across(2, 2) += 1;
    slope += mu * normal / size * across;
  }
  return slope;
}

}  // namespace

void Multipliers::resize(int v, int bilateral) {
  kkt_.resize(v, bilateral);
  for (Vec* x : {&gradient_, &dv_, &trial_, &difference_, &right_}) x->setZero(v);
  zero_.setZero(bilateral);
  last_pairs_.clear();
  A_version_ = 0;
}

double Multipliers::look(const Motion& m, const ManyContacts& contacts, const Vec& v_free, Shift shift, const Vec& v) {
  difference_ = v - v_free;
  gradient_.setZero();
  m.A.add_product(1, difference_, gradient_);
  double objective = 0.5 * difference_.dot(gradient_);
  for (std::size_t k = 0; k < contacts.contacts().size(); ++k) {
    const ManyContacts::Contact& c = contacts.contacts()[k];
    const ManyContacts::Columns cols = contacts.columns(c);
    V3 u = c.bias;
    for (int j = 0; j < cols.count; ++j) u += v[cols.at[j]] * cols.J.col(j);
    if (c.rows < 3) u.tail(3 - c.rows).setZero();
    const double slip = u.tail<2>().norm();
    if (shift == Shift::taken_along) {
      shift_[k] = c.mu * slip;
      slip_[k] = slip > 0 ? V3(0, u[1] / slip, u[2] / slip) : V3(V3::Zero());
    }
    u[0] += shift_[k];
    const double rho = k_ / c.weight;
    z_[k] = c.P - rho * u;
    p_[k] = ManyContacts::project(c.mu, z_[k]);
    objective += p_[k].squaredNorm() / (2 * rho);
    if (p_[k] == V3::Zero()) continue;
    for (int j = 0; j < cols.count; ++j) gradient_[cols.at[j]] -= cols.J.col(j).dot(p_[k]);
  }
  return objective;
}

// largest velocity that the bodies would gain from what is not in balance
double Multipliers::unbalanced(const Motion& m, const ManyContacts& contacts, const Vec& mu) {
  Vec& left = right_;
  left = gradient_;
  for (int r = 0; r < m.bilateral; ++r) m.G_top.add_row(r, -mu[r], left);
  double largest = 0;
  for (int i = 0; i < left.size(); ++i) {
    const double one = i % contacts.width() < contacts.lines() ? 1 : m.extent[static_cast<std::size_t>(i / contacts.width())];
    if (left[i] != 0) largest = std::max(largest, one * std::abs(left[i]) / m.A(i, i));
  }
  return largest;
}

// H has the places of A, and those of the pairs of bodies that touch
void Multipliers::set_pattern(const Motion& m, const ManyContacts& contacts) {
  if (!m.A.is_sparse()) {
    H_.resize(m.A.rows(), m.A.cols());
    return;
  }
  const int ground = contacts.ground(), width = contacts.width();
  pairs_.clear();
  for (const ManyContacts::Contact& c : contacts.contacts())
    if (c.a != ground && c.b != ground) pairs_.emplace_back(std::min(c.a, c.b), std::max(c.a, c.b));
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  if (A_version_ == m.A.version() && pairs_ == last_pairs_) return;
  A_version_ = m.A.version();
  last_pairs_ = pairs_;
  std::vector<std::pair<int, int>> places;
  for (int i = 0; i < m.A.rows(); ++i) m.A.for_each_in_row(i, [&](int j, double) { places.emplace_back(i, j); });
  const auto block = [&](int a, int b) {
    for (int i = 0; i < width; ++i)
      for (int j = 0; j < width; ++j) places.emplace_back(width * a + i, width * b + j);
  };
  for (int b = 0; b < ground; ++b) block(b, b);
  for (const auto& [a, b] : pairs_) {
    block(a, b);
    block(b, a);
  }
  H_.set_pattern(m.A.rows(), m.A.cols(), places);
}

bool Multipliers::factor(const Motion& m, const ManyContacts& contacts, Shift shift) {
  H_.set_zero();
  for (int i = 0; i < m.A.rows(); ++i)
    m.A.for_each_in_row(i, [&](int j, double x) {
      if (x != 0) H_.add(i, j, x);
    });
  for (std::size_t k = 0; k < contacts.contacts().size(); ++k) {
    const ManyContacts::Contact& c = contacts.contacts()[k];
    M3 slope = k_ / c.weight * projection_slope(c.mu, z_[k]);
    if (shift == Shift::taken_along) slope += c.mu * slope.col(0) * slip_[k].transpose();
    if (slope == M3::Zero()) continue;
    const ManyContacts::Columns cols = contacts.columns(c);
    for (int j = 0; j < cols.count; ++j) {
      const V3 right = slope * cols.J.col(j);
      for (int i = 0; i < cols.count; ++i) H_.add(cols.at[i], cols.at[j], cols.J.col(i).dot(right));
    }
  }
  return kkt_.factor(H_, m.G_top, m.G_bottom);
}

// along dv_, by the objective, or by what is not in balance where there is none
bool Multipliers::search(const Motion& m, ManyContacts& contacts, const Vec& v_free, Shift shift, double& objective, double left, Vec& v, const Vec& mu) {
  const double slope = gradient_.dot(dv_), before = objective;
  double part = 1;
  for (int k = 0; k <= most_halvings; ++k, part *= 0.5) {
    trial_ = v + part * dv_;
    objective = look(m, contacts, v_free, shift, trial_);
    if (!std::isfinite(objective)) return false;
    const bool better = shift == Shift::held ? objective <= before + little::armijo * part * slope + little::digits * std::abs(before)
                                             : unbalanced(m, contacts, mu) <= (1 - 0.1 * part) * left;
    if (!better) continue;
    v = trial_;
    return true;
  }
  return false;
}

bool Multipliers::minimise(const Motion& m, ManyContacts& contacts, const Vec& v_free, Shift shift, double tolerance, Vec& v, Vec& mu) {
  double objective = look(m, contacts, v_free, shift, v), least = std::numeric_limits<double>::infinity();
  for (int i = 0, idle = 0; i < most_inner; ++i) {
    const double left = unbalanced(m, contacts, mu);
    if (left <= tolerance) return true;
    idle = left < 0.5 * least ? 0 : idle + 1;
    least = std::min(least, left);
    if (idle > patience && left < 1e3 * tolerance) return false;  // rounding
    if (!factor(m, contacts, shift)) return false;
    right_ = -gradient_;
    kkt_.solve(right_, zero_, dv_, mu);
    ++newton_steps_;
    if (!search(m, contacts, v_free, shift, objective, left, v, mu)) return false;
  }
  return false;
}

void Multipliers::set_shifts(const ManyContacts& contacts) {
  for (std::size_t k = 0; k < shift_.size(); ++k) {
    const ManyContacts::Contact& c = contacts.contacts()[k];
    V3 u = contacts.velocity(c) + c.bias;
    if (c.rows < 3) u.tail(3 - c.rows).setZero();
    shift_[k] = c.mu * u.tail<2>().norm();
  }
}

double Multipliers::solve(const Motion& m, ManyContacts& contacts, const Vec& v_free, double tolerance, Vec& v, Vec& mu) {
  const std::size_t n = contacts.contacts().size();
  shift_.resize(n);
  z_.resize(n);
  p_.resize(n);
  slip_.resize(n);
  best_P_.resize(n);
  newton_steps_ = 0;
  k_ = first_k;
  set_pattern(m, contacts);
  contacts.take(v);
  double best = std::numeric_limits<double>::infinity();
  Vec inner = v;
  for (int outer = 0, idle = 0; outer < most_outer && idle < outer_patience; ++outer) {
    const double left = contacts.residual();
    idle = left < 0.9 * best ? 0 : idle + 1;
    if (left < best) {
      best = left;
      best_v_ = v;
      best_mu_ = mu;
      for (std::size_t k = 0; k < n; ++k) best_P_[k] = contacts.contacts()[k].P;
    }
    if (left <= tolerance) break;
    const int before = newton_steps_;
    inner = v;
    held_ = mu;
    bool solved = minimise(m, contacts, v_free, Shift::taken_along, 0.1 * tolerance, inner, mu);
    if (!solved) {
      inner = v;
      mu = held_;
      set_shifts(contacts);
      solved = minimise(m, contacts, v_free, Shift::held, 0.1 * tolerance, inner, mu);
    }
    if (!solved) {
      mu = held_;
      k_ *= fall;
      if (k_ < little::weakest_penalty * first_k) break;
      continue;
    }
    v = inner;
    for (std::size_t k = 0; k < n; ++k) contacts.contacts()[k].P = p_[k];
    contacts.take(v);
    const int steps = newton_steps_ - before;
    if (steps <= easy) k_ = std::min(grow * k_, most_k);
    else if (steps > hard) k_ *= shrink;
  }
  v = best_v_;
  mu = best_mu_;
  for (std::size_t k = 0; k < n; ++k) contacts.contacts()[k].P = best_P_[k];
  contacts.take(v);
  return best;
}

}  // namespace escapement
