#include "nonsmooth/multipliers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "math/tolerances.hpp"

namespace escapement::inline nonsmooth {

namespace {

using V3 = ManyContacts::V3;
using M3 = ManyContacts::M3;

// k and how it changes: chosen on stacks, walls, dominoes and card houses, where fixed ones leave steps unsolved and unguarded ones
// explode. Above most_k what the inner problem leaves is its rounding. P may be on its way for long with v standing still
constexpr double first_k = 100, most_k = 1e10;
constexpr double grow = 4, shrink = 0.5, fall = 0.2;
constexpr int easy = 4, hard = 8, most_inner = 40, most_outer = 300, most_halvings = 12, inner_patience = 4, outer_patience = 40;
constexpr double of_tolerance = 0.1;  // what the inner problem may leave

V3 limited(const ManyContacts::Contact& c, const V3& z) {
  if (c.is_brake()) return {c.braking(z[0]), 0, 0};
  if (!(z[0] > 0)) return V3::Zero();
  const double size = z.tail<2>().norm(), limit = c.mu * z[0];
  if (size <= limit) return z;
  return {z[0], limit / size * z[1], limit / size * z[2]};
}

M3 slope_of(const ManyContacts::Contact& c, const V3& z) {
  if (c.is_brake() ? std::abs(z[0]) > c.brake : !(z[0] > 0)) return M3::Zero();
  if (c.is_brake()) return M3::Identity();
  const double mu = c.mu, size = z.tail<2>().norm(), limit = mu * z[0];
  if (size <= limit) return M3::Identity();
  const double t1 = z[1] / size, t2 = z[2] / size, part = limit / size;
  M3 slope;
  slope << 1, 0, 0, mu * t1, part * t2 * t2, -part * t1 * t2, mu * t2, -part * t1 * t2, part * t1 * t1;
  return slope;
}

}  // namespace

void Multipliers::resize(int v, int bilateral) {
  kkt_.resize(v, bilateral);
  for (Vec* x : {&gained_, &dv_, &trial_, &step_, &difference_, &left_, &right_, &best_gained_}) x->setZero(v);
  for (Vec* x : {&zero_, &held_, &best_mu_}) x->setZero(bilateral);
  last_pairs_.clear();
  A_version_ = 0;
}

void Multipliers::begin(const Motion& m, const ManyContacts& contacts, const Vec& v_free, const Vec& v) {
  const std::size_t n = contacts.contacts().size();
  for (auto* list : {&u_, &u_trial_, &z_, &p_, &best_P_}) list->resize(n);
  for (std::size_t k = 0; k < n; ++k) u_[k] = contacts.rate(contacts.contacts()[k]);
  gained_ = v - v_free;
  newton_steps_ = 0;
  k_ = first_k;
  set_pattern(m, contacts);
}

void Multipliers::look(const Motion& m, const ManyContacts& contacts, const Vec& x) {
  difference_ = gained_ + x;
  left_.setZero();
  m.A.add_product(1, difference_, left_);
  for (std::size_t k = 0; k < u_.size(); ++k) {
    const ManyContacts::Contact& c = contacts.contacts()[k];
    V3& u = u_trial_[k];
    u = u_[k];
    contacts.for_each_column(c, [&](int j, const V3& J) { u += x[j] * J; });
    z_[k] = c.P - k_ / c.weight * u;
    p_[k] = limited(c, z_[k]);
    if (p_[k] == V3::Zero()) continue;
    contacts.for_each_column(c, [&](int j, const V3& J) { left_[j] -= J.dot(p_[k]); });
  }
}

// largest velocity that the bodies would gain from what is not in balance
double Multipliers::unbalanced(const Motion& m, const ManyContacts& contacts, const Vec& mu) {
  right_ = left_;
  for (int r = 0; r < m.bilateral; ++r) m.G_top.add_row(r, -mu[r], right_);
  double largest = 0;
  for (int i = 0; i < right_.size(); ++i) {
    const double one = i % contacts.width() < contacts.lines() ? 1 : m.extent[static_cast<std::size_t>(i / contacts.width())];
    if (right_[i] != 0) largest = std::max(largest, one * std::abs(right_[i]) / m.A(i, i));
  }
  return largest;
}

// H has the places of A, and those of the pairs of bodies that touch
void Multipliers::set_pattern(const Motion& m, const ManyContacts& contacts) {
  if (!m.A.is_sparse()) {
    if (H_.rows() != m.A.rows()) H_.resize(m.A.rows(), m.A.cols());
    return;
  }
  const int ground = contacts.ground(), width = contacts.width();
  pairs_.clear();
  for (const ManyContacts::Contact& c : contacts.contacts()) {
    if (c.a != ground && c.b != ground) pairs_.emplace_back(std::min(c.a, c.b), std::max(c.a, c.b));
    if (c.own >= 0)
      contacts.for_each_column(c, [&](int i, const V3&) {
        contacts.for_each_column(c, [&](int j, const V3&) {
          if (i / width < j / width) pairs_.emplace_back(i / width, j / width);
        });
      });
  }
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

bool Multipliers::factor(const Motion& m, const ManyContacts& contacts) {
  H_.set_zero();
  for (int i = 0; i < m.A.rows(); ++i)
    m.A.for_each_in_row(i, [&](int j, double x) {
      if (x != 0) H_.add(i, j, x);
    });
  for (std::size_t k = 0; k < z_.size(); ++k) {
    const ManyContacts::Contact& c = contacts.contacts()[k];
    M3 slope = slope_of(c, z_[k]);
    if (slope == M3::Zero()) continue;
    slope *= k_ / c.weight;
    columns_.clear();
    contacts.for_each_column(c, [&](int j, const V3& J) { columns_.emplace_back(j, J); });
    for (const auto& [j, Jj] : columns_) {
      const V3 right = slope * Jj;
      for (const auto& [i, Ji] : columns_) H_.add(i, j, Ji.dot(right));
    }
  }
  return kkt_.factor(H_, m.G_top, m.G_bottom);
}

bool Multipliers::search(const Motion& m, const ManyContacts& contacts, double unbalanced_before, const Vec& mu) {
  double part = 1;
  for (int k = 0; k <= most_halvings; ++k, part *= 0.5) {
    trial_ = dv_ + part * step_;
    look(m, contacts, trial_);
    if (!(unbalanced(m, contacts, mu) <= (1 - 0.1 * part) * unbalanced_before)) continue;
    dv_ = trial_;
    return true;
  }
  return false;
}

bool Multipliers::solve_inner(const Motion& m, const ManyContacts& contacts, double tolerance, Vec& mu) {
  dv_.setZero();
  look(m, contacts, dv_);
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0, idle = 0; i < most_inner; ++i) {
    const double left = unbalanced(m, contacts, mu);
    if (left <= tolerance) return true;
    idle = left < 0.5 * least ? 0 : idle + 1;
    least = std::min(least, left);
    if (idle > inner_patience && left < 1e3 * tolerance) return false;  // rounding
    if (!factor(m, contacts)) return false;
    right_ = -left_;
    kkt_.solve(right_, zero_, step_, mu);
    ++newton_steps_;
    if (!search(m, contacts, left, mu)) return false;
  }
  return false;
}

double Multipliers::residual(const ManyContacts& contacts) const {
  double largest = 0;
  for (std::size_t k = 0; k < u_.size(); ++k) largest = std::max(largest, ManyContacts::residual(contacts.contacts()[k], u_[k]));
  return largest;
}

void Multipliers::take_impulses(ManyContacts& contacts) {
  for (std::size_t k = 0; k < p_.size(); ++k) contacts.contacts()[k].P = p_[k];
  gained_ += dv_;
  std::swap(u_, u_trial_);
}

void Multipliers::remember(const ManyContacts& contacts, const Vec& mu) {
  best_gained_ = gained_;
  best_mu_ = mu;
  for (std::size_t k = 0; k < best_P_.size(); ++k) best_P_[k] = contacts.contacts()[k].P;
}

double Multipliers::solve(const Motion& m, ManyContacts& contacts, const Vec& v_free, double tolerance, Vec& v, Vec& mu) {
  contacts.take(v);
  begin(m, contacts, v_free, v);
  double best = std::numeric_limits<double>::infinity();
  for (int outer = 0, idle = 0; outer < most_outer && idle < outer_patience; ++outer) {
    const double left = residual(contacts);
    idle = left < 0.9 * best ? 0 : idle + 1;
    if (left < best) {
      best = left;
      remember(contacts, mu);
    }
    if (left <= tolerance) break;
    const int before = newton_steps_;
    held_ = mu;
    if (!solve_inner(m, contacts, of_tolerance * tolerance, mu)) {
      mu = held_;
      k_ *= fall;
      if (k_ < little::weakest_penalty * first_k) break;
      continue;
    }
    take_impulses(contacts);
    const int steps = newton_steps_ - before;
    if (steps <= easy) k_ = std::min(grow * k_, most_k);
    else if (steps > hard) k_ *= shrink;
  }
  v = v_free + best_gained_;
  mu = best_mu_;
  for (std::size_t k = 0; k < best_P_.size(); ++k) contacts.contacts()[k].P = best_P_[k];
  contacts.take(v);
  return best;
}

}  // namespace escapement
